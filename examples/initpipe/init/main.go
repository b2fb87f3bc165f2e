// Command init runs the pipeline of the example service and ends, as an init
// container or a job does. DATABASE_URL names the database; -help tells the
// rest, and package initcmd the exit codes.
package main

import (
	"errors"
	"log/slog"
	"os"

	"github.com/pglockdep/pglockdep/examples/initpipe/content"
	"github.com/pglockdep/pglockdep/runtime/initpipe"
	"github.com/pglockdep/pglockdep/runtime/initpipe/initcmd"
)

func main() {
	initcmd.Main(func(log *slog.Logger) (initpipe.Config, error) {
		dsn := os.Getenv("DATABASE_URL")
		if dsn == "" {
			return initpipe.Config{}, errors.New("DATABASE_URL is not set")
		}
		return content.Config(dsn, 0, log)
	})
}
