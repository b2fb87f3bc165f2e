package schema

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxName is the longest identifier in bytes (PostgreSQL 16, NAMEDATALEN - 1).
const maxName = 63

// objectName joins names as PostgreSQL's makeObjectName does: the longer of
// the first two gives way until the whole fits.
func objectName(name1, name2, label string) string {
	room := maxName
	if name2 != "" {
		room--
	}
	if label != "" {
		room -= len(label) + 1
	}
	n1, n2 := len(name1), len(name2)
	for n1+n2 > room {
		if n1 > n2 {
			n1--
		} else {
			n2--
		}
	}
	parts := []string{clip(name1, n1)}
	if name2 != "" {
		parts = append(parts, clip(name2, n2))
	}
	if label != "" {
		parts = append(parts, label)
	}
	return strings.Join(parts, "_")
}

// clip cuts s to at most n bytes without splitting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// choose makes a name that nothing in the schema has yet; numbers follow the
// label on a clash.
func (c *Catalog) choose(schemaName, name1, name2, label string, taken func(string) bool) string {
	for pass := 0; ; pass++ {
		l := label
		if pass > 0 {
			l += strconv.Itoa(pass)
		}
		if name := objectName(name1, name2, l); !taken(schemaName + "." + name) {
			return name
		}
	}
}

// note keeps the name of an index or constraint: one that none was ever given
// need not be looked for.
func (c *Catalog) note(name string) {
	if c.given == nil {
		c.given = map[string]bool{}
	}
	c.given[name] = true
}

// relationTaken reports whether a relation or index has the name, given as
// schema.name; constraintTaken the same of constraints.
func (c *Catalog) relationTaken(full string) bool {
	schemaName, name, _ := strings.Cut(full, ".")
	if c.Relations[qualify(schemaName, name)] != nil {
		return true
	}
	if !c.given[name] {
		return false
	}
	for q, r := range c.Relations {
		if s, _ := c.split(q); s == schemaName {
			if _, ix := r.index(name); ix != nil {
				return true
			}
		}
	}
	return false
}

func (c *Catalog) constraintTaken(full string) bool {
	schemaName, name, _ := strings.Cut(full, ".")
	if !c.given[name] {
		return false
	}
	for q, r := range c.Relations {
		if s, _ := c.split(q); s == schemaName && r.hasConstraint(name) {
			return true
		}
	}
	return false
}

func (r *Relation) hasConstraint(name string) bool {
	if _, ix := r.index(name); ix != nil && ix.Constraint {
		return true
	}
	for _, fk := range r.ForeignKeys {
		if fk.Name == name {
			return true
		}
	}
	for _, ch := range r.Checks {
		if ch.Name == name {
			return true
		}
	}
	return false
}

func (r *Relation) index(name string) (int, *Index) {
	for i, ix := range r.Indexes {
		if ix.Name == name {
			return i, ix
		}
	}
	return -1, nil
}

// addition is the part of an index or foreign key's name made of its columns.
func addition(columns []string) string {
	s := strings.Join(columns, "_")
	return clip(s, maxName)
}
