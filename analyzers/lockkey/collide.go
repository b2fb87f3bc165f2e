package lockkey

import (
	"fmt"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// constants reports two declared constants with one value that are both used
// as keys: each stands for a lock of its own.
func constants(c *pass.Collector, v *prog.View) {
	type named struct {
		use
		name string
		decl prog.Pos
	}
	byClass := map[string]map[string]named{}
	pass.Takes(v, func(tr *prog.Trace, t *prog.Take) {
		k := t.Class.Key
		if t.Class.Family != lockgraph.Advisory || k == nil || k.Constant == "" || k.Space != "bigint" {
			return
		}
		for _, u := range given(tr, t) {
			if u.Value != k.Constant {
				continue
			}
			m := byClass[t.Class.ID]
			if m == nil {
				m = map[string]named{}
				byClass[t.Class.ID] = m
			}
			if old, ok := m[u.Name]; !ok || less(t, old.t) {
				m[u.Name] = named{use{tr, t}, u.Name, u.Decl}
			}
		}
	})
	for _, m := range byClass {
		if len(m) < 2 {
			continue
		}
		var names []string
		for n := range m {
			names = append(names, n)
		}
		sort.Slice(names, func(i, j int) bool { return before(m[names[i]].decl, m[names[j]].decl) })
		first := m[names[0]]
		for _, n := range names[1:] {
			b := m[n]
			related := []lockgraph.Frame{
				{File: first.decl.File, Line: first.decl.Line, Does: "declares " + short(first.name)},
				{File: b.decl.File, Line: b.decl.Line, Does: "declares " + short(b.name)}}
			c.Add(b.tr, b.t.Node, pass.Fault{Kind: "key-collision", Names: []string{short(first.name), short(b.name)}, File: b.decl.File, Line: b.decl.Line,
				Related: append(append(related, first.t.Witness()...), b.t.Witness()...),
				Message: fmt.Sprintf("%s and %s are the same advisory key, %s (each keeps out the other)", short(first.name), short(b.name), b.t.Class.Key.Constant),
				Hint:    "give each lock a number of its own, in one list for the whole program"})
		}
	}
}

func short(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

func before(a, b prog.Pos) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	return a.Line < b.Line
}

// given returns the constants that the calls leading to t, or its statement,
// are given.
func given(tr *prog.Trace, t *prog.Take) []prog.ConstUse {
	var out []prog.ConstUse
	at := func(f *prog.Func, pos prog.Pos) {
		for _, u := range f.Consts {
			if u.Call == pos {
				out = append(out, u)
			}
		}
	}
	if s := t.Node.Statement(); s != nil {
		at(s.Fn, s.Pos)
	}
	for f := t.Node.Stack; f != nil; f = f.Up {
		at(f.From, f.Pos)
	}
	return out
}

// spaces reports one thing that is locked by a bigint here and by a pair of
// int4 there: the two never meet (manual of version 16, section 9.28.10).
func spaces(c *pass.Collector, all []use) {
	for i, a := range all {
		for _, b := range all[i+1:] {
			x, y := a.t.Class, b.t.Class
			if x.Key.Space == y.Key.Space || a.t.Node.Fn == b.t.Node.Fn {
				continue // one function that has both chooses by what the key is
			}
			if thing := sameThing(a.t, b.t); thing != "" {
				if x.Key.Space == "bigint" {
					a, b = b, a
				}
				c.Add(a.tr, a.t.Node, pass.Fault{Kind: "key-space-mix", Names: []string{thing}, Cut: a.t.Cut, Related: append(b.t.Witness(), a.t.Witness()...),
					Message: fmt.Sprintf("%s is locked by two int4 here and by a bigint in %s (the two never meet)", thing, lockgraph.Short(b.t.Node.Fn.Key)),
					Hint:    "make both keys the same way"})
			}
		}
	}
}

// sameThing names what two acquisitions of different spaces both lock: the
// same prefix, the same namespace beside an id, or an id of the same origin.
func sameThing(s, t *prog.Take) string {
	a, b := s.Class, t.Class
	switch {
	case a.Key.Prefix != "" && a.Key.Prefix == b.Key.Prefix:
		return fmt.Sprintf("%q", a.Key.Prefix)
	case origin(a) != "" && origin(a) == origin(b):
		return origin(a)
	}
	if x, y := namespace(s.Inst), namespace(t.Inst); x != 0 && x == y {
		return fmt.Sprintf("an id of namespace %d", x)
	}
	return ""
}

// namespace returns the constant that stands in the high half of a key, the
// first of a pair or shifted there; 0 for none.
func namespace(v *prog.Val) int64 {
	v = uncast(v)
	if v == nil || len(v.Of) != 2 {
		return 0
	}
	for i := range 2 {
		part := uncast(v.Of[i])
		if part == nil {
			continue
		}
		n, _, ok := interval(part)
		switch {
		case !ok:
		case v.Kind == prog.VList && i == 0 && part.Kind == prog.VConst:
			return n
		case v.Kind == prog.VApply && (v.Str == "|" || v.Str == "+") && (part.Kind == prog.VConst && n >= 1<<32 && n&(1<<32-1) == 0 || shifted(part)):
			return n >> 32
		}
	}
	return 0
}

// shifted reports a constant that is shifted into the high half.
func shifted(v *prog.Val) bool {
	lo, hi, ok := interval(v)
	return ok && lo == hi && v.Kind == prog.VApply && v.Str == "<<" && lo&(1<<32-1) == 0
}

// origin returns the field or column that a key is read from.
func origin(c *lockgraph.Class) string {
	if _, of, ok := strings.Cut(c.ID, " of "); ok && of == c.Name {
		return of
	}
	return ""
}
