package change

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A Delta is what differs between two manifests. All lists are sorted.
type Delta struct {
	NewLocks     []Lock              `json:"newLocks"`
	GoneLocks    []Lock              `json:"goneLocks"`
	ChangedKeys  []KeyChange         `json:"changedKeys"`
	NewEdges     []Edge              `json:"newEdges"`
	GoneEdges    []Edge              `json:"goneEdges"`
	NewFindings  []lockgraph.Finding `json:"newFindings"`
	GoneFindings []lockgraph.Finding `json:"goneFindings"`
}

// A Lock is a class that one side alone has.
type Lock struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	TakenBy []string `json:"takenBy"`
	While   []string `json:"while"`  // what is held when it is taken
	Before  []string `json:"before"` // what is taken while it is held
}

// A KeyChange is one lock whose key is made in another way: as long as both
// versions run, the two sides do not exclude each other.
type KeyChange struct {
	Name    string   `json:"name"`
	Old     string   `json:"old"`
	New     string   `json:"new"`
	TakenBy []string `json:"takenBy"`
}

// An Edge is an order that one side alone has: To wanted while From is held.
type Edge struct {
	From     string `json:"from"`
	Held     string `json:"held"`
	To       string `json:"to"`
	Wanted   string `json:"wanted"`
	Path     string `json:"path"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Reverses bool   `json:"reverses"` // the other side takes the two the other way round
}

// Empty reports whether nothing differs.
func (d *Delta) Empty() bool {
	return len(d.NewLocks)+len(d.GoneLocks)+len(d.ChangedKeys)+len(d.NewEdges)+len(d.GoneEdges)+len(d.NewFindings)+len(d.GoneFindings) == 0
}

// Diff returns what differs between an old and a new manifest.
func Diff(was, is *lockgraph.Manifest) *Delta {
	d := &Delta{NewLocks: []Lock{}, GoneLocks: []Lock{}, ChangedKeys: []KeyChange{}, NewEdges: []Edge{}, GoneEdges: []Edge{},
		NewFindings: []lockgraph.Finding{}, GoneFindings: []lockgraph.Finding{}}
	before, after := index(was), index(is)
	same := pair(before, after)
	for _, id := range before.ids {
		now, ok := same[id]
		switch {
		case !ok:
			d.GoneLocks = append(d.GoneLocks, before.lock(id))
		case now != id:
			d.ChangedKeys = append(d.ChangedKeys, KeyChange{Name: after.display(now), Old: before.key(id), New: after.key(now), TakenBy: after.takers(now)})
		}
	}
	back := map[string]string{}
	for old, now := range same {
		back[now] = old
	}
	for _, id := range after.ids {
		if _, ok := back[id]; !ok {
			d.NewLocks = append(d.NewLocks, after.lock(id))
		}
	}
	d.NewEdges = append(d.NewEdges, edges(after, before, back)...)
	d.GoneEdges = append(d.GoneEdges, edges(before, after, same)...)
	d.findings(before, after, same)
	return d
}

// findings compares by fingerprints, in which the names of classes that have
// been renamed, or whose keys have changed, are the new ones.
func (d *Delta) findings(before, after *indexed, same map[string]string) {
	renamed := before.renames(after, same)
	known, now := map[string]Entry{}, map[string]Entry{}
	count := func(to map[string]Entry, f *lockgraph.Finding, fingerprint string) {
		e := to[fingerprint]
		e.Times++
		if weight(f.Severity) > weight(e.Severity) {
			e.Severity = f.Severity
		}
		to[fingerprint] = e
	}
	old := slices.Clone(before.m.Findings)
	for i := range old {
		old[i].Fingerprint = rename(old[i].Fingerprint, renamed)
		count(known, &old[i], old[i].Fingerprint)
	}
	for i := range after.m.Findings {
		f := &after.m.Findings[i]
		count(now, f, f.Fingerprint)
	}
	d.NewFindings = append(d.NewFindings, beyond(after.m.Findings, known)...)
	for fingerprint, e := range now { // less severe is not gone
		e.Severity = lockgraph.SeverityError
		now[fingerprint] = e
	}
	d.GoneFindings = append(d.GoneFindings, beyond(old, now)...)
	lockgraph.SortFindings(d.NewFindings)
	lockgraph.SortFindings(d.GoneFindings)
}

// rename puts the new names of classes into a fingerprint, whose parts "/"
// separates.
func rename(fingerprint string, renamed [][2]string) string {
	was := fingerprint
	for _, r := range renamed {
		parts := "/" + fingerprint + "/"
		parts = strings.ReplaceAll(parts, "/"+r[0]+"/", "/"+r[1]+"/")
		fingerprint = parts[1 : len(parts)-1]
	}
	if fingerprint == was {
		return fingerprint
	}
	kind, rest, ok := strings.Cut(fingerprint, "/")
	if lockgraphKind, known := lockgraph.KindOf(kind); ok && known && lockgraphKind.Check == "lockorder" {
		parts := strings.Split(rest, "/")
		if kind == "lock-order-cycle" || kind == "mixed-lock-order" { // the classes of a cycle are sorted
			sort.Strings(parts)
		}
		return kind + "/" + strings.Join(parts, "/")
	}
	return fingerprint
}

// edges lists the orders of one side that the other has not, for classes that
// both have; what a new lock adds is told with the lock. Of several modes of
// two classes one is told.
func edges(here, there *indexed, same map[string]string) []Edge {
	var out []Edge
	told := map[[2]string]bool{}
	for _, e := range here.m.Edges {
		from, ok := same[e.From]
		to, also := same[e.To]
		if !ok || !also || there.has[[4]string{from, e.Held, to, e.Wanted}] || told[[2]string{e.From, e.To}] {
			continue
		}
		told[[2]string{e.From, e.To}] = true
		x := Edge{From: here.display(e.From), Held: e.Held, To: here.display(e.To), Wanted: e.Wanted,
			Reverses: there.pairs[[2]string{to, from}] && !there.pairs[[2]string{from, to}]}
		if n := len(e.Witness); n > 0 {
			x.Path, x.File, x.Line = e.Witness[0].Func, e.Witness[n-1].File, e.Witness[n-1].Line
		}
		out = append(out, x)
	}
	sort.SliceStable(out, func(i, j int) bool {
		return fmt.Sprint(out[i].From, "\x00", out[i].To) < fmt.Sprint(out[j].From, "\x00", out[j].To)
	})
	return out
}
