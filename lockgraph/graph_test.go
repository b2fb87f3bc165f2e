package lockgraph

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
)

// lock is a take as the tests write it: "row a NK id=x" and the like.
//
//	CLASS = row NAME | adv NAME | table NAME | mutex NAME
//	MODE  = KS SH NK UP | x s | a table mode with _
//
// then any of COLUMN=VALUE or key=VALUE (a number is a constant), one, fresh,
// try, nowait, skip, many, carried, loop, cut, implicit, session=N, via=…,
// fkfrom=…, from=row:NAME, same (the statement of the lock before).
func lock(t *testing.T, text string) Take {
	t.Helper()
	f := strings.Fields(text)
	k := Take{Wait: Wait, Scope: Transaction, Session: 1}
	k.Family = map[string]string{"row": Row, "adv": Advisory, "table": Table, "mutex": Mutex}[f[0]]
	k.Class = k.Family + " " + f[1]
	modes := map[string]string{"KS": ForKeyShare, "SH": ForShare, "NK": ForNoKeyUpdate, "UP": ForUpdate, "x": Exclusive, "s": Shared}
	if k.Mode = modes[f[2]]; k.Mode == "" {
		k.Mode = strings.ReplaceAll(f[2], "_", " ")
	}
	if modeIndex(Modes(k.Family), k.Mode) < 0 {
		t.Fatalf("no mode in %q", text)
	}
	var parts []string
	for _, word := range f[3:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "one":
			k.Inst.Single, k.Inst.Known = true, true
		case "fresh":
			k.Fresh = true
		case "try":
			k.Wait = Try
		case "nowait":
			k.Wait = NoWait
		case "skip":
			k.Wait = SkipLocked
		case "many":
			k.Many = true
		case "carried":
			k.Carried = true
		case "loop":
			k.InLoop = true
		case "bounded":
			k.Bounded = true
		case "rechecked":
			k.Rechecked = true
		case "refuses":
			k.Refuses = true
		case "marked":
			k.SoftDeleted = value
		case "implicit":
			k.Implicit = true
		case "same": // see run
		case "cut":
			k.Cut = CutCallee
		case "session":
			k.Session = int(value[0] - '0')
		case "via":
			k.Via = append(k.Via, strings.ReplaceAll(value, "_", " "))
		case "fkfrom":
			k.FKFrom = value
		case "from":
			k.Inst.From = append(k.Inst.From, strings.ReplaceAll(value, ":", " "))
		default:
			v := value
			if strings.Trim(v, "0123456789") == "" {
				v = `const "i:` + v + `"`
			} else if v != "hole" {
				v = `param "` + v + `"`
			}
			k.Inst.Known = k.Inst.Known || v != "hole"
			parts = append(parts, name+"="+v)
			if name == "key" {
				k.Inst.Leaves = append(k.Inst.Leaves, v)
				_, isConst := constant(v)
				k.Inst.Const = isConst
			} else {
				k.Inst.Columns = append(k.Inst.Columns, Column{name, v})
			}
		}
	}
	k.Inst.Text = strings.Join(parts, " and ")
	if k.Inst.Const {
		k.Inst.Text = k.Inst.Leaves[0]
	}
	return k
}

// run makes the proposals of one path from its locks, one transaction.
func run(t *testing.T, entry string, locks ...string) []Proposal {
	t.Helper()
	var held []*Take
	var out []Proposal
	for i, text := range locks {
		k := new(Take)
		*k = lock(t, text)
		k.ID = i + 1
		k.Frames = []Frame{
			{Func: entry, File: "app.go", Line: 10, Does: "begins a transaction"},
			{Func: entry, File: "app.go", Line: 11 + i, Does: "acquires " + k.Class + " " + k.Mode},
		}
		if strings.HasSuffix(text, " same") {
			k.Frames[1].Line--
		}
		out = append(out, Proposal{Trace: entry, Held: slices.Clone(held), Want: k})
		held = append(held, k)
	}
	return out
}

// classesOf returns the classes that proposals speak of.
func classesOf(proposals []Proposal) []Class {
	seen := map[string]Class{}
	for _, p := range proposals {
		for _, k := range append(slices.Clone(p.Held), p.Want) {
			c := Class{ID: k.Class, Family: k.Family, Name: strings.TrimPrefix(k.Class, k.Family+" ")}
			if k.Family == Row || k.Family == Table {
				c.Relation, c.Relkind = c.Name, "r"
			}
			seen[k.Class] = c
		}
	}
	var out []Class
	for _, id := range sortedKeys(seen) {
		out = append(out, seen[id])
	}
	return out
}

// graphOf builds a graph from "entry: lock; lock" lines.
func graphOf(t *testing.T, rel Relations, lines ...string) *Graph {
	t.Helper()
	var all []Proposal
	for _, line := range lines {
		entry, locks, _ := strings.Cut(line, ": ")
		all = append(all, run(t, "example.test/app."+entry, strings.Split(locks, "; ")...)...)
	}
	return Build(classesOf(all), all, rel)
}

func edgeTexts(g *Graph) []string {
	out := []string{}
	for _, e := range g.Edges {
		out = append(out, fmt.Sprintf("%s (%s) -> %s (%s)", e.From, e.Held, e.To, e.Wanted))
	}
	sort.Strings(out)
	return out
}

func TestBuildEdges(t *testing.T) {
	const ab = "row a (FOR UPDATE) -> row b (FOR UPDATE)"
	for _, c := range []struct {
		name, path string
		want       []string
	}{
		{"plain", "P: row a UP id=x; row b UP id=y", []string{ab}},
		{"try wanted", "P: row a UP id=x; adv b x one try", nil},
		{"try held", "P: adv b x one try; row a UP id=x", []string{"advisory b (exclusive) -> row a (FOR UPDATE)"}},
		{"nowait", "P: row a UP id=x; row b UP id=y nowait", nil},
		{"skip locked", "P: row a UP id=x; row b UP id=y skip", nil},
		{"fresh held", "P: row a UP id=x fresh; row b UP id=y", nil},
		{"fresh wanted", "P: row a UP id=x; row b UP id=y fresh", nil},
		{"carried", "P: row a UP id=x carried; row b UP id=y", nil},
		{"held already", "P: row b UP id=y; row a UP id=x; row b UP id=y", []string{"row b (FOR UPDATE) -> row a (FOR UPDATE)"}},
		{"held weaker", "P: row b SH id=y; row a UP id=x; row b UP id=y",
			[]string{"row a (FOR UPDATE) -> row b (FOR UPDATE)", "row b (FOR SHARE) -> row a (FOR UPDATE)"}},
		{"held by narrower predicate", "P: row b UP id=y; row a UP id=x; row b UP id=y state=z",
			[]string{"row b (FOR UPDATE) -> row a (FOR UPDATE)"}},
		{"other instance", "P: row b UP id=y; row b UP id=z", []string{"row b (FOR UPDATE) -> row b (FOR UPDATE)"}},
		{"other session", "P: row a UP id=x; row b UP id=y session=2", []string{ab}},
		{"same row on two sessions", "P: row a UP id=x; row a UP id=x session=2", nil},
		{"a set held already", "P: row b UP gid=y many; row a UP id=x; row b UP gid=y many", []string{"row b (FOR UPDATE) -> row a (FOR UPDATE)"}},
		{"a set claimed with skip locked", "P: row b UP gid=y many skip; row a UP id=x; row b UP gid=y many",
			[]string{ab, "row b (FOR UPDATE) -> row a (FOR UPDATE)", "row b (FOR UPDATE) -> row b (FOR UPDATE)"}},
		{"update of an inserted row", "P: row b NK id=y fresh; row a UP id=x; row b UP id=y", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := edgeTexts(graphOf(t, nil, c.path))
			if len(got) != len(c.want) || len(got) > 0 && !reflect.DeepEqual(got, c.want) {
				t.Errorf("edges %q, want %q", got, c.want)
			}
		})
	}
}

func TestWitness(t *testing.T) {
	g := graphOf(t, nil, "P: row a UP id=x; row b UP id=y session=2")
	var does []string
	for _, f := range g.Edges[0].Witness {
		does = append(does, f.Does)
	}
	want := []string{"begins a transaction", "acquires row a FOR UPDATE", "acquires row b FOR UPDATE on another connection"}
	if !reflect.DeepEqual(does, want) {
		t.Errorf("witness %q, want %q", does, want)
	}
}

func TestGatesAreAnAntichain(t *testing.T) {
	hold := func(names ...string) []Proposal {
		locks := append([]string{}, names...)
		return run(t, "P", append(locks, "row a UP id=x", "row b UP id=y")...)
	}
	var all []Proposal
	all = append(all, hold("adv g x one", "adv h x one")...)
	all = append(all, hold("adv g x one")...)
	all = append(all, hold("adv i x one")...)
	g := Build(classesOf(all), all, nil)
	sets := map[string]bool{}
	for _, e := range g.Edges {
		if e.From == "row a" && e.To == "row b" {
			for _, s := range e.Gates {
				sets[strings.Join(s, "+")] = true
			}
		}
	}
	if want := map[string]bool{"advisory g": true, "advisory i": true}; !reflect.DeepEqual(sets, want) {
		t.Errorf("gates %v, want %v", sets, want)
	}
}

func TestInsertMinimal(t *testing.T) {
	var sets [][]string
	for _, s := range [][]string{{"a", "b"}, {"b", "c"}, {"b"}, {"a", "b", "c"}, {"a"}} {
		sets = insertMinimal(sets, s)
	}
	if want := [][]string{{"b"}, {"a"}}; !reflect.DeepEqual(sets, want) {
		t.Errorf("got %v, want %v", sets, want)
	}
	if got := insertMinimal(sets, nil); len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("the empty set must replace all, got %v", got)
	}
}

func TestBuildIsDeterministic(t *testing.T) {
	lines := []string{
		"P: adv g x one; row a UP id=x; row b UP id=y",
		"Q: row b UP id=y; row a UP id=x",
		"R: row a UP id=x; row b UP id=y; row c UP id=z",
		"S: row c UP id=x; row a UP id=x",
	}
	var all []Proposal
	for _, line := range lines {
		entry, locks, _ := strings.Cut(line, ": ")
		all = append(all, run(t, entry, strings.Split(locks, "; ")...)...)
	}
	first := fmt.Sprint(solved(Build(classesOf(all), all, nil)))
	for i := range all {
		all[0], all[i] = all[i], all[0]
		if again := fmt.Sprint(solved(Build(classesOf(all), all, nil))); again != first {
			t.Fatalf("another order of proposals gives\n%s\nnot\n%s", again, first)
		}
	}
}

func solved(g *Graph) ([]Edge, []Cycle, []Finding) {
	f := g.Findings()
	return g.Edges, g.Cycles, f
}

// Of two sides that differ only in where they are and in what ties the two
// locks together, the one that says more stays, whichever comes first.
func TestSideThatSaysMoreStays(t *testing.T) {
	frames := func(entry string) []Frame { return []Frame{{Func: entry, File: "app.go", Line: 1, Does: "acquires"}} }
	proposal := func(entry string, from ...string) Proposal {
		row := func(name string, from ...string) *Take {
			return &Take{Class: "row " + name, Family: Row, Mode: ForUpdate, Wait: Wait, Implicit: true, Frames: frames("pkg.lock"),
				Inst: Inst{Known: true, Text: "id of " + name, Columns: []Column{{"id", `param "` + name + `"`}}, From: from}}
		}
		return Proposal{Trace: entry, Held: []*Take{row("a")}, Want: row("b", from...)}
	}
	weak, strong := proposal("pkg.A"), proposal("pkg.B", "row a")
	for _, all := range [][]Proposal{{weak, strong}, {strong, weak}} {
		g := Build(classesOf(all), all, nil)
		if len(g.info) != 1 || len(g.info[0].sides) != 1 {
			t.Fatalf("%d edges", len(g.info))
		}
		if s := g.info[0].sides[0]; s.tier() != tierSupported || s.trace != "pkg.B" {
			t.Errorf("kept the side of %s in tier %d", s.trace, s.tier())
		}
	}
}
