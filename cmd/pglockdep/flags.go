package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// An invocation is one run of a command: its flags, arguments and streams.
type invocation struct {
	cmd            *command
	stdin          io.Reader
	stdout, stderr io.Writer
	fs             *flag.FlagSet
	args           []string
	progress       *progress

	// flags that several commands share
	dir, tags, config, pooler, implicit string
	test, verbose                       bool
	schema                              list

	// flags of single commands
	format, failOn, output, funcRE, lock, pg string
	check, diff, printSchema, fresh          bool
	baseline, newFrom                        string
	writeBaseline, init, fix                 bool
	goFile                                   string

	unweighed bool // an older version: nothing of it is waived
}

// A list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func newInvocation(cmd *command, stdin io.Reader, stdout, stderr io.Writer) *invocation {
	c := &invocation{cmd: cmd, stdin: stdin, stdout: stdout, stderr: stderr, fs: flag.NewFlagSet(cmd.name, flag.ContinueOnError)}
	c.fs.SetOutput(io.Discard)
	c.progress = newProgress(stderr)
	if cmd.flags != nil {
		cmd.flags(c)
	}
	return c
}

// packageFlags are those of every command that loads packages.
func (c *invocation) packageFlags() {
	c.fs.StringVar(&c.dir, "C", "", "change to `DIR` before anything else")
	c.fs.StringVar(&c.tags, "tags", "", "build `TAGS`, separated by commas")
	c.fs.StringVar(&c.config, "config", "", "read configuration from `FILE`, not the nearest pglockdep.yaml upward")
	c.fs.StringVar(&c.pooler, "pooler", "", "connections are pooled outside the program: none, session, transaction or statement (`MODE`)")
	c.fs.StringVar(&c.implicit, "implicit", "", "which implicit row locks are shown: none, relevant or all (`WHICH`)")
	c.fs.BoolVar(&c.test, "test", false, "analyse _test.go files too")
	c.fs.BoolVar(&c.verbose, "v", false, "say more")
	c.schemaFlag()
}

func (c *invocation) schemaFlag() {
	c.fs.Var(&c.schema, "schema", "schema file, folder or pattern (`GLOB`), in the order given; switches detection off")
}

// parse reads flags and arguments in any order.
func (c *invocation) parse(args []string) error {
	for len(args) > 0 {
		if err := c.fs.Parse(args); err != nil {
			if err == flag.ErrHelp {
				return errHelp
			}
			return c.flagError(err)
		}
		args = c.fs.Args()
		if len(args) == 0 {
			break
		}
		// Parse stops at the first argument, and drops a "--" before it.
		c.args = append(c.args, args[0])
		args = args[1:]
	}
	return nil
}

func (c *invocation) flagError(err error) error {
	msg := err.Error()
	if name, ok := strings.CutPrefix(msg, "flag provided but not defined: -"); ok {
		var names []string
		c.fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		h := "pglockdep help " + c.cmd.name + " lists its flags"
		if near := nearest(name, names); near != "" {
			h = "did you mean -" + near + "?"
		}
		return hint(fmt.Errorf("%s has no flag -%s", c.cmd.name, name), h)
	}
	return fmt.Errorf("%s: %s", c.cmd.name, msg)
}

// oneOf checks a flag with a fixed set of values.
func oneOf(flag, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return fmt.Errorf("-%s is %q, not one of %s", flag, value, strings.Join(allowed, ", "))
}

func (cmd *command) help(w io.Writer) {
	fmt.Fprintf(w, "Usage: pglockdep %s %s\n\n%s\n", cmd.name, cmd.args, strings.TrimSpace(cmd.long))
	c := newInvocation(cmd, nil, w, io.Discard)
	n := 0
	c.fs.VisitAll(func(f *flag.Flag) { n++ })
	if len(cmd.examples) > 0 {
		fmt.Fprint(w, "\nExamples:\n\n")
		for _, e := range cmd.examples {
			fmt.Fprintf(w, "\tpglockdep %s\n", e)
		}
	}
	if n == 0 {
		return
	}
	fmt.Fprint(w, "\nFlags:\n\n")
	c.fs.VisitAll(func(f *flag.Flag) {
		arg, usage := flag.UnquoteUsage(f)
		name := "-" + f.Name
		if arg != "" {
			name += " " + arg
		}
		def := ""
		if f.DefValue != "" && f.DefValue != "false" {
			def = " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(w, "\t%-18s %s%s\n", name, usage, def)
	})
}

// terminal reports whether f is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

func color(w io.Writer) bool {
	return terminal(w) && os.Getenv("NO_COLOR") == ""
}
