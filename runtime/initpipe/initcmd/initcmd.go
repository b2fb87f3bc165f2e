// Package initcmd is the command line of a program that runs an init pipeline
// and ends: an init container, a job, a step of a deployment.
//
// Arguments and a pipeline enter; a report on standard output, JSON lines of
// log and an exit code leave. Every wait has an end. The package decides
// nothing of the pipeline, which its program configures.
package initcmd

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pglockdep/pglockdep/runtime/initpipe"
)

// The exit codes.
const (
	OK          = 0 // every stage has run, now or before
	StageFailed = 1 // or the run was cancelled
	Usage       = 2 // arguments or configuration
	Busy        = 3 // another run has the lock, and had it for the whole wait
	Unreachable = 4 // the database was not reachable for the whole wait
	Refused     = 5 // by an older version, a pooler, missing rights: waiting does not help
)

// Main runs the pipeline that configure makes, as the arguments of the program
// say, and ends the program. The configuration gets a logger that writes JSON
// to standard error.
func Main(configure func(*slog.Logger) (initpipe.Config, error)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Run(ctx, os.Args[1:], os.Stdout, os.Stderr, configure)
	stop()
	os.Exit(code)
}

type options struct {
	wait   time.Duration
	status bool
	req    initpipe.Request
}

// Run is Main without its effects on the program; it returns the exit code.
// The end of ctx cancels a run, which rolls its stage back.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer, configure func(*slog.Logger) (initpipe.Config, error)) int {
	log := slog.New(slog.NewJSONHandler(stderr, nil))
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return OK
	case err != nil:
		return Usage
	}
	cfg, err := configure(log)
	var p *initpipe.Pipeline
	if err == nil {
		p, err = initpipe.New(cfg)
	}
	if err != nil {
		log.Error("the pipeline is not configured", "err", err)
		return Usage
	}
	defer func() {
		now, cancel := context.WithCancel(context.Background())
		cancel()
		p.Close(now) // nothing runs any more
	}()
	if o.status {
		return status(ctx, p, o, stdout, log)
	}
	return run(ctx, p, o, stdout, log)
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("init", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.DurationVar(&o.wait, "wait", 5*time.Minute, "how long to wait for the database, and for another run to end")
	f.BoolVar(&o.status, "status", false, "print how the pipeline stands, and run nothing")
	f.StringVar(&o.req.From, "from", "", "run this stage and all after it again")
	f.BoolVar(&o.req.DryRun, "dry-run", false, "run what is pending in one transaction and roll it back")
	f.StringVar(&o.req.Actor, "actor", "command line", "who asks, for the history")
	err := f.Parse(args)
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
		fmt.Fprintln(stderr, err)
	}
	return o, err
}

func run(ctx context.Context, p *initpipe.Pipeline, o options, stdout io.Writer, log *slog.Logger) int {
	var report *initpipe.Report
	err := patiently(ctx, o.wait, log, func() (err error) {
		report, err = p.Run(ctx, o.req)
		return err
	})
	if report != nil {
		print(stdout, report)
	}
	if err != nil {
		log.Error("not initialized", "err", err)
	}
	return code(err)
}

func status(ctx context.Context, p *initpipe.Pipeline, o options, stdout io.Writer, log *slog.Logger) int {
	err := patiently(ctx, o.wait, log, func() error {
		st, err := p.State(ctx)
		if err == nil {
			print(stdout, st)
		}
		return err
	})
	if err != nil {
		log.Error("the state cannot be told", "err", err)
	}
	return code(err)
}

// patiently calls f again while waiting can help, at most for wait.
func patiently(ctx context.Context, wait time.Duration, log *slog.Logger, f func() error) error {
	end := time.Now().Add(wait)
	for {
		err := f()
		pause := time.Second
		var busy *initpipe.InProgressError
		switch {
		case errors.As(err, &busy):
			pause = min(busy.Retry, 2*time.Second)
		case !errors.Is(err, initpipe.ErrUnreachable) || ran(err):
			return err
		}
		left := time.Until(end)
		if left <= 0 || ctx.Err() != nil {
			return err
		}
		log.Info("waiting", "left", left.Round(time.Second).String(), "err", err)
		select {
		case <-time.After(min(pause, left)):
		case <-ctx.Done():
			return err
		}
	}
}

// ran reports whether the error is one of a stage.
func ran(err error) bool {
	var stage *initpipe.StageError
	return errors.As(err, &stage)
}

func code(err error) int {
	switch {
	case err == nil:
		return OK
	case ran(err), errors.Is(err, initpipe.ErrCancelled), errors.Is(err, context.Canceled):
		return StageFailed
	case errors.Is(err, initpipe.ErrInProgress):
		return Busy
	case errors.Is(err, initpipe.ErrUnreachable):
		return Unreachable
	}
	return Refused
}

func print(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	_ = enc.Encode(v) // nobody reads it
}
