package locksummary

import (
	"slices"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Room is how many bytes a fact may have: what every package that imports
// this one reads, and a build system keeps and sends.
const Room = 60 << 10

// fitted returns the sections, with their data, in a form that has room in a
// fact. When they have not, the functions that importers lose most without
// are kept; calls of the others are holes. packages are those of the
// sections.
func fitted(sections []Section, packages []*prog.Package) []Section {
	whole := slices.Clone(sections)
	for i := range whole {
		if whole[i].Data == nil {
			whole[i].Data = data(&whole[i], packages[i])
		}
	}
	size := sizeOf(whole)
	if size <= Room {
		return whole
	}
	out := slices.Clone(whole)
	order := prog.Rank(packages)
	sizes := prog.Sizes(packages, order)
	n := len(order)
	for size > Room && n > 0 {
		n = fewer(sizes[:n], size)
		size = sizeOf(cut(out, whole, packages, order[:n]))
	}
	return out
}

// fewer returns how many functions, of those with the sizes before
// compression, may have room when all have size with it.
func fewer(sizes []int, size int) int {
	limit := float64(sizes[len(sizes)-1]) * Room / float64(size) * 0.95
	n, _ := slices.BinarySearch(sizes, int(limit))
	return min(n, len(sizes)-1)
}

// cut leaves in out, of the whole sections, the functions to keep.
func cut(out, whole []Section, packages []*prog.Package, keep []string) []Section {
	kept := map[string]bool{}
	for _, k := range keep {
		kept[k] = true
	}
	for i, pkg := range prog.Only(packages, kept) {
		if len(pkg.Funcs) == len(packages[i].Funcs) && len(pkg.Fields) == len(packages[i].Fields) {
			out[i] = whole[i]
			continue
		}
		out[i].Cut = true
		out[i].Data = data(&out[i], pkg)
	}
	return out
}

// data returns the form of a package in its section.
func data(s *Section, pkg *prog.Package) []byte {
	if s.Foreign {
		pkg = prog.Unresolved(pkg)
	}
	return prog.Pack(pkg)
}

func sizeOf(sections []Section) int {
	data, err := (&Fact{Sections: sections}).GobEncode()
	if err != nil {
		return 0
	}
	return len(data)
}
