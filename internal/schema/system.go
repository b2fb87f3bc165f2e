package schema

import (
	_ "embed"
	"strings"
	"sync"
)

// systemText is the DDL of the server's own catalogs as version 15 has them:
// tables, unique indexes and views, and as comments what their columns
// reference (manual of version 15, chapter 53). TestSystem writes it.
//
//go:embed system.sql
var systemText string

// A system is the server's own catalogs.
type system struct {
	catalog    *Catalog
	references map[string]string // "pg_auth_members.member": "pg_authid.oid"
}

var readSystem = sync.OnceValue(func() *system {
	s := &system{catalog: New(), references: map[string]string{}}
	s.catalog.SearchPath = []string{"pg_catalog"}
	s.catalog.Apply("system.sql", systemText)
	for _, line := range strings.Split(systemText, "\n") {
		if ref, ok := strings.CutPrefix(line, "-- "); ok {
			if from, to, ok := strings.Cut(ref, " -> "); ok {
				s.references[from] = to
			}
		}
	}
	return s
})

// System returns a catalog of the server's own, nil when there is none of the
// name. It must not be changed.
func System(schemaName, name string) *Relation {
	if schemaName != "" && schemaName != "pg_catalog" || !strings.HasPrefix(name, "pg_") {
		return nil
	}
	return readSystem().catalog.Relations["pg_catalog."+name]
}

// Identity returns the column that the values of a column, "relation.column",
// are those of, as foreign keys tell: itself when it references none.
func (c *Catalog) Identity(column string) string {
	for range 8 {
		next := c.referenced(column)
		if next == "" || next == column {
			break
		}
		column = next
	}
	return strings.TrimPrefix(column, "pg_catalog.")
}

func (c *Catalog) referenced(column string) string {
	if system, ok := strings.CutPrefix(column, "pg_catalog."); ok {
		return readSystem().references[system]
	}
	i := strings.LastIndexByte(column, '.')
	if i <= 0 {
		return ""
	}
	name, col := column[:i], column[i+1:]
	r := c.Relations[name]
	if r == nil {
		return ""
	}
	for _, k := range r.ForeignKeys {
		for j, x := range k.Columns {
			if x == col && j < len(k.ParentColumns) {
				return k.Parent + "." + k.ParentColumns[j]
			}
		}
	}
	return ""
}
