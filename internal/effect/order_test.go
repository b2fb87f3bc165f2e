package effect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// An arrival is what a session held when it stood before a lock.
type arrival struct {
	at   held
	held map[held]bool
}

// order runs a statement once for each advisory and row lock that it took,
// with that one held by another session, and sees what it holds when it
// waits. Locks that it did not wait for are left out.
func (r *recorder) order(text string, took map[held]bool) []arrival {
	r.t.Helper()
	var out []arrival
	held := r.locks(false) // of the session, which the end of the transaction left
	for h := range took {
		if held[h] {
			return nil // running it again would count them twice
		}
	}
	for h := range took {
		stop, ok := r.blocker(h)
		if !ok {
			continue
		}
		must(r.t, r.block, "BEGIN; SET LOCAL lock_timeout = '50ms'")
		if _, err := send(r.block, stop); err != nil { // a lock of the session's own, held from before
			must(r.t, r.block, "ROLLBACK")
			continue
		}
		must(r.t, r.run, "BEGIN")
		done := make(chan error, 1)
		go func() {
			_, err := send(r.run, text)
			if err == nil {
				_, err = send(r.run, "SET CONSTRAINTS ALL IMMEDIATE")
			}
			done <- err
		}()
		waits := r.waits(done)
		if waits {
			out = append(out, arrival{h, r.locks(true)})
		}
		must(r.t, r.block, "ROLLBACK")
		if waits {
			<-done // what it does after the wait is of no interest
		}
		must(r.t, r.run, "ROLLBACK")
	}
	return out
}

// blocker is a statement that takes a lock in the way of all others.
func (r *recorder) blocker(h held) (string, bool) {
	switch h.family {
	case lockgraph.Advisory:
		var class, obj int64
		if _, err := fmt.Sscanf(h.instance, "%d,%d", &class, &obj); err != nil {
			r.t.Fatal(err)
		}
		if h.what == "bigint" {
			return fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", class<<32|obj), true
		}
		return fmt.Sprintf("SELECT pg_advisory_xact_lock(%d, %d)", int32(class), int32(obj)), true
	case lockgraph.Row:
		tid, _, _ := strings.Cut(h.instance, " ")
		name := pgx.Identifier(strings.Split(h.what, ".")).Sanitize()
		return fmt.Sprintf("SELECT 1 FROM ONLY %s WHERE ctid = '%s' FOR UPDATE", name, tid), true
	}
	return "", false
}

// waits reports whether the recorded session waits for the blocking one; it
// has come to its end otherwise.
func (r *recorder) waits(done chan error) bool {
	r.t.Helper()
	for limit := time.Now().Add(statementLimit); time.Now().Before(limit); {
		select {
		case <-done:
			return false
		case <-time.After(time.Millisecond):
		}
		var is bool
		err := r.see.QueryRow(context.Background(), "SELECT $1::int = ANY (pg_blocking_pids($2::int))", pgx.QueryExecModeSimpleProtocol,
			r.block.PgConn().PID(), r.pid).Scan(&is)
		if err != nil {
			r.t.Fatal(err)
		}
		if is {
			return true
		}
	}
	r.t.Fatal("the statement neither waits nor ends")
	return false
}

// misplaced lists the pairs of classes that the server took in another order
// than is told: what was held before the first lock of a class must be told
// before it.
func misplaced(cat *schema.Catalog, seen []arrival, named []told) []string {
	place := func(h held) int {
		return slices.IndexFunc(named, func(p told) bool { return p.meets(cat, h) && p.mode == h.mode })
	}
	// A relation locked in several modes does not show which of them a wait is for.
	mixed := func(h held) bool {
		n := map[string]bool{}
		for _, p := range named {
			if p.family == lockgraph.Row && p.meets(cat, h) {
				n[p.mode] = true
			}
		}
		return len(n) > 1
	}
	var out []string
	for _, a := range seen {
		at := place(a.at)
		if at < 0 || mixed(a.at) || slices.ContainsFunc(named, func(p told) bool { return p.when != "" }) {
			continue
		}
		first := true
		for h := range a.held {
			first = first && place(h) != at
		}
		if !first {
			continue
		}
		for h := range a.held {
			if i := place(h); h.family != lockgraph.Table && i > at && !mixed(h) {
				out = append(out, "order "+h.class()+" before "+a.at.class())
			}
		}
		for i, p := range named[:at] {
			if p.family == lockgraph.Table || p.what == a.at.what && p.family == a.at.family || slices.ContainsFunc(named[:i], func(q told) bool { return q.held == p.held }) {
				continue
			}
			later := slices.ContainsFunc(seen, func(b arrival) bool { return p.meets(cat, b.at) && p.mode == b.at.mode && !mixed(b.at) })
			before := false
			for h := range a.held {
				before = before || p.meets(cat, h) && h.mode == p.mode
			}
			if later && !before {
				out = append(out, "order "+a.at.class()+" before "+p.class())
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
