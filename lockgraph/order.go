package lockgraph

import (
	"sort"
	"strings"
	"unicode"
)

// An Order is a declared partial order of names, usually of lock classes: a
// lock may be taken while all that is held comes before it.
//
// Its text is a list of statements that end in ";":
//
//	a < b < c;          # a comes before b, b before c; the comment is the reason
//	a, b < c, d;        # each of a, b before each of c, d
//	LAYER < a, b;       # a name in capitals is no lock, it only groups
//	a < a;              # several instances of a may be held; needs a reason
//	b !< a;             # asserted: nothing above implies b before a
//
// A name is any run of words; quotes in it are dropped, so that
// row "core.pools" and row core.pools are one.
type Order struct {
	names  []string // as first mentioned
	index  map[string]int
	pairs  []OrderPair
	less   [][]bool // transitive
	nests  map[string]string
	denied map[[2]string]string
}

// An OrderPair says that A is declared to come before B.
type OrderPair struct {
	A, B, Reason string
	Line         int
}

// Pseudo reports whether a name stands for no lock: it is written in
// capitals.
func Pseudo(name string) bool {
	letter := false
	for _, r := range name {
		if unicode.IsLower(r) {
			return false
		}
		letter = letter || unicode.IsUpper(r)
	}
	return letter
}

// Less reports whether a is declared to come before b.
func (o *Order) Less(a, b string) bool {
	i, ok := o.index[a]
	j, also := o.index[b]
	return ok && also && o.less[i][j]
}

// Placed reports whether the order mentions a name.
func (o *Order) Placed(name string) bool {
	_, ok := o.index[name]
	return ok
}

// Names returns the names that stand for locks, as first mentioned.
func (o *Order) Names() []string {
	var out []string
	for _, n := range o.names {
		if !Pseudo(n) {
			out = append(out, n)
		}
	}
	return out
}

// Pairs returns what is declared, pair by pair, in the order of the text.
func (o *Order) Pairs() []OrderPair { return append([]OrderPair(nil), o.pairs...) }

// Nests returns the reason why several instances of a name may be held.
func (o *Order) Nests(name string) (reason string, ok bool) {
	reason, ok = o.nests[name]
	return reason, ok
}

// Denied reports whether the text asserts that a does not come before b, and
// why.
func (o *Order) Denied(a, b string) (reason string, ok bool) {
	reason, ok = o.denied[[2]string{a, b}]
	return reason, ok
}

// Chain returns the shortest chain of declared pairs from a to b, both
// included; nil when a does not come before b.
func (o *Order) Chain(a, b string) []string {
	if !o.Less(a, b) {
		return nil
	}
	came := map[string]string{a: a}
	queue := []string{a}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if n == b {
			break
		}
		for _, p := range o.pairs {
			if _, seen := came[p.B]; p.A == n && !seen {
				came[p.B] = n
				queue = append(queue, p.B)
			}
		}
	}
	var out []string
	for n := b; ; n = came[n] {
		out = append([]string{n}, out...)
		if n == a {
			return out
		}
	}
}

// Reason returns the reason of the declared pair a, b, or "".
func (o *Order) Reason(a, b string) string {
	for _, p := range o.pairs {
		if p.A == a && p.B == b && p.Reason != "" {
			return p.Reason
		}
	}
	return ""
}

// Layers returns the locks by rank: a name stands in the first layer after
// all that come before it.
func (o *Order) Layers() [][]string {
	rank := make([]int, len(o.names))
	order := make([]int, len(o.names))
	for i := range order {
		order[i] = i
	}
	before := func(i int) (n int) {
		for j := range o.names {
			if o.less[j][i] {
				n++
			}
		}
		return n
	}
	// What comes before i has fewer before itself, so this is a topological order.
	sort.SliceStable(order, func(x, y int) bool { return before(order[x]) < before(order[y]) })
	var out [][]string
	for _, i := range order {
		for j := range o.names {
			if o.less[j][i] {
				step := 1
				if Pseudo(o.names[j]) {
					step = 0
				}
				rank[i] = max(rank[i], rank[j]+step)
			}
		}
	}
	for i, name := range o.names {
		if Pseudo(name) {
			continue
		}
		for len(out) <= rank[i] {
			out = append(out, nil)
		}
		out[rank[i]] = append(out[rank[i]], name)
	}
	return out
}

// Name returns the name under which the order places a class: its family
// and name, its name, its relation, or its id.
func (o *Order) Name(c *Class) (string, bool) {
	for _, n := range []string{c.slug(), c.Family + " " + strings.TrimSuffix(c.label(), ":"), c.Name, strings.TrimSuffix(c.Name, ":"), c.Relation, c.ID} {
		if n != "" && o.Placed(n) {
			return n, true
		}
	}
	return "", false
}

// Format writes the order as text that ParseOrder reads back.
func (o *Order) Format() string {
	var b strings.Builder
	line := func(text, reason string) {
		b.WriteString(text + ";")
		if reason != "" {
			b.WriteString(" # " + reason)
		}
		b.WriteByte('\n')
	}
	for _, p := range o.pairs {
		line(p.A+" < "+p.B, p.Reason)
	}
	for _, n := range sortedKeys(o.nests) {
		line(n+" < "+n, o.nests[n])
	}
	var denied [][2]string
	for k := range o.denied {
		denied = append(denied, k)
	}
	sort.Slice(denied, func(i, j int) bool {
		return denied[i][0] < denied[j][0] || denied[i][0] == denied[j][0] && denied[i][1] < denied[j][1]
	})
	for _, k := range denied {
		line(k[0]+" !< "+k[1], o.denied[k])
	}
	return b.String()
}
