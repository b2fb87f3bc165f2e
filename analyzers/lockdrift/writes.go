package lockdrift

import (
	"fmt"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A write is a statement that writes rows, and the locks that every way to
// it holds.
type write struct {
	place
	held map[string]*prog.Take // that the code asks for, by class
}

// A subject is what is written: rows of a class that are there, or new ones.
type subject struct {
	class string
	fresh bool
}

// writes reports rows that one path writes without the lock under which the
// other paths write them, and returns where.
func writes(c *pass.Collector, v *prog.View) map[prog.Pos]bool {
	all := map[subject][]write{}
	pass.Takes(v, func(tr *prog.Trace, t *prog.Take) {
		if written(tr, t) {
			s := subject{t.Class.ID, t.Acq.Fresh}
			all[s] = append(all[s], write{place{tr, t.Node}, asked(t.Node)})
		}
	})
	var subjects []subject
	for s := range all {
		subjects = append(subjects, s)
	}
	sort.Slice(subjects, func(i, j int) bool {
		a, b := subjects[i], subjects[j]
		return a.class < b.class || a.class == b.class && !a.fresh && b.fresh
	})
	told := map[prog.Pos]bool{}
	for _, s := range subjects {
		unlocked(c, all[s], told)
	}
	return told
}

// written reports a row lock that a writing statement of the program takes
// on rows of its own choice.
func written(tr *prog.Trace, t *prog.Take) bool {
	if t.Class.Family != lockgraph.Row || !t.Acq.Implicit || t.Acq.FKFrom != "" || t.Mode == lockgraph.ForKeyShare || tr.Entry.Origin != "" ||
		t.Cut != "" || strings.Contains(t.Class.Relation, "?") {
		return false
	}
	for _, via := range t.Acq.Via {
		if strings.HasPrefix(via, "foreign key ") || strings.HasPrefix(via, "trigger ") {
			return false
		}
	}
	return true
}

// asked returns the locks that the code asks for and that every way to n
// holds.
func asked(n *prog.Node) map[string]*prog.Take {
	out := map[string]*prog.Take{}
	for _, set := range n.Held {
		for _, t := range set {
			if !t.Acq.Implicit && t.Scope != lockgraph.Statement && t.Class.Family != lockgraph.Mutex && held(n, t.Class.ID) {
				out[t.Class.ID] = t
			}
		}
	}
	return out
}

// unlocked finds the lock that most paths hold when they write the subject
// and few do not, and reports those.
func unlocked(c *pass.Collector, all []write, at map[prog.Pos]bool) {
	var best *tally
	for _, id := range candidates(all) {
		t := count(all, id)
		if t.holds() && (best == nil || len(t.keep) > len(best.keep)) {
			best = t
		}
	}
	if best == nil || len(best.breaks) == 0 {
		return
	}
	shared := map[string]bool{}
	for _, w := range all {
		if w.held[best.class] != nil {
			for _, s := range sites(w.node) {
				shared[s.fn.Key] = true
			}
		}
	}
	told := map[string]bool{}
	for _, w := range all {
		entry := w.tr.Entry.Key
		if !best.breaks[entry] || told[entry] || w.held[best.class] != nil || mayHold(w.node, best.class) || asks(w.node) || late(w, best.class) || apart(w, all, best.class) {
			continue
		}
		told[entry] = true
		own := differs(w.node, shared)
		rel := w.node.Take.Class.Relation
		lock := best.name
		f := pass.Fault{Kind: "unlocked-write", Names: []string{lock, rel}, Related: w.node.Witness(fmt.Sprintf("writes rows of %q", rel)),
			Message: fmt.Sprintf("%s writes rows of %q without holding %s (%d of %d paths hold it)", lockgraph.Short(entry), rel, lock, len(best.keep), len(best.keep)+len(best.breaks)),
			Hint:    fmt.Sprintf("take %s first, as the other paths do", lock)}
		if len(best.breaks) > 1 {
			f.Severity = lockgraph.SeverityNote
		}
		at[own.pos] = true
		c.Add(w.tr, &prog.Node{Fn: own.fn, Pos: own.pos}, f)
	}
}

// A tally counts which paths hold a lock when they write, and which do not.
type tally struct {
	class, name  string
	keep, breaks map[string]bool
}

// holds reports whether a rule is worth stating, as lockgraph.Rules does.
func (t *tally) holds() bool {
	n := len(t.keep) + len(t.breaks)
	return len(t.keep) >= 3 && len(t.breaks) <= max(1, n/5) && len(t.breaks) < len(t.keep)
}

// asks reports whether some way to the write has locked rows of its class by
// a clause of their own.
func asks(n *prog.Node) bool {
	for _, set := range n.Held {
		for _, t := range set {
			if t.Class.ID == n.Take.Class.ID && !t.Acq.Implicit {
				return true
			}
		}
	}
	return false
}

func candidates(all []write) []string {
	seen := map[string]bool{}
	for _, w := range all {
		for id := range w.held {
			if id != w.node.Take.Class.ID {
				seen[id] = true
			}
		}
	}
	var out []string
	for id := range seen {
		out = append(out, id)
	}
	sort.Strings(out)
	return out
}

// count tallies the paths. One on its caller's transaction that does not
// show the lock says nothing: the caller may hold it.
func count(all []write, id string) *tally {
	t := &tally{class: id, keep: map[string]bool{}, breaks: map[string]bool{}}
	for _, w := range all {
		entry := w.tr.Entry.Key
		root := w.node.Conn.Root()
		switch h := w.held[id]; {
		case h != nil:
			t.name = h.Class.Display()
			if !t.breaks[entry] {
				t.keep[entry] = true
			}
		case mayHold(w.node, id): // on some way; whether the write needs it there is not known
		case root.Opener != nil || root.How == "pool":
			t.breaks[entry] = true
			delete(t.keep, entry)
		}
	}
	return t
}

// late reports whether the path takes the lock after the write: that is an
// order, and told as one.
func late(w write, id string) bool {
	found := false
	w.tr.Each(func(n *prog.Node) {
		if n.Kind != prog.OpAcquire || n.Take == nil || n.Take.Class.ID != id {
			return
		}
		for _, set := range n.Held {
			for _, t := range set {
				found = found || t == w.node.Take
			}
		}
	}, prog.OpAcquire)
	return found
}

// apart reports whether w holds another lock that keeps it apart from every
// write under the lock: one of which there is a single instance, in modes
// that conflict.
func apart(w write, all []write, id string) bool {
	for c, mine := range w.held {
		if mine.Class.Family != lockgraph.Advisory || mine.Class.Key == nil || mine.Class.Key.Constant == "" {
			continue
		}
		every := true
		for _, o := range all {
			if o.held[id] != nil {
				theirs := o.held[c]
				every = every && theirs != nil && lockgraph.Conflicts(lockgraph.Advisory, mine.Mode, theirs.Mode)
			}
		}
		if every {
			return true
		}
	}
	return false
}
