package lockgraph

import (
	"maps"
	"strings"
)

// A profile is what one path does in its transactions, as rules see it.
type profile struct {
	entry string
	txs   []*txProfile
}

// A txProfile is one transaction, or the locks outside of any.
type txProfile struct {
	kind   string
	caller bool                       // it goes on in a transaction of the caller, who may hold more
	bare   bool                       // no transaction
	firsts map[string]map[string]bool // class, modes
	before map[[2]string]bool         // some run takes the first before the second
	takes  []taken
}

// A taken is one lock step with what is surely held when it is reached.
type taken struct {
	class, mode, order string
	several            bool // many instances, or in a loop
	write              bool
	aside              bool // inserted or referenced: a write, but no lock that orders anything
	held               map[string]bool
}

// held is the state of a walk over the steps: what every run that comes here
// has taken, what some run has, and whether some run has taken nothing yet.
type held struct {
	must, may map[string]bool
	nothing   bool
}

func (h held) fork() held {
	return held{maps.Clone(h.must), maps.Clone(h.may), h.nothing}
}

// join is the state after either of two.
func (h held) join(o held) held {
	out := held{map[string]bool{}, maps.Clone(h.may), h.nothing || o.nothing}
	for c := range h.must {
		if o.must[c] {
			out.must[c] = true
		}
	}
	maps.Copy(out.may, o.may)
	return out
}

// A profiler walks the steps of paths.
type profiler struct {
	paths   map[string]*Path
	sites   map[string][]*Acquisition // by class and mode
	session map[string]bool           // classes held by the session somewhere
	at      *profile
	seen    map[string]bool
}

func profiles(m *Manifest) []*profile {
	p := &profiler{paths: map[string]*Path{}, sites: map[string][]*Acquisition{}, session: map[string]bool{}}
	for i := range m.Paths {
		p.paths[m.Paths[i].Entry] = &m.Paths[i]
	}
	for i := range m.Acquisitions {
		a := &m.Acquisitions[i]
		k := a.Class + "\x00" + a.Mode
		p.sites[k] = append(p.sites[k], a)
		if a.Scope == Session {
			p.session[a.Class] = true
		}
	}
	var out []*profile
	for _, entry := range sortedKeys(p.paths) {
		p.at = &profile{entry: entry}
		p.seen = map[string]bool{entry: true}
		tx := p.open("", false)
		tx.bare = true
		p.walk(p.paths[entry].Steps, newHeld(), tx, false)
		out = append(out, p.at)
	}
	return out
}

func newHeld() held { return held{map[string]bool{}, map[string]bool{}, true} }

func (p *profiler) open(kind string, caller bool) *txProfile {
	tx := &txProfile{kind: kind, caller: caller, firsts: map[string]map[string]bool{}, before: map[[2]string]bool{}}
	p.at.txs = append(p.at.txs, tx)
	return tx
}

// walk goes through steps in order and returns the state after them.
func (p *profiler) walk(steps []Step, h held, tx *txProfile, loop bool) held {
	for i := range steps {
		s := &steps[i]
		switch s.Do {
		case "lock":
			h = p.lock(s, h, tx, loop)
		case "tx":
			h = p.tx(s, h, tx, loop)
		case "branch":
			h = p.branch(s, h, tx, loop)
		case "loop":
			// What follows a loop over nothing is about nothing, mostly: the loop
			// counts as gone through.
			after := p.walk(s.Steps, h.fork(), tx, true)
			must := after.must
			h = h.join(after)
			h.must = must
		case "see":
			if path := p.paths[s.Entry]; path != nil && !p.seen[s.Entry] {
				p.seen[s.Entry] = true
				h = p.walk(path.Steps, h, tx, loop)
				delete(p.seen, s.Entry)
			}
		}
	}
	return h
}

func (p *profiler) branch(s *Step, h held, tx *txProfile, loop bool) held {
	var out held
	none := true
	for i := range s.Arms {
		if len(s.Arms) > 1 && missing(&s.Arms[i]) {
			continue
		}
		after := p.walk(s.Arms[i].Steps, h.fork(), tx, loop)
		if none {
			out, none = after, false
		} else {
			out = out.join(after)
		}
	}
	if none {
		return h
	}
	return out
}

// missing reports an arm for a row that is not there: nothing is locked, and
// nothing is done to it either.
func missing(a *Arm) bool {
	return len(a.Steps) == 0 && (a.When == "NOT FOUND" || strings.HasPrefix(a.When, "NOT FOUND OR ") || strings.HasSuffix(a.When, ".ErrNoRows)"))
}

// tx walks a transaction. Savepoints, and steps on the caller's handle
// inside a transaction, belong to the one they stand in; any other one is a
// transaction of its own, entered with what is held around it.
func (p *profiler) tx(s *Step, h held, tx *txProfile, loop bool) held {
	if s.Handle == "savepoint" || s.Handle == "caller" && !tx.bare {
		return p.walk(s.Steps, h, tx, loop)
	}
	inner := p.open(s.Kind, s.Handle == "caller")
	within := h.fork()
	within.nothing = true
	p.walk(s.Steps, within, inner, loop)
	return h
}

func (p *profiler) lock(s *Step, h held, tx *txProfile, loop bool) held {
	c := s.Class
	if s.Implicit && (s.Fresh || s.Mode == ForKeyShare) {
		tx.takes = append(tx.takes, taken{class: c, mode: s.Mode, write: p.writes(s), aside: true, held: maps.Clone(h.must)})
		return h
	}
	if h.nothing {
		if tx.firsts[c] == nil {
			tx.firsts[c] = map[string]bool{}
		}
		tx.firsts[c][s.Mode] = true
	}
	if s.Again != "same" && !h.must[c] {
		for x := range h.may {
			if x != c {
				tx.before[[2]string{x, c}] = true
			}
		}
	}
	tx.takes = append(tx.takes, taken{class: c, mode: s.Mode, order: s.Order, several: s.Many || loop,
		write: p.writes(s), held: maps.Clone(h.must)})
	h = h.fork()
	if !tx.bare {
		h.nothing = false
	}
	surely := s.Wait == "" || s.Wait == Wait || s.Wait == NoWait
	switch {
	case !tx.bare && surely:
		h.must[c], h.may[c] = true, true
	case !tx.bare, p.session[c]:
		h.may[c] = true // a session lock outside a transaction may be given back unseen
	}
	return h
}

// writes reports whether the step is the row lock of a writing statement.
func (p *profiler) writes(s *Step) bool {
	if s.Mode != ForNoKeyUpdate && s.Mode != ForUpdate {
		return false
	}
	found := false
	for _, a := range p.sites[s.Class+"\x00"+s.Mode] {
		if !takenBy(a, s.By) {
			continue
		}
		if !a.Implicit {
			return false
		}
		found = true
	}
	return found
}

func takenBy(a *Acquisition, by []string) bool {
	for _, b := range by {
		if b == a.Func || b == Short(a.Func) || a.Query != "" && b == a.Query || contains(a.SQLFunc, b) {
			return true
		}
	}
	return false
}
