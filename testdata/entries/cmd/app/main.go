// Command app is entered by its commands.
package main

import (
	"context"
	"database/sql"
	"os"

	"github.com/spf13/cobra"

	"entries.test/store"
)

var root = &cobra.Command{Use: "app"}

var opened store.Store

func init() { root.AddCommand(newAccounts(), versionCmd) }

var versionCmd = &cobra.Command{Use: "version", RunE: func(cmd *cobra.Command, _ []string) error { return version(cmd.Context()) }}

func newAccounts() *cobra.Command {
	cmd := &cobra.Command{Use: "accounts"}
	sweep := &cobra.Command{
		Use: "sweep [flags]",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sweep(cmd.Context())
		},
	}
	cmd.AddCommand(sweep)
	return cmd
}

// reached by: command app accounts sweep
func sweep(ctx context.Context) error {
	return opened.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
}

// reached by: command app version
func version(ctx context.Context) error {
	return opened.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
}

func main() {
	if err := root.Execute(); err != nil {
		os.Exit(1)
	}
}
