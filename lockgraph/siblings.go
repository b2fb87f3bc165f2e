package lockgraph

import (
	"fmt"
	"slices"
	"strings"
)

// siblings compares paths that do the same: what calls one SQL function that
// locks, and what writes the rows of one table.
func (r *ruler) siblings(all []*profile) []Difference {
	return append(r.callers(all), r.writers(all)...)
}

// callers tells of a path that takes a lock no sooner than in a SQL function
// where nearly all that call the function hold it by then.
func (r *ruler) callers(all []*profile) []Difference {
	at := map[[2]string]*tally{} // function, class
	for _, p := range all {
		for _, tx := range p.txs {
			for i := range tx.takes {
				k := &tx.takes[i]
				if k.within == "" || tx.caller && !k.held[k.class] {
					continue
				}
				key := [2]string{k.within, k.class}
				if at[key] == nil {
					at[key] = newTally(Rule{Form: FormSiblings, Kind: k.within, A: k.class})
				}
				at[key].vote(p.entry, k.held[k.class])
			}
		}
	}
	var out []Difference
	for _, t := range at {
		if len(t.keep) < minSupport || t.exact() || !t.few() {
			continue
		}
		lock := r.names.display(t.rule.A)
		who, s := sortedKeys(t.breaks), "s"
		if len(who) > 1 {
			s = ""
		}
		text := fmt.Sprintf("%s take%s %s no sooner than in %s; %d of %d paths that call it hold it by then", list(who), s, lock, t.rule.Kind, len(t.keep), t.of())
		id := FormSiblings + "/" + t.rule.Kind + "/" + r.slug(t.rule.A)
		out = append(out, Difference{ID: "difference/" + id, Form: FormSiblings, Funcs: who, Classes: []string{t.rule.A}, Via: t.rule.Kind, Text: text})
	}
	return out
}

// writers tells of rows that few of the paths which write them lock first,
// while the others leave it to the statement that writes.
func (r *ruler) writers(all []*profile) []Difference {
	at := map[string]*tally{}
	for _, p := range all {
		for _, tx := range p.txs {
			for i := range tx.takes {
				k := &tx.takes[i]
				if !k.write || k.aside || !r.plain[k.class] || tx.caller && !k.asked {
					continue
				}
				if at[k.class] == nil {
					at[k.class] = newTally(Rule{Form: FormSiblings, A: k.class})
				}
				at[k.class].vote(p.entry, k.asked)
			}
		}
	}
	var out []Difference
	for _, t := range at {
		first, alone := sortedKeys(t.keep), sortedKeys(t.breaks)
		if len(alone) < minSupport || len(first) == 0 || len(first) > max(1, t.of()/exceptionShare) {
			continue
		}
		s := "s"
		if len(first) > 1 {
			s = ""
		}
		text := fmt.Sprintf("%s lock%s rows of %s before writing them; %s write them by the lock of the statement alone",
			list(first), s, r.rowsOf(t.rule.A), list(alone))
		out = append(out, Difference{ID: "difference/" + r.id(&t.rule), Form: FormSiblings,
			Funcs: unique(slices.Concat(first, alone)), Peers: alone, Classes: []string{t.rule.A}, Text: text})
	}
	return out
}

// A KeyWay is one way of building advisory keys, with the classes it serves.
type KeyWay struct {
	Title   string // as a sentence begins
	Classes []*Class
}

// KeyWays returns the ways in which the advisory keys are built, those that
// hash first.
func KeyWays(classes []Class) []KeyWay {
	type sorted struct {
		by  string
		way KeyWay
	}
	var all []*sorted
	for i := range classes {
		c := &classes[i]
		if c.Family != Advisory || c.Key == nil {
			continue
		}
		by, title := c.Key.way()
		n := slices.IndexFunc(all, func(s *sorted) bool { return s.way.Title == title })
		if n < 0 {
			n = len(all)
			all = append(all, &sorted{by: by + title, way: KeyWay{Title: title}})
		}
		all[n].way.Classes = append(all[n].way.Classes, c)
	}
	slices.SortStableFunc(all, func(x, y *sorted) int { return strings.Compare(x.by, y.by) })
	out := make([]KeyWay, len(all))
	for i, s := range all {
		out[i] = s.way
	}
	return out
}

// way names the derivation of a key; the first result sorts it.
func (k *Key) way() (by, title string) {
	of := "a bare value"
	switch {
	case k.Constant != "":
		of = "a fixed name"
	case k.Prefixed:
		of = "a prefixed string"
	}
	switch k.Derivation {
	case "constant":
		if k.Space == "int4x2" {
			return "5", "A constant pair"
		}
		return "4", "A literal constant"
	case "hashtextextended":
		return "1" + of, "`hashtextextended` of " + of
	case "hashtext":
		if k.Space == "int4x2" {
			return "2" + of, "`hashtext` of " + of + " as an `int4`"
		}
		return "2" + of, "`hashtext` of " + of + ", widened to `bigint`"
	case "go-hash":
		return "3" + of, "A hash computed in Go (" + k.Hash + ") of " + of
	case "server-hash":
		return "3" + of, "A hash computed in SQL of " + of
	case "plain":
		return "6", "An id as it is"
	case "pair":
		if k.Prefixed {
			return "7", "A pair whose first half is a constant"
		}
		return "7", "A pair of two values"
	}
	return "9", "A way the analysis could not see"
}

// keyDifference tells of advisory keys that are built in more than one way:
// nothing but their numbers keeps those apart.
func keyDifference(m *Manifest) []Difference {
	ways := KeyWays(m.Classes)
	if len(ways) < 2 {
		return nil
	}
	d := Difference{ID: "difference/" + FormKeys, Form: FormKeys}
	titles := make([]string, len(ways))
	for i, w := range ways {
		titles[i] = w.Title
		if !strings.HasPrefix(w.Title, "`") {
			titles[i] = strings.ToLower(w.Title[:1]) + w.Title[1:]
		}
		for _, c := range w.Classes {
			d.Classes = append(d.Classes, c.ID)
		}
	}
	for _, a := range m.Acquisitions {
		if slices.Contains(d.Classes, a.Class) {
			d.Funcs = append(d.Funcs, a.Func)
		}
	}
	d.Funcs = orEmpty(unique(d.Funcs))
	d.Text = fmt.Sprintf("advisory keys are built in %d ways: %s", len(ways), strings.Join(titles, "; "))
	return []Difference{d}
}
