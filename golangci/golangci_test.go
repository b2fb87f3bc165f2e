package golangci

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

const shop = `package shop

import (
	"context"
	"database/sql"
)

func Zero(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('zero', 0))")
	return err
}

func All(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT 1 FROM everything FOR UPDATE")
	return err
}
`

// program writes a module and goes there, as golangci-lint runs in it.
func program(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"], files["shop.go"] = "module example.test/shop\n\ngo 1.26\n", shop
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// lint runs the plugin as golangci-lint does: by its registered name, with
// settings as they come out of YAML.
func lint(t *testing.T, settings map[string]any) ([]string, error) {
	t.Helper()
	construct, err := register.GetPlugin(Name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := construct(settings)
	if err != nil {
		return nil, err
	}
	if mode := p.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("load mode %q", mode)
	}
	suite, err := p.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(suite, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for act := range graph.All() {
		if act.Err != nil {
			t.Error(act.Err)
		}
		if act.IsRoot {
			for _, d := range act.Diagnostics {
				out = append(out, d.Category)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

func TestFindings(t *testing.T) {
	program(t, map[string]string{})
	got, err := lint(t, map[string]any{})
	if err != nil || !slices.Contains(got, "xact-lock-outside-tx") {
		t.Fatalf("found %v, %v", got, err)
	}
	if again, err := lint(t, nil); err != nil || !slices.Equal(got, again) {
		t.Errorf("without settings: %v, %v", again, err)
	}
}

func TestConfiguration(t *testing.T) {
	program(t, map[string]string{"pglockdep.yaml": "waivers:\n  - kind: xact-lock-outside-tx\n    reason: a test\n", "other.yaml": "implicit: all\n"})
	if got, err := lint(t, nil); err != nil || slices.Contains(got, "xact-lock-outside-tx") {
		t.Errorf("the waiver does not act: %v, %v", got, err)
	}
	if got, err := lint(t, map[string]any{"config": "other.yaml"}); err != nil || !slices.Contains(got, "xact-lock-outside-tx") {
		t.Errorf("the other file is not read: %v, %v", got, err)
	}
}

func TestSettingsAreStrict(t *testing.T) {
	program(t, map[string]string{"bad.yaml": "shema: [a]\n"})
	for want, settings := range map[string]map[string]any{
		`unknown field "shema"`:                 {"shema": []any{"a"}},
		`cannot unmarshal string`:               {"schema": "db/*.sql"},
		`bad.yaml:1:1: unknown key "shema"`:     {"config": "bad.yaml"},
		`none.yaml`:                             {"config": "none.yaml"},
		`no schema file is named db/none/*.sql`: {"schema": []any{"db/none/*.sql"}},
	} {
		if _, err := lint(t, settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v gives %v, want %s", settings, err, want)
		}
	}
}

// TestSettingsSchema wants the JSON schema to have the keys and types that the
// plugin reads, and no others.
func TestSettingsSchema(t *testing.T) {
	data, err := os.ReadFile("settings.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		AdditionalProperties *bool
		Properties           map[string]struct{ Type, Description string }
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	if schema.AdditionalProperties == nil || *schema.AdditionalProperties {
		t.Error("the schema allows keys that it does not name")
	}
	types := map[reflect.Kind]string{reflect.Slice: "array", reflect.String: "string", reflect.Bool: "boolean"}
	settings := reflect.TypeFor[Settings]()
	for i := range settings.NumField() {
		name := settings.Field(i).Tag.Get("json")
		if p := schema.Properties[name]; p.Type != types[settings.Field(i).Type.Kind()] || p.Description == "" {
			t.Errorf("%s is %+v", name, p)
		}
	}
	if n := settings.NumField(); len(schema.Properties) != n {
		t.Errorf("%d keys, the plugin reads %d", len(schema.Properties), n)
	}
}
