package lockgraph

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func parsed(t *testing.T, text string) *Order {
	t.Helper()
	o, err := ParseOrder(text)
	if err != nil {
		t.Fatalf("ParseOrder(%q): %v", text, err)
	}
	return o
}

func TestOrderLess(t *testing.T) {
	o := parsed(t, `
		# comments alone say nothing
		REFERENCE < advisory plans: < row "core.pools" < row core.grants; # grants hang on pools
		advisory plans: , mutex m
			< row usage;
		row core.pools < row core.pools; # by id
		row usage !< row core.pools; # counted apart
	`)
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"advisory plans:", "row core.pools", true},
		{"advisory plans:", "row core.grants", true},
		{"REFERENCE", "row core.grants", true},
		{"row core.grants", "advisory plans:", false},
		{"mutex m", "row usage", true},
		{"mutex m", "row core.pools", false},
		{"row core.pools", "row core.pools", false},
		{"row none", "row usage", false},
	} {
		if got := o.Less(c.a, c.b); got != c.want {
			t.Errorf("Less(%s, %s) = %v", c.a, c.b, got)
		}
	}
	if r, ok := o.Nests("row core.pools"); !ok || r != "by id" {
		t.Errorf("Nests: %q %v", r, ok)
	}
	if r, ok := o.Denied("row usage", "row core.pools"); !ok || r != "counted apart" {
		t.Errorf("Denied: %q %v", r, ok)
	}
	if got := o.Reason("row core.pools", "row core.grants"); got != "grants hang on pools" {
		t.Errorf("Reason: %q", got)
	}
	if got, want := o.Names(), []string{"advisory plans:", "row core.pools", "row core.grants", "mutex m", "row usage"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Names: %q", got)
	}
	wantLayers := [][]string{{"advisory plans:", "mutex m"}, {"row core.pools", "row usage"}, {"row core.grants"}}
	if got := o.Layers(); !reflect.DeepEqual(got, wantLayers) {
		t.Errorf("Layers: %q", got)
	}
	if got, want := strings.Join(o.Chain("REFERENCE", "row core.grants"), " "), "REFERENCE advisory plans: row core.pools row core.grants"; got != want {
		t.Errorf("Chain: %q", got)
	}
	again := parsed(t, o.Format())
	if again.Format() != o.Format() {
		t.Errorf("Format does not read back:\n%s", o.Format())
	}
	for _, a := range o.names {
		for _, b := range o.names {
			if again.Less(a, b) != o.Less(a, b) {
				t.Errorf("Format loses what is between %s and %s", a, b)
			}
		}
	}
}

func TestOrderErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a < b", "1:5: missing ; at the end of the text"},
		{"a;", "1:1: a alone says nothing, expected < or !<"},
		{"a < ;", `1:5: unexpected ";", expected a name`},
		{"a < b\nc < d;", `2:1: unexpected "c": a name goes no further than its line, expected <, !<, a comma or ;`},
		{"a < b;\nb < c;\nc < a; # no", "3:3: c < a contradicts a < b < c"},
		{"a < a;", "1:3: a < a permits nesting and needs a reason after #"},
		{"a < b < c;\na !< c;", "2:3: a !< c contradicts a < b < c"},
		{"a !< c;\na < b < c;", "1:3: a !< c contradicts a < b < c"},
		{"a !< a;", "1:3: a !< a: a name never comes before itself"},
		{`a < "b;`, "1:5: quote is not closed\n1:5: missing ; at the end of the text"},
		{"< a;\nx;\nb < c;", "1:1: unexpected \"<\", expected a name\n2:1: x alone says nothing, expected < or !<"},
	} {
		o, err := ParseOrder(c.text)
		if err == nil || o != nil {
			t.Errorf("ParseOrder(%q): no error", c.text)
			continue
		}
		if err.Error() != c.want {
			t.Errorf("ParseOrder(%q):\n%s\nwant\n%s", c.text, err, c.want)
		}
		var oe *OrderError
		if !errors.As(err, &oe) || oe.Line == 0 || oe.Col == 0 {
			t.Errorf("%q: no place in %v", c.text, err)
		}
	}
}

func TestOrderName(t *testing.T) {
	o := parsed(t, "lifecycle < core.pools < row grants;")
	for _, c := range []struct {
		class Class
		want  string
	}{
		{Class{Family: Advisory, Name: "lifecycle:"}, "lifecycle"},
		{Class{Family: Row, Name: "core.pools", Relation: "core.pools"}, "core.pools"},
		{Class{Family: Row, Name: "grants", Relation: "grants"}, "row grants"},
		{Class{Family: Table, Name: "grants", Relation: "grants"}, ""},
	} {
		if got, ok := o.Name(&c.class); got != c.want || ok != (c.want != "") {
			t.Errorf("Name(%s) = %q", c.class.Display(), got)
		}
	}
}

func TestViolations(t *testing.T) {
	o := parsed(t, "advisory g < row a < row b; # pools first\nrow c !< row b; # never")
	g := graphOf(t, nil,
		"P: row b UP id=x; row a UP id=x",
		"Q: adv g x one; row a UP id=x; row b UP id=x",
		"R: row c UP id=x; row b UP id=x",
		"S: row b NK id=x; row a NK id=x")
	var got []string
	for _, f := range g.Violations(o) {
		got = append(got, f.Severity+" "+f.Message+" | "+f.Hint+" | "+f.Fingerprint)
	}
	want := []string{
		`error row "a" (FOR NO KEY UPDATE) acquired while holding row "b" (FOR NO KEY UPDATE), here and in 1 more path, against the declared order row a < row b | take row "a" before row "b" in S | order-violation/row b/row a`,
		`error row "b" (FOR UPDATE) acquired while holding row "c" (FOR UPDATE), though row c !< row b is declared | take row "b" before row "c" in R | order-violation/row c/row b`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := len(g.Violations(parsed(t, "x < y;"))); n != 0 {
		t.Errorf("%d violations of an order that places nothing", n)
	}
}

// runtime/locks reads the same text at run time; both are tested with this
// table.
func TestOrderTextOfTheRuntime(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "runtime", "locks", "testdata", "order.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text, Error  string
		Less, Not    [][2]string
		Nests, Chain []string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		o, err := ParseOrder(c.Text)
		if got := fmt.Sprint(err); err != nil || c.Error != "" {
			if got != c.Error {
				t.Errorf("%q: %v, want %s", c.Text, got, c.Error)
			}
			continue
		}
		for _, p := range c.Less {
			if !o.Less(p[0], p[1]) {
				t.Errorf("%q: not %s < %s", c.Text, p[0], p[1])
			}
		}
		for _, p := range c.Not {
			if o.Less(p[0], p[1]) {
				t.Errorf("%q: %s < %s", c.Text, p[0], p[1])
			}
		}
		for _, n := range c.Nests {
			if _, ok := o.Nests(n); !ok {
				t.Errorf("%q: %s does not nest", c.Text, n)
			}
		}
		if n := len(c.Chain); n > 0 && !reflect.DeepEqual(o.Chain(c.Chain[0], c.Chain[n-1]), c.Chain) {
			t.Errorf("%q: chain %q, want %q", c.Text, o.Chain(c.Chain[0], c.Chain[n-1]), c.Chain)
		}
	}
	if len(cases) < 10 {
		t.Errorf("%d cases", len(cases))
	}
}
