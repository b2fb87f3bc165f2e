package sample

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

func setUp(t *testing.T) (*expectation, *prog.View) {
	t.Helper()
	e, err := readExpectation(console)
	if err != nil {
		t.Fatal(err)
	}
	return e, consoleView(t, "relevant")
}

func TestLocks(t *testing.T) {
	e, v := setUp(t)
	for _, l := range e.Locks {
		t.Run(l.Name, func(t *testing.T) {
			for _, relation := range append([]string{l.Relation}, l.Also...) {
				want := l
				want.Relation = relation
				checkLock(t, v.Manifest, want)
			}
		})
	}
	t.Run("no other explicit lock", func(t *testing.T) {
		known := classNames(e, v.Manifest)
		for _, a := range v.Manifest.Acquisitions {
			if !a.Implicit && known[a.Class] == "" {
				t.Errorf("%s:%d: %s takes %s, which is none of the expected locks", a.File, a.Line, lockgraph.Short(a.Func), a.Class)
			}
		}
	})
}

func checkLock(t *testing.T, m *lockgraph.Manifest, l expectedLock) {
	ids := l.classes(m)
	if len(ids) != 1 {
		t.Errorf("%d classes, want one: %q", len(ids), ids)
		return
	}
	c := classByID(m, ids[0])
	if l.Family == lockgraph.Advisory {
		k := c.Key
		for _, f := range []struct{ what, got, want string }{
			{"space", k.Space, l.Space}, {"derivation", k.Derivation, l.Derivation}, {"constant", k.Constant, l.Constant}, {"expression", k.Expr, l.KeyExpr},
		} {
			if f.got != f.want {
				t.Errorf("%s of %s is %q, want %q", f.what, c.ID, f.got, f.want)
			}
		}
		if l.Prefix != "" && k.Prefix != l.Prefix {
			t.Errorf("prefix of %s is %q, want %q", c.ID, k.Prefix, l.Prefix)
		}
	}
	modes := map[string][]string{}
	for _, mode := range strings.Split(l.Mode, " or ") {
		modes[mode] = l.By
	}
	for mode, by := range l.AlsoModes {
		modes[mode] = by
	}
	got := takers(m, c.ID, l.Implicit || l.AlsoModes != nil)
	for mode, by := range modes {
		if len(got[mode]) == 0 {
			t.Errorf("%s is never taken %s, want by %s", c.ID, mode, strings.Join(by, ", "))
		}
		for _, who := range by {
			if l.Family == lockgraph.Row && !got[mode][who] && got[mode] != nil && ofRelation(l, who) {
				t.Errorf("%s is not taken %s by %s", c.ID, mode, who)
			}
		}
	}
	for mode := range got {
		if modes[mode] == nil {
			t.Errorf("%s is taken %s, want %s only", c.ID, mode, l.Mode)
		}
	}
}

// ofRelation reports whether the taker is said of the relation itself: a lock
// of several relations lists the takers of all.
func ofRelation(l expectedLock, who string) bool {
	return len(l.Also) == 0 || strings.Contains(who, ".")
}

// takers returns the queries, Go functions and SQL functions that take the
// class, by mode.
func takers(m *lockgraph.Manifest, class string, implicit bool) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, a := range m.Acquisitions {
		if a.Class != class || a.Implicit && !implicit || a.Implicit && weak(a) {
			continue
		}
		if out[a.Mode] == nil {
			out[a.Mode] = map[string]bool{}
		}
		for _, who := range append([]string{a.Query, a.Func}, a.SQLFunc...) {
			out[a.Mode][who] = true
		}
	}
	return out
}

// weak reports the locks of foreign keys and of rows that are inserted: the
// expectation does not tell them.
func weak(a lockgraph.Acquisition) bool { return a.Mode == lockgraph.ForKeyShare }

// classes returns the classes that are the lock.
func (l expectedLock) classes(m *lockgraph.Manifest) []string {
	var out []string
	for _, c := range m.Classes {
		if c.Family != l.Family {
			continue
		}
		same := c.Relation == l.Relation
		if c.Family == lockgraph.Advisory {
			switch {
			case l.Constant != "":
				same = c.Key.Constant == l.Constant
			case l.Prefix != "":
				same = c.Key.Prefix == l.Prefix
			default:
				same = c.Key.Derivation == l.Derivation && slices.ContainsFunc(m.Acquisitions, func(a lockgraph.Acquisition) bool {
					return a.Class == c.ID && slices.Contains(l.By, a.Func)
				})
			}
		}
		if same {
			out = append(out, c.ID)
		}
	}
	return out
}

// classNames maps the classes of the expected locks to their names in paths.
func classNames(e *expectation, m *lockgraph.Manifest) map[string]string {
	out := map[string]string{}
	for _, l := range e.Locks {
		for _, id := range l.classes(m) {
			out[id] = l.Told
		}
		for _, relation := range l.Also {
			also := l
			also.Relation = relation
			for _, id := range also.classes(m) {
				out[id] = "row " + relation
			}
		}
	}
	return out
}

// consoleTeller tells of implicit locks only those of the expectation.
func consoleTeller(e *expectation, m *lockgraph.Manifest) *teller {
	implicit := map[string]bool{} // name and mode
	names := classNames(e, m)
	for _, l := range e.Locks {
		if l.Implicit {
			implicit[l.Told+" "+l.Mode] = true
		}
		for mode := range l.AlsoModes {
			implicit[l.Told+" "+mode] = true
		}
	}
	return &teller{
		names: names,
		kinds: map[string]string{"BeginMaterializing": "Materializing", "BeginRuleChange": "RuleChange"},
		skip:  func(s lockgraph.Step) bool { return s.Implicit && (s.Fresh || !implicit[names[s.Class]+" "+s.Mode]) },
	}
}

func TestPaths(t *testing.T) {
	e, v := setUp(t)
	tell := consoleTeller(e, v.Manifest)
	exact := 0
	for _, p := range e.Paths {
		ok := t.Run(lockgraph.Short(p.Entry), func(t *testing.T) {
			if problem := comparePath(t, tell, v, p); problem != "" {
				t.Errorf("%s\n%s", p.Entry, problem)
			}
		})
		if ok {
			exact++
		}
	}
	t.Logf("%d of %d paths exact", exact, len(e.Paths))
}

// comparePath returns how the tool's path differs from the expected one.
func comparePath(t *testing.T, tell *teller, v *prog.View, p expectedPath) string {
	want, err := expected(p.Order)
	if err != nil {
		t.Fatal(err)
	}
	got := &told{order: &order{}, loops: map[string]bool{}}
	for _, path := range v.PathsOf(func(key string) bool { return key == p.Entry }) {
		got = tell.path(path.Steps)
	}
	var b strings.Builder
	onlyGot, onlyWant := difference(got.order, want.order)
	if onlyGot != nil {
		fmt.Fprintf(&b, "  told, but not so:  %s\n", word(onlyGot))
	}
	if onlyWant != nil {
		fmt.Fprintf(&b, "  not told:          %s\n", word(onlyWant))
	}
	for _, s := range sorted(got.loops) {
		if !want.loops[s] {
			fmt.Fprintf(&b, "  loop told, but not so: %s\n", s)
		}
	}
	for _, s := range sorted(want.loops) {
		if !got.loops[s] {
			fmt.Fprintf(&b, "  loop not told:         %s\n", s)
		}
	}
	return b.String()
}

func word(w []string) string {
	if len(w) == 0 {
		return "(no lock)"
	}
	return strings.Join(w, " → ")
}

func sorted(set map[string]bool) []string {
	var out []string
	for s := range set {
		out = append(out, s)
	}
	sort.Strings(out)
	return out
}

func stringsOf(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var many []string
	_ = json.Unmarshal(raw, &many)
	return many
}
