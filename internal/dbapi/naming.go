package dbapi

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
)

// Snake returns the column or table word for a Go name as gorm makes it:
// UserID is user_id, HTTPServer http_server.
func Snake(name string) string {
	name = initialisms.Replace(name)
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !upper(c) {
			b.WriteByte(c)
			continue
		}
		last := i == len(name)-1
		joined := i > 0 && upper(name[i-1]) && (last || upper(name[i+1]) || digit(name[i+1]))
		beside := i > 0 && name[i-1] == '_' || !last && name[i+1] == '_'
		if i > 0 && !joined && !beside {
			b.WriteByte('_')
		}
		b.WriteByte(c + 'a' - 'A')
	}
	return b.String()
}

// initialisms are the words that gorm writes as one, in its order: of two
// that fit, the first counts.
var initialisms = func() *strings.Replacer {
	var pairs []string
	for _, s := range []string{"API", "ASCII", "CPU", "CSS", "DNS", "EOF", "GUID", "HTML", "HTTP", "HTTPS", "ID", "IP", "JSON",
		"LHS", "QPS", "RAM", "RHS", "RPC", "SLA", "SMTP", "SSH", "TLS", "TTL", "UID", "UI", "UUID", "URI", "URL", "UTF8", "VM",
		"XML", "XSRF", "XSS"} {
		pairs = append(pairs, s, s[:1]+strings.ToLower(s[1:]))
	}
	return strings.NewReplacer(pairs...)
}()

// underscore is the simpler rule of bun, go-pg and pop: an upper-case letter
// starts a word when a lower-case one stands on either side.
func underscore(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !upper(c) {
			b.WriteByte(c)
			continue
		}
		if i > 0 && name[i-1] != '_' && i+1 < len(name) && (lower(name[i-1]) || lower(name[i+1])) {
			b.WriteByte('_')
		} else if i > 0 && i+1 == len(name) && lower(name[i-1]) {
			b.WriteByte('_')
		}
		b.WriteByte(c + 'a' - 'A')
	}
	return b.String()
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool { return c >= 'a' && c <= 'z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }

// A plural is one rule: words that match end as to says.
type plural struct {
	match *lazyregexp.Regexp
	to    string
}

// plurals are the rules of English that table names follow, the special
// ones first.
var plurals = func() []plural {
	var out []plural
	for _, r := range [][2]string{
		{`^(equipment|information|rice|money|species|series|fish|sheep|jeans|police|milk|salt|time|water|paper|food|art|cash|music|help|luck|oil|progress|rain|research|shopping|software|traffic)$`, "$1"},
		{`person$`, "people"}, {`man$`, "men"}, {`child$`, "children"}, {`sex$`, "sexes"}, {`move$`, "moves"},
		{`(quiz)$`, "${1}zes"}, {`^(oxen)$`, "$1"}, {`^(ox)$`, "${1}en"}, {`(m|l)(?:ouse|ice)$`, "${1}ice"}, {`(matr|vert|ind)(?:ix|ex)$`, "${1}ices"},
		{`(x|ch|ss|sh)$`, "${1}es"}, {`([^aeiouy]|qu)y$`, "${1}ies"}, {`(hive)$`, "${1}s"}, {`([^f])fe$`, "${1}ves"}, {`([lr])f$`, "${1}ves"},
		{`sis$`, "ses"}, {`([ti])um$`, "${1}a"}, {`([ti])a$`, "${1}a"}, {`(buffal|tomat)o$`, "${1}oes"}, {`(bu)s$`, "${1}ses"},
		{`(alias|status)$`, "${1}es"}, {`(octop|vir)(?:us|i)$`, "${1}i"}, {`(ax|test)is$`, "${1}es"}, {`s$`, "s"}, {`$`, "s"},
	} {
		out = append(out, plural{lazyregexp.New(r[0]), r[1]})
	}
	return out
}()

// Plural returns the plural of a lower-case word, whose last part counts:
// order_status is order_statuses.
func Plural(word string) string {
	if word == "" {
		return ""
	}
	for _, p := range plurals {
		if p.match.MatchString(word) {
			return p.match.ReplaceAllString(word, p.to)
		}
	}
	return word
}
