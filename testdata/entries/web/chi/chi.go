// Package chi is entered by routes of go-chi.
package chi

import (
	"database/sql"
	"net/http"

	"github.com/go-chi/chi/v5"

	"entries.test/store"
)

type handlers struct{ store *store.Store }

// Routes registers the routes.
func Routes(s *store.Store, auth func(http.Handler) http.Handler) http.Handler {
	h := &handlers{s}
	r := chi.NewRouter()
	r.Use(auth)
	r.Route("/api", func(r chi.Router) {
		r.Get("/accounts", h.list)
		r.Group(func(r chi.Router) {
			r.Use(auth)
			r.With(auth).Post("/accounts", h.create)
		})
		r.Mount("/admin", h.admin())
		h.more(r)
	})
	r.Method("PUT", "/accounts/{id}", http.HandlerFunc(h.put))
	return r
}

// A router is a router of the program's own around that of go-chi.
type router struct{ chi chi.Router }

func (r *router) route(path string, do func(*router)) {
	r.chi.Route(path, func(c chi.Router) { do(&router{c}) })
}

func (r *router) get(path string, do func(w http.ResponseWriter, r *http.Request) error) {
	r.chi.Get(path, func(w http.ResponseWriter, r *http.Request) { _ = do(w, r) })
}

// Own registers routes on it.
func Own(s *store.Store) {
	h := &handlers{s}
	r := &router{chi.NewRouter()}
	r.route("/own", func(r *router) { r.get("/accounts", h.own) })
}

// reached by: GET …/accounts
func (h *handlers) own(w http.ResponseWriter, r *http.Request) error {
	return h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

func (h *handlers) admin() http.Handler {
	r := chi.NewRouter()
	r.Delete("/accounts/{id}", h.remove)
	return r
}

func (h *handlers) more(r chi.Router) { r.HandleFunc("/more", h.any) }

// reached by: GET /api/accounts
func (h *handlers) list(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

// reached by: POST /api/accounts
func (h *handlers) create(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

// reached by: DELETE /api/admin/accounts/{id}
func (h *handlers) remove(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

// reached by: /api/more
func (h *handlers) any(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

// reached by: PUT /accounts/{id}
func (h *handlers) put(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}
