package lockgraph

import "slices"

// Own returns a finding as one of the program, and whether it is one: what
// stands in a function of another module, which foreign reports, is for
// others to mend. But two locks are the program's where any function of its
// own is on the way to them: then the finding stands at its last step.
func (f Finding) Own(foreign func(fn string) bool) (Finding, bool) {
	if !foreign(f.Func) {
		return f, true
	}
	if f.Check != "lockorder" && f.Check != "lockupgrade" && f.Kind != "self-deadlock" {
		return f, false
	}
	end := slices.IndexFunc(f.Related, func(x Frame) bool { return x.File == f.File && x.Line == f.Line })
	last := -1
	for i, x := range f.Related {
		if x.Func != "" && !foreign(x.Func) && (last < 0 || i < end) {
			last = i
		}
	}
	if last < 0 {
		return f, false
	}
	f.File, f.Line, f.Func = f.Related[last].File, f.Related[last].Line, f.Related[last].Func
	return f, true
}
