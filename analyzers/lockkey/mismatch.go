package lockkey

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// mismatches reports one prefix whose keys are made in two ways, or that is
// written in two: the numbers differ, and the two sides do not exclude each other. Code that takes both
// together is on its way from one to the other.
func mismatches(c *pass.Collector, v *prog.View, all []use) {
	for i, b := range all {
		for _, a := range all[:i] {
			x, y := a.t.Class, b.t.Class
			prefix := otherWay(x.Key, y.Key)
			if prefix == "" || together(v, x.ID, y.ID) {
				continue
			}
			related := append(append([]lockgraph.Frame{}, a.t.Witness()...), b.t.Witness()...)
			for _, u := range []struct{ at, other use }{{a, b}, {b, a}} {
				c.Add(u.at.tr, u.at.t.Node, pass.Fault{Kind: "key-mismatch", Names: []string{prefix}, Cut: u.at.t.Cut, Related: related,
					Message: fmt.Sprintf("locks of %q are keyed by %s here and by %s in %s (the keys differ: neither keeps the other out)",
						prefix, way(u.at.t.Class.Key, u.other.t.Class.Key), way(u.other.t.Class.Key, u.at.t.Class.Key), lockgraph.Short(u.other.t.Node.Fn.Key)),
					Hint: "make the key in one place, with one function"})
			}
		}
	}
}

// otherWay returns the prefix that both keys have when they are made of their
// text in two ways, or of texts with two forms of the prefix, else "".
func otherWay(x, y *lockgraph.Key) string {
	prefix := stem(x)
	if !strings.EqualFold(prefix, stem(y)) || how(x) == how(y) && (x.Prefix == y.Prefix || !varies(x) || !varies(y)) {
		return ""
	}
	return prefix
}

// stem returns the prefix of a key without the signs that end it.
func stem(k *lockgraph.Key) string { return strings.TrimRight(k.Prefix, ":/-_|. ") }

// varies reports a key that is made of more than its prefix.
func varies(k *lockgraph.Key) bool { return k.Constant == "" && strings.Contains(k.Expr, "$") }

// way names what sets a key apart from another one of its prefix.
func way(k, other *lockgraph.Key) string {
	if how(k) == how(other) {
		return fmt.Sprintf("%q", k.Prefix)
	}
	return how(k)
}

// unlocks reports the release of a key that nothing takes, where the locks of
// its prefix are keyed in another way.
func unlocks(c *pass.Collector, v *prog.View, taken map[string]use, all []use) {
	for _, tr := range v.Traces {
		tr.Each(func(n *prog.Node) {
			t := n.Take
			if t == nil || t.Class == nil || t.Class.Key == nil || t.Class.Family != lockgraph.Advisory {
				return
			}
			if _, ok := taken[t.Class.ID]; ok {
				return
			}
			for _, u := range all {
				prefix := otherWay(t.Class.Key, u.t.Class.Key)
				if prefix == "" {
					continue
				}
				end := n.Witness("releases " + t.Class.Display())
				c.Add(tr, n, pass.Fault{Kind: "key-mismatch", Names: []string{prefix}, Cut: t.Cut, Related: pass.Join(u.t.Witness(), end),
					Message: fmt.Sprintf("locks of %q are released by a key of %s, and taken by one of %s in %s (the keys differ: nothing is released)",
						prefix, way(t.Class.Key, u.t.Class.Key), way(u.t.Class.Key, t.Class.Key), lockgraph.Short(u.t.Node.Fn.Key)),
					Hint: "make the key in one place, with one function"})
				return
			}
		}, prog.OpRelease)
	}
}

var seed = lazyregexp.New(`, *(-?\d+)\)+(?:::bigint)?$`)

// how names the way in which a key is made of its text.
func how(k *lockgraph.Key) string {
	name := k.Hash
	if name == "" {
		name = k.Derivation
	}
	if m := seed.FindStringSubmatch(k.Expr); m != nil && k.Derivation == "hashtextextended" {
		name += " with seed " + m[1]
	}
	if k.Space != "bigint" {
		name += " in a pair"
	}
	return name
}

// together reports whether some path wants one of the classes while it holds
// the other.
func together(v *prog.View, a, b string) bool {
	for i := range v.Graph.Edges {
		e := &v.Graph.Edges[i]
		if e.From == a && e.To == b || e.From == b && e.To == a {
			return true
		}
	}
	return false
}

// null reports a key made of a Go value that can be NULL: the lock functions
// are strict, they return NULL and lock nothing.
func null(c *pass.Collector, tr *prog.Trace, t *prog.Take) {
	s := t.Node.Statement()
	if s == nil || len(t.Acq.SQLFunc) > 0 {
		return
	}
	if col := t.Acq.NullKey; col != "" && !excluded(s.SQL, col) {
		c.Add(tr, t.Node, pass.Fault{Kind: "null-key", Names: []string{t.Class.Display()}, Cut: t.Cut, Related: t.Witness(),
			Message: fmt.Sprintf("the key of %s is made of column %s, which can be NULL (then nothing is locked, and no error says so)", t.Class.Display(), col),
			Hint:    "leave such rows out, or give the key a value for NULL with coalesce"})
		return
	}
	for _, k := range t.Acq.Key {
		n := nullable(k, s.Op.Use.ArgTypes, 0)
		if n == 0 {
			continue
		}
		c.Add(tr, t.Node, pass.Fault{Kind: "null-key", Names: []string{t.Class.Display()}, Cut: t.Cut, Related: t.Witness(),
			Message: fmt.Sprintf("the key of %s is made of a %s, which can be NULL (then nothing is locked, and no error says so)", t.Class.Display(), typeName(s.Op.Use.ArgTypes[n-1])),
			Hint:    "refuse the missing value before, or give the key a value for it with coalesce"})
	}
}

// nullable returns the number of the parameter, from 1, that makes a key
// NULL; 0 for none.
func nullable(k *prog.Val, types []string, depth int) int {
	if k == nil || depth > 8 {
		return 0
	}
	if k.Kind == prog.VSQLParam {
		n := 0
		if _, err := fmt.Sscanf(k.Str, "%d", &n); err != nil || n < 1 || n > len(types) || !canBeNull(types[n-1]) {
			return 0
		}
		return n
	}
	if k.Kind == prog.VApply && (strings.Contains(k.Str, "coalesce") || strings.Contains(k.Str, "concat") || strings.Contains(k.Str, "case")) {
		return 0 // they give a value for NULL
	}
	for _, o := range k.Of {
		if n := nullable(o, types, depth+1); n > 0 {
			return n
		}
	}
	return 0
}

// excluded reports whether a statement asks for the column, which then is
// not NULL: by IS NOT NULL or by comparing it.
func excluded(sql, column string) bool {
	name := regexp.QuoteMeta(column[strings.LastIndexByte(column, '.')+1:])
	return regexp.MustCompile(`(?i)\b` + name + `"?\s*(IS\s+NOT\s+NULL|=|<|>|IN\b)|=\s*"?(\w+"?\.)?"?` + name + `\b`).MatchString(sql)
}

// canBeNull reports the Go types whose values database/sql and pgx can send
// as NULL.
func canBeNull(typ string) bool {
	switch {
	case strings.HasPrefix(typ, "database/sql.Null"), strings.HasPrefix(typ, "gopkg.in/guregu/null"), strings.HasPrefix(typ, "github.com/google/uuid.NullUUID"):
		return true
	case strings.HasPrefix(typ, "github.com/jackc/pgx/v5/pgtype."), strings.HasPrefix(typ, "github.com/jackc/pgtype."):
		return true
	}
	switch typ {
	case "*int64", "*int32", "*int", "*string", "*github.com/google/uuid.UUID":
		return true
	}
	return false
}

func typeName(typ string) string {
	star := ""
	if strings.HasPrefix(typ, "*") {
		star = "*"
	}
	return star + strings.TrimPrefix(typ[strings.LastIndexByte(typ, '/')+1:], "*")
}
