package locksummary

import (
	"go/ast"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// boilWrite returns the body of a method that sqlboiler has generated to write
// a row, nil when the function is none.
func (b *builder) boilWrite() []prog.Op {
	if !b.pkg.ofModel(b.fn) {
		return nil
	}
	chain, on := b.f.BoilWrite()
	if chain == nil {
		return nil
	}
	at := b.pos(b.fn.Pos())
	exit := prog.Op{Kind: prog.OpExit, Pos: at}
	if b.fn.Signature.Results().Len() == 2 {
		exit.Args = append(exit.Args, prog.Hole("rows affected"))
	}
	exit.Args = append(exit.Args, prog.New(prog.VResult, "1.1"))
	return []prog.Op{{Kind: prog.OpSQL, ID: 1, Pos: at, Val: chain, Conn: on}, exit}
}

// boiled returns the files that sqlboiler has generated.
func (u *unit) boiled() map[string]bool {
	out := map[string]bool{}
	if !symval.BoilPackage(u.in.SSA.Pkg) {
		return out
	}
	for _, f := range u.in.Files {
		if ast.IsGenerated(f) {
			out[u.fset.Position(f.Pos()).Filename] = true
		}
	}
	return out
}

// ofModel reports a function of a model that sqlboiler has generated.
func (u *unit) ofModel(fn *ssa.Function) bool {
	return len(u.boil) > 0 && u.boil[u.fset.Position(fn.Pos()).Filename]
}
