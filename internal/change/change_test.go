package change

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pglockdep/pglockdep/lockgraph"
)

var update = flag.Bool("update", false, "write what the tests compare with")

func advisory(name, expr string) lockgraph.Class {
	return lockgraph.Class{ID: "advisory bigint " + expr, Family: "advisory", Name: name, Key: &lockgraph.Key{Space: "bigint", Expr: expr}}
}

func row(rel string) lockgraph.Class {
	return lockgraph.Class{ID: "row " + rel, Family: "row", Name: rel, Relation: rel}
}

func taken(class, fn string, line int) lockgraph.Acquisition {
	return lockgraph.Acquisition{Class: class, Func: fn, Line: line, File: "a.go", Mode: "exclusive"}
}

func edge(from, to, fn string, line int) lockgraph.Edge {
	return lockgraph.Edge{From: from, Held: "FOR UPDATE", To: to, Wanted: "exclusive", Witness: []lockgraph.Frame{{Func: fn, File: "a.go", Line: line}}}
}

func before() *lockgraph.Manifest {
	k := advisory("key:", "hash('key:' || $1)")
	return &lockgraph.Manifest{Classes: []lockgraph.Class{k, row("a"), row("b")},
		Acquisitions: []lockgraph.Acquisition{taken(k.ID, "m.Pay", 1), taken("row a", "m.Pay", 2), taken("row b", "m.Pay", 3)},
		Edges:        []lockgraph.Edge{edge(k.ID, "row a", "m.Pay", 2), edge("row a", "row b", "m.Pay", 3)},
		Findings: []lockgraph.Finding{
			{Check: "lockkey", Kind: "weak-key-hash", Severity: "warning", Fingerprint: "weak-key-hash/advisory key:/m.Pay"},
			{Check: "lockwait", Kind: "no-lock-timeout", Severity: "note", Fingerprint: "no-lock-timeout/m.Pay"}}}
}

// TestDiff changes a key, reverses an order, adds a lock and moves every line.
func TestDiff(t *testing.T) {
	k := advisory("kay:", "hash('kay:' || $1)")
	now := &lockgraph.Manifest{Classes: []lockgraph.Class{k, row("a"), row("b"), row("c")},
		Acquisitions: []lockgraph.Acquisition{taken(k.ID, "m.Pay", 11), taken("row a", "m.Pay", 12), taken("row b", "m.Pay", 13), taken("row c", "m.Pay", 14)},
		Edges:        []lockgraph.Edge{edge(k.ID, "row a", "m.Pay", 12), edge("row b", "row a", "m.Pay", 13), edge("row a", "row c", "m.Pay", 14)},
		Findings: []lockgraph.Finding{
			{Check: "lockkey", Kind: "weak-key-hash", Severity: "warning", Fingerprint: "weak-key-hash/advisory kay:/m.Pay"},
			{Check: "lockwait", Kind: "no-lock-timeout", Severity: "error", Fingerprint: "no-lock-timeout/m.Pay", File: "a.go", Line: 12, Message: "waits"}}}
	d := Diff(before(), now)
	var b bytes.Buffer
	for _, format := range []string{"text", "markdown"} {
		if err := d.Write(&b, format); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/diff.txt", b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/diff.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, b.String())
	}
	if back := Diff(now, before()); len(back.NewEdges) != 1 || len(back.GoneLocks) != 1 || len(back.NewFindings) != 0 {
		t.Errorf("the way back is %+v", back)
	}
}

func TestDiffOfMovedLinesIsEmpty(t *testing.T) {
	now := before()
	for i := range now.Acquisitions {
		now.Acquisitions[i].Line += 100
	}
	for i := range now.Edges {
		now.Edges[i].Witness[0].Line += 100
	}
	for i := range now.Findings {
		now.Findings[i].Line += 100
	}
	now.Classes[0].Name = "Renamed" // by a directive
	now.Findings[0].Fingerprint = "weak-key-hash/advisory Renamed/m.Pay"
	// The path of a function is no list of classes.
	was := before()
	cycle := lockgraph.Finding{Check: "lockorder", Kind: "lock-order-cycle", Severity: "warning", Fingerprint: "lock-order-cycle/example.test/m/core.(*Queries).Confer"}
	was.Findings, now.Findings = append(was.Findings, cycle), append(now.Findings, cycle)
	if d := Diff(was, now); !d.Empty() {
		t.Errorf("%+v", d)
	}
}

func TestBaseline(t *testing.T) {
	found := []lockgraph.Finding{
		{Kind: "weak-key-hash", Severity: "warning", Fingerprint: "weak <&> \"x\""},
		{Kind: "weak-key-hash", Severity: "warning", Fingerprint: "weak <&> \"x\"", Line: 9},
		{Kind: "no-lock-timeout", Severity: "note", Fingerprint: "n"},
		{Kind: "directive", Severity: "error", Fingerprint: "never accepted"},
	}
	name := filepath.Join(t.TempDir(), "b.json")
	var b bytes.Buffer
	if err := NewBaseline(found).Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	base, err := ReadBaseline(name)
	if err != nil {
		t.Fatal(err)
	}
	if left := base.Apply(found, true); len(left) != 1 || left[0].Kind != "directive" {
		t.Errorf("left over: %+v", left)
	}
	worse := append(found[:3:3], found[0], lockgraph.Finding{Kind: "no-lock-timeout", Severity: "error", Fingerprint: "n"})
	if left := base.Apply(worse, true); len(left) != 2 {
		t.Errorf("a third place and a more severe one leave %+v", left)
	}
	left := base.Apply(found[2:3], true)
	if len(left) != 1 || left[0].File != name || left[0].Line < 2 {
		t.Errorf("what is gone leaves %+v", left)
	}
	if line := strings.Split(b.String(), "\n")[left[0].Line-1]; !strings.Contains(line, `weak <&> \"x\"`) {
		t.Errorf("line %d of the baseline is %q", left[0].Line, line)
	}
	if left := base.Apply(found[2:3], false); len(left) != 0 {
		t.Errorf("of a part of the program: %+v", left)
	}
}

func TestBrokenBaseline(t *testing.T) {
	for text, want := range map[string]string{
		"{\n \"version\": 1,\n \"findings\": [\n  {\"kind\": \"x\",}\n ]\n}\n": ":4: the baseline cannot be read: ",
		"{\n \"version\": 1,\n \"findings\": [\n":                              ":4: the baseline cannot be read: it ends too early",
		"{\n \"version\": 1,\n \"findings\": 7\n}":                             ":3: the baseline cannot be read: ",
		"":                                    ":1: the baseline cannot be read: it ends too early",
		"{\"version\": 2, \"findings\": []}":  ":1: the baseline has version 2, this program reads version 1",
		"{\"version\": 1}\n\n{\"version\":1}": ":3: the baseline goes on behind its end",
		"<<<<<<< HEAD\n{}":                    ":1: the baseline cannot be read: ",
	} {
		name := filepath.Join(t.TempDir(), "b.json")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBaseline(name); err == nil || !strings.HasPrefix(err.Error(), name+want) {
			t.Errorf("%q gives %v, want %s", text, err, want)
		}
	}
	if _, err := ReadBaseline(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is read")
	}
}
