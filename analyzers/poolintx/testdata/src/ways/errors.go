package ways

import (
	"context"
	"database/sql"
	"fmt"
	"os"
)

// Fill gives one error variable the error of each of its calls: the rollback
// that depends on it runs on every way out that fails, before the staging
// table is dropped.
func Fill(ctx context.Context, db *sql.DB, name string) error {
	_, err := db.ExecContext(ctx, `CREATE TABLE staging (id bigint)`)
	if err != nil {
		return err
	}
	defer func() {
		_, _ = db.ExecContext(ctx, `DROP TABLE staging`)
	}()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
		}
	}()
	if err = first(ctx, tx, name); err != nil {
		return err
	}
	if err = second(ctx, tx, name); err != nil {
		return err
	}
	if err = third(ctx, tx, name); err != nil {
		return err
	}
	if _, err = tx.ExecContext(ctx, `INSERT INTO staging VALUES (4)`); err != nil {
		return fmt.Errorf("fourth: %w", err)
	}
	if _, err = tx.ExecContext(ctx, `INSERT INTO staging VALUES (5)`); err != nil {
		return fmt.Errorf("fifth: %w", err)
	}
	if _, err = tx.ExecContext(ctx, `INSERT INTO staging VALUES (6)`); err != nil {
		return fmt.Errorf("sixth: %w", err)
	}
	if _, err = tx.ExecContext(ctx, `INSERT INTO staging VALUES (7)`); err != nil {
		return fmt.Errorf("seventh: %w", err)
	}
	if _, err = tx.ExecContext(ctx, `INSERT INTO staging VALUES (8)`); err != nil {
		return fmt.Errorf("eighth: %w", err)
	}
	err = tx.Commit()
	return err
}

// first fails with errors that are made of much.
func first(ctx context.Context, tx *sql.Tx, name string) error {
	text, err := read(name)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO staging SELECT length($1)`, text); err != nil {
		return fmt.Errorf("insert from %s: %w", folder(name), err)
	}
	return nil
}

func second(ctx context.Context, tx *sql.Tx, name string) error {
	text, err := read(name + ".more")
	if err != nil {
		return fmt.Errorf("read more: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO staging SELECT length($1)`, text); err != nil {
		return fmt.Errorf("insert more from %s: %w", folder(name), err)
	}
	return nil
}

func third(ctx context.Context, tx *sql.Tx, name string) error {
	text, err := read(name + ".most")
	if err != nil {
		return fmt.Errorf("read most: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO staging SELECT length($1)`, text); err != nil {
		return fmt.Errorf("insert most from %s: %w", folder(name), err)
	}
	return nil
}

func read(name string) (string, error) {
	b, err := os.ReadFile(folder(name) + "/" + name)
	if err != nil {
		return "", fmt.Errorf("in %s: %w", folder(name), err)
	}
	if len(b) == 0 {
		return "", fmt.Errorf("%s is empty", folder(name))
	}
	return string(b), nil
}

func folder(name string) string {
	switch home := os.Getenv("HOME"); name {
	case "":
		return home + "/none/" + os.Getenv("USER")
	case "all":
		return home + "/" + os.Getenv("ALL") + "/" + os.Getenv("USER")
	case "mine":
		return home + "/" + os.Getenv("MINE") + "/" + os.Getenv("USER")
	default:
		return home + "/" + name + "/" + os.Getenv("USER")
	}
}
