package schema

import (
	"fmt"
	"slices"
	"strings"
)

// dump writes what a catalog holds of one relation, one fact a line.
func dump(c *Catalog, name string) string {
	r := c.Relations[name]
	if r == nil {
		return "no " + name + "\n"
	}
	var b strings.Builder
	w := func(format string, args ...any) {
		b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
	}
	w("%s %s %s", r.Kind, r.Name, flags("temp", r.Temp, "rls", r.RowSecurity))
	if r.PartitionBy != "" {
		w("by %s", r.PartitionBy)
	}
	if r.PartitionOf != "" {
		w("of %s %s", r.PartitionOf, r.Bound)
	}
	if len(r.Inherits) > 0 {
		w("inherits %s", strings.Join(r.Inherits, ","))
	}
	for _, col := range r.Columns {
		s := flags("notnull", col.NotNull)
		for _, p := range [][2]string{{"default", col.Default}, {"seq", col.Sequence}, {"generated", col.Generated}} {
			if p[1] != "" {
				s += " " + p[0] + "=" + p[1]
			}
		}
		w("col %s %s %s", col.Name, col.Type, strings.TrimSpace(s))
	}
	for _, ix := range r.Indexes {
		w("index %s (%s) %s", ix.Name, strings.Join(ix.Columns, ","), flags("unique", ix.Unique, "primary", ix.Primary,
			"partial", ix.Partial, "deferrable", ix.Deferrable, "exclusion", ix.Exclusion, "constraint", ix.Constraint))
	}
	for _, fk := range r.ForeignKeys {
		w("fk %s %s(%s) -> %s(%s) %s/%s %s", fk.Name, fk.Table, strings.Join(fk.Columns, ","), fk.Parent, strings.Join(fk.ParentColumns, ","),
			fk.OnDelete, fk.OnUpdate, flags("deferrable", fk.Deferrable, "deferred", fk.InitiallyDeferred, "notvalid", fk.NotValid))
	}
	for _, ch := range r.Checks {
		w("check %s %s", ch.Name, ch.Expr)
	}
	for _, t := range r.Triggers {
		w("trigger %s %s %s of(%s) when(%s) %s(%s) %s", t.Name, t.Timing, strings.Join(t.Events, "|"), strings.Join(t.Columns, ","), t.When,
			t.Function, strings.Join(t.Args, ","), flags("row", t.ForEachRow, "constraint", t.Constraint, "deferrable", t.Deferrable,
				"deferred", t.InitiallyDeferred, "disabled", t.Disabled))
	}
	for i, text := range r.Rules {
		w("rule %s %s", r.RuleNames[i], text)
	}
	for i, text := range r.Policies {
		w("policy %s %s", r.PolicyNames[i], text)
	}
	if r.View != "" {
		w("view %s", r.View)
	}
	return b.String()
}

func flags(pairs ...any) string {
	var out []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1].(bool) {
			out = append(out, pairs[i].(string))
		}
	}
	return strings.Join(out, " ")
}

func names(c *Catalog) string {
	var out []string
	for n := range c.Relations {
		out = append(out, n)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
