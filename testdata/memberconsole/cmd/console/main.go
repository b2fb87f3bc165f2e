// Command console serves the member console and runs its worker.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"example.test/memberconsole/internal/api"
	"example.test/memberconsole/internal/demo"
	"example.test/memberconsole/internal/domains"
	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/fulfillment"
	"example.test/memberconsole/internal/integration"
	"example.test/memberconsole/internal/integrations/fedwiki"
	"example.test/memberconsole/internal/integrations/fedwiki/activities"
	"example.test/memberconsole/internal/integrations/fedwiki/web"
	"example.test/memberconsole/internal/integrations/stripe"
	"example.test/memberconsole/internal/integrations/stripe/catalogsync"
	"example.test/memberconsole/internal/integrations/stripe/workflows"
	"example.test/memberconsole/internal/usage"
	"example.test/memberconsole/internal/worker"
	"example.test/memberconsole/internal/workflows/desiredstate"
)

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, log, os.Args[1:]); err != nil {
		log.Error("console stopped", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, log *slog.Logger, args []string) error {
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer db.Close()
	db.SetMaxOpenConns(20)

	ent := entitlements.New(db, log)
	if len(args) > 0 && args[0] == "seed" {
		_, err := demo.Seed(ctx, db, ent)
		return err
	}

	client := &http.Client{Timeout: 20 * time.Second}
	payments := stripe.NewHTTPClient("https://api.stripe.com", os.Getenv("STRIPE_KEY"), client)
	farm := &fedwiki.HTTPFarm{Base: os.Getenv("FEDWIKI_FARM"), Client: client}
	registry := domains.NewRegistry(db)
	acts := activities.New(db, farm)
	invoices := workflows.NewInvoices(db, payments)

	if err := boot(ctx, db, registry); err != nil {
		return err
	}
	mux := http.NewServeMux()
	operator := &api.Operator{
		DB:            db,
		Entitlements:  ent,
		Subscriptions: fulfillment.New(db, ent, payments, log),
		Invoices:      invoices,
		Catalog:       catalogsync.New(db, log),
		Log:           log,
	}
	operator.Routes(mux)
	acts.Routes(mux)
	web.New(db, registry, activities.NewRunner(acts, registry), 24*time.Hour, log).Routes(mux)

	relay := desiredstate.New(db, desiredstate.HTTPPusher{Client: client})
	go worker.New(db, ent, relay, invoices, acts, log).Run(ctx)
	return serve(ctx, &http.Server{Addr: os.Getenv("LISTEN"), Handler: mux})
}

// boot repairs what a crash may have left behind before anybody is served.
func boot(ctx context.Context, db *sql.DB, registry *domains.Registry) error {
	if err := integration.RegisterProviders(ctx, db, map[string]string{usage.SiteSlots: "fedwiki"}); err != nil {
		return err
	}
	if err := fedwiki.ReconcileDomains(ctx, db, registry); err != nil {
		return err
	}
	return usage.BoundAll(ctx, db)
}

func serve(ctx context.Context, srv *http.Server) error {
	go func() {
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = srv.Shutdown(drain)
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
