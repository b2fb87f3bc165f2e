package docgen

import (
	"encoding/json"
	"fmt"
	"github.com/pglockdep/pglockdep/lockgraph"
	"os"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	d, _ := os.ReadFile("/tmp/dg_mc.json")
	m := new(lockgraph.Manifest)
	if err := json.Unmarshal(d, m); err != nil {
		t.Fatal(err)
	}
	fmt.Println(len(m.Classes), len(m.Acquisitions), len(m.Edges), len(m.Cycles), len(m.Paths), len(m.Rules), len(m.Differences), len(m.Findings), len(m.Unknowns))
	st := time.Now()
	p, err := Render(nil, m, Options{})
	fmt.Println(time.Since(st), err)
	os.WriteFile("/tmp/dg_mc.md", p, 0o644)
}
