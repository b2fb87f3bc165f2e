// Package xxhash stands in for github.com/cespare/xxhash/v2: same signatures.
package xxhash

type Digest struct{ n uint64 }

func New() *Digest                                  { return &Digest{} }
func Sum64(b []byte) uint64                         { return 0 }
func Sum64String(s string) uint64                   { return 0 }
func (d *Digest) Write(b []byte) (int, error)       { return len(b), nil }
func (d *Digest) WriteString(s string) (int, error) { return len(s), nil }
func (d *Digest) Sum64() uint64                     { return d.n }
