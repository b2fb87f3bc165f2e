package effect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A relref is a relation as a statement names it, known to the catalog or not.
type relref struct {
	name string
	kind string // "" not known
	root string // of a partition
	rel  *schema.Relation
	cut  string
	up   []*schema.Relation // of a partition: the tables above it, whose indexes are its own too
}

// indexes lists the indexes of a relation, those of the partitioned tables
// above it included.
func (r relref) indexes() []*schema.Index {
	if r.rel == nil {
		return nil
	}
	out := r.rel.Indexes
	for _, u := range r.up {
		out = append(out[:len(out):len(out)], u.Indexes...)
	}
	return out
}

// system reports whether the relation is a catalog of the server's own,
// which is never listed.
func (r relref) system() bool {
	return r.name == "" || strings.HasPrefix(r.name, "pg_catalog.") || strings.HasPrefix(r.name, "information_schema.") ||
		r.rel == nil && strings.HasPrefix(r.name, "pg_") && !strings.HasPrefix(r.name, "pg_temp.")
}

// isHole reports whether a name holds a piece that the caller puts in.
func isHole(name string) bool {
	return strings.Contains(name, "__hole") && holeName.MatchString(name)
}

var holeName = lazyregexp.New(`__hole(\d+)__`)

func (m *machine) ref(r *schema.Relation) relref {
	ref := relref{name: r.Name, kind: r.Kind, rel: r}
	if r.PartitionOf != "" {
		ref.up, ref.root = m.cat.Ancestors(r.Name), m.root(r)
	}
	return ref
}

// root returns the uppermost parent of a partition, or "".
func (m *machine) root(r *schema.Relation) string {
	root := ""
	for n := 0; r != nil && r.PartitionOf != "" && n < 32; n++ {
		root = r.PartitionOf
		r = m.cat.Relations[root]
	}
	return root
}

// named finds the relation a qualified name means.
func (m *machine) named(schemaName, name string) relref {
	if r := m.cat.Relation(schemaName, name); r != nil {
		return m.ref(r)
	}
	if r := schema.System(schemaName, name); r != nil {
		return m.ref(r)
	}
	return unresolved(qualified(schemaName, name))
}

// exact finds a relation by the catalog's own name for it.
func (m *machine) exact(name string) relref {
	if r := m.cat.Relations[name]; r != nil {
		return m.ref(r)
	}
	return unresolved(name)
}

func (m *machine) path() []string {
	if len(m.cat.SearchPath) == 0 {
		return []string{"public"}
	}
	return m.cat.SearchPath
}

// setPath lets names mean what another search path leads to.
func (m *machine) setPath(path []string) {
	c := *m.cat
	c.SearchPath = path
	m.cat = &c
}

// pathAtEnd gives back the search path that the transaction found, unless
// what set it outlives the transaction.
func (m *machine) pathAtEnd(rollback bool) {
	if m.began != nil && (m.local || rollback) {
		m.setPath(m.began)
	}
	m.began, m.local = nil, false
}

func unresolved(name string) relref {
	r := relref{name: name}
	if isHole(name) {
		r.cut = lockgraph.CutText
	}
	return r
}

func (m *machine) rangeVar(v *pgsql.RangeVar) relref {
	return m.named(v.GetSchemaname(), v.GetRelname())
}

// missing says that a statement names a relation which the catalog lacks.
// Without any catalog nothing is said: every relation would be one.
func (m *machine) missing(r relref) {
	if r.rel == nil && r.cut == "" && !r.system() && len(m.cat.Relations) > 0 {
		m.unknown("relation", "relation "+r.name+" is not in the schema")
	}
}

func (r relref) column(name string) *schema.Column {
	if r.rel != nil {
		for _, c := range r.rel.Columns {
			if c.Name == name {
				return c
			}
		}
	}
	return nil
}

// keys returns the columns of unique indexes that count as a key for row
// locks: neither partial nor on expressions (R5.1).
func (r relref) keys() map[string]bool {
	out := map[string]bool{}
	if r.rel == nil {
		return out
	}
	for _, x := range r.indexes() {
		if x.Unique && !x.Partial && !hasExpr(x) {
			for _, c := range x.Columns {
				out[c] = true
			}
		}
	}
	// A stored generated column counts through its base columns.
	for _, c := range r.rel.Columns {
		if c.Generated != "" && out[c.Name] {
			for _, base := range r.rel.Columns {
				if base != c && mentions(c.Generated, base.Name) {
					out[base.Name] = true
				}
			}
		}
	}
	return out
}

// generatedKey reports whether a stored generated column counts as a key.
func (r relref) generatedKey() bool {
	keys := r.keys()
	return slices.ContainsFunc(r.rel.Columns, func(c *schema.Column) bool { return c.Generated != "" && keys[c.Name] })
}

func hasExpr(x *schema.Index) bool {
	for _, c := range x.Columns {
		if c == "" {
			return true
		}
	}
	return len(x.Columns) == 0
}

// mentions reports whether an expression text names the identifier.
func mentions(text, name string) bool {
	for i := 0; name != ""; {
		j := strings.Index(text[i:], name)
		if j < 0 {
			return false
		}
		j += i
		end := j + len(name)
		if (j == 0 || !wordByte(text[j-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		i = j + 1
	}
	return false
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// hole returns the value of a hole's identifier, or nil.
func hole(name string) *prog.Val {
	if g := holeName.FindStringSubmatch(name); g != nil && g[0] == name {
		n, _ := strconv.Atoi(g[1])
		return prog.New(prog.VSQLHole, strconv.Itoa(n))
	}
	return nil
}

// loaded reports whether what the catalog lacks does not exist.
func (m *machine) loaded() bool { return m.ddl || len(m.cat.Relations) > 0 }
