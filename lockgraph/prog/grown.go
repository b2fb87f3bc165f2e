package prog

import (
	"regexp"
	"slices"
	"strings"
)

// grownStep is the word after the library's in a VMod that stands for steps
// which a chain may have taken: VMod "library grown"(before, more), where more
// is a chain that begins with Before, Before itself where no step was taken,
// or what a condition or a choice makes of them.
const grownStep = "grown"

// Before is what the steps that a chain may have taken begin with.
var Before = Hole("before")

// Grown returns the chain base with the steps that more says.
func Grown(library string, base, more *Val) *Val {
	return New(VMod, library+" "+grownStep, base, more)
}

// IsGrown reports a step that stands for steps which may have been taken.
func IsGrown(v *Val) bool { return v.Kind == VMod && strings.HasSuffix(v.Str, " "+grownStep) }

// StepsAfter returns the steps that the chain long has after base, begun with
// Before, and their library; nil when long does not begin with base, or a step
// says what the chain runs on.
func StepsAfter(long, base *Val) (library string, steps *Val) {
	if Equal(long, base) {
		return "", Before
	}
	v := bare(long)
	if v == nil || v.Kind != VMod || len(v.Of) == 0 {
		return "", nil
	}
	words := strings.Fields(v.Str)
	if len(words) != 2 || words[0] == "bind" {
		return "", nil
	}
	lib, rest := StepsAfter(v.Of[0], base)
	if rest == nil || lib != "" && lib != words[0] {
		return "", nil
	}
	return words[0], &Val{Kind: VMod, Str: v.Str, Of: append([]*Val{rest}, v.Of[1:]...)}
}

// Taken returns a chain whose last steps may have been taken as it is where
// that is known: with them or without. Other values are as they are.
func Taken(v *Val) *Val {
	if !IsGrown(v) || len(v.Of) != 2 {
		return v
	}
	return onto(v, v.Of[1], v.Of[0])
}

// onto returns the steps of more, put onto base, whole when more is no chain.
func onto(whole, more, base *Val) *Val {
	more = bare(more)
	switch {
	case Equal(more, Before):
		return base
	case more.Kind != VMod || len(more.Of) == 0:
		return whole
	}
	in := onto(nil, more.Of[0], base)
	if in == nil {
		return whole
	}
	return &Val{Kind: VMod, Str: more.Str, Of: append([]*Val{in}, more.Of[1:]...)}
}

// Reads reports whether a value holds a query of its own or a text that locks
// or reads.
func Reads(v *Val) bool {
	if v == nil || v.Kind == VClosure || v.Kind == VFunc {
		return v != nil
	}
	if s, ok := v.AsText(); ok {
		return reading.MatchString(s)
	}
	if v.Kind == VMod {
		_, method, _ := strings.Cut(v.Str, " ")
		if lockingSteps[method] || fromSteps[method] {
			return true
		}
	}
	return slices.ContainsFunc(v.Of, Reads)
}

// reading matches a text that holds a query of its own or calls a lock.
var reading = regexp.MustCompile(`(?i)\b(select|from|lock|for\s+(no\s+key\s+)?update|for\s+(key\s+)?share)\b|pg_\w*advisory`)

// fromSteps are steps of builders that name what a query reads.
var fromSteps = map[string]bool{"From": true, "FromSelect": true, "Select": true, "Table": true, "Model": true, "TableExpr": true, "ModelTableExpr": true}
