package ways

import (
	"context"
	"database/sql"
)

// A Module's work runs under the row of its name, which the program gives it
// where it is made.
type Module struct {
	cfg ModuleConfig
	db  *sql.DB
}

type ModuleConfig struct {
	Name    string
	Version int
}

func NewModule(db *sql.DB, cfg ModuleConfig) *Module { return &Module{cfg: cfg, db: db} }

func (m *Module) Run(ctx context.Context, work func(tx *sql.Tx) error) error {
	return within(ctx, m.db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM modules WHERE name = $1 AND version = $2 FOR UPDATE NOWAIT`, m.cfg.Name, m.cfg.Version); err != nil {
			return err
		}
		return work(tx)
	})
}

// The plants and the pots are worked on by one module: its two orders never
// meet.
type Plants struct{ module *Module }

func NewPlants(db *sql.DB) *Plants {
	return &Plants{module: NewModule(db, ModuleConfig{Name: "plants", Version: 1})}
}

func (p *Plants) Water(ctx context.Context, plant, pot int64) error {
	return p.module.Run(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE plants SET n = n + 1 WHERE id = $1`, plant); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE pots SET n = n + 1 WHERE id = $1`, pot)
		return err
	})
}

func (p *Plants) Move(ctx context.Context, plant, pot int64) error {
	return p.module.Run(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE pots SET n = n - 1 WHERE id = $1`, pot); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE plants SET n = n - 1 WHERE id = $1`, plant)
		return err
	})
}

// The bulbs and the vases are worked on by two.
type Bulbs struct{ module *Module }

func NewBulbs(db *sql.DB) *Bulbs {
	return &Bulbs{module: NewModule(db, ModuleConfig{Name: "bulbs", Version: 1})}
}

func (b *Bulbs) Light(ctx context.Context, bulb, vase int64) error {
	return b.module.Run(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE bulbs SET n = n + 1 WHERE id = $1`, bulb); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE vases SET n = n + 1 WHERE id = $1`, vase)
		return err
	})
}

type Vases struct{ module *Module }

func NewVases(db *sql.DB) *Vases {
	return &Vases{module: NewModule(db, ModuleConfig{Name: "vases", Version: 1})}
}

func (v *Vases) Fill(ctx context.Context, bulb, vase int64) error {
	return v.module.Run(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE vases SET n = n - 1 WHERE id = $1`, vase); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE bulbs SET n = n - 1 WHERE id = $1`, bulb) // want lock-order-cycle "row .bulbs. .FOR NO KEY UPDATE. acquired while holding row .vases."
		return err
	})
}
