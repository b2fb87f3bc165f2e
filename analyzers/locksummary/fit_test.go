package locksummary

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// large returns packages of which the first imports all others, one function
// in ten of which asks for a lock: far too much for a fact.
func large() ([]Section, []*prog.Package) {
	r := rand.New(rand.NewPCG(1, 2))
	var sections []Section
	var packages []*prog.Package
	for i := range 40 {
		pkg := &prog.Package{Path: fmt.Sprintf("example.test/m/p%02d", i)}
		for j := range 60 {
			acq := &prog.Acq{Family: lockgraph.Row, Relation: fmt.Sprint("t", r.IntN(1000)), Mode: lockgraph.ForUpdate, Implicit: j%10 > 0}
			body := []prog.Op{{Kind: prog.OpSQL, ID: 1, Pos: prog.Pos{File: "f.go", Line: r.IntN(5000), Col: r.IntN(80)}, Val: prog.Text(fmt.Sprint("SELECT ", r.Uint64())),
				Body: []prog.Op{{Kind: prog.OpAcquire, Acq: acq}}}}
			for k := range 8 {
				body = append(body, prog.Op{Kind: prog.OpCall, ID: 2 + k, Pos: prog.Pos{File: "f.go", Line: r.IntN(5000)}, Val: prog.New(prog.VFunc, fmt.Sprintf("example.test/m/p%02d.F%d", r.IntN(40), r.IntN(60)))})
			}
			pkg.Funcs = append(pkg.Funcs, &prog.Func{Key: fmt.Sprintf("%s.F%02d", pkg.Path, j), Exported: true, Body: body})
		}
		sections, packages = append(sections, Section{Path: pkg.Path}), append(packages, pkg)
	}
	return sections, packages
}

// TestFitted wants a fact to have room whatever is in it, in the same bytes
// each time, with as much of it as there is room for.
func TestFitted(t *testing.T) {
	sections, packages := large()
	got := fitted(sections, packages)
	once, err := (&Fact{Sections: got}).GobEncode()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(once); n > Room || n < Room/2 {
		t.Errorf("the fact has %d bytes, with room for %d", n, Room)
	}
	twice, err := (&Fact{Sections: fitted(large())}).GobEncode()
	if err != nil || !bytes.Equal(once, twice) {
		t.Errorf("another time it is other bytes, %v", err)
	}
	kept := 0
	for _, s := range got {
		pkg, err := unpacked(s)
		if err != nil {
			t.Fatal(err)
		}
		if s.Cut != (len(pkg.Missing) > 0) {
			t.Errorf("%s: cut is %t, %d functions are missing", s.Path, s.Cut, len(pkg.Missing))
		}
		kept += len(pkg.Funcs)
	}
	if kept == 0 || kept == 40*60 {
		t.Errorf("%d functions of %d are kept", kept, 40*60)
	}
	few := fitted(sections[:2], packages[:2])
	for _, s := range few {
		if pkg, err := unpacked(s); err != nil || s.Cut || len(pkg.Funcs) != 60 {
			t.Errorf("%s is cut though there is room, %v", s.Path, err)
		}
	}
}

// TestFittedStructs has no room for the structs of a package alone.
func TestFittedStructs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pkg := &prog.Package{Path: "example.test/m", Funcs: []*prog.Func{{Key: "example.test/m.F"}}}
	for range 6000 {
		pkg.Structs = append(pkg.Structs, prog.Struct{Type: fmt.Sprint("example.test/m.T", r.Uint64())})
	}
	if n := sizeOf(fitted([]Section{{Path: pkg.Path}}, []*prog.Package{pkg})); n > Room {
		t.Errorf("the fact has %d bytes, with room for %d", n, Room)
	}
}

// TestFittedAgain takes what lacked room in two facts through an importer:
// both are joined, and the result has room.
func TestFittedAgain(t *testing.T) {
	sections, packages := large()
	im := &imports{at: map[string]int{}, told: map[string]bool{}, foreign: map[string]bool{}}
	for _, from := range [][]int{{0, 20}, {10, 40}} {
		for _, s := range fitted(sections[from[0]:from[1]], packages[from[0]:from[1]]) {
			im.add(s)
		}
	}
	if len(im.sections) != 40 {
		t.Fatalf("%d sections, want 40", len(im.sections))
	}
	for i, s := range im.sections {
		if _, err := unpacked(s); err != nil || s.Path != im.packages[i].Path {
			t.Errorf("%s: %v", s.Path, err)
		}
	}
	if n, where := im.leftOut(); n == 0 || where == "" {
		t.Error("what is left out is not told")
	}
	if n := sizeOf(fitted(im.sections, im.packages)); n > Room {
		t.Errorf("the fact of the importer has %d bytes, with room for %d", n, Room)
	}
}
