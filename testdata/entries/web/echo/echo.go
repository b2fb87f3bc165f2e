// Package echo is entered by routes of labstack's echo.
package echo

import (
	"database/sql"

	"github.com/labstack/echo/v4"

	"entries.test/store"
)

// A Server keeps its router in a field.
type Server struct {
	echo  *echo.Echo
	store *store.Store
}

// New returns a server.
func New(s *store.Store) *Server {
	srv := &Server{echo: echo.New(), store: s}
	srv.routes()
	return srv
}

func (h *Server) routes() {
	h.echo.GET("/accounts", h.list)
	g := h.echo.Group("/v1")
	g.POST("/accounts", h.create)
	g.Add("PUT", "/accounts/:id", func(c echo.Context) error { return h.put(c) })
}

// reached by: GET /accounts
func (h *Server) list(c echo.Context) error {
	return h.store.Touch(c.Request().Context(), func(tx *sql.Tx) error { return store.Lock(c.Request().Context(), tx) })
}

// reached by: POST /v1/accounts
func (h *Server) create(c echo.Context) error {
	return h.store.Touch(c.Request().Context(), func(tx *sql.Tx) error { return store.Lock(c.Request().Context(), tx) })
}

// reached by: PUT /v1/accounts/:id
func (h *Server) put(c echo.Context) error {
	return h.store.Touch(c.Request().Context(), func(tx *sql.Tx) error { return store.Lock(c.Request().Context(), tx) })
}
