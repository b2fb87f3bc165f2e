package prog

import (
	"hash/maphash"
	"slices"
	"strings"
)

// A subject is what facts are about: a value, or what a text names.
type subject struct {
	text string
	val  *Val
}

// mentions reports whether a subject is, or is made of, something in whose
// name is one of the parts.
func (s subject) mentions(parts []string) bool {
	if s.val != nil {
		return s.val.mentions(parts)
	}
	return holdsOne(s.text, parts)
}

func (v *Val) mentions(parts []string) bool {
	return v != nil && (holdsOne(v.Str, parts) || slices.ContainsFunc(v.Of, func(o *Val) bool { return o.mentions(parts) }))
}

func holdsOne(s string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// A numbering gives each subject of a walk a number, equal values the same.
type numbering struct {
	subjects []subject
	texts    map[string]int32
	vals     map[*Val]int32 // those met so far
	alike    map[uint64][]int32
}

func newNumbering() numbering {
	return numbering{texts: map[string]int32{}, vals: map[*Val]int32{}, alike: map[uint64][]int32{}}
}

// text returns the number of what a text names.
func (n *numbering) text(s string) int32 {
	at, ok := n.texts[s]
	if !ok {
		at = n.add(subject{text: s})
		n.texts[s] = at
	}
	return at
}

// value returns the number of a value: of what it is the result of, not of
// what that can be.
func (n *numbering) value(v *Val) int32 {
	if v = unwrapped(v); v.Kind == VResult || v.Kind == VScan {
		return n.text(v.Str)
	}
	at, ok := n.vals[v]
	if !ok {
		at = n.equal(v)
		n.vals[v] = at
	}
	return at
}

func (n *numbering) equal(v *Val) int32 {
	h := v.hash()
	for _, at := range n.alike[h] {
		if Equal(n.subjects[at].val, v) {
			return at
		}
	}
	at := n.add(subject{val: v})
	n.alike[h] = append(n.alike[h], at)
	return at
}

func (n *numbering) add(s subject) int32 {
	n.subjects = append(n.subjects, s)
	return int32(len(n.subjects) - 1)
}

var hashSeed = maphash.MakeSeed()

// hash returns a number that is the same for equal values within one run.
func (v *Val) hash() uint64 {
	if v == nil {
		return 1
	}
	if v.sum == 0 {
		const odd = 0x9e3779b97f4a7c15
		h := maphash.String(hashSeed, v.Str) + uint64(v.Kind)
		for _, o := range v.Of {
			h = (h^h>>32)*odd + o.hash()
		}
		v.sum = h | 1
	}
	return v.sum
}
