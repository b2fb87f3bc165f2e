package viewer

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/docgen"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// ring is a chart of n locks, each taken while the one before is held.
func ring(n int) *docgen.Chart {
	c := &docgen.Chart{Module: "example.test/<ring>"}
	for i := range n {
		c.Locks = append(c.Locks, docgen.ChartLock{ID: fmt.Sprint(i), Label: fmt.Sprintf("lock & %d", i), Family: "advisory"})
		c.Arrows = append(c.Arrows, docgen.ChartArrow{From: i, To: (i + 1) % n, Cycle: "supported"})
	}
	return c
}

func svg(t *testing.T, c *docgen.Chart) string {
	t.Helper()
	var w bytes.Buffer
	if err := SVG(&w, c); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(w.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not XML: %v", err)
		}
	}
	return w.String()
}

func TestSVG(t *testing.T) {
	three := svg(t, ring(3))
	if n := strings.Count(three, "data-lock="); n != 3 {
		t.Errorf("%d locks, want 3", n)
	}
	if n := strings.Count(three, `class="arrow supported"`); n != 3 {
		t.Errorf("%d arrows of a cycle, want 3", n)
	}
	if three != svg(t, ring(3)) {
		t.Error("two runs differ")
	}
	alone := ring(3)
	alone.Locks = append(alone.Locks, docgen.ChartLock{ID: "a", Label: "alone", Alone: true})
	if strings.Contains(svg(t, alone), "alone") {
		t.Error("a lock without an order is drawn")
	}
	if empty := svg(t, docgen.NewChart(&lockgraph.Manifest{})); strings.Contains(empty, "data-lock") {
		t.Errorf("an empty chart has locks: %s", empty)
	}
	if many := svg(t, ring(70)); !strings.Contains(many, "10 more locks are not drawn") {
		t.Error("the picture does not say what it leaves out")
	}
}
