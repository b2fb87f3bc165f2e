package effect

import (
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// ClassOf returns the class that an acquisition belongs to, with its key
// bound to values of the caller. key is nil for rows and tables.
func ClassOf(a *prog.Acq, key []*prog.Val) *lockgraph.Class {
	if a.Family != lockgraph.Advisory {
		return &lockgraph.Class{
			ID: a.Family + " " + a.Relation, Family: a.Family, Name: a.Relation, Relation: a.Relation,
			Relkind: a.Relkind, PartitionOf: a.PartitionOf,
		}
	}
	k := &lockgraph.Key{Space: a.Space, Bits: 64}
	r := &renderer{}
	var exprs, constants []string
	for _, v := range key {
		v = widened(v)
		expr := r.expr(v, 0)
		if l, ok := evaluate(v); ok {
			if l, ok = convert(l, "bigint"); ok {
				n := strconv.FormatInt(l.n, 10)
				constants = append(constants, n)
				if uncast(v).Kind == prog.VConst {
					expr = n // one class, with a cast or without
				}
			}
		}
		exprs = append(exprs, expr)
	}
	k.Expr = strings.Join(exprs, ", ")
	if len(constants) == len(key) && len(key) > 0 {
		k.Constant = strings.Join(constants, ", ")
	}
	origin := ""
	if a.Space == "int4x2" {
		pair(k, key, exprs)
		if !k.Prefixed {
			origin = originOf(key)
		}
	} else if len(key) == 1 {
		derive(k, widened(key[0]))
		if k.Constant == "" && k.Prefix == "" {
			origin = Origin(key[0])
		}
	}
	c := &lockgraph.Class{ID: "advisory " + a.Space + " " + k.Expr, Family: a.Family, Key: k}
	switch {
	case origin != "":
		c.ID += " of " + origin
		c.Name = origin
	case k.Prefix != "":
		c.Name = k.Prefix
	case k.Constant != "":
		c.Name = k.Constant
	default:
		c.Name = k.Expr
	}
	return c
}

func originOf(key []*prog.Val) string {
	for _, v := range key {
		if o := Origin(v); o != "" {
			return o
		}
	}
	return ""
}

// widened takes off a cast to bigint that every key gets anyway: the key is
// the same number, and one class however it is written.
func widened(v *prog.Val) *prog.Val {
	for v != nil && v.Kind == prog.VApply && v.Str == "::bigint" && len(v.Of) == 1 {
		in := v.Of[0]
		if in.Kind == prog.VApply && !strings.HasPrefix(in.Str, "hash") && !strings.HasPrefix(in.Str, "go-hash ") || in.Kind == prog.VConcat {
			break
		}
		if s, text := in.AsText(); text && s != "" {
			break
		}
		v = in
	}
	return v
}

// uncast takes casts off a value.
func uncast(v *prog.Val) *prog.Val {
	for v != nil && v.Kind == prog.VApply && strings.HasPrefix(v.Str, "::") && len(v.Of) == 1 {
		v = v.Of[0]
	}
	return v
}

// derive tells how a bigint key is made.
func derive(k *lockgraph.Key, v *prog.Val) {
	in := uncast(v)
	if in == nil {
		k.Derivation = "unknown"
		return
	}
	if in.Kind == prog.VApply {
		switch name := in.Str; {
		case name == "hashtextextended" && len(in.Of) > 0:
			k.Derivation = name
			prefix(k, in.Of[0])
			return
		case (name == "hashtext" || name == "hashint4" || name == "hashint8") && len(in.Of) > 0:
			k.Derivation, k.Bits = "hashtext", 32
			prefix(k, in.Of[0])
			return
		case strings.HasPrefix(name, "go-hash "):
			goHash(k, in)
			return
		case goHashName(name) != "":
			k.Derivation, k.Hash = "go-hash", goHashName(name)
			k.Bits = goBits(k.Hash)
			if len(in.Of) > 0 {
				prefix(k, in.Of[len(in.Of)-1])
			}
			return
		}
	}
	if inner := find(in, hashFunction); inner != nil {
		mixed(k, inner)
		return
	}
	if h := find(in, serverHash); h != nil {
		k.Derivation = "server-hash"
		if len(h.Of) > 0 {
			prefix(k, h.Of[0])
		}
		return
	}
	switch {
	case k.Constant != "":
		k.Derivation = "constant"
	case in.Kind == prog.VHole || in.Kind == prog.VChoice:
		k.Derivation = "unknown"
	case in.Kind == prog.VApply && !operator(in.Str) && in.Str != "coalesce":
		k.Derivation = "unknown"
	default:
		k.Derivation = "plain"
	}
}

// mixed is a key computed from a hash by operators.
func mixed(k *lockgraph.Key, hash *prog.Val) {
	k.Derivation = "hashtext"
	if hash.Str == "hashtextextended" {
		k.Derivation = "hashtextextended"
	} else {
		k.Bits = 32
	}
	if strings.HasPrefix(hash.Str, "go-hash ") || goHashName(hash.Str) != "" {
		goHash(k, hash)
		return
	}
	prefix(k, hash.Of[0])
}

func goHash(k *lockgraph.Key, v *prog.Val) {
	k.Derivation = "go-hash"
	k.Hash = strings.TrimPrefix(v.Str, "go-hash ")
	if name := goHashName(v.Str); name != "" {
		k.Hash = name
	}
	k.Bits = goBits(k.Hash)
	if len(v.Of) > 0 {
		prefix(k, v.Of[0])
		if _, whole := uncast(v.Of[0]).AsText(); whole {
			k.Prefixed = false // the server sees a number like any constant
		}
	}
}

func hashFunction(v *prog.Val) bool {
	return v.Kind == prog.VApply && len(v.Of) > 0 && (v.Str == "hashtext" || v.Str == "hashtextextended" || strings.HasPrefix(v.Str, "go-hash ") || goHashName(v.Str) != "")
}

func serverHash(v *prog.Val) bool {
	switch v.Str {
	case "md5", "sha224", "sha256", "sha384", "sha512", "digest", "crc32", "crc32c", "hash_record", "uuid_hash", "hash_numeric":
		return v.Kind == prog.VApply
	}
	return false
}

// goHashName returns the name of a Go hash function by its package.
func goHashName(f string) string {
	for path, name := range map[string]string{"hash/crc32": "crc32", "hash/crc64": "crc64", "hash/adler32": "adler32", "hash/maphash": "maphash", "crypto/sha256": "sha256", "crypto/sha1": "sha1", "crypto/sha512": "sha512", "crypto/md5": "md5"} {
		if strings.HasPrefix(f, path) {
			return name
		}
	}
	if rest, ok := strings.CutPrefix(f, "hash/fnv"); ok {
		for _, n := range []string{"64a", "32a", "128a", "64", "32", "128"} {
			if strings.Contains(rest, n) {
				return "fnv" + n
			}
		}
		return "fnv"
	}
	return ""
}

func goBits(hash string) int {
	if strings.HasSuffix(hash, "32") || strings.HasSuffix(hash, "32a") {
		return 32
	}
	return 64
}

// find returns the first value in the tree for which is holds.
func find(v *prog.Val, is func(*prog.Val) bool) *prog.Val {
	if v == nil {
		return nil
	}
	if is(v) {
		return v
	}
	for _, o := range v.Of {
		if f := find(o, is); f != nil {
			return f
		}
	}
	return nil
}

// prefix notes the literal that a hashed text starts with.
func prefix(k *lockgraph.Key, text *prog.Val) {
	text = uncast(text)
	if text == nil {
		return
	}
	s := ""
	switch {
	case text.Kind == prog.VConst:
		s, _ = text.AsText()
	case text.Kind == prog.VConcat || text.Kind == prog.VApply && text.Str == "concat":
		if len(text.Of) > 0 {
			s, _ = uncast(text.Of[0]).AsText()
		}
	case text.Kind == prog.VApply && text.Str == "concat_ws" && len(text.Of) > 1:
		sep, _ := text.Of[0].AsText()
		if s, _ = uncast(text.Of[1]).AsText(); s != "" && len(text.Of) > 2 {
			s += sep
		}
	case text.Kind == prog.VApply && (text.Str == "format" || strings.HasSuffix(text.Str, "Sprintf")) && len(text.Of) > 0:
		f, _ := text.Of[0].AsText()
		s, _, _ = strings.Cut(f, "%")
	}
	k.Prefix, k.Prefixed = s, s != "" || namesWithin(text)
}

// namesWithin reports whether a text that begins with a value has a word of
// its own further on: "$1 || ':lock:' || $2".
func namesWithin(text *prog.Val) bool {
	if text.Kind != prog.VConcat && !(text.Kind == prog.VApply && (text.Str == "concat" || text.Str == "concat_ws" || text.Str == "||")) {
		return false
	}
	for _, o := range text.Of {
		if s, ok := uncast(o).AsText(); ok && word.MatchString(s) {
			return true
		}
	}
	return false
}

// word matches a text that holds a word, rather than marks between values.
var word = lazyregexp.New(`[A-Za-z]{3}`)

// pair tells how a key of two int4 is made: a constant first half is a
// namespace.
func pair(k *lockgraph.Key, key []*prog.Val, exprs []string) {
	k.Derivation, k.Parts = "pair", exprs
	if len(key) != 2 {
		return
	}
	first := &lockgraph.Key{}
	if _, ok := evaluate(key[0]); ok {
		k.Prefixed = true
		if in := uncast(key[0]); in.Kind == prog.VApply && len(in.Of) > 0 {
			prefix(first, in.Of[0])
			k.Prefix = first.Prefix
		}
	}
	second := uncast(key[1])
	if find(second, hashFunction) != nil {
		k.Bits = 32
	}
}

// Origin returns the typed field or column that the leaf of a key was read
// from: "stripe.Subscription.ID", "accounts.id"; "" when it is not known.
func Origin(v *prog.Val) string {
	found := find(v, func(v *prog.Val) bool {
		return v.Kind == prog.VField || v.Kind == prog.VInit || v.Kind == prog.VSQLCol && !strings.HasPrefix(v.Str, ".")
	})
	if found == nil {
		return ""
	}
	return found.Str[strings.LastIndexByte(found.Str, '/')+1:]
}
