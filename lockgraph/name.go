package lockgraph

import (
	"sort"
	"strconv"
	"strings"
)

// Display returns the class as messages write it: advisory NAME,
// row "relation", table "relation".
func (c *Class) Display() string {
	switch c.Family {
	case Row, Table:
		return c.Family + " " + strconv.Quote(c.label())
	case "":
		return c.label()
	case Mutex:
		if isGroup(c.label()) {
			return c.label()
		}
	}
	return c.Family + " " + c.label()
}

// WaitGroup begins the names of mutexes that are a sync.WaitGroup: what is not
// done holds it in share mode, and who waits for it wants it alone.
const WaitGroup = "WaitGroup"

func isGroup(display string) bool { return strings.HasPrefix(display, WaitGroup+" ") }

// slug is the class as fingerprints and rule ids write it.
func (c *Class) slug() string {
	if c.Family == "" {
		return c.label()
	}
	return c.Family + " " + c.label()
}

func (c *Class) label() string {
	for _, s := range []string{c.Name, c.Relation, c.ID} {
		if s != "" {
			return s
		}
	}
	return "?"
}

// names gives every class its display and its slug; where two classes would
// share one, the id tells them apart.
type names struct {
	classes map[string]*Class
	twice   map[string]bool
}

func nameClasses(classes []Class) names {
	n := names{classes: map[string]*Class{}, twice: map[string]bool{}}
	seen := map[string]string{}
	for i := range classes {
		c := &classes[i]
		n.classes[c.ID] = c
		if other, ok := seen[c.slug()]; ok && other != c.ID {
			n.twice[c.slug()] = true
		}
		seen[c.slug()] = c.ID
	}
	return n
}

func (n names) display(id string) string {
	c := n.classes[id]
	switch {
	case c == nil:
		return id
	case n.twice[c.slug()]:
		return c.Display() + " [" + strings.TrimPrefix(c.ID, c.Family+" ") + "]"
	}
	return c.Display()
}

func (n names) slug(id string) string {
	c := n.classes[id]
	if c == nil || n.twice[c.slug()] {
		return id
	}
	return c.slug()
}

func (n names) family(id string) string {
	if c := n.classes[id]; c != nil {
		return c.Family
	}
	family, _, _ := strings.Cut(id, " ")
	return family
}

func (n names) relation(id string) string {
	if c := n.classes[id]; c != nil {
		return c.Relation
	}
	return ""
}

// Short returns the last part of a symbol: Post of pkg.(*Store).Post, Post$1
// of pkg.(*Store).Post$1. What is no symbol ("migration 0001_init") stays.
func Short(symbol string) string {
	if strings.Contains(symbol, " ") {
		return symbol
	}
	return symbol[strings.LastIndex(symbol, ".")+1:]
}

// shorten returns for each symbol the shortest tail that tells it apart from
// the others: the function, then its receiver, then its package.
func shorten(symbols []string) map[string]string {
	out := make(map[string]string, len(symbols))
	used := map[string]map[string]bool{}
	for _, s := range symbols {
		k := Short(s)
		if used[k] == nil {
			used[k] = map[string]bool{}
		}
		used[k][s] = true
	}
	for _, s := range symbols {
		short := Short(s)
		if len(used[short]) == 1 {
			out[s] = short
			continue
		}
		out[s] = longer(s, used[short])
	}
	return out
}

func longer(symbol string, others map[string]bool) string {
	base := symbol[strings.LastIndex(symbol, "/")+1:]
	_, withReceiver, _ := strings.Cut(base, ".")
	for _, tail := range []string{withReceiver, base} {
		unique := tail != ""
		for o := range others {
			if o != symbol && strings.HasSuffix(o, "."+tail) || o != symbol && strings.HasSuffix(o, "/"+tail) {
				unique = false
			}
		}
		if unique {
			return tail
		}
	}
	return symbol
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
