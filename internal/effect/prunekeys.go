package effect

import (
	"encoding/hex"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pghash"
	"github.com/pglockdep/pglockdep/internal/schema"
)

// values lists what a sieve lets through, when it is a known few.
func (s sieve) values() (out []literal, ok bool) {
	switch s.op {
	case "in":
		return s.vals, true
	case "and":
		for _, k := range s.kids {
			if vs, known := k.values(); known && (!ok || len(vs) < len(out)) {
				out, ok = vs, true
			}
		}
	case "or":
		for _, k := range s.kids {
			vs, known := k.values()
			if !known {
				return nil, false
			}
			out = append(out, vs...)
		}
		ok = len(s.kids) > 0
	}
	return out, ok
}

// fewValues lists the values that a column of a set of rows can have, when they
// are a known few.
func fewValues(col string, rows rowSet) ([]literal, bool) {
	for _, e := range rows.eq {
		if v, ok := evaluate(e.Val); ok && e.Name == col {
			return []literal{v}, true
		}
	}
	if rows.sift == nil {
		return nil, false
	}
	return rows.sift(col).values()
}

// fixed lists the values of the first columns of a key, as far as each has
// one.
func fixed(cols []string, rows rowSet) []literal {
	var out []literal
	for _, col := range cols {
		vs, ok := fewValues(col, rows)
		if !ok || len(vs) != 1 {
			break
		}
		out = append(out, vs[0])
	}
	return out
}

// toward compares the first values of a key with an edge of a range: n < 0
// before it, and the edge's next part where all are equal.
func (b *board) toward(vals []literal, edge []string) (n int, rest string, ok bool) {
	for i, v := range vals {
		if i >= len(edge) {
			return 0, "", false
		}
		if n, ok = b.against(v, edge[i]); !ok || n != 0 {
			return n, "", ok
		}
	}
	if len(vals) < len(edge) {
		return 0, edge[len(vals)], true
	}
	return 0, "", true
}

// between reports whether rows whose key begins with those values can lie in
// a range over several columns.
func (b *board) between(vals []literal, c cell) bool {
	if n, _, ok := b.toward(vals, c.from); ok && n < 0 {
		return false
	}
	n, rest, ok := b.toward(vals, c.to)
	return !ok || n < 0 || n == 0 && rest != "" && rest != "MINVALUE"
}

// surely reports whether a whole key lies in a range.
func (b *board) surely(key []literal, c cell) bool {
	low, _, ok1 := b.toward(key, c.from)
	high, _, ok2 := b.toward(key, c.to)
	return ok1 && ok2 && low >= 0 && high < 0
}

// hashed reports whether pruning leaves a hash partition: every column of the
// key must have known values (manual of version 15, 5.11.4).
func (m *machine) hashed(parent, part *schema.Relation, cols []string, rows rowSet) bool {
	const most = 256
	sums := []uint64{0}
	for _, col := range cols {
		c := relref{rel: parent}.column(col)
		vals, ok := fewValues(col, rows)
		if c == nil || !ok || len(sums)*len(vals) > most {
			return true
		}
		var next []uint64
		for _, sum := range sums {
			for _, v := range vals {
				h, ok := partitionHash(c.Type, v)
				if !ok {
					return true
				}
				next = append(next, combine(sum, h))
			}
		}
		sums = next
	}
	var modulus, remainder uint64
	for i, to := range []*uint64{&modulus, &remainder} {
		n, ok := convert(textOf(splitBound(between(part.Bound, []string{"modulus ", "remainder "}[i], []string{",", ")"}[i]))[0]), "bigint")
		if !ok || n.n < 0 {
			return true
		}
		*to = uint64(n.n)
	}
	for _, sum := range sums {
		if modulus == 0 || sum%modulus == remainder {
			return true
		}
	}
	return false
}

// partitionHash is the hash of a value by which its partition is found
// (src/backend/partitioning/partbounds.c, HASH_PARTITION_SEED).
func partitionHash(typ string, v literal) (uint64, bool) {
	const seed = 0x7A5B22367996DCFD
	typ, _, _ = strings.Cut(typ, "(")
	switch typ {
	case "smallint", "integer", "bigint":
		n, ok := convert(v, "bigint")
		return uint64(pghash.Int8Extended(n.n, seed)), ok
	case "text", "character varying":
		return uint64(pghash.TextExtended(v.text(), seed)), true
	case "uuid":
		raw, ok := uuidBytes(v.text())
		return uint64(pghash.TextExtended(raw, seed)), ok
	}
	return 0, false
}

func uuidBytes(s string) (string, bool) {
	b, err := hex.DecodeString(strings.ReplaceAll(strings.Trim(s, "{}"), "-", ""))
	return string(b), err == nil && len(b) == 16
}

// combine adds the hash of one more column (src/include/common/hashfn.h,
// hash_combine64).
func combine(a, b uint64) uint64 {
	return a ^ (b + 0x49a0f4dd15e5a8e3 + a<<54 + a>>7)
}
