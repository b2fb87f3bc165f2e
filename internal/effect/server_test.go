package effect

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// A recording is a session that a server of version 15 ran, and the locks it
// was seen to take: family, relation or key space, and the modes of which
// any one is right.
type recording struct {
	ID     string
	Schema []string
	SQL    []string
	Took   []string
}

func TestLocksOfTheServerAreNamed(t *testing.T) {
	f, err := os.Open("testdata/server15.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	n := 0
	for ; in.Scan(); n++ {
		var r recording
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		t.Run(r.ID, func(t *testing.T) { r.compare(t) })
	}
	if n < 80 {
		t.Errorf("read %d recordings, want at least 80", n)
	}
}

func (r *recording) compare(t *testing.T) {
	c := schema.New()
	c.Apply("schema.sql", strings.Join(r.Schema, ";\n"))
	report := Session(c, strings.Join(r.SQL, ";\n"))
	classes := map[string]lockgraph.Class{}
	for _, k := range report.Classes {
		classes[k.ID] = k
	}
	named := map[string]bool{}
	for _, s := range report.Statements {
		for _, q := range s.Acquisitions {
			k := classes[q.Class]
			what := strings.TrimPrefix(k.Relation, "pg_temp.")
			if k.Family == lockgraph.Advisory {
				what = k.Key.Space
			}
			named[k.Family+" "+what+" "+q.Mode] = true
			if k.PartitionOf != "" {
				named[k.Family+" "+k.PartitionOf+" "+q.Mode] = true
			}
		}
	}
	for _, want := range r.Took {
		family, rest, _ := strings.Cut(want, " ")
		what, modes, _ := strings.Cut(rest, " ")
		what = strings.TrimPrefix(what, "pg_temp.")
		whats := []string{what}
		if p := c.Relation("", what); p != nil && p.PartitionOf != "" {
			whats = append(whats, p.PartitionOf)
		}
		ok := slices.ContainsFunc(strings.Split(modes, " or "), func(m string) bool {
			return slices.ContainsFunc(whats, func(w string) bool { return named[family+" "+w+" "+m] })
		})
		if !ok {
			t.Errorf("the server took %s, which is not named", want)
		}
	}
}
