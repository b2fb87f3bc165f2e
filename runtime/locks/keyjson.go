package locks

import (
	"encoding/json"
	"io"
	"strconv"
)

// An exported file: what code in other languages needs to make the same keys,
// with examples to test it on. Numbers that may exceed 53 bits are texts.
type exported struct {
	Note     string           `json:"note"`
	Families []exportedFamily `json:"families"`
	Hash     []exportedHash   `json:"hash"`
}

type exportedFamily struct {
	Name       string            `json:"name"`
	Serializes string            `json:"serializes,omitempty"`
	Space      string            `json:"space"`
	Kind       string            `json:"kind"`
	SQL        string            `json:"sql"` // of the key, with $1 for the id
	Prefix     string            `json:"prefix,omitempty"`
	Seed       string            `json:"seed,omitempty"`
	Namespace  int32             `json:"namespace,omitempty"`
	First      string            `json:"first,omitempty"`
	Last       string            `json:"last,omitempty"`
	Examples   []exportedExample `json:"examples"`
}

type exportedExample struct {
	ID  string `json:"id"`
	Key string `json:"key"`
}

type exportedHash struct {
	Text string `json:"text"`
	Seed string `json:"seed"`
	Hash string `json:"hash"`
}

const exportNote = "Keys of PostgreSQL advisory locks. kind hash: hashtextextended of prefix and id, on a little-endian server whose encoding is UTF8. hash lists vectors to test an implementation with."

// Export writes the families of the registry as JSON, for code in other
// languages: how each makes its keys, an example of each, and vectors of the
// hash.
func (r *Registry) Export(w io.Writer) error {
	r.mu.Lock()
	list := append([]*family(nil), r.list...)
	r.mu.Unlock()
	out := exported{Note: exportNote, Families: []exportedFamily{}}
	for _, f := range list {
		if f.made != byRow {
			out.Families = append(out.Families, f.export())
		}
	}
	texts := append([]string{"", "a", "123456789012", "1234567890123"}, probes...)
	for _, seed := range []int64{0, -1, 42} {
		for _, t := range texts {
			out.Hash = append(out.Hash, exportedHash{t, decimal(seed), decimal(HashTextExtended(t, seed))})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

func (f *family) export() exportedFamily {
	e := exportedFamily{Name: f.name, Serializes: f.doc, Space: f.space.String()}
	k := f.sample()
	e.Examples = []exportedExample{{k.ID(), decimal(k.n)}}
	switch f.made {
	case byHash:
		e.Kind, e.Prefix, e.Seed = "hash", f.prefix, decimal(f.seed)
		e.SQL = "hashtextextended(" + literal(f.prefix) + " || $1::text, " + decimal(f.seed) + ")"
	case byPair:
		e.Kind, e.Namespace = "pair", int32(f.ns)
		e.SQL = decimal(int64(f.ns)) + ", $1::int4"
		_, n := k.Pair()
		e.Examples[0].Key = decimal(int64(f.ns)) + ", " + decimal(int64(n))
	case byNumber:
		e.Kind, e.First, e.Last, e.SQL = "number", decimal(f.lo), decimal(f.hi), "$1::int8"
	case byConst:
		e.Kind, e.SQL = "constant", decimal(f.lo)+"::int8"
	}
	return e
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// literal quotes text for SQL with standard_conforming_strings on.
func literal(s string) string {
	out := []byte{'\''}
	for i := range len(s) {
		if s[i] == '\'' {
			out = append(out, '\'')
		}
		out = append(out, s[i])
	}
	return string(append(out, '\''))
}
