// Package lockrecorder notes which locks each statement of a program takes.
//
// It wraps the database driver. After every statement it asks PostgreSQL, on a
// connection of its own, what the session holds: advisory and relation locks
// from pg_locks, row locks from the extension pgrowlocks. What the session did
// not hold before is written as one line of JSON, with the functions that led
// to the statement. It sees the state after a statement, so what a statement
// takes and gives back at once (all of an autocommit statement's locks) is not
// there, nor are locks on rows that no other session can see yet, nor those of
// subtransactions, which pgrowlocks does not tie to a session.
package lockrecorder

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Env names the variable that holds the file to which records are appended.
const Env = "PGLOCKDEP_RECORD"

const modulePath = "example.test/memberconsole/"

// observeTimeout bounds a look at the locks; a look never waits for one.
const observeTimeout = 10 * time.Second

// Lock is a lock that a session holds.
type Lock struct {
	Family   string `json:"family"`
	Relation string `json:"relation,omitempty"`
	Relkind  string `json:"relkind,omitempty"`
	Row      string `json:"row,omitempty"`
	Space    string `json:"space,omitempty"`
	Key      string `json:"key,omitempty"`
	Mode     string `json:"mode"`
}

// Record is one statement with the locks that were new after it.
type Record struct {
	Test    string   `json:"test"`
	Session uint32   `json:"session"`
	Tx      int      `json:"tx"`
	SQL     string   `json:"sql"`
	File    string   `json:"file"`
	Line    int      `json:"line"`
	Stack   []string `json:"stack"`
	Failed  bool     `json:"failed,omitempty"`
	Locks   []Lock   `json:"locks"`
}

// Recorder records the statements of one test.
type Recorder struct {
	test string
	fail func(error)
	keep func(Record)

	mu       sync.Mutex
	observer *pgx.Conn
	lastTx   int
	out      *os.File
}

// session is what the recorder knows of one connection.
type session struct {
	pid  uint32
	tx   int
	held map[Lock]bool
}

// New returns a recorder for a test that observes through a connection to cfg.
// What goes wrong while it looks is given to fail.
func New(ctx context.Context, cfg *pgx.ConnConfig, test string, fail func(error)) (*Recorder, error) {
	observer, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("lockrecorder: observer: %w", err)
	}
	r := &Recorder{test: test, fail: fail, observer: observer}
	if _, err := observer.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pgrowlocks"); err != nil {
		r.Close(ctx)
		return nil, fmt.Errorf("lockrecorder: row locks cannot be seen without the extension pgrowlocks (of PostgreSQL's contrib, created by a superuser): %w", err)
	}
	if name := os.Getenv(Env); name != "" {
		r.out, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			r.Close(ctx)
			return nil, fmt.Errorf("lockrecorder: %w", err)
		}
	}
	return r, nil
}

// Keep also gives every record to fn.
func (r *Recorder) Keep(fn func(Record)) { r.keep = fn }

// Close closes the observer and the file.
func (r *Recorder) Close(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.observer.Close(ctx)
	if r.out != nil {
		_ = r.out.Close()
	}
}

func (r *Recorder) begin(s *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastTx++
	s.tx = r.lastTx
	s.held = nil
}

func (r *Recorder) end(s *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.tx = 0
	s.held = nil
}

// statement observes a session after a statement and writes the record.
func (r *Recorder) statement(s *session, query string, at site, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), observeTimeout)
	defer cancel()
	locks, lookErr := r.look(ctx, s.pid)
	if lookErr != nil {
		r.fail(fmt.Errorf("lockrecorder: after %.60q: %w", query, lookErr))
		return
	}
	rec := Record{
		Test:    r.test,
		Session: s.pid,
		Tx:      s.tx,
		SQL:     query,
		File:    at.file,
		Line:    at.line,
		Stack:   at.stack,
		Failed:  err != nil,
		Locks:   []Lock{},
	}
	held := make(map[Lock]bool, len(locks))
	for _, l := range locks {
		held[l] = true
		if !s.held[l] {
			rec.Locks = append(rec.Locks, l)
		}
	}
	s.held = held
	r.write(rec)
}

func (r *Recorder) write(rec Record) {
	if r.keep != nil {
		r.keep(rec)
	}
	if r.out == nil {
		return
	}
	line, err := json.Marshal(rec)
	if err == nil {
		_, err = r.out.Write(append(line, '\n'))
	}
	if err != nil {
		r.fail(fmt.Errorf("lockrecorder: write: %w", err))
	}
}

// site is where the program ran a statement.
type site struct {
	file  string
	line  int
	stack []string
}

// here finds the program's functions on the stack, the innermost first. Tests
// and what serves them are left out.
func here() site {
	pcs := make([]uintptr, 128)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	s := site{stack: []string{}}
	for {
		f, more := frames.Next()
		if ofProgram(f) {
			if len(s.stack) == 0 {
				s.file, s.line = relative(f.File), f.Line
			}
			s.stack = append(s.stack, f.Function)
		}
		if !more {
			return s
		}
	}
}

func ofProgram(f runtime.Frame) bool {
	rest, ok := strings.CutPrefix(f.Function, modulePath)
	if !ok || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	return !strings.HasPrefix(rest, "internal/lockrecorder.") && !strings.HasPrefix(rest, "internal/testdb.")
}

// root is the folder of the module; this file lies two folders below it.
var root = sync.OnceValue(func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
})

func relative(file string) string {
	rel, err := filepath.Rel(root(), file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

func sortLocks(locks []Lock) {
	slices.SortFunc(locks, func(a, b Lock) int {
		return strings.Compare(a.sortKey(), b.sortKey())
	})
}

func (l Lock) sortKey() string {
	return strings.Join([]string{l.Family, l.Relation, l.Row, l.Space, l.Key, l.Mode}, "\x00")
}
