// Command pglockdep finds the locks that a Go program takes in PostgreSQL,
// checks their order, documents it and gates changes.
//
// Arguments and source code enter; findings, the page, the graph leave on
// standard output or in a file. Exit codes: 0 done and nothing to report, 1
// findings, a stale page, a difference or a statement in error, 2 could not
// run, 3 reserved for the go vet protocol.
package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"sort"
	"strings"
	"syscall"
)

// Exit codes.
const (
	exitOK      = 0
	exitFound   = 1
	exitTrouble = 2
)

// A command is one verb of the command line.
type command struct {
	name  string
	args  string // of the usage line
	short string // one line
	long  string

	examples []string // command lines without the program's name; tests run them

	run   func(c *invocation) error
	flags func(c *invocation)
}

func commands() []*command {
	return []*command{checkCommand, docsCommand, graphCommand, pathsCommand, sqlCommand, diffCommand, orderCommand, logCommand, explainCommand, initCommand, configCommand, completionCommand, versionCommand}
}

// errFound ends a command with exit code 1 and no message of its own.
var errFound = errors.New("found")

// A hinted error carries lines that say what to do.
type hinted struct {
	err   error
	hints []string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }

func hint(err error, hints ...string) error { return &hinted{err, hints} }

func main() {
	if vetProtocol(os.Args[1:]) {
		debug.SetGCPercent(400) // one package: it ends before its heap is worth cleaning
		vetMain()
		return
	}
	// The heap may grow to three times what lives, for most of it is soon
	// garbage. Past the limit the collector works harder instead. GOGC and
	// GOMEMLIMIT set others.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(1700 << 20)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		os.Exit(exitTrouble)
	}()
	os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// uncollected holds the garbage collector back, up to the limit of memory,
// until again is called: what is read of a program is needed until all of it
// is read. GOGC says otherwise, and so does a process without a limit.
func uncollected() (again func()) {
	if os.Getenv("GOGC") != "" || debug.SetMemoryLimit(-1) == math.MaxInt64 {
		return func() {}
	}
	percent := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(percent) }
}

// Run runs one command line and returns its exit code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" || args[0] == "-help" {
		if len(args) == 0 {
			usage(stderr)
			return exitTrouble
		}
		usage(stdout)
		return exitOK
	}
	if args[0] == "help" {
		return help(args[1:], stdout, stderr)
	}
	if args[0] == "-version" || args[0] == "--version" {
		args[0] = "version"
	}
	for _, cmd := range commands() {
		if cmd.name == args[0] {
			c := newInvocation(cmd, stdin, stdout, stderr)
			err := c.parse(args[1:])
			if err == nil {
				err = cmd.run(c)
			}
			c.progress.clear()
			return ending(err, cmd, stderr, stdout)
		}
	}
	return unknownCommand(args[0], stderr)
}

// helpCommand stands in lists of commands; help runs it.
var helpCommand = &command{name: "help", args: "[COMMAND]", short: "tell what a command does, with examples"}

func unknownCommand(name string, stderr io.Writer) int {
	fmt.Fprintf(stderr, "pglockdep: no command is named %q\n", name)
	if near := nearest(name, commandNames()); near != "" {
		fmt.Fprintf(stderr, "pglockdep: hint: did you mean %s?\n", near)
	} else {
		fmt.Fprintf(stderr, "pglockdep: hint: pglockdep help lists the commands\n")
	}
	return exitTrouble
}

var errHelp = errors.New("help wanted")

func ending(err error, cmd *command, stderr, stdout io.Writer) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFound):
		return exitFound
	case errors.Is(err, errHelp):
		cmd.help(stdout)
		return exitOK
	}
	fmt.Fprintf(stderr, "pglockdep: %v\n", err)
	var h *hinted
	if errors.As(err, &h) {
		for _, line := range h.hints {
			fmt.Fprintf(stderr, "pglockdep: hint: %s\n", line)
		}
	}
	return exitTrouble
}

func commandNames() []string {
	var out []string
	for _, c := range commands() {
		out = append(out, c.name)
	}
	return append(out, "help")
}

func usage(w io.Writer) {
	fmt.Fprint(w, "pglockdep finds the locks that a Go program takes in PostgreSQL, checks their order and documents it.\n\nUsage:\n\n\tpglockdep <command> [flags] [packages]\n\tgo vet -vettool=$(which pglockdep) ./...\n\nCommands:\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "\t%-10s %s\n", c.name, c.short)
	}
	fmt.Fprint(w, "\nFlags come before or after packages; packages default to ./...\n\"pglockdep help <command>\" tells more.\n")
}

func help(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stdout)
		return exitOK
	}
	for _, c := range commands() {
		if c.name == args[0] {
			c.help(stdout)
			return exitOK
		}
	}
	return unknownCommand(args[0], stderr)
}

// nearest returns the name closest to word, "" when none is close.
func nearest(word string, names []string) string {
	best, dist := "", len(word)/2+1
	sort.Strings(names)
	for _, n := range names {
		if d := distance(strings.ToLower(word), strings.ToLower(n)); d < dist {
			best, dist = n, d
		}
	}
	return best
}

// distance is Levenshtein's.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		prev := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cur := row[j]
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j]+1, row[j-1]+1, prev+cost)
			prev = cur
		}
	}
	return row[len(b)]
}
