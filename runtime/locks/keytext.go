package locks

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

func (k *Key) setText(buf []byte, id string) []byte {
	k.text = id
	switch {
	case id == "":
		k.fault = emptyID
	case strings.IndexByte(id, 0) >= 0:
		k.fault = nulByte
	case !utf8.ValidString(id):
		k.fault = notUTF8
	}
	return append(buf, id...)
}

func (k *Key) setInt(buf []byte, id int64) []byte {
	k.num = id
	return strconv.AppendInt(buf, id, 10)
}

// formatUUID returns the text that PostgreSQL gives for uuid::text.
func formatUUID(u [16]byte) string {
	var b [36]byte
	at := 0
	for i, n := range []int{4, 2, 2, 2, 6} {
		if i > 0 {
			b[at] = '-'
			at++
		}
		hex.Encode(b[at:], u[:n:n])
		copy(u[:], u[n:])
		at += 2 * n
	}
	return string(b[:])
}
