package schema

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// New is a catalog without anything in it, whose search path is public.
func New() *Catalog {
	return &Catalog{
		SearchPath: []string{"public"},
		Relations:  make(map[string]*Relation),
		Functions:  make(map[string][]*Function),
		path:       []string{"public"},
		index:      &index{},
	}
}

// temp is the schema of temporary relations, whatever PostgreSQL calls it.
const temp = "pg_temp"

// qualify joins a schema and a name; public goes without saying.
func qualify(schemaName, name string) string {
	if schemaName == "" || schemaName == "public" {
		return name
	}
	return schemaName + "." + name
}

// split undoes qualify. A name itself may hold a dot only when it was
// created quoted; then the catalog is asked.
func (c *Catalog) split(qualified string) (schemaName, name string) {
	if i := strings.IndexByte(qualified, '.'); i > 0 {
		return qualified[:i], qualified[i+1:]
	}
	return "public", qualified
}

// creation is the schema that unqualified names are created in.
func (c *Catalog) creation() string {
	for _, s := range c.SearchPath {
		if s != "$user" && s != temp && s != "pg_catalog" {
			return s
		}
	}
	return "public"
}

// Relation finds a relation by name, along the search path when no schema is
// given. A name that the path does not lead to is found when only one schema
// has it: the path of the program's connections is not always known.
func (c *Catalog) Relation(schemaName, name string) *Relation {
	if schemaName != "" {
		return c.Relations[qualify(schemaName, name)]
	}
	if len(c.relationNames[name]) == 0 { // no schema but public has it
		if c.seesPublic() {
			return c.Relations[name]
		}
		return nil
	}
	for _, s := range c.lookupPath() {
		if r := c.Relations[qualify(s, name)]; r != nil {
			return r
		}
	}
	return c.Relations[c.relationNames.only(name)]
}

// seesPublic reports whether names of public need no schema.
func (c *Catalog) seesPublic() bool {
	return slices.ContainsFunc(c.SearchPath, func(s string) bool { return s == "public" || s == "" })
}

func (c *Catalog) lookupPath() []string {
	if slices.Contains(c.SearchPath, temp) {
		return c.SearchPath
	}
	return append([]string{temp}, c.SearchPath...)
}

func (c *Catalog) find(rv *pgsql.RangeVar) *Relation {
	if rv == nil {
		return nil
	}
	return c.Relation(rv.Schemaname, rv.Relname)
}

// named is the qualified name a reference stands for, known or not.
func (c *Catalog) named(rv *pgsql.RangeVar) string {
	if r := c.find(rv); r != nil {
		return r.Name
	}
	if rv.GetSchemaname() == "" {
		return qualify(c.creation(), rv.GetRelname())
	}
	return qualify(rv.Schemaname, rv.Relname)
}

// Function finds the functions a call may mean: those that take nargs
// arguments (any number when negative), narrowed by the types of the
// arguments where they are known ("" is not).
func (c *Catalog) Function(schemaName, name string, nargs int, argTypes []string) []*Function {
	all := c.functions(schemaName, name)
	var fit []*Function
	for _, f := range all {
		if nargs < 0 || f.takes(nargs) {
			fit = append(fit, f)
		}
	}
	best, out := -1, fit
	for _, f := range fit {
		switch n := f.score(argTypes); {
		case n > best:
			best, out = n, []*Function{f}
		case n == best:
			out = append(slices.Clip(out), f)
		}
	}
	return out
}

func (c *Catalog) functions(schemaName, name string) []*Function {
	if schemaName != "" {
		return c.Functions[qualify(schemaName, name)]
	}
	if len(c.functionNames[name]) == 0 {
		if c.seesPublic() {
			return slices.Clip(c.Functions[name])
		}
		return nil
	}
	var all []*Function
	for _, s := range c.SearchPath {
		all = append(all, c.Functions[qualify(s, name)]...)
	}
	if len(all) > 0 {
		return all
	}
	return c.Functions[c.functionNames.only(name)]
}

// Inputs are the parameters a caller gives.
func (f *Function) Inputs() []Arg {
	var in []Arg
	for _, a := range f.Args {
		if a.Mode != "out" && a.Mode != "table" {
			in = append(in, a)
		}
	}
	return in
}

func (f *Function) takes(n int) bool {
	in := f.Inputs()
	need, variadic := 0, false
	for _, a := range in {
		if a.Default == "" && a.Mode != "variadic" {
			need++
		}
		variadic = variadic || a.Mode == "variadic"
	}
	if f.Procedure && n == len(f.Args) {
		return true // CALL names OUT parameters too
	}
	return n >= need && (n <= len(in) || variadic)
}

// score counts parameters whose type is surely the one given; -1 when a type
// cannot be.
func (f *Function) score(types []string) int {
	n := 0
	for i, a := range f.Inputs() {
		if i >= len(types) || types[i] == "" || types[i] == "unknown" {
			continue
		}
		if sameType(a.Type, types[i]) {
			n++
		}
	}
	return n
}

// sameType compares type names; one of them may lack its schema.
func sameType(a, b string) bool {
	if a == b {
		return true
	}
	base := func(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }
	return (!strings.Contains(a, ".") || !strings.Contains(b, ".")) && base(a) == base(b)
}

// Children are the partitions of a relation and the tables that inherit
// from it, partitions in the order of their bounds, others in the order of
// creation.
func (c *Catalog) Children(rel string) []*Relation {
	if c.index != nil {
		return slices.Clip(c.childrenOf(rel))
	}
	var out []*Relation // being changed: one look is cheaper than an index
	for _, r := range c.Relations {
		if r.PartitionOf == rel || slices.Contains(r.Inherits, rel) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *Relation) int { return a.ordinal - b.ordinal })
	slices.SortStableFunc(out, func(a, b *Relation) int { return a.bound.compare(b.bound) })
	return out
}

// Ancestors are the partitioned tables above a partition, nearest first.
// Their indexes, foreign keys and triggers hold for the partition too.
func (c *Catalog) Ancestors(rel string) []*Relation {
	var out []*Relation
	r := c.Relations[rel]
	for r != nil && r.PartitionOf != "" && len(out) < 64 {
		if r = c.Relations[r.PartitionOf]; r != nil {
			out = append(out, r)
		}
	}
	return out
}

// References are the foreign keys that point at a relation, in the order
// their tables were created.
func (c *Catalog) References(rel string) []*ForeignKey {
	return slices.Clip(c.refsTo(rel))
}

// inOrder are all relations in the order of creation.
func (c *Catalog) inOrder() []*Relation {
	out := make([]*Relation, 0, len(c.Relations))
	for _, r := range c.Relations {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *Relation) int { return a.ordinal - b.ordinal })
	return out
}

// Column finds a column by name.
func (r *Relation) Column(name string) *Column {
	for _, col := range r.Columns {
		if col.Name == name {
			return col
		}
	}
	return nil
}

// Primary is the index of the primary key, or nil.
func (r *Relation) Primary() *Index {
	for _, ix := range r.Indexes {
		if ix.Primary {
			return ix
		}
	}
	return nil
}
