// Package gin is entered by routes of gin-gonic.
package gin

import (
	"database/sql"

	"github.com/gin-gonic/gin"

	"entries.test/store"
)

type handlers struct{ store *store.Store }

// Routes registers the routes.
func Routes(s *store.Store, auth gin.HandlerFunc) *gin.Engine {
	h := &handlers{s}
	r := gin.New()
	r.Use(auth)
	r.GET("/accounts", h.list)
	v1 := r.Group("/v1")
	{
		v1.POST("/accounts/:id", auth, h.post)
		h.admin(v1.Group("/admin"))
	}
	r.Handle("PATCH", "/accounts", h.patch)
	return r
}

func (h *handlers) admin(g *gin.RouterGroup) { g.Any("/reset", h.reset) }

// reached by: GET /accounts
func (h *handlers) list(c *gin.Context) {
	_ = h.store.Touch(c.Request.Context(), func(tx *sql.Tx) error { return store.Lock(c.Request.Context(), tx) })
}

// reached by: POST /v1/accounts/:id
func (h *handlers) post(c *gin.Context) {
	_ = h.store.Touch(c.Request.Context(), func(tx *sql.Tx) error { return store.Lock(c.Request.Context(), tx) })
}

// reached by: PATCH /accounts
func (h *handlers) patch(c *gin.Context) {
	_ = h.store.Touch(c.Request.Context(), func(tx *sql.Tx) error { return store.Lock(c.Request.Context(), tx) })
}

// reached by: /v1/admin/reset
func (h *handlers) reset(c *gin.Context) {
	_ = h.store.Touch(c.Request.Context(), func(tx *sql.Tx) error { return store.Lock(c.Request.Context(), tx) })
}
