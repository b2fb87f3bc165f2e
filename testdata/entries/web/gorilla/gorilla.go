// Package gorilla is entered by routes of gorilla/mux.
package gorilla

import (
	"database/sql"
	"net/http"

	"github.com/gorilla/mux"

	"entries.test/store"
)

type handlers struct{ store *store.Store }

// Routes registers the routes.
func Routes(s *store.Store) http.Handler {
	h := &handlers{s}
	r := mux.NewRouter()
	r.HandleFunc("/accounts/{id}", h.put).Methods("PUT", "PATCH")
	api := r.PathPrefix("/api").Subrouter()
	api.HandleFunc("/accounts", h.list).Methods(http.MethodGet)
	api.Path("/accounts").Methods("POST").HandlerFunc(h.create)
	return r
}

// reached by: PUT|PATCH /accounts/{id}
func (h *handlers) put(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

// reached by: GET /api/accounts
func (h *handlers) list(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}

// reached by: POST /api/accounts
func (h *handlers) create(w http.ResponseWriter, r *http.Request) {
	_ = h.store.Touch(r.Context(), func(tx *sql.Tx) error { return store.Lock(r.Context(), tx) })
}
