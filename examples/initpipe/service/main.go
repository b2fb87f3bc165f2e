// Command service is a replica of the example service: it serves its courses
// once the database is initialized, and the pipeline with its page at
// /api/db/init. Environment:
//
//	DATABASE_URL  the database
//	LISTEN        the address, 127.0.0.1:8081
//	CSRF_KEY      at least 32 bytes, the same for all replicas
//	OPERATOR      name and password of the operator, with a colon between
//	PACE          how long each note takes, for demonstrations
package main

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/examples/initpipe/content"
	"github.com/pglockdep/pglockdep/runtime/initpipe"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. It tells its address on out.
func run(ctx context.Context, env func(string) string, out *os.File) error {
	pace, err := time.ParseDuration(cmp.Or(env("PACE"), "0s"))
	if err != nil {
		return err
	}
	cfg, err := content.Config(env("DATABASE_URL"), pace, slog.Default())
	if err != nil {
		return err
	}
	pipeline, err := initpipe.New(cfg)
	if err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, env("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer pool.Close()
	handler, err := routes(pipeline, pool, env)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", cmp.Or(env("LISTEN"), "127.0.0.1:8081"))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s/api/db/init/page\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	// A run may end, for a while; then it is cancelled and its stage rolled back.
	grace, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	pipeline.Close(grace)
	return errors.Join(err, server.Shutdown(grace))
}

func routes(pipeline *initpipe.Pipeline, pool *pgxpool.Pool, env func(string) string) (http.Handler, error) {
	csrf, err := initpipe.NewCSRF([]byte(env("CSRF_KEY")))
	if err != nil {
		return nil, err
	}
	name, password, ok := strings.Cut(env("OPERATOR"), ":")
	if !ok {
		return nil, errors.New("OPERATOR is not set")
	}
	init, err := pipeline.Handler(initpipe.HandlerConfig{CSRF: csrf, Authenticate: operator(name, password)})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /courses", courses(pool))
	mux.Handle("/api/db/init", challenge(init))
	mux.Handle("/api/db/init/", challenge(init))
	return mux, nil
}

// operator lets one person in, by the name and password of basic
// authentication.
func operator(name, password string) func(*http.Request) (string, error) {
	return func(r *http.Request) (string, error) {
		u, p, ok := r.BasicAuth()
		if !ok || subtle.ConstantTimeCompare([]byte(u+":"+p), []byte(name+":"+password)) != 1 {
			return "", errors.New("the operator's name and password, please")
		}
		return u, nil
	}
}

// challenge has browsers ask for the password.
func challenge(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="operator", charset="UTF-8"`)
		h.ServeHTTP(w, r)
	})
}

func courses(pool *pgxpool.Pool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rows, err := pool.Query(r.Context(), `SELECT title FROM course ORDER BY slug`)
		if err == nil {
			defer rows.Close()
			for rows.Next() {
				var title string
				if err := rows.Scan(&title); err != nil {
					break
				}
				fmt.Fprintln(w, title)
			}
			err = rows.Err()
		}
		if err != nil {
			http.Error(w, "not initialized yet", http.StatusServiceUnavailable)
		}
	}
}
