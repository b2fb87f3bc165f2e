// Package nethttp is entered by routes of net/http.
package nethttp

import (
	"database/sql"
	"net/http"

	"entries.test/store"
)

type handlers struct{ store *store.Store }

// Routes registers the routes.
func Routes(s *store.Store, auth func(http.Handler) http.Handler) http.Handler {
	h := &handlers{s}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /accounts/{id}", h.post)
	mux.Handle("GET /accounts/{id}", auth(http.HandlerFunc(h.get)))
	mux.HandleFunc("/health", func(w http.ResponseWriter, r *http.Request) { h.check(r) })
	mux.Handle("/closed", closer{s})
	mux.Handle("DELETE /accounts", h.remove())
	admin := http.NewServeMux()
	admin.HandleFunc("/reset", h.reset)
	mux.Handle("/admin/", http.StripPrefix("/admin", admin))
	srv := &server{mux: mux}
	srv.handle("PUT", "/accounts/{id}", h.put)
	srv.secure("PATCH", "/accounts/{id}", h.patch)
	return mux
}

// A server registers functions of its own shape.
type server struct {
	mux *http.ServeMux
}

func (s *server) handle(method, path string, do http.HandlerFunc) {
	s.mux.HandleFunc(method+" "+path, logged(do))
}

func (s *server) secure(method, path string, do http.HandlerFunc) {
	s.handle(method, path, func(w http.ResponseWriter, r *http.Request) { do(w, r) })
}

func logged(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { next(w, r) }
}

// reached by: POST /accounts/{id}
func (h *handlers) post(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

// reached by: PUT /accounts/{id}
func (h *handlers) put(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

// reached by: PATCH /accounts/{id}
func (h *handlers) patch(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

// reached by: GET /accounts/{id}
func (h *handlers) get(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

// reached by: /health
func (h *handlers) check(r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

// reached by: DELETE /accounts
func (h *handlers) remove() http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
	}
}

// reached by: /admin/reset
func (h *handlers) reset(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

type closer struct{ store *store.Store }

// reached by: /closed
func (h closer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}
