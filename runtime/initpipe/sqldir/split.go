package sqldir

import (
	"regexp"
	"strings"
)

// split returns the statements of a text, without those that are only
// comments. Strings, quoted names, dollar quotes and comments are passed over
// as PostgreSQL does (PostgreSQL 16 manual, 4.1), and so are the bodies of
// functions in standard SQL (BEGIN ATOMIC).
func split(sql string) []string {
	var out []string
	begin, empty := 0, true
	for i := 0; i < len(sql); {
		end := i + 1
		switch c := sql[i]; {
		case strings.HasPrefix(sql[i:], "--"):
			end = after(sql, i, "\n")
			i = end
			continue
		case strings.HasPrefix(sql[i:], "/*"):
			end = comment(sql, i)
			i = end
			continue
		case c == '\'' || c == '"':
			end = quoted(sql, i, c == '\'' && i > 0 && (sql[i-1] == 'E' || sql[i-1] == 'e') && !wordBefore(sql, i-1))
		case c == '$' && !wordBefore(sql, i):
			end = dollar(sql, i)
		case c == ';' && !inBody(sql[begin:i]):
			if !empty {
				out = append(out, strings.TrimSpace(sql[begin:i]))
			}
			begin, empty, i = end, true, end
			continue
		}
		if strings.TrimSpace(sql[i:end]) != "" {
			empty = false
		}
		i = end
	}
	if !empty {
		out = append(out, strings.TrimSpace(sql[begin:]))
	}
	return out
}

var (
	atomic = regexp.MustCompile(`(?is)^create\b.*\bbegin\s+atomic\b`)
	blocks = regexp.MustCompile(`(?i)\b(?:begin\s+atomic|case)\b`)
	ends   = regexp.MustCompile(`(?i)\bend\b`)
)

// inBody reports whether a statement is in the middle of a BEGIN ATOMIC body.
func inBody(s string) bool {
	s = uncommented(s)
	return atomic.MatchString(s) && len(ends.FindAllString(s, -1)) < len(blocks.FindAllString(s, -1))
}

func after(s string, i int, mark string) int {
	if at := strings.Index(s[i:], mark); at >= 0 {
		return i + at + len(mark)
	}
	return len(s)
}

// comment returns the end of a comment, which may contain others.
func comment(s string, i int) int {
	for depth := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth, i = depth+1, i+2
		case strings.HasPrefix(s[i:], "*/"):
			depth, i = depth-1, i+2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(s)
}

func quoted(s string, i int, escapes bool) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

var dollarTag = regexp.MustCompile(`^\$(?:[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*)?\$`)

func dollar(s string, i int) int {
	tag := dollarTag.FindString(s[i:])
	if tag == "" {
		return i + 1
	}
	return after(s, i+len(tag), tag)
}

func wordBefore(s string, i int) bool {
	if i == 0 {
		return false
	}
	c := s[i-1]
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// What PostgreSQL refuses in a transaction block, and what ends one.
var bareStatement = regexp.MustCompile(`(?is)^(?:(?:create|drop)\s+(?:unique\s+)?index\s+concurrently|reindex\s.*concurrently|vacuum|alter\s+system|(?:create|drop)\s+(?:database|tablespace)|alter\s+table\s.*\sdetach\s+partition\s.*\sconcurrently|begin|start\s+transaction|commit|end|rollback)\b`)

// bare reports whether a text has a statement that no transaction of ours may
// contain.
func bare(sql string) bool {
	for _, s := range split(sql) {
		if bareStatement.MatchString(uncommented(s)) {
			return true
		}
	}
	return false
}

// uncommented drops the comments before a statement.
func uncommented(s string) string {
	for {
		s = strings.TrimSpace(s)
		switch {
		case strings.HasPrefix(s, "--"):
			s = s[after(s, 0, "\n"):]
		case strings.HasPrefix(s, "/*"):
			s = s[comment(s, 0):]
		default:
			return s
		}
	}
}
