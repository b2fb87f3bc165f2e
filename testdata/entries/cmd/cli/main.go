// Command cli is entered by its commands.
package main

import (
	"context"
	"database/sql"
	"os"

	"github.com/urfave/cli/v2"

	"entries.test/store"
)

var opened store.Store

func main() {
	app := &cli.App{Name: "cli", Commands: []*cli.Command{
		{Name: "sweep", Action: func(c *cli.Context) error { return sweep(c.Context) }},
		{Name: "close", Action: closeAll},
	}}
	if err := app.Run(os.Args); err != nil {
		os.Exit(1)
	}
}

// reached by: command sweep
func sweep(ctx context.Context) error {
	return opened.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
}

// reached by: command close
func closeAll(c *cli.Context) error {
	return opened.Touch(c.Context, func(tx *sql.Tx) error { return store.Lock(c.Context, tx) })
}
