// Package fiber is entered by routes of gofiber.
package fiber

import (
	"database/sql"

	"github.com/gofiber/fiber/v2"

	"entries.test/store"
)

type handlers struct{ store *store.Store }

// Routes registers the routes.
func Routes(s *store.Store, auth fiber.Handler) *fiber.App {
	h := &handlers{s}
	app := fiber.New()
	app.Get("/accounts", auth, h.list)
	v1 := app.Group("/v1", auth)
	v1.Post("/accounts", h.create)
	app.Route("/admin", func(r fiber.Router) { r.Delete("/accounts", h.remove) })
	return app
}

// reached by: GET /accounts
func (h *handlers) list(c *fiber.Ctx) error {
	return h.store.Touch(c.Context(), func(tx *sql.Tx) error { return store.Lock(c.Context(), tx) })
}

// reached by: POST /v1/accounts
func (h *handlers) create(c *fiber.Ctx) error {
	return h.store.Touch(c.Context(), func(tx *sql.Tx) error { return store.Lock(c.Context(), tx) })
}

// reached by: DELETE /admin/accounts
func (h *handlers) remove(c *fiber.Ctx) error {
	return h.store.Touch(c.Context(), func(tx *sql.Tx) error { return store.Lock(c.Context(), tx) })
}
