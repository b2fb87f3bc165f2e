package effect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/schema"
)

// lock is a statement that must be answered whatever stands beside it.
const lock = "SELECT pg_advisory_lock(1);\n"

func TestBadInput(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // of each statement: the class it locks, or line:column and message of its error
	}{
		{"NUL byte", lock + "SELECT 'a\x00b';\n" + lock, []string{"1", "2:10 NUL byte in statement", "1"}},
		{"invalid UTF-8", lock + "SELECT '\xff';\n" + lock, []string{"1", "2:9 invalid UTF-8 in statement", "1"}},
		{"chain of 100,000 operators", lock + "SELECT 1" + strings.Repeat("+1", 100_000) + ";\n" + lock,
			[]string{"1", "2:2009 statement is too deep (over 1000 nested or chained parts)", "1"}},
		{"10,000 parentheses", lock + "SELECT " + strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000) + ";\n" + lock,
			[]string{"1", "2:1008 statement is too deep (over 1000 nested or chained parts)", "1"}},
		{"10,000 parentheses left open", "SELECT " + strings.Repeat("(", 10_000) + ";\n" + lock,
			[]string{"1:1008 statement is too deep (over 1000 nested or chained parts)", "1"}},
		{"100,000 UNIONs", strings.Repeat("SELECT 1 UNION ", 100_000) + "SELECT 1;\n" + lock,
			[]string{"1:15010 statement is too deep (over 1000 nested or chained parts)", "1"}},
		{"syntax error", lock + "\n  SELEC 1;\n" + lock, []string{"1", `3:3 syntax error at or near "SELEC"`, "1"}},
		{"columns are characters", "SELECT 'ü' FROM FROM x;\n" + lock, []string{`1:17 syntax error at or near "FROM"`, "1"}},
		{"byte order mark", "\ufeff" + lock + "SELECT 1 FROM;\n" + lock, []string{"1", "2:14 syntax error at end of input", "1"}},
		{"CRLF", strings.ReplaceAll(lock+"SELECT 1\n FROM;\n"+lock, "\n", "\r\n"), []string{"1", "3:6 syntax error at end of input", "1"}},
		{"COPY data", lock + "COPY t FROM stdin;\n1\tSELECT pg_advisory_lock(2);\n\\.\n" + lock, []string{"1", "table t", "1"}},
		{"psql commands", "\\set x 1\n" + lock + "\\d t; SELECT 2\n" + lock + "SELECT 3 \\gset\n" + lock, []string{"1", "1", "", "1"}},
		{"string without end", lock + "SELECT 'abc;\n" + lock, []string{"1", "2:8 unterminated quoted string at or near \"'abc;…"}},
		{"body without end", "SELECT $a$abc;\n" + lock, []string{"1:8 unterminated dollar-quoted string at or near \"$a$abc;…"}},
		{"comment without end", lock + "/* abc;\n" + lock, []string{"1", "2:1 unterminated /* comment at or near \"/* abc;…"}},
		{"comment without end in a statement", "SELECT 1 /* abc;\n" + lock, []string{"1:10 unterminated /* comment at or near \"/* abc;…"}},
		{"nothing", ";; -- x\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Session(schema.New(), tt.text)
			var got []string
			bad := false
			for _, s := range r.Statements {
				what := ""
				if e := s.Error; e != nil {
					what, bad = fmt.Sprintf("%d:%d %s", e.Line, e.Column, e.Message), true
				} else if len(s.Acquisitions) > 0 {
					what = strings.TrimPrefix(s.Acquisitions[0].Class, "advisory bigint ")
				}
				got = append(got, what)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if r.Failed() != bad {
				t.Errorf("Failed is %t", r.Failed())
			}
			if b, err := r.JSON(); err != nil || strings.Contains(string(b), `"statements": null`) {
				t.Errorf("JSON: %v %s", err, b)
			}
		})
	}
}
