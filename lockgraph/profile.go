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
	before map[[2]string]bool         // some run takes the first before it waits for the second
	takes  []taken
}

// A taken is one lock step with what is surely held when it is reached.
type taken struct {
	class, mode, order string
	several            bool // one after another, in the order
	again              bool // an instance of the class may be held
	write              bool
	aside              bool   // inserted or referenced: a write, but no lock that orders anything
	asked              bool   // an explicit lock of the class is surely held
	within             string // the SQL function that takes it, of which it is one part
	held               map[string]bool
}

// held is the state of a walk over the steps: what every run that comes here
// has taken, what some run has, and whether some run has taken nothing yet.
type held struct {
	must, may map[string]bool
	asked     map[string]bool // of must, by an explicit lock
	nothing   bool
}

func (h held) fork() held {
	return held{maps.Clone(h.must), maps.Clone(h.may), maps.Clone(h.asked), h.nothing}
}

// join is the state after either of two.
func (h held) join(o held) held {
	out := held{both(h.must, o.must), maps.Clone(h.may), both(h.asked, o.asked), h.nothing || o.nothing}
	maps.Copy(out.may, o.may)
	return out
}

func both(a, b map[string]bool) map[string]bool {
	out := map[string]bool{}
	for c := range a {
		if b[c] {
			out[c] = true
		}
	}
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
		p.walk(p.paths[entry].Steps, newHeld(), tx)
		out = append(out, p.at)
	}
	return out
}

func newHeld() held { return held{map[string]bool{}, map[string]bool{}, map[string]bool{}, true} }

func (p *profiler) open(kind string, caller bool) *txProfile {
	tx := &txProfile{kind: kind, caller: caller, firsts: map[string]map[string]bool{}, before: map[[2]string]bool{}}
	p.at.txs = append(p.at.txs, tx)
	return tx
}

// walk goes through steps in order and returns the state after them.
func (p *profiler) walk(steps []Step, h held, tx *txProfile) held {
	for i := range steps {
		s := &steps[i]
		switch s.Do {
		case "lock":
			h = p.lock(s, h, tx)
		case "tx":
			h = p.tx(s, h, tx)
		case "branch":
			h = p.branch(s, h, tx)
		case "loop":
			// What follows a loop over nothing is about nothing, mostly: the loop
			// counts as gone through.
			after := p.walk(s.Steps, h.fork(), tx)
			must, asked := after.must, after.asked
			h = h.join(after)
			h.must, h.asked = must, asked
		case "see":
			if path := p.paths[s.Entry]; path != nil && !p.seen[s.Entry] {
				p.seen[s.Entry] = true
				h = p.walk(path.Steps, h, tx)
				delete(p.seen, s.Entry)
			}
		}
	}
	return h
}

func (p *profiler) branch(s *Step, h held, tx *txProfile) held {
	var out held
	none := true
	for i := range s.Arms {
		if len(s.Arms) > 1 && missing(&s.Arms[i]) {
			continue
		}
		after := p.walk(s.Arms[i].Steps, h.fork(), tx)
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
func (p *profiler) tx(s *Step, h held, tx *txProfile) held {
	if s.Handle == "savepoint" || s.Handle == "caller" && !tx.bare {
		return p.walk(s.Steps, h, tx)
	}
	inner := p.open(s.Kind, s.Handle == "caller")
	within := h.fork()
	within.nothing = true
	p.walk(s.Steps, within, inner)
	return h
}

func (p *profiler) lock(s *Step, h held, tx *txProfile) held {
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
	waits := s.Wait == "" || s.Wait == Wait
	if s.Again != "same" && !h.must[c] && waits {
		for x := range h.may {
			if x != c {
				tx.before[[2]string{x, c}] = true
			}
		}
	}
	k := taken{class: c, mode: s.Mode, write: p.writes(s), again: h.may[c], asked: h.asked[c], within: p.function(s), held: maps.Clone(h.must)}
	switch {
	case s.Many && s.Wait != SkipLocked:
		k.several, k.order = true, s.Order
	case s.Each != "":
		k.several, k.order = true, s.Each
	}
	tx.takes = append(tx.takes, k)
	h = h.fork()
	if !tx.bare {
		h.nothing = false
	}
	surely := waits || s.Wait == NoWait
	switch {
	case !tx.bare && surely:
		h.must[c], h.may[c] = true, true
		h.asked[c] = h.asked[c] || !s.Implicit
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

// function returns the SQL function that takes the lock explicitly, "" if it
// is a statement of the program that does.
func (p *profiler) function(s *Step) string {
	if s.Implicit || len(s.By) == 0 {
		return ""
	}
	last := s.By[len(s.By)-1]
	for _, a := range p.sites[s.Class+"\x00"+s.Mode] {
		if n := len(a.SQLFunc); n > 0 && a.SQLFunc[n-1] == last {
			return last
		}
	}
	return ""
}

func takenBy(a *Acquisition, by []string) bool {
	for _, b := range by {
		if b == a.Func || b == Short(a.Func) || a.Query != "" && b == a.Query || contains(a.SQLFunc, b) {
			return true
		}
	}
	return false
}
