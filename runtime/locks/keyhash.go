package locks

import (
	"encoding/binary"
	"math/bits"
)

// HashTextExtended returns what hashtextextended(s, seed) returns on a
// little-endian server whose encoding is UTF-8 and under a deterministic
// collation (hash_bytes_extended in src/common/hashfn.c, PostgreSQL 16).
// VerifyHash compares it with a server.
func HashTextExtended(s string, seed int64) int64 { return hashExtended([]byte(s), uint64(seed)) }

func hashExtended(k []byte, seed uint64) int64 {
	a := uint32(0x9e3779b9 + len(k) + 3923095)
	b, c := a, a
	if seed != 0 {
		a, b, c = mix(a+uint32(seed>>32), b+uint32(seed), c)
	}
	for len(k) >= 12 {
		a += binary.LittleEndian.Uint32(k)
		b += binary.LittleEndian.Uint32(k[4:])
		c += binary.LittleEndian.Uint32(k[8:])
		a, b, c = mix(a, b, c)
		k = k[12:]
	}
	// The lowest byte of c is reserved for the length, which went in above.
	var tail [12]byte
	copy(tail[:], k)
	a += binary.LittleEndian.Uint32(tail[:])
	b += binary.LittleEndian.Uint32(tail[4:])
	c += binary.LittleEndian.Uint32(tail[8:]) << 8
	b, c = final(a, b, c)
	return int64(uint64(b)<<32 | uint64(c))
}

func mix(a, b, c uint32) (uint32, uint32, uint32) {
	a -= c
	a ^= bits.RotateLeft32(c, 4)
	c += b
	b -= a
	b ^= bits.RotateLeft32(a, 6)
	a += c
	c -= b
	c ^= bits.RotateLeft32(b, 8)
	b += a
	a -= c
	a ^= bits.RotateLeft32(c, 16)
	c += b
	b -= a
	b ^= bits.RotateLeft32(a, 19)
	a += c
	c -= b
	c ^= bits.RotateLeft32(b, 4)
	b += a
	return a, b, c
}

func final(a, b, c uint32) (uint32, uint32) {
	c ^= b
	c -= bits.RotateLeft32(b, 14)
	a ^= c
	a -= bits.RotateLeft32(c, 11)
	b ^= a
	b -= bits.RotateLeft32(a, 25)
	c ^= b
	c -= bits.RotateLeft32(b, 16)
	a ^= c
	a -= bits.RotateLeft32(c, 4)
	b ^= a
	b -= bits.RotateLeft32(a, 14)
	c ^= b
	c -= bits.RotateLeft32(b, 24)
	return b, c
}
