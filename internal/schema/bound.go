package schema

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// A bound orders partitions as PostgreSQL keeps them: hash by modulus and
// remainder, list by least value, range by lower bound, the default last.
type bound struct {
	kind string // "" none, hash, list, range, default
	keys []string
}

func newBound(b *pgsql.PartitionBoundSpec) (bound, string) {
	if b == nil {
		return bound{}, ""
	}
	if b.IsDefault {
		return bound{kind: "default"}, "DEFAULT"
	}
	switch b.Strategy {
	case "h":
		m, r := strconv.Itoa(int(b.Modulus)), strconv.Itoa(int(b.Remainder))
		return bound{"hash", []string{m, r}}, fmt.Sprintf("FOR VALUES WITH (modulus %s, remainder %s)", m, r)
	case "l":
		vs := datums(b.Listdatums)
		text := "FOR VALUES IN (" + strings.Join(vs, ", ") + ")"
		least := vs
		for _, v := range vs {
			if compareDatum(v, least[0]) < 0 {
				least = []string{v}
			}
		}
		return bound{"list", least[:min(1, len(least))]}, text
	}
	low, high := datums(b.Lowerdatums), datums(b.Upperdatums)
	return bound{"range", low}, "FOR VALUES FROM (" + strings.Join(low, ", ") + ") TO (" + strings.Join(high, ", ") + ")"
}

func datums(ns []*pgsql.Node) []string {
	var out []string
	for _, n := range ns {
		s := pgsql.Expr(n)
		if s == "minvalue" || s == "maxvalue" {
			s = strings.ToUpper(s)
		}
		out = append(out, s)
	}
	return out
}

func (b bound) compare(o bound) int {
	if b.kind != o.kind {
		return cmp.Compare(rank[b.kind], rank[o.kind])
	}
	for i := range min(len(b.keys), len(o.keys)) {
		if n := compareDatum(b.keys[i], o.keys[i]); n != 0 {
			return n
		}
	}
	return 0
}

var rank = map[string]int{"": 2, "hash": 0, "list": 0, "range": 0, "default": 1}

// compareDatum orders numbers by value and other literals by their text,
// which is right for dates and for text in the C collation.
func compareDatum(a, b string) int {
	edge := func(s string) int {
		switch s {
		case "MINVALUE":
			return -1
		case "MAXVALUE":
			return 1
		case "NULL":
			return 1
		}
		return 0
	}
	if n := cmp.Compare(edge(a), edge(b)); n != 0 {
		return n
	}
	x, err1 := strconv.ParseFloat(strings.Trim(a, "'"), 64)
	y, err2 := strconv.ParseFloat(strings.Trim(b, "'"), 64)
	if err1 == nil && err2 == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}
