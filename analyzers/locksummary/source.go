package locksummary

import (
	"bytes"
	"go/ast"
	"go/printer"
	"strings"
)

const maxWhen = 80

// source returns an expression as written, on one line and not too long.
func (b *builder) source(e ast.Expr) string {
	var buf bytes.Buffer
	if err := printer.Fprint(&buf, b.pkg.fset, e); err != nil {
		return ""
	}
	s := strings.Join(strings.Fields(buf.String()), " ")
	if len(s) > maxWhen {
		s = s[:maxWhen-1] + "…"
	}
	return strings.ToValidUTF8(s, "")
}

func (b *builder) list(es []ast.Expr) string {
	var out []string
	for _, e := range es {
		out = append(out, b.source(e))
	}
	return strings.Join(out, " or ")
}

func (b *builder) caseText(tag ast.Expr, list []ast.Expr) string {
	if tag == nil {
		return b.list(list)
	}
	return b.source(tag) + " is " + b.list(list)
}

// negate returns the opposite of a condition, for people.
func negate(when string) string {
	switch {
	case when == "":
		return "otherwise"
	case strings.ContainsAny(when, "&|"):
		return "not (" + when + ")"
	case strings.HasPrefix(when, "!"):
		return when[1:]
	case strings.Contains(when, " == "):
		return strings.Replace(when, " == ", " != ", 1)
	case strings.Contains(when, " != "):
		return strings.Replace(when, " != ", " == ", 1)
	}
	for _, c := range [][2]string{{" >= ", " < "}, {" <= ", " > "}, {" > ", " <= "}, {" < ", " >= "}} {
		if strings.Count(when, c[0]) == 1 {
			return strings.Replace(when, c[0], c[1], 1)
		}
	}
	if strings.ContainsAny(when, "<>") {
		return "not (" + when + ")"
	}
	return "!" + when
}
