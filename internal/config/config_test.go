package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the JSON schema")

const full = `# all keys
schema:
  - db/*.sql
  - db/**/*.sql
search_path: [core, public]
pooler: transaction
implicit: all
page: docs/locks.md
names:
  "account:": Account
  row core.pools:
    name: Pool
    serializes: Everything that changes a pool
order: |
  account < pool; # money first
  pool !< account;
sql_funcs:
  - symbol: example.test/db.(*Runner).Run
    sql: 1
    args: 2
    handle: 0
  - symbol: example.test/db.Do
external: ["example.test/mail.Send"]
replicas: [example.test/db.Store.ro]
severity:
  no-lock-timeout: error
waivers:
  - kind: no-lock-timeout
    file: cmd/**
    func: (*Store).Close
    reason: it runs once
`

func TestParse(t *testing.T) {
	got, err := Parse("pglockdep.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Schema: []string{"db/*.sql", "db/**/*.sql"}, SearchPath: []string{"core", "public"}, Pooler: "transaction", Implicit: "all", Page: "docs/locks.md",
		Names: map[string]Name{"account:": {Name: "Account"}, "row core.pools": {Name: "Pool", Serializes: "Everything that changes a pool"}},
		Order: "account < pool; # money first\npool !< account;\n",
		SQLFuncs: []SQLFunc{{Symbol: "example.test/db.(*Runner).Run", SQL: 1, Args: 2, Handle: "0", Line: 18},
			{Symbol: "example.test/db.Do", SQL: 0, Args: -1, Handle: "receiver", Line: 22}},
		External: []string{"example.test/mail.Send"}, Replicas: []string{"example.test/db.Store.ro"},
		Severity: map[string]string{"no-lock-timeout": "error"},
		Waivers:  []Waiver{{Kind: "no-lock-timeout", File: "cmd/**", Func: "(*Store).Close", Reason: "it runs once", Line: 28}},
		File:     "pglockdep.yaml",
		lines:    map[string]int{"schema[0]": 3, "schema[1]": 4, "search_path[0]": 5, "search_path[1]": 5, "external[0]": 23, "replicas[0]": 24},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "schema:\n", "{}\n"} {
		got, err := Parse("x", []byte(empty))
		def := Default()
		def.File = "x"
		if err != nil || !reflect.DeepEqual(got, def) {
			t.Errorf("%q gives %+v, %v", empty, got, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"shema: [a]\n", `f:1:1: unknown key "shema" (nearest: "schema")`},
		{"page: x\nsearchpath: [a]\n", `f:2:1: unknown key "searchpath" (nearest: "search_path")`},
		{"waivers:\n  - kind: no-lock-timeout\n    resaon: x\n", "f:2:5: waivers[0] lacks \"reason\"\nf:3:5: unknown key \"resaon\" (nearest: \"reason\")"},
		{"waivers:\n  - kind: no-lok-timeout\n    reason: x\n", `f:2:11: no kind of finding is named "no-lok-timeout" (nearest: "no-lock-timeout")`},
		{"severity:\n  lock-order-cycl: error\n", `f:2:3: no kind of finding is named "lock-order-cycl" (nearest: "lock-order-cycle")`},
		{"severity: {lock-order-cycle: fatal}\n", `f:1:30: severity of "lock-order-cycle" is "fatal", want error, warning or note`},
		{"schema: a.sql\n", `f:1:9: schema is a string, want a list`},
		{"schema: ['[a']\n", `f:1:10: schema[0] is "[a", which is no glob: syntax error in pattern`},
		{"schema:\n  - 7\n", `f:2:5: schema[0] is a number, want a string`},
		{"page: [a]\n", `f:1:7: page is a list, want a string`},
		{"page: ''\n", `f:1:7: page is empty`},
		{"pooler: pgbouncer\n", `f:1:9: pooler is "pgbouncer", want none, session, transaction or statement`},
		{"sql_funcs:\n  - symbol: a.B\n    sql: one\n", `f:3:10: sql is a string, want a whole number`},
		{"sql_funcs:\n  - symbol: a.B\n    sql: 99999999999999999999\n", `f:3:10: sql is a`},
		{"sql_funcs:\n  - symbol: a.B\n    handle: second\n", `f:3:13: handle is "second", want the form`},
		{"names: [a]\n", `f:1:8: names is a list, want a mapping`},
		{"names:\n  x:\n    nam: a\n", `f:3:5: unknown key "nam" (nearest: "name")`},
		{"- a\n", `f:1:1: the configuration is a list, want a mapping`},
		{"page: a\n---\npage: b\n", `f:3:1: a second document`},
		{"page: &x a\norder: *x\n", `f:1:7: page uses an anchor`},
		{"page: a\npage: b\n", `f:2:1: `},
		{"page: a\norder: |\n  # money\n  a < b;\n  b < a;\n", `f:5:5: order: b < a contradicts a < b`},
		{"order: a < b; b a\n", `f:1:15: order: missing ; at the end of the text`},
		{"page: \"a\n", `f:1:7: `},
		{"page: a\x00\n", `f:1:8: holds a NUL byte`},
		{"? [a]\n: b\n", "f:2:1: found an invalid key"},
	} {
		cfg, err := Parse("f", []byte(c.text))
		if err == nil || cfg != nil {
			t.Errorf("%q is accepted: %+v", c.text, cfg)
			continue
		}
		if !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q gives\n%s\nwant\n%s", c.text, err, c.want)
		}
		var es Errors
		if !errors.As(err, &es) {
			t.Errorf("%q gives a %T", c.text, err)
		}
	}
}

func TestParseRefusesWhatCannotBeAConfiguration(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("[", 200000):     "f:1:101: brackets are nested too deeply",
		strings.Repeat("{a: [\n", 2000): "f:51:1: brackets are nested too deeply",
		strings.Repeat("- ", 5000):      "f:1:4097: a line is longer",
		strings.Repeat("#\n", 200000):   "f:1:1: is larger",
	} {
		if _, err := Parse("f", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.10q… gives %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	for _, s := range []string{"a: [", "{{{{", "? ", "- - - -", "&a *a", "!!x y", "|\n x", "\t", "a:\r\n b", "<<: *x", "[[[[[[", "a: >-\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := Parse("f", data)
		if (cfg == nil) == (err == nil) {
			t.Errorf("%q gives %v and %v", data, cfg, err)
		}
	})
}

func TestLoadAndFind(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	// A directory of that name is not the file.
	if err := os.Mkdir(filepath.Join(deep, FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, FileName)
	if err := os.WriteFile(file, []byte("page: x.md\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := Find(deep)
	if err != nil || got != file {
		t.Fatalf("found %q, %v; want %q", got, err, file)
	}
	cfg, err := Load(got)
	if err != nil || cfg.Page != "x.md" || cfg.File != file {
		t.Errorf("loaded %+v, %v", cfg, err)
	}
	if _, err := Load(filepath.Join(root, "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}

func TestJSONSchema(t *testing.T) {
	want, err := schemaOf()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("pglockdep.schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(JSONSchema) != string(want) {
		t.Error("pglockdep.schema.json does not follow the struct; run go test -update ./internal/config")
	}
}

func TestEveryKeyIsDocumented(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[Config](), reflect.TypeFor[Name](), reflect.TypeFor[SQLFunc](), reflect.TypeFor[Waiver]()} {
		for i := range typ.NumField() {
			f := typ.Field(i)
			if tag := f.Tag; tag.Get("yaml") == "" || tag.Get("yaml") != "-" && !strings.HasSuffix(tag.Get("doc"), ".") {
				t.Errorf("%s.%s lacks its key or its sentence", typ.Name(), f.Name)
			}
		}
	}
}

func TestSymbols(t *testing.T) {
	c, err := Parse("pglockdep.yaml", []byte("replicas: [a.B,\n  c.D]\nexternal:\n  - e.F\nsql_funcs:\n- {symbol: g.H}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Symbol{{"sql_funcs", "g.H", 6}, {"external", "e.F", 4}, {"replicas", "a.B", 1}, {"replicas", "c.D", 2}}
	if got := c.Symbols(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
