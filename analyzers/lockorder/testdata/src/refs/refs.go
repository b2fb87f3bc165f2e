// Package refs inserts rows whose reference is NULL, or may have a value.
package refs

import (
	"context"
	"database/sql"
	"encoding/json"
)

type params struct {
	ID    int64
	RunID *int64
	Name  string
}

func insert(ctx context.Context, tx *sql.Tx, p params) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO nodes (id, run_id, name) VALUES ($1, $2, $3)`, p.ID, p.RunID, p.Name)
	return err
}

func NoneLeftOut(ctx context.Context, tx *sql.Tx, name string) error {
	return insert(ctx, tx, params{ID: 1, Name: name})
}

func NoneNil(ctx context.Context, tx *sql.Tx, name string) error {
	return insert(ctx, tx, params{ID: 1, RunID: nil, Name: name})
}

func NoneGiven(ctx context.Context, tx *sql.Tx, name string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO nodes (id, run_id, name) VALUES ($1, $2, $3)`, 1, nil, name)
	return err
}

func NoneWritten(ctx context.Context, tx *sql.Tx, name string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO nodes (id, name) VALUES ($1, $2)`, 1, name)
	return err
}

func OneSet(ctx context.Context, tx *sql.Tx, run int64, name string) error {
	return insert(ctx, tx, params{ID: 1, RunID: &run, Name: name})
}

func OneSetLater(ctx context.Context, tx *sql.Tx, run int64, name string) error {
	p := params{ID: 1, Name: name}
	if name != "" {
		p.RunID = &run
	}
	return insert(ctx, tx, p)
}

func fill(p *params, run *int64) { p.RunID = run }

func OneFilled(ctx context.Context, tx *sql.Tx, run int64, name string) error {
	p := params{ID: 1, Name: name}
	fill(&p, &run)
	return insert(ctx, tx, p)
}

func OneDecoded(ctx context.Context, tx *sql.Tx, body []byte) error {
	p := params{ID: 1}
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	return insert(ctx, tx, p)
}
