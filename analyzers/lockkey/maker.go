package lockkey

import (
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// witness returns the frames that lead to t, those of the functions that
// make its key before the acquisition.
func witness(v *prog.View, t *prog.Take) []lockgraph.Frame {
	frames := t.Witness()
	s := t.Node.Statement()
	if s == nil || len(frames) == 0 {
		return frames
	}
	var made []lockgraph.Frame
	for _, a := range s.Op.Args {
		made = append(made, makers(v, s.Fn, a, 0)...)
	}
	last := len(frames) - 1
	return append(append(append([]lockgraph.Frame{}, frames[:last]...), made...), frames[last])
}

// makers returns where the calls that a value results from return it.
func makers(v *prog.View, in *prog.Func, a *prog.Val, depth int) []lockgraph.Frame {
	if a == nil || depth > 6 {
		return nil
	}
	var out []lockgraph.Frame
	if a.Kind == prog.VResult {
		id, _, _ := strings.Cut(a.Str, ".")
		if n, err := strconv.Atoi(id); err == nil {
			if o := call(in.Body, n); o != nil && o.Val != nil && o.Val.Kind == prog.VFunc {
				if f := v.Program.Funcs[o.Val.Str]; f != nil {
					return returns(f)
				}
			}
		}
	}
	for _, o := range a.Of {
		out = append(out, makers(v, in, o, depth+1)...)
	}
	return out
}

// returns lists the exits of a function that makes a key.
func returns(f *prog.Func) []lockgraph.Frame {
	var out []lockgraph.Frame
	each(f.Body, func(o *prog.Op) {
		if o.Kind == prog.OpExit && o.How == "" && len(out) < 3 {
			out = append(out, lockgraph.Frame{Func: f.Key, File: o.Pos.File, Line: o.Pos.Line, Does: "makes the key"})
		}
	})
	return out
}

// call returns the call with the number.
func call(ops []prog.Op, id int) *prog.Op {
	var found *prog.Op
	each(ops, func(o *prog.Op) {
		if o.Kind == prog.OpCall && o.ID == id && found == nil {
			found = o
		}
	})
	return found
}

func each(ops []prog.Op, fn func(*prog.Op)) {
	for i := range ops {
		fn(&ops[i])
		each(ops[i].Body, fn)
		for j := range ops[i].Arms {
			each(ops[i].Arms[j].Body, fn)
		}
	}
}
