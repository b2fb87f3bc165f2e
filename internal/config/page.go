package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Markdown returns the reference of the file, made from the tags that the
// decoder reads.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`<!-- made by go test ./docs -update -->

# The configuration file

` + "`pglockdep.yaml`" + `, the nearest one from the working directory upward, or the file that ` + "`-config`" + ` names. No key is
needed. ` + "`pglockdep config -check`" + ` tells every fault with line, column and the nearest known key. Editors that know the
YAML language server read the [JSON schema](pglockdep.schema.json) with this first line:

` + "```yaml\n# yaml-language-server: $schema=https://raw.githubusercontent.com/pglockdep/pglockdep/main/docs/pglockdep.schema.json\n```" + `

A flag wins over its key. The other keys have none: they say what holds for everyone who works on the code, and findings
that depend on who runs the command would help nobody.

| key | value | default | flag | |
|---|---|---|---|---|
`)
	def := reflect.ValueOf(Default()).Elem()
	rows(&b, reflect.TypeFor[Config](), true, func(i int) string { return fmt.Sprint(def.Field(i)) })
	for _, part := range []struct {
		name string
		typ  reflect.Type
	}{{"names", reflect.TypeFor[Name]()}, {"sql_funcs", reflect.TypeFor[SQLFunc]()}, {"waivers", reflect.TypeFor[Waiver]()}} {
		fmt.Fprintf(&b, "\n## %s\n\n| key | value | default | |\n|---|---|---|---|\n", part.name)
		rows(&b, part.typ, false, func(i int) string { return part.typ.Field(i).Tag.Get("default") })
	}
	return b.String()
}

// rows writes a row for each key of t, with its flag where flags is set.
func rows(b *strings.Builder, t reflect.Type, flags bool, def func(i int) string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("yaml")
		if name == "-" {
			continue
		}
		value := map[reflect.Kind]string{reflect.Slice: "list", reflect.Map: "mapping", reflect.Int: "number"}[f.Type.Kind()]
		if value == "" {
			value = "text"
		}
		if words := f.Tag.Get("enum"); words != "" {
			words = "`" + strings.ReplaceAll(words, ",", "` `") + "`"
			if value == "text" {
				value = words
			} else {
				value += " of " + words
			}
		}
		d := def(i)
		if d == "" || d == "[]" || d == "map[]" {
			d = ""
			if f.Tag.Get("required") != "" {
				d = "required"
			}
		} else {
			d = "`" + d + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |", name, value, d)
		if flags {
			b.WriteByte(' ')
			if flag := f.Tag.Get("flag"); flag != "" {
				b.WriteString("`" + flag + "` ")
			}
			b.WriteByte('|')
		}
		fmt.Fprintf(b, " %s |\n", f.Tag.Get("doc"))
	}
}
