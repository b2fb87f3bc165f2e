package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s has changed; look at it and run go test -update; got\n%s", file, got)
	}
}

func sample() ([]lockgraph.Finding, []lockgraph.Unknown) {
	const closeFn, post = "example.test/bank.(*Store).Close", "example.test/bank.(*Store).Post"
	return []lockgraph.Finding{
		{Check: "lockkey", Kind: "weak-key-hash", Severity: "warning", File: "sql/100% odd, name.sql", Line: 3, Func: "core.lock",
			Message: "two lines:\nand a \x1b[31mcolour", Hint: "use hashtextextended", Fingerprint: "w"},
		{Check: "lockorder", Kind: "lock-order-cycle", Severity: "error", File: "bank.go", Line: 37, Func: closeFn,
			Message:     `advisory account: (exclusive) acquired while holding row "accounts" (FOR UPDATE); Post takes them in the opposite order (possible deadlock)`,
			Hint:        "take advisory account: first in Close, as Post does",
			Fingerprint: "lock-order-cycle/advisory account:/row accounts",
			Sides:       []int{2, 1},
			Related: []lockgraph.Frame{
				{Func: closeFn, File: "bank.go", Line: 34, Does: `acquires row "accounts" FOR UPDATE`},
				{Func: closeFn, File: "bank.go", Line: 137, Does: "acquires advisory account: exclusive"},
				{Func: post + "$1", File: "internal/b.go", Line: 9, Does: "acquires advisory account: exclusive"},
			}},
		{Check: "lockdrift", Kind: "undocumented-lock", Severity: "note", File: "bank.go", Line: 19, Func: post,
			Message: "nothing says what advisory account: serializes", Cut: "callee", Fingerprint: "n"},
		{Check: "own", Kind: "a-kind-of-tomorrow", Severity: "error", Message: "no place", Fingerprint: "x"},
		{Check: "own", Kind: "a-kind-of-tomorrow", Severity: "error", Message: "no place", Fingerprint: "x"},
	}, []lockgraph.Unknown{{File: "z.go", Line: 4, Func: "example.test/bank.Find", Reason: "the SQL text is not constant"}, {File: "a.go", Line: 9, Reason: "a goto"}}
}

func TestFormats(t *testing.T) {
	f, u := sample()
	for _, c := range []struct {
		name, format string
		opts         Options
	}{
		{"plain.txt", "text", Options{}},
		{"terminal.txt", "text", Options{Color: true, Verbose: true, Width: 60}},
		{"check.json", "json", Options{}},
		{"sarif.json", "sarif", Options{Version: "v1.2.3", Manual: map[string]string{"lockorder": "the order\n\n## WRONG\n"}}},
		{"github.txt", "github", Options{}},
		{"gitlab.json", "gitlab", Options{}},
	} {
		var got, turned bytes.Buffer
		if err := Write(&got, c.format, f, u, c.opts); err != nil {
			t.Fatal(err)
		}
		golden(t, c.name, got.Bytes())
		rf, ru := slices.Clone(f), slices.Clone(u)
		slices.Reverse(rf)
		slices.Reverse(ru)
		if err := Write(&turned, c.format, rf, ru, c.opts); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), turned.Bytes()) {
			t.Errorf("%s: the order of findings shows", c.format)
		}
	}
	if err := Write(new(bytes.Buffer), "xml", f, u, Options{}); err == nil || !strings.Contains(err.Error(), `"xml"`) {
		t.Errorf("an unknown format gives %v", err)
	}
}

func TestSummary(t *testing.T) {
	f, _ := sample()
	for _, c := range []struct {
		f        []lockgraph.Finding
		unknowns int
		listed   bool
		want     string
	}{
		{nil, 0, false, "no findings"},
		{nil, 1, false, "no findings; 1 site could not be read; -v lists it"},
		{nil, 12, false, "no findings; 12 sites could not be read; -v lists them"},
		{f, 5, true, "3 errors, 1 warning, 1 note; 5 sites could not be read"},
	} {
		if got := summary(c.f, c.unknowns, c.listed); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	f, u := sample()
	var b bytes.Buffer
	if err := Text(&b, f, u, Options{Verbose: true, Width: 60}); err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimRight(l, "\n"))); n > 60 {
			t.Errorf("%d letters: %q", n, l)
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("a control character of a message reached the terminal")
	}
}

// TestSARIFStructure checks what the standard requires of the parts we use.
func TestSARIFStructure(t *testing.T) {
	f, u := sample()
	var b bytes.Buffer
	if err := SARIF(&b, f, u, Options{Version: "v1"}); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc["version"] != "2.1.0" || doc["$schema"] == "" {
		t.Error("no version or schema")
	}
	run := doc["runs"].([]any)[0].(map[string]any)
	rules := run["tool"].(map[string]any)["driver"].(map[string]any)["rules"].([]any)
	ids := map[string]int{}
	for i, r := range rules {
		rule := r.(map[string]any)
		id := rule["id"].(string)
		if _, twice := ids[id]; twice || rule["shortDescription"].(map[string]any)["text"] == "" {
			t.Errorf("rule %q stands twice or says nothing", id)
		}
		ids[id] = i
	}
	results := run["results"].([]any)
	if len(results) != len(f) {
		t.Fatalf("%d results, want %d", len(results), len(f))
	}
	for _, r := range results {
		res := r.(map[string]any)
		if int(res["ruleIndex"].(float64)) != ids[res["ruleId"].(string)] {
			t.Errorf("ruleIndex of %v does not name its rule", res["ruleId"])
		}
		if l := res["level"]; l != "error" && l != "warning" && l != "note" && l != "none" {
			t.Errorf("level %v", l)
		}
		checkLocations(t, res["locations"])
		checkLocations(t, res["relatedLocations"])
		if res["ruleId"] == "lock-order-cycle" && len(res["codeFlows"].([]any)) != 2 {
			t.Errorf("%d code flows, want one for each side", len(res["codeFlows"].([]any)))
		}
	}
	notes := run["invocations"].([]any)[0].(map[string]any)["toolExecutionNotifications"].([]any)
	if len(notes) != len(u) {
		t.Errorf("%d notifications, want %d", len(notes), len(u))
	}
}

func checkLocations(t *testing.T, list any) {
	t.Helper()
	if list == nil {
		return
	}
	for _, l := range list.([]any) {
		phys, ok := l.(map[string]any)["physicalLocation"].(map[string]any)
		if !ok {
			continue
		}
		uri := phys["artifactLocation"].(map[string]any)["uri"].(string)
		if strings.ContainsAny(uri, " \\") || strings.HasPrefix(uri, "/") {
			t.Errorf("uri %q is no relative reference", uri)
		}
		if region, ok := phys["region"].(map[string]any); ok && region["startLine"].(float64) < 1 {
			t.Errorf("startLine of %q is below 1", uri)
		}
	}
}

func TestGitLabFingerprintsDiffer(t *testing.T) {
	f, _ := sample()
	var b bytes.Buffer
	if err := GitLab(&b, f); err != nil {
		t.Fatal(err)
	}
	var issues []gitlabIssue
	if err := json.Unmarshal(b.Bytes(), &issues); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, i := range issues {
		if seen[i.Fingerprint] {
			t.Errorf("fingerprint of %q stands twice", i.Description)
		}
		seen[i.Fingerprint] = true
	}
}

func TestJSONIsTheShapeOfCheck(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != "{\n \"findings\": [],\n \"unknowns\": []\n}\n" {
		t.Errorf("got %q", got)
	}
}
