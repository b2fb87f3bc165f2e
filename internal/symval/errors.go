package symval

import (
	"go/types"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

var (
	// errorPackage matches import paths of packages that make errors.
	errorPackage = lazyregexp.New(`(^|/)([\w.-]*err(ors?|s|wrap)?|eris|oops|trace|stacktrace|backoff|grpc/status)(/v\d+)?$`)
	// errorMaker matches functions of theirs that return an error made of
	// what they are given; others, like Unwrap, may return none.
	errorMaker = lazyregexp.New(`^(New|Error|AssertionFailed|Unimplemented|Wrap|With|Annotate|Trace|Propagate|Mark|Permanent|Append|Combine|Join)`)
)

// madeError returns the error that a function out of sight makes: never nil
// when it is given none, and nil as the errors are that it is given. It
// returns nil when nothing tells that the function does so.
func (f *Func) madeError(c *Call) *prog.Val {
	sig := c.Method.Signature()
	if sig.Results().Len() != 1 || !isError(sig.Results().At(0).Type()) || f.inSight != nil && f.inSight(c.Method) ||
		!makesError(c.Method.Pkg().Path(), c.Method.Name()) {
		return nil
	}
	var of []*prog.Val
	args := f.Args(c)
	args = args[len(args)-sig.Params().Len():]
	for i, a := range args {
		switch t := sig.Params().At(i).Type(); {
		case isError(t):
			of = append(of, a)
		case isErrors(t) && a.Kind == prog.VList:
			of = append(of, a.Of...)
		case isErrors(t):
			return nil
		case a.Kind == prog.VConst && a.Str == "i:0" && c.Method.Pkg().Name() == "status": // codes.OK
			return nil
		}
	}
	return prog.New(prog.VApply, prog.ErrorOf, of...)
}

// makesError reports whether a function of that name in a package returns an
// error made of what it is given.
func makesError(path, name string) bool {
	return errorMaker.MatchString(name) && errorPackage.MatchString(path)
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

func isErrors(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && isError(s.Elem())
}
