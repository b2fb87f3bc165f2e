package docgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A Chart is the lock graph in the words of the page, for a program that
// draws it. Texts are Markdown with code spans and nothing else.
type Chart struct {
	Module  string       `json:"module"`
	Locks   []ChartLock  `json:"locks"` // those nearest to the blocking core first
	Arrows  []ChartArrow `json:"arrows"`
	Cycles  []ChartCycle `json:"cycles"`
	Entries []ChartEntry `json:"entries"`
}

// A ChartLock is a class: the node of a chart, and its row of the page.
type ChartLock struct {
	ID         string   `json:"id"`
	Label      string   `json:"label"` // without code spans
	Family     string   `json:"family"`
	What       string   `json:"what"`
	Mode       string   `json:"mode"`
	Modes      []string `json:"modes"`
	TakenBy    string   `json:"takenBy"`
	Serializes string   `json:"serializes"`
	Alone      bool     `json:"alone"` // never held together with another
}

// A ChartArrow says that To is taken while From is held; both are places in
// Chart.Locks.
type ChartArrow struct {
	From    int         `json:"from"`
	To      int         `json:"to"`
	Cycle   string      `json:"cycle"`   // "", or the verdict of a cycle it lies on
	Guess   bool        `json:"guess"`   // all of it rests on code that was not followed
	Implied bool        `json:"implied"` // a chain of others says the same
	Sides   []ChartSide `json:"sides"`
}

// A ChartSide is one pair of modes of an arrow, with the calls that show it.
type ChartSide struct {
	Held   string       `json:"held"`
	Wanted string       `json:"wanted"`
	Cut    string       `json:"cut"`
	Frames []ChartFrame `json:"frames"`
}

// A ChartFrame is a step of such a call path, in execution order.
type ChartFrame struct {
	Func string   `json:"func"`
	At   string   `json:"at"` // file:line
	Does string   `json:"does"`
	SQL  []string `json:"sql"` // what is run there
}

// A ChartCycle is a cycle that can block or that only seems to.
type ChartCycle struct {
	Verdict string `json:"verdict"`
	Locks   []int  `json:"locks"`
	Text    string `json:"text"`
}

// A ChartEntry is a path by the name of its outermost function, with the
// locks that it takes.
type ChartEntry struct {
	Name  string `json:"name"`
	Locks []int  `json:"locks"`
}

// NewChart makes the chart of a manifest.
func NewChart(m *lockgraph.Manifest) *Chart {
	b := newBook(m, Options{})
	ranked := draw(m, len(m.Classes)+1)
	c := &Chart{Module: m.Module, Locks: []ChartLock{}, Arrows: []ChartArrow{}, Cycles: []ChartCycle{}, Entries: []ChartEntry{}}
	at := b.chartLocks(c, ranked)
	b.chartArrows(c, ranked, at)
	b.chartCycles(c, at)
	b.chartEntries(c, at)
	return c
}

// chartLocks fills in the locks and returns the place of each class.
func (b *book) chartLocks(c *Chart, p *picture) map[string]int {
	ids := slices.Clone(p.ranked)
	ranked := map[string]bool{}
	for _, id := range ids {
		ranked[id] = true
	}
	for _, k := range b.m.Classes {
		if !ranked[k.ID] {
			ids = append(ids, k.ID)
		}
	}
	at := map[string]int{}
	for _, id := range ids {
		k := b.classes[id]
		if k == nil {
			continue
		}
		modes := slices.Clone(b.modes[id])
		slices.Sort(modes)
		at[id] = len(c.Locks)
		c.Locks = append(c.Locks, ChartLock{
			ID: id, Label: b.plain(id), Family: k.Family, What: b.what(k), Mode: b.modeCell(k), Modes: modes,
			TakenBy: b.takers(k), Serializes: sentence(k.Serializes), Alone: !ranked[id],
		})
	}
	return at
}

func (b *book) chartArrows(c *Chart, p *picture, at map[string]int) {
	type pair struct{ from, to string }
	sides := map[pair][]ChartSide{}
	sql := b.statements()
	for _, e := range b.m.Edges {
		s := ChartSide{Held: e.Held, Wanted: e.Wanted, Cut: e.Cut, Frames: []ChartFrame{}}
		for _, f := range e.Witness {
			place := fmt.Sprintf("%s:%d", f.File, f.Line)
			s.Frames = append(s.Frames, ChartFrame{Func: b.fn(f.Func), At: place, Does: f.Does, SQL: sql[place]})
		}
		sides[pair{e.From, e.To}] = append(sides[pair{e.From, e.To}], s)
	}
	all := p.arrows
	p.reduce()
	drawn := map[arrow]bool{}
	for _, a := range p.arrows {
		drawn[a] = true
	}
	for _, a := range all {
		if a.from == a.to {
			continue
		}
		c.Arrows = append(c.Arrows, ChartArrow{
			From: at[a.from], To: at[a.to], Cycle: a.cycle, Guess: a.guess,
			Implied: !drawn[a], Sides: sides[pair{a.from, a.to}],
		})
	}
}

// statements are the texts that run at each place, file:line.
func (b *book) statements() map[string][]string {
	out := map[string][]string{}
	for _, a := range b.m.Acquisitions {
		place := fmt.Sprintf("%s:%d", a.File, a.Line)
		if a.SQL != "" {
			out[place] = once(out[place], a.SQL)
		}
	}
	return out
}

func (b *book) chartCycles(c *Chart, at map[string]int) {
	groups := alike(b.m.Cycles, func(y lockgraph.Cycle) string { return fmt.Sprint(y.Verdict, y.Classes) })
	for _, verdict := range []string{"supported", "possible", "gated"} {
		for _, same := range groups {
			if same[0].Verdict != verdict {
				continue
			}
			var locks []int
			for _, id := range same[0].Classes {
				locks = append(locks, at[id])
			}
			c.Cycles = append(c.Cycles, ChartCycle{Verdict: verdict, Locks: locks, Text: b.hops(same)})
		}
	}
}

func (b *book) chartEntries(c *Chart, at map[string]int) {
	for _, p := range b.m.Paths {
		e := ChartEntry{Name: b.fn(p.Entry)}
		eachLock(p.Steps, func(s *lockgraph.Step) {
			if n, ok := at[s.Class]; ok && !slices.Contains(e.Locks, n) {
				e.Locks = append(e.Locks, n)
			}
		})
		if len(e.Locks) > 0 {
			c.Entries = append(c.Entries, e)
		}
	}
	slices.SortStableFunc(c.Entries, func(x, y ChartEntry) int { return strings.Compare(x.Name, y.Name) })
}
