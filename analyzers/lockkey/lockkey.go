package lockkey

import (
	_ "embed"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

//go:embed doc.md
var doc string

// Check is the check.
var Check = &pass.Check{Name: "lockkey", Doc: doc, Kinds: []string{"unprefixed-key", "key-collision", "key-space-mix", "weak-key-hash", "key-overflow", "key-mismatch", "null-key"}, Run: run}

// Analyzer is the check as a go/analysis Analyzer.
var Analyzer = Check.Analyzer()

// A use is one class with a place that takes it.
type use struct {
	tr *prog.Trace
	t  *prog.Take
}

func run(v *prog.View) []lockgraph.Finding {
	c := pass.Collect("lockkey", v)
	byClass, made := map[string]use{}, parts{}
	called := byCallers(v)
	pass.Takes(v, func(tr *prog.Trace, t *prog.Take) {
		if t.Class.Family != lockgraph.Advisory || t.Class.Key == nil {
			return
		}
		if t.Node.Stack != nil || !called[t.Node.Pos] {
			unprefixed(c, v, tr, t)
		}
		weak(c, v, tr, t)
		overflow(c, tr, t)
		mixed(c, v, tr, t)
		null(c, tr, t)
		made.add(v, tr, t)
		if old, ok := byClass[t.Class.ID]; !ok || less(t, old.t) {
			byClass[t.Class.ID] = use{tr, t}
		}
	})
	var all []use
	for _, id := range sortedIDs(byClass) {
		all = append(all, byClass[id])
	}
	ranges(c, v, all)
	starts(c, v, all)
	spaces(c, all)
	mismatches(c, v, all)
	made.report(c)
	unlocks(c, v, byClass, all)
	constants(c, v)
	return c.Findings()
}

// byCallers returns the places where functions lock what each of their callers
// in sight gives a name to: what such a function locks seen by itself tells no
// more.
func byCallers(v *prog.View) map[prog.Pos]bool {
	named := map[prog.Pos]bool{}
	pass.Takes(v, func(_ *prog.Trace, t *prog.Take) {
		if k := t.Class.Key; t.Class.Family == lockgraph.Advisory && k != nil && t.Node.Stack != nil {
			old, seen := named[t.Node.Pos]
			named[t.Node.Pos] = (old || !seen) && (k.Prefixed || k.Constant != "")
		}
	})
	return named
}

func sortedIDs[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for id := range m {
		out = append(out, id)
	}
	sort.Strings(out)
	return out
}

// less prefers the take that comes first in the sources.
func less(a, b *prog.Take) bool {
	x, y := a.Node.Pos, b.Node.Pos
	if x.File != y.File {
		return x.File < y.File
	}
	if x.Line != y.Line {
		return x.Line < y.Line
	}
	return len(a.Witness()) < len(b.Witness())
}

// unprefixed reports a key without a namespace: an id as it is, or the hash
// of one. A value that the caller hands in whole may have one.
func unprefixed(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take) {
	k := t.Class.Key
	if k.Prefixed || k.Constant != "" || offset(t.Inst) || len(t.Acq.SQLFunc) > 0 && t.Inst == nil {
		return
	}
	what := ""
	switch k.Derivation {
	case "hashtextextended", "hashtext", "go-hash", "server-hash":
		if !known(t.Inst) || k.Prefix != "" && !strings.Contains(k.Expr, "$") { // one constant name is one lock
			return
		}
		what = "hashes a value without a prefix"
	case "plain":
		if k.Space != "bigint" || !isID(v.Program, t.Inst) {
			return
		}
		what = "is an id as it is"
	case "pair":
		if !isID(v.Program, t.Inst) {
			return
		}
		what = "is a pair of ids without a constant"
	default:
		return
	}
	c.Add(tr, t.Node, pass.Fault{Kind: "unprefixed-key", Names: []string{t.Class.Display()}, Cut: t.Cut, Related: witness(v, t),
		Message: fmt.Sprintf("the key of %s %s (another kind of lock, or a library, can use the same number)", t.Class.Display(), what),
		Hint:    "hash a text that begins with a name of its own: hashtextextended('order:' || $1, 0)"})
}

// known reports whether a value shows what it is made of: the text may have
// been prefixed where that is out of sight, or on one of several ways.
func known(v *prog.Val) bool {
	if v == nil || v.Kind == prog.VHole || v.Kind == prog.VResult {
		return false
	}
	for _, o := range v.Of {
		if !known(o) || v.Kind == prog.VChoice && named(o) {
			return false
		}
	}
	return true
}

// named reports whether a text has constant text of its own.
func named(v *prog.Val) bool {
	if s, ok := v.AsText(); ok {
		return s != ""
	}
	return slices.ContainsFunc(v.Of, named)
}

// isID reports whether a key is read from a field or a column, or is what the
// entry is given as the id of something.
func isID(p *prog.Program, v *prog.Val) bool {
	v = prog.Bare(v)
	for v != nil && v.Kind == prog.VApply && (strings.HasPrefix(v.Str, "::") || strings.HasPrefix(v.Str, "go:")) && len(v.Of) == 1 {
		v = prog.Bare(v.Of[0])
	}
	if v == nil {
		return false
	}
	switch v.Kind {
	case prog.VField, prog.VSQLCol:
		return !keyNamed(v.Str)
	case prog.VParam:
		return idNamed(p.NameOf(v))
	case prog.VList:
		for _, o := range v.Of {
			if !isID(p, o) {
				return false
			}
		}
		return len(v.Of) > 0
	}
	return false
}

// idNamed reports the name of a parameter that is the id of something; a bare
// id, and that of a lock, can be a key that the caller made.
func idNamed(name string) bool {
	thing, ok := strings.CutSuffix(name, "ID")
	if !ok {
		thing, ok = strings.CutSuffix(name, "Id")
	}
	thing = strings.ToLower(thing)
	return ok && thing != "" && !strings.Contains(thing, "lock") && !strings.Contains(thing, "key")
}

// keyNamed reports a field that its type calls a key, or one of a type that
// is one: it was made elsewhere.
func keyNamed(field string) bool {
	dot := strings.LastIndexByte(field, '.')
	typ, name := field[:max(dot, 0)], strings.ToLower(field[dot+1:])
	return strings.Contains(name, "key") || strings.Contains(name, "lock") || strings.HasSuffix(typ, "Key")
}

// weak reports a hash that leaves few bits.
func weak(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take) {
	k := t.Class.Key
	if k.Constant != "" {
		return
	}
	switch k.Derivation {
	case "hashtext", "go-hash", "pair":
	case "hashtextextended", "server-hash":
		if folded(c, v, tr, t) {
			return
		}
		if _, _, ok := interval(t.Inst); !ok {
			return
		}
	default:
		return
	}
	bits := k.Bits
	if bits == 0 {
		bits = 64
	}
	if lo, hi, ok := interval(t.Inst); ok && k.Space == "bigint" {
		if n := width(lo, hi); n < bits {
			bits = n
		}
	}
	if bits > 32 || k.Derivation == "pair" && bits != 32 {
		return
	}
	name := k.Hash
	switch {
	case name != "":
	case k.Derivation != "pair":
		name = "hashtext"
	default:
		if name = hashOf(t.Inst); name == "" {
			return // bytes of something else, random ones for one
		}
	}
	f := pass.Fault{Kind: "weak-key-hash", Names: []string{t.Class.Display()}, Cut: t.Cut, Related: witness(v, t),
		Message: fmt.Sprintf("%s leaves %d bits for the key of %s (two of some %s keys collide as likely as not)", name, bits, t.Class.Display(), birthday(bits)),
		Hint:    "use 64 bits: hashtextextended(text, 0), or the first 8 bytes of a SHA-256"}
	if k.Space == "int4x2" || k.Prefixed || offset(t.Inst) {
		f.Severity = lockgraph.SeverityNote // the other half, or what is added, tells families apart
	}
	c.Add(tr, t.Node, f)
}

// hashed reports whether a hash is among what a key is made of.
func hashed(v *prog.Val) bool { return hashOf(v) != "" }

// hashOf returns the name of the first hash among what a key is made of, ""
// when there is none; the bytes of a value are none.
func hashOf(v *prog.Val) string {
	if v == nil {
		return ""
	}
	if v.Kind == prog.VApply && v.Str != "go-hash bytes" {
		if name, ok := strings.CutPrefix(v.Str, "go-hash "); ok {
			return name
		}
		if strings.HasPrefix(v.Str, "hash") || strings.HasPrefix(v.Str, "crypto/") {
			return v.Str
		}
	}
	for _, o := range v.Of {
		if name := hashOf(o); name != "" {
			return name
		}
	}
	return ""
}

// folded reports a 64-bit hash of which abs makes two keys one.
func folded(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take) bool {
	in := uncast(t.Inst)
	if in == nil || in.Kind != prog.VApply || in.Str != "abs" {
		return false
	}
	c.Add(tr, t.Node, pass.Fault{Kind: "weak-key-hash", Names: []string{t.Class.Display()}, Cut: t.Cut, Related: witness(v, t),
		Message: fmt.Sprintf("abs makes one key of two hashes for %s (and fails for the smallest number)", t.Class.Display()),
		Hint:    "a key may be negative: leave abs out"})
	return true
}

// birthday returns how many keys make a collision as likely as not: about
// the square root of their number.
func birthday(bits int) string {
	n := 1
	for i := 0; i < bits/2; i++ {
		n *= 2
	}
	if n >= 10000 {
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return fmt.Sprint(n)
}

// overflow reports a 64-bit Go value given to a lock function of two int4.
func overflow(c *pass.Collector, tr *prog.Trace, t *prog.Take) {
	s := t.Node.Statement()
	if t.Class.Key.Space != "int4x2" || s == nil || len(t.Acq.SQLFunc) > 0 {
		return
	}
	for _, k := range t.Acq.Key {
		for k != nil && k.Kind == prog.VApply && strings.HasPrefix(k.Str, "::") && len(k.Of) == 1 {
			k = k.Of[0]
		}
		if k == nil || k.Kind != prog.VSQLParam {
			continue
		}
		n := 0
		if _, err := fmt.Sscanf(k.Str, "%d", &n); err != nil || n < 1 || n > len(s.Op.Use.ArgTypes) || n > len(s.Args) {
			continue
		}
		typ := s.Op.Use.ArgTypes[n-1]
		if typ != "int64" && typ != "uint64" && typ != "uint32" {
			continue
		}
		if lo, hi, ok := interval(s.Args[n-1]); ok && lo >= -1<<31 && hi < 1<<31 {
			continue
		}
		c.Add(tr, t.Node, pass.Fault{Kind: "key-overflow", Names: []string{t.Class.Display()}, Cut: t.Cut, Related: t.Witness(),
			Message: fmt.Sprintf("%s %s is given to a lock of two int4, %s (the statement fails once it passes 2147483647)", article(typ), typ, t.Class.Display()),
			Hint:    "use a bigint key: hash the name and the id together"})
	}
}

func article(typ string) string {
	if strings.HasPrefix(typ, "uint") {
		return "a"
	}
	return "an"
}
