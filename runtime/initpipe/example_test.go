package initpipe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/initpipe"
	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

func Example() {
	ctx := context.Background()
	pipeline, err := initpipe.New(initpipe.Config{
		Name:    "example",
		Session: locks.SessionConfig{DSN: os.Getenv(testdb.Env)},
		Logger:  slog.New(slog.DiscardHandler),

		TablePrefix: "example_init",
		Stages: []initpipe.Stage{
			{Name: "clean", Run: initpipe.Exec(`DROP TABLE IF EXISTS example_course`)},
			{Name: "tables", Run: initpipe.Exec(`CREATE TABLE example_course (slug text PRIMARY KEY)`)},
			{Name: "courses", Run: func(ctx context.Context, tx pgx.Tx, p *initpipe.Progress) error {
				p.Step("locks")
				_, err := tx.Exec(ctx, `INSERT INTO example_course VALUES ('locks') ON CONFLICT DO NOTHING`)
				return err
			}},
		},
	})
	if err != nil {
		panic(err)
	}
	defer pipeline.Close(ctx)

	report, err := pipeline.Run(ctx, initpipe.Request{Actor: "example", From: "clean"})
	switch {
	case errors.Is(err, initpipe.ErrInProgress):
		fmt.Println("later:", err)
	case err != nil:
		fmt.Println("failed:", err)
	default:
		fmt.Println(report.Outcome)
	}
	// Output: succeeded
}

func ExamplePipeline_Handler() {
	pipeline, err := initpipe.New(initpipe.Config{
		Name:    "example",
		Session: locks.SessionConfig{DSN: "postgres://localhost:1/nowhere"},
		Stages:  []initpipe.Stage{{Name: "tables", Run: initpipe.Exec(`SELECT 1`)}},
	})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	defer pipeline.Close(ctx)

	if _, err := pipeline.Handler(initpipe.HandlerConfig{}); err != nil {
		fmt.Println(err)
	}
	handler, err := pipeline.Handler(initpipe.HandlerConfig{
		Authenticate: func(r *http.Request) (string, error) {
			name, password, _ := r.BasicAuth()
			if name != "operator" || password != "secret" {
				return "", errors.New("name and password, please")
			}
			return name, nil
		},
		CSRF: initpipe.NoCSRF, // no browser comes here
	})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/db/init", handler)
	server := httptest.NewServer(mux)
	defer server.Close()

	res, err := http.Post(server.URL+"/api/db/init", "", nil)
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	fmt.Println(res.Status)
	// Output:
	// initpipe: HandlerConfig.Authenticate is not decided; Anonymous lets everybody in
	// 401 Unauthorized
}
