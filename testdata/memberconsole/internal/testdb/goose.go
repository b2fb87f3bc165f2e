package testdb

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"
)

// applyMigrations runs the Up part of every file of dir, by name, each file in
// one transaction as goose does.
func applyMigrations(ctx context.Context, conn *pgx.Conn, dir fs.FS) error {
	names, err := fs.Glob(dir, "*.sql") // sorted
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		statements, err := upStatements(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			for _, s := range statements {
				if _, err := tx.Exec(ctx, s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// upStatements splits the Up part of a migration. A statement ends with a line
// that ends in a semicolon, or where a StatementBegin block ends.
func upStatements(text string) ([]string, error) {
	var statements []string
	var cur strings.Builder
	flush := func() {
		if s := strings.TrimSpace(cur.String()); s != "" {
			statements = append(statements, s)
		}
		cur.Reset()
	}
	up, block := false, false
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := lines.Text()
		switch directive, _ := strings.CutPrefix(strings.TrimSpace(line), "-- +goose "); {
		case directive == "Up":
			up = true
		case directive == "Down":
			up = false
		case !up:
		case directive == "StatementBegin":
			flush()
			block = true
		case directive == "StatementEnd":
			flush()
			block = false
		case strings.HasPrefix(strings.TrimSpace(line), "--") && !block:
		default:
			cur.WriteString(line + "\n")
			if !block && strings.HasSuffix(strings.TrimSpace(line), ";") {
				flush()
			}
		}
	}
	if block {
		return nil, fmt.Errorf("StatementBegin without StatementEnd")
	}
	flush()
	return statements, lines.Err()
}
