package docgen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// large is the manifest of a service with a thousand locks: three hundred
// advisory ones and seven hundred rows, taken by a thousand paths of fifty
// packages, three in a row each.
func large() *lockgraph.Manifest {
	m := &lockgraph.Manifest{Version: 1, Module: "example.test/large"}
	for i := range 1000 {
		c := lockgraph.Class{ID: fmt.Sprintf("row app.table_%03d", i), Family: lockgraph.Row, Name: fmt.Sprintf("app.table_%03d", i), Relation: fmt.Sprintf("app.table_%03d", i)}
		if i < 300 {
			prefix := fmt.Sprintf("lock%03d:", i)
			c = lockgraph.Class{ID: "advisory " + prefix, Family: lockgraph.Advisory, Name: prefix,
				Key: &lockgraph.Key{Space: "bigint", Derivation: "hashtextextended", Expr: "hashtextextended('" + prefix + "' || $1, 0)", Prefix: prefix, Prefixed: true, Bits: 64}}
		}
		m.Classes = append(m.Classes, c)
		fn := fmt.Sprintf("example.test/large/pkg%02d.(*Store).Do%03d", i%50, i)
		m.Acquisitions = append(m.Acquisitions, lockgraph.Acquisition{ID: fmt.Sprint("a", i), Class: c.ID, Func: fn, Mode: fu, Scope: lockgraph.Transaction, Wait: lockgraph.Wait, Implicit: i%3 == 0 && i >= 300})
	}
	for i := range 1000 {
		fn := fmt.Sprintf("example.test/large/pkg%02d.(*Store).Do%03d", i%50, i)
		var steps []lockgraph.Step
		for k := range 3 {
			steps = append(steps, lock(m.Classes[min(i+k*7, 999)].ID, fu, fn))
		}
		m.Paths = append(m.Paths, lockgraph.Path{Entry: fn, Steps: []lockgraph.Step{tx("", "", steps...)}})
		if i+7 < 1000 {
			m.Edges = append(m.Edges, lockgraph.Edge{From: m.Classes[i].ID, To: m.Classes[i+7].ID, Held: fu, Wanted: fu})
		}
		m.Rules = append(m.Rules, lockgraph.Rule{ID: fmt.Sprint("before/", i), Form: "before", A: m.Classes[i].ID, B: m.Classes[min(i+7, 999)].ID, Support: 2, Of: 2})
		m.Unknowns = append(m.Unknowns, lockgraph.Unknown{Func: fn, Kind: "relation", Reason: fmt.Sprintf("relation other_%03d is not in the schema", i)})
	}
	return m
}

// TestThousandLocks folds what a reader does not want at first, and keeps the
// page within what hosts of code show.
func TestThousandLocks(t *testing.T) {
	m := large()
	start := time.Now()
	page, err := Render(nil, m, Options{})
	took := time.Since(start)
	if err != nil {
		t.Fatal(err)
	}
	open, depth := 0, 0
	for l := range strings.Lines(string(page)) {
		switch strings.TrimSpace(l) {
		case "<details>":
			depth++
		case "</details>":
			depth--
		}
		open += b2i(depth == 0)
	}
	t.Logf("%d bytes, %d lines, %d of them in the open, %v", len(page), strings.Count(string(page), "\n"), open, took)
	if depth != 0 {
		t.Errorf("%d details are not closed", depth)
	}
	if open > 700 || len(page) > 500_000 || took > 10*time.Second {
		t.Errorf("%d lines in the open, want at most 700; %d bytes, want at most 500,000; %v", open, len(page), took)
	}
	for _, want := range []string{"660 more of them", "260 more of them", "`table_999` row", "Do999"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if again, err := Render(page, m, Options{}); err != nil || string(again) != string(page) {
		t.Errorf("a second run gives another page: %v", err)
	}
}
