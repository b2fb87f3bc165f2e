package locksummary

import (
	"bytes"
	"compress/flate"
	"encoding/gob"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A Fact is what importers need to know of a package: its lock programs and
// those of everything it imports. Drivers show a package only the facts of
// its direct imports, so each fact holds the whole closure, as far as there is
// room; a section is the same bytes in every fact that has all of it.
type Fact struct{ Sections []Section }

// maxFact bounds a fact once inflated; a larger one is none of ours.
const maxFact = 64 << 20

// GobEncode implements gob.GobEncoder: sections repeat each other's names,
// and are deflated together.
func (f *Fact) GobEncode() ([]byte, error) {
	var raw, out bytes.Buffer
	if err := gob.NewEncoder(&raw).Encode(f.Sections); err != nil {
		return nil, err
	}
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(raw.Bytes()); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// GobDecode implements gob.GobDecoder. What cannot be read is an empty fact:
// an error would end the driver.
func (f *Fact) GobDecode(data []byte) error {
	raw := io.LimitReader(flate.NewReader(bytes.NewReader(data)), maxFact)
	if err := gob.NewDecoder(raw).Decode(&f.Sections); err != nil {
		f.Sections = nil
	}
	return nil
}

// A Section is one package of a fact.
type Section struct {
	Path    string
	Foreign bool   // of another module: what its statements do is left to the importer's schema
	Cut     bool   // some of the package is left out, for want of room in a fact
	Data    []byte // see prog.Pack
	Seen    []Seen // findings that first show in this package, sorted
	Schema  Schema // what its statements were read against
}

// A Schema identifies the schema of a module, as it was when a package was
// read; the zero value, that none was needed.
type Schema struct {
	Module string
	Sum    uint64
}

// Seen is a finding that importers need not report again.
type Seen struct {
	Print  uint64 // of its fingerprint
	Weight uint8  // of its severity
}

// AFact marks Fact as a fact of go/analysis.
func (*Fact) AFact() {}

// String lists the packages of the fact.
func (f *Fact) String() string {
	var paths []string
	for _, s := range f.Sections {
		paths = append(paths, s.Path)
	}
	return strings.Join(paths, " ")
}

// An imports is what the direct imports of a package export, joined.
type imports struct {
	sections []Section
	packages []*prog.Package
	at       map[string]int             // path → index
	told     map[string]bool            // paths of direct imports
	reach    map[string]map[string]bool // direct import → paths of its fact
	foreign  map[string]bool
	known    map[uint64]uint8 // findings that some import has seen → weight
}

func (im *imports) has(path string) bool { _, ok := im.at[path]; return ok }

// imported reads the facts of the imports of a package. A section that
// cannot be read is as good as none: its calls are holes.
func imported(p *analysis.Pass) *imports {
	im := &imports{at: map[string]int{}, told: map[string]bool{}, reach: map[string]map[string]bool{}, foreign: map[string]bool{}, known: map[uint64]uint8{}}
	var rest []Section
	for _, imp := range p.Pkg.Imports() {
		var fact Fact
		if imp == p.Pkg || !p.ImportPackageFact(imp, &fact) {
			continue
		}
		reach := map[string]bool{}
		im.reach[imp.Path()] = reach
		for _, s := range fact.Sections {
			reach[s.Path] = true
			switch {
			case s.Path == p.Pkg.Path():
			case s.Path == imp.Path():
				im.add(s)
				im.told[s.Path] = true // nobody knows more of it
			default:
				rest = append(rest, s)
			}
		}
	}
	for _, s := range rest {
		im.add(s)
	}
	for _, s := range im.sections {
		for _, x := range s.Seen {
			im.known[x.Print] = max(im.known[x.Print], x.Weight)
		}
	}
	return im
}

// add takes in a section. What two facts that lacked room tell of one package
// is joined.
func (im *imports) add(s Section) {
	i, old := im.at[s.Path]
	if old && (im.told[s.Path] || !im.sections[i].Cut) || old && bytes.Equal(im.sections[i].Data, s.Data) {
		return
	}
	pkg, err := unpacked(s)
	switch {
	case err != nil:
		return
	case !old:
		im.at[s.Path] = len(im.sections)
		im.foreign[s.Path] = s.Foreign
		im.sections, im.packages = append(im.sections, s), append(im.packages, pkg)
		return
	case s.Cut:
		pkg = prog.Merge(im.packages[i], pkg)
		s.Data = prog.Pack(pkg)
	}
	im.sections[i], im.packages[i] = s, pkg
}

// seen reports whether one direct import has seen all the packages.
func (im *imports) seen(paths map[string]bool) bool {
	for _, reach := range im.reach {
		all := true
		for p := range paths {
			all = all && reach[p]
		}
		if all {
			return true
		}
	}
	return false
}

// meet reports whether the package is where imports first meet: no single
// one of them has seen all the others.
func (im *imports) meet() bool {
	all := map[string]bool{}
	for p := range im.at {
		all[p] = true
	}
	return len(all) > 0 && !im.seen(all)
}

// agree reports whether all packages of one module were read against the same
// schema, also and one more included.
func (im *imports) agree(also Schema) bool {
	sums := map[string]uint64{}
	same := func(s Schema) bool {
		if s.Sum == 0 {
			return true
		}
		old, ok := sums[s.Module]
		sums[s.Module] = s.Sum
		return !ok || old == s.Sum
	}
	return same(also) && !slices.ContainsFunc(im.sections, func(s Section) bool { return !same(s.Schema) })
}

// leftOut returns how many functions and fields of imports, and of which, the
// facts had no room for.
func (im *imports) leftOut() (n int, where string) {
	var paths []string
	for i, s := range im.sections {
		if s.Cut && len(im.packages[i].Missing) > 0 {
			n += len(im.packages[i].Missing)
			paths = append(paths, s.Path)
		}
	}
	if len(paths) > 3 {
		paths = append(paths[:3], fmt.Sprintf("%d more packages", len(paths)-3))
	}
	return n, strings.Join(paths, ", ")
}

var sections sync.Map // path → *section: drivers that keep one process read each only once

type section struct {
	data []byte
	pkg  *prog.Package
}

// unpacked returns the package of a section, which is shared: nobody may
// change it.
func unpacked(s Section) (*prog.Package, error) {
	if x, ok := sections.Load(s.Path); ok {
		if x := x.(*section); bytes.Equal(x.data, s.Data) {
			return x.pkg, nil
		}
	}
	pkg, err := prog.Unpack(s.Data)
	if err != nil {
		return nil, err
	}
	sections.Store(s.Path, &section{s.Data, pkg})
	return pkg, nil
}
