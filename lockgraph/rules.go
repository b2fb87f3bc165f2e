package lockgraph

import (
	"sort"
	"strings"
)

// Thresholds: a rule is worth stating when several paths show it and few
// break it. Two paths are enough for the order of two locks that both are
// asked for: were it another one, they could deadlock. For the order of
// several instances one is: the class has no other order.
const (
	minSupport     = 3
	minOrdered     = 2
	exceptionShare = 5 // one in five paths may break a rule; one always may
)

// Forms of rules.
const (
	FormFirst            = "first"
	FormBefore           = "before"
	FormOnlyWhileHolding = "only-while-holding"
	FormOrder            = "order"
	FormScope            = "scope"
	FormWriteUnder       = "write-under"
	// Forms of differences that no rule stands behind.
	FormSiblings = "siblings"
	FormKeys     = "keys"
)

// A tally counts who keeps a rule and who breaks it.
type tally struct {
	rule     Rule
	keep     map[string]bool
	breaks   map[string]bool
	modes    map[string]bool // of form first
	instead  map[string]bool // of form order: the orders of the paths that break it
	implied  bool            // another rule says it
	declared string          // the reason
	places   int             // of form scope: all places, of which breaks names only the functions
}

func newTally(r Rule) *tally {
	return &tally{rule: r, keep: map[string]bool{}, breaks: map[string]bool{}, modes: map[string]bool{}, instead: map[string]bool{}}
}

func (t *tally) vote(entry string, keeps bool) {
	if keeps && !t.breaks[entry] {
		t.keep[entry] = true
		return
	}
	if !keeps {
		delete(t.keep, entry)
		t.breaks[entry] = true
	}
}

func (t *tally) exact() bool { return len(t.breaks) == 0 }

func (t *tally) of() int { return max(t.places, len(t.keep)+len(t.breaks)) }

// few reports whether so few break the rule that it is one still.
func (t *tally) few() bool {
	broken := t.of() - len(t.keep)
	return broken <= max(1, t.of()/exceptionShare) && broken < len(t.keep)
}

// holds reports whether a rule is worth stating.
func (r *ruler) holds(t *tally) bool {
	least := minSupport
	switch {
	case t.rule.Form == FormOrder && r.told[t.rule.A]:
		least = 1
	case t.rule.Form == FormBefore && t.exact():
		least = minOrdered
	}
	return len(t.keep) >= least && t.few()
}

// A ruler collects the tallies of a manifest.
type ruler struct {
	names names
	plain map[string]bool      // classes that some code locks explicitly
	told  map[string]bool      // and rows whose keys change while others refer to them
	tally map[[4]string]*tally // form, kind, a, b
}

func (r *ruler) at(form, kind, a, b string) *tally {
	k := [4]string{form, kind, a, b}
	t := r.tally[k]
	if t == nil {
		t = newTally(Rule{Form: form, Kind: kind, A: a, B: b})
		r.tally[k] = t
	}
	return t
}

// Rules derives from the paths of a manifest the rules they keep, and from
// the paths that break one the differences. An order may be nil; what it
// declares is a rule whoever keeps it.
func Rules(m *Manifest, o *Order) ([]Rule, []Difference) {
	r := &ruler{names: nameClasses(m.Classes), tally: map[[4]string]*tally{}}
	r.classify(m)
	all := profiles(m)
	r.first(all)
	r.before(all)
	r.whileHolding(all, FormOnlyWhileHolding)
	r.whileHolding(all, FormWriteUnder)
	r.order(all)
	r.scope(m)
	r.declare(m, o)
	r.reduce(all)
	rules, differences := r.result()
	differences = append(differences, r.siblings(all)...)
	differences = append(differences, keyDifference(m)...)
	sort.Slice(differences, func(i, j int) bool { return differences[i].ID < differences[j].ID })
	return rules, differences
}

// classify notes which classes are locked other than by statements that do
// so by themselves, and which rows block others by a change of their key.
func (r *ruler) classify(m *Manifest) {
	r.plain, r.told = map[string]bool{}, map[string]bool{}
	changed, referenced := map[string]bool{}, map[string]bool{}
	var visit func(steps []Step)
	visit = func(steps []Step) {
		for i := range steps {
			s := &steps[i]
			switch {
			case s.Do != "lock":
			case !s.Implicit:
				r.plain[s.Class], r.told[s.Class] = true, true
			case !s.Fresh && s.Mode == ForUpdate:
				changed[s.Class] = true
			case s.Mode == ForKeyShare:
				referenced[s.Class] = true
			}
			visit(s.Steps)
			for j := range s.Arms {
				visit(s.Arms[j].Steps)
			}
		}
	}
	for i := range m.Paths {
		visit(m.Paths[i].Steps)
	}
	for c := range both(changed, referenced) {
		r.told[c] = true
	}
}

func (r *ruler) first(all []*profile) {
	candidates := map[string]map[string]bool{}
	for _, p := range all {
		for _, tx := range p.txs {
			for c := range tx.firsts {
				if tx.kind != "" && candidates[tx.kind] == nil {
					candidates[tx.kind] = map[string]bool{}
				}
				if tx.kind != "" {
					candidates[tx.kind][c] = true
				}
			}
		}
	}
	for _, p := range all {
		for _, tx := range p.txs {
			if len(tx.firsts) == 0 || tx.kind == "" {
				continue
			}
			for c := range candidates[tx.kind] {
				modes, ok := tx.firsts[c]
				t := r.at(FormFirst, tx.kind, c, "")
				t.vote(p.entry, ok && len(tx.firsts) == 1)
				for m := range modes {
					t.modes[m] = true
				}
			}
		}
	}
}

func (r *ruler) before(all []*profile) {
	for _, p := range all {
		for _, tx := range p.txs {
			for ab := range tx.before {
				a, b := ab[0], ab[1]
				r.at(FormBefore, "", a, b).vote(p.entry, true)
				r.at(FormBefore, "", b, a).vote(p.entry, false)
			}
		}
	}
}

// whileHolding tallies who takes, or writes, b only while holding a. A path
// on its caller's transaction that does not show a says nothing: the caller
// may hold it.
func (r *ruler) whileHolding(all []*profile, form string) {
	candidates := map[string]map[string]bool{}
	each := func(f func(p *profile, tx *txProfile, k *taken)) {
		for _, p := range all {
			for _, tx := range p.txs {
				for i := range tx.takes {
					k := &tx.takes[i]
					if form == FormWriteUnder && k.write || form != FormWriteUnder && !k.aside && r.plain[k.class] {
						f(p, tx, k)
					}
				}
			}
		}
	}
	each(func(_ *profile, _ *txProfile, k *taken) {
		for a := range k.held {
			if a != k.class {
				if candidates[k.class] == nil {
					candidates[k.class] = map[string]bool{}
				}
				candidates[k.class][a] = true
			}
		}
	})
	each(func(p *profile, tx *txProfile, k *taken) {
		for a := range candidates[k.class] {
			if !k.held[a] && tx.caller {
				continue
			}
			r.at(form, "", a, k.class).vote(p.entry, k.held[a])
		}
	})
}

// order tallies in which order paths take several instances. A path that
// may hold the class already says nothing: it has its instances, mostly.
func (r *ruler) order(all []*profile) {
	orders := map[string]map[string]bool{}
	each := func(f func(p *profile, k *taken)) {
		for _, p := range all {
			for _, tx := range p.txs {
				for i := range tx.takes {
					if k := &tx.takes[i]; k.several && !k.again {
						f(p, k)
					}
				}
			}
		}
	}
	each(func(_ *profile, k *taken) {
		if k.order != "" && k.order != "plan" && k.order != "none" {
			if orders[k.class] == nil {
				orders[k.class] = map[string]bool{}
			}
			orders[k.class][k.order] = true
		}
	})
	each(func(p *profile, k *taken) {
		for o := range orders[k.class] {
			t := r.at(FormOrder, "", k.class, o)
			keeps := k.order == o || strings.HasPrefix(k.order, o+", ")
			t.vote(p.entry, keeps)
			if !keeps {
				t.instead[k.order] = true
			}
		}
	})
}

// scope counts places, not paths: a lock of the wrong scope is wrong
// wherever it is reached from. Row and table locks have no other scope.
func (r *ruler) scope(m *Manifest) {
	scopes := map[string]bool{}
	for _, a := range m.Acquisitions {
		if r.names.family(a.Class) == Advisory && a.Scope != "" {
			scopes[a.Scope] = true
		}
	}
	for s := range scopes {
		t := r.at(FormScope, "", Advisory, s)
		for _, a := range m.Acquisitions {
			if r.names.family(a.Class) == Advisory && a.Scope != "" {
				t.vote(a.ID, a.Scope == s)
			}
		}
		by := map[string]bool{}
		for _, a := range m.Acquisitions {
			if t.breaks[a.ID] {
				by[a.Func] = true
			}
		}
		t.places = len(t.keep) + len(t.breaks)
		t.breaks = by
	}
}

// declare turns the pairs of a declared order whose names are classes into
// rules; pairs of pseudo-nodes reach through to the locks behind them.
func (r *ruler) declare(m *Manifest, o *Order) {
	if o == nil {
		return
	}
	byName := map[string][]string{}
	for i := range m.Classes {
		if n, ok := o.Name(&m.Classes[i]); ok {
			byName[n] = append(byName[n], m.Classes[i].ID)
		}
	}
	for _, a := range o.Names() {
		for _, b := range o.Names() {
			chain := o.Chain(a, b)
			if len(chain) < 2 || !onlyPseudo(chain[1:len(chain)-1]) {
				continue
			}
			for _, x := range byName[a] {
				for _, y := range byName[b] {
					t := r.at(FormBefore, "", x, y)
					t.rule.Declared = true
					for n := 1; n < len(chain) && t.declared == ""; n++ {
						t.declared = o.Reason(chain[n-1], chain[n])
					}
				}
			}
		}
	}
}

func onlyPseudo(names []string) bool {
	for _, n := range names {
		if !Pseudo(n) {
			return false
		}
	}
	return true
}

func (r *ruler) sorted() []*tally {
	var keys [][4]string
	for k, t := range r.tally {
		statements := t.rule.Form == FormBefore && !(r.plain[t.rule.A] && r.plain[t.rule.B]) // their order, not that of locks
		if t.rule.Declared || r.holds(t) && !statements {
			keys = append(keys, k)
		}
	}
	sort.Slice(keys, func(i, j int) bool {
		for n := range keys[i] {
			if keys[i][n] != keys[j][n] {
				return keys[i][n] < keys[j][n]
			}
		}
		return false
	})
	out := make([]*tally, len(keys))
	for i, k := range keys {
		out[i] = r.tally[k]
	}
	return out
}

func (r *ruler) result() ([]Rule, []Difference) {
	rules, differences := []Rule{}, []Difference{}
	for _, t := range r.sorted() {
		if t.implied {
			continue
		}
		rule := t.rule
		rule.ID = r.id(&rule)
		rule.Support, rule.Of = len(t.keep), t.of()
		rule.Exceptions = sortedKeys(t.breaks)
		if rule.Form == FormOrder {
			rule.B = orderColumn(rule.B)
		}
		rule.Text = r.text(t)
		rules = append(rules, rule)
		if len(t.breaks) > 0 {
			differences = append(differences, r.difference(t, &rule))
		}
	}
	sort.Slice(rules, func(i, j int) bool { return rules[i].ID < rules[j].ID })
	return rules, differences
}
