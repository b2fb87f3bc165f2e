// Package pghash computes the hashes that PostgreSQL's hashtext family gives
// on a little-endian server whose encoding is UTF-8.
//
// A string or an integer enters; the number the server would compute leaves.
// The package knows no keys and no locks, and it does not know collations:
// under a nondeterministic one the server hashes another text.
package pghash

import (
	"encoding/binary"
	"math/bits"
)

// seedBase is the state a hash starts from, before the length is added
// (hash_bytes in src/common/hashfn.c, PostgreSQL 16).
const seedBase = 0x9e3779b9

// Text returns hashtext(s).
func Text(s string) int32 {
	_, c := hash([]byte(s), 0)
	return int32(c)
}

// TextExtended returns hashtextextended(s, seed).
func TextExtended(s string, seed int64) int64 {
	return join(hash([]byte(s), uint64(seed)))
}

// Int4 returns hashint4(n).
func Int4(n int32) int32 {
	_, c := hashWord(uint32(n), 0)
	return int32(c)
}

// Int4Extended returns hashint4extended(n, seed).
func Int4Extended(n int32, seed int64) int64 {
	return join(hashWord(uint32(n), uint64(seed)))
}

// Int8 returns hashint8(n). Numbers that fit int4 hash as hashint4 does.
func Int8(n int64) int32 { return Int4(fold(n)) }

// Int8Extended returns hashint8extended(n, seed).
func Int8Extended(n int64, seed int64) int64 { return Int4Extended(fold(n), seed) }

func fold(n int64) int32 {
	high := uint32(n >> 32)
	if n < 0 {
		high = ^high
	}
	return int32(uint32(n) ^ high)
}

func join(b, c uint32) int64 { return int64(uint64(b)<<32 | uint64(c)) }

// start returns the state for a key of n bytes. A seed of zero leaves the
// state as it is, so that the low half of the extended hash is the plain one.
func start(n int, seed uint64) (a, b, c uint32) {
	a = seedBase + uint32(n) + 3923095
	b, c = a, a
	if seed != 0 {
		a += uint32(seed >> 32)
		b += uint32(seed)
		a, b, c = mix(a, b, c)
	}
	return a, b, c
}

func hash(k []byte, seed uint64) (b, c uint32) {
	a, b, c := start(len(k), seed)
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
	return final(a, b, c)
}

func hashWord(k uint32, seed uint64) (b, c uint32) {
	a, b, c := start(4, seed)
	return final(a+k, b, c)
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
