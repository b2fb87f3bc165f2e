package dbapi

import (
	"sort"
	"strings"
)

// A Model is how a library maps a Go struct to a table.
type Model struct {
	Type    string // the struct's name
	Table   string
	Alias   string   // bun, go-pg: the name the table has in queries
	Keys    []string // columns of the primary key
	Columns []Column
	Soft    string // column that marks deleted rows, "" none
}

// A Column is a column and the Go field it is read into.
type Column struct {
	Name  string
	Field string
}

// A Field is one field of a struct, for the model functions.
type Field struct {
	Name     string
	Type     string // Go type
	Tag      string // as written between the backquotes
	Embedded bool
	Relation bool    // its type is a struct, or a slice or map of them, that is no column value
	Fields   []Field // of an embedded or relation struct
}

// GormModel returns how gorm maps the struct with its default naming.
// A TableName method, when the caller knows its text, goes in table.
func GormModel(name, table string, fields []Field) *Model {
	m := &Model{Type: name, Table: table}
	if table == "" {
		m.Table = Plural(Snake(name))
	}
	m.gormFields("", fields)
	if len(m.Keys) == 0 {
		m.Keys = m.keyNamed("ID")
	}
	return m
}

func (m *Model) gormFields(prefix string, fields []Field) {
	for _, f := range fields {
		opts := gormTag(f.Tag)
		if _, skip := opts["-"]; skip || f.Name == "" || f.Name[0] >= 'a' && f.Name[0] <= 'z' {
			continue
		}
		_, embedded := opts["EMBEDDED"]
		if f.Embedded && f.Relation || embedded {
			m.gormFields(prefix+opts["EMBEDDEDPREFIX"], f.Fields)
			continue
		}
		_, serial := opts["SERIALIZER"]
		if f.Relation && !serial && opts["TYPE"] == "" {
			continue
		}
		col := opts["COLUMN"]
		if col == "" {
			col = Snake(f.Name)
		}
		m.Columns = append(m.Columns, Column{prefix + col, f.Name})
		_, pk := opts["PRIMARYKEY"]
		_, pk2 := opts["PRIMARY_KEY"]
		if pk || pk2 {
			m.Keys = append(m.Keys, prefix+col)
		}
		if f.Type == "gorm.io/gorm.DeletedAt" {
			m.Soft = prefix + col
		}
	}
}

// gormTag returns the options of a gorm tag, names in upper case.
func gormTag(tag string) map[string]string {
	opts := map[string]string{}
	for _, o := range strings.Split(lookupTag(tag, "gorm"), ";") {
		k, v, _ := strings.Cut(o, ":")
		if k = strings.ToUpper(strings.TrimSpace(k)); k != "" {
			opts[k] = v
		}
	}
	return opts
}

// BunModel returns how bun ("bun") or go-pg ("pg") maps the struct.
func BunModel(tag, name string, fields []Field) *Model {
	m := &Model{Type: name, Alias: underscore(name)}
	m.Table = Plural(m.Alias)
	m.bunFields(tag, "", fields)
	if len(m.Keys) == 0 {
		m.Keys = m.keyNamed("ID")
	}
	return m
}

func (m *Model) bunFields(tag, prefix string, fields []Field) {
	for _, f := range fields {
		words := strings.Split(lookupTag(f.Tag, tag), ",")
		opts := map[string]string{}
		for _, o := range words[1:] {
			k, v, _ := strings.Cut(o, ":")
			opts[k] = v
		}
		if k, v, ok := strings.Cut(words[0], ":"); ok {
			opts[k], words[0] = v, ""
		}
		if f.Name == "tableName" || f.Name == "BaseModel" && f.Embedded {
			m.bunTable(words[0], opts)
			continue
		}
		if words[0] == "-" || f.Name == "" || f.Name[0] >= 'a' && f.Name[0] <= 'z' || opts["rel"] != "" || opts["m2m"] != "" {
			continue
		}
		if p, embed := opts["embed"]; f.Embedded && f.Relation || embed {
			m.bunFields(tag, prefix+p, f.Fields)
			continue
		}
		if _, scan := opts["scanonly"]; scan {
			continue
		}
		col := words[0]
		if col == "" {
			col = underscore(f.Name)
		}
		m.Columns = append(m.Columns, Column{prefix + col, f.Name})
		if _, pk := opts["pk"]; pk {
			m.Keys = append(m.Keys, prefix+col)
		}
		if _, soft := opts["soft_delete"]; soft {
			m.Soft = prefix + col
		}
	}
}

func (m *Model) bunTable(first string, opts map[string]string) {
	if first != "" {
		m.Table = first
	}
	if t := opts["table"]; t != "" {
		m.Table = t
	}
	if a := opts["alias"]; a != "" {
		m.Alias = a
	}
	m.Table, m.Alias = strings.Trim(m.Table, "'"), strings.Trim(m.Alias, "'")
}

// PopModel returns how pop maps the struct. A TableName method, when the
// caller knows its text, goes in table.
func PopModel(name, table string, fields []Field) *Model {
	m := &Model{Type: name, Table: table}
	if table == "" {
		m.Table = Plural(underscore(name))
	}
	for _, f := range fields {
		col := lookupTag(f.Tag, "db")
		if f.Embedded && f.Relation && col == "" {
			e := PopModel(name, table, f.Fields)
			m.Columns = append(m.Columns, e.Columns...)
		}
		if col == "" || col == "-" {
			continue
		}
		m.Columns = append(m.Columns, Column{col, f.Name})
	}
	m.Keys = []string{"id"}
	return m
}

// XormModel returns how xorm maps the struct with its default naming. A
// TableName method, when the caller knows its text, goes in table.
func XormModel(name, table string, fields []Field) *Model {
	m := &Model{Type: name, Table: table}
	if table == "" {
		m.Table = Snake(name)
	}
	m.xormFields(fields)
	if len(m.Keys) == 0 {
		m.Keys = m.keyNamed("Id")
	}
	return m
}

func (m *Model) xormFields(fields []Field) {
	for _, f := range fields {
		words := strings.Fields(strings.ToLower(lookupTag(f.Tag, "xorm")))
		switch {
		case f.Name == "" || f.Name[0] >= 'a' && f.Name[0] <= 'z' || contains(words, "-"):
			continue
		case contains(words, "extends") || f.Embedded && f.Relation:
			m.xormFields(f.Fields)
			continue
		}
		col := Snake(f.Name)
		for _, w := range words {
			if len(w) > 2 && w[0] == '\'' && w[len(w)-1] == '\'' {
				col = w[1 : len(w)-1]
			}
		}
		m.Columns = append(m.Columns, Column{col, f.Name})
		if contains(words, "pk") {
			m.Keys = append(m.Keys, col)
		}
		if contains(words, "deleted") {
			m.Soft = col
		}
	}
}

// BoilModel returns the columns of a struct that sqlboiler has generated; its
// table and key are known where it is written.
func BoilModel(name string, fields []Field) *Model {
	m := &Model{Type: name}
	for _, f := range fields {
		if col, _, _ := strings.Cut(lookupTag(f.Tag, "boil"), ","); col != "" && col != "-" {
			m.Columns = append(m.Columns, Column{col, f.Name})
		}
	}
	return m
}

func (m *Model) keyNamed(field string) []string {
	for _, c := range m.Columns {
		if c.Field == field {
			return []string{c.Name}
		}
	}
	return nil
}

// column returns the column of a Go field, or of a name that is one already.
func (m *Model) column(field string) string {
	if m != nil {
		for _, c := range m.Columns {
			if c.Field == field || c.Name == field {
				return c.Name
			}
		}
	}
	return Snake(field)
}

// fieldOf returns the Go field of a column.
func (m *Model) fieldOf(column string) string {
	for _, c := range m.Columns {
		if c.Name == column {
			return c.Field
		}
	}
	return ""
}

// has reports whether the model has a column of the name.
func (m *Model) has(name string) bool {
	if m == nil {
		return false
	}
	for _, c := range m.Columns {
		if c.Name == name {
			return true
		}
	}
	return false
}

// key returns the column of the primary key.
func (m *Model) key() string {
	if m != nil && len(m.Keys) > 0 {
		return m.Keys[0]
	}
	return "id"
}

// lookupTag returns the value of key in a struct tag.
func lookupTag(tag, key string) string {
	for tag != "" {
		tag = strings.TrimLeft(tag, " ")
		i := strings.Index(tag, `:"`)
		if i < 0 {
			return ""
		}
		name, rest := tag[:i], tag[i+2:]
		j := strings.IndexByte(rest, '"')
		if j < 0 {
			return ""
		}
		if name == key {
			return rest[:j]
		}
		tag = rest[j+1:]
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
