// Command run starts a throwaway PostgreSQL server, runs a command with the
// server's connection string in PGLOCKDEP_TEST_DSN, and stops the server:
//
//	go run ./internal/pgtest/run -- go test ./...
//
// A command line enters; the exit code of the command leaves. When the
// variable is set already, that server is used. Several commands are
// separated by a lone "++"; -C DIR before one runs it there. All are run,
// and the first failure decides the exit code.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/pglockdep/pglockdep/internal/pgtest"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	commands := split(args)
	if len(commands) == 0 {
		fmt.Fprintln(os.Stderr, "run: no command is given\nrun: hint: go run ./internal/pgtest/run -- go test ./...")
		return 2
	}
	// An interrupt reaches the commands by itself; this process stays to stop
	// the server after them.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
	dsn := os.Getenv(pgtest.Env)
	if dsn == "" {
		s, err := pgtest.Launch(os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		defer s.Stop()
		dsn = s.DSN
	}
	code := 0
	for _, c := range commands {
		if got := c.run(dsn); code == 0 {
			code = got
		}
	}
	return code
}

// A command is one command line and the folder it runs in.
type command struct {
	dir  string
	args []string
}

func split(args []string) []command {
	var out []command
	var c command
	for _, a := range append(args, "++") {
		if a != "++" {
			c.args = append(c.args, a)
			continue
		}
		if len(c.args) > 2 && c.args[0] == "-C" {
			c.dir, c.args = c.args[1], c.args[2:]
		}
		if len(c.args) > 0 {
			out = append(out, c)
		}
		c = command{}
	}
	return out
}

func (c command) run(dsn string) int {
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), pgtest.Env+"="+dsn)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode()
	}
	fmt.Fprintf(os.Stderr, "run: %s: %v\n", c.args[0], err)
	return 2
}
