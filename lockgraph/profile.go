package lockgraph

import "maps"

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
			after := p.walk(s.Steps, h.fork(), tx, true)
			h = h.join(after)
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
	for i := range s.Arms {
		after := p.walk(s.Arms[i].Steps, h.fork(), tx, loop)
		if i == 0 {
			out = after
		} else {
			out = out.join(after)
		}
	}
	if len(s.Arms) == 0 {
		return h
	}
	return out
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
