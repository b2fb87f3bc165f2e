package effect

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Of tells what the statements of a text do, in order. Parameters are
// sqlparam n, identifiers named by prog.HoleName are pieces that the caller
// puts in. cat may be nil, and must not change while Of runs.
func Of(cat *schema.Catalog, text string) []prog.Op {
	guess, told := false, 0
	ops := play(cat, func(m *machine) {
		all := readable(text)
		for _, r := range all {
			if r.cut != "" && len(r.stmts) == 0 {
				m.emit(prog.Op{Kind: prog.OpUnknown, How: "text", Str: r.cut, Cut: lockgraph.CutText})
			}
			for _, s := range r.stmts {
				m.one(s, len(all) > 1 || len(r.stmts) > 1)
			}
			if r.cut != "" {
				guess = true
				guessed((*m.ops)[told:])
			}
			told = len(*m.ops)
		}
	})
	if guess { // what waits for the end may be of any of them
		guessed(ops[told:])
	}
	return ops
}

// guessed marks ops as read from a text that is not known in full.
func guessed(ops []prog.Op) {
	for i := range ops {
		if op := &ops[i]; op.Cut == "" {
			op.Cut = lockgraph.CutText
		}
	}
}

// failed says that playing a statement broke off by a fault of this package.
func failed(p any) prog.Op {
	return prog.Op{Kind: prog.OpUnknown, How: "statement", Str: fmt.Sprintf("playing the statement failed: %v", p), Cut: lockgraph.CutText}
}

// one plays a statement of a text; what it defines is there for those after
// it.
func (m *machine) one(s pgsql.Stmt, more bool) {
	if s.Err != nil {
		if lockWords.MatchString(s.Text) {
			m.emit(prog.Op{Kind: prog.OpUnknown, How: "text", Str: "the statement cannot be read: " + s.Err.Error(), Cut: lockgraph.CutText})
		}
		return
	}
	m.statement(func() { m.run(s.Tree) })
	if more && defines(s.Tree) {
		m.apply(s)
	}
}

// apply changes our own copy of the catalog by a statement.
func (m *machine) apply(s pgsql.Stmt) {
	if !m.owned {
		m.cat, m.owned = m.cat.Clone(), true
	}
	m.cat.ApplyStmt(s, "", s.Line)
}

// defines reports whether a statement can change the catalog.
func defines(n *pgsql.Node) bool {
	switch s := n.GetNode().(type) {
	case *pgsql.Node_InsertStmt, *pgsql.Node_UpdateStmt, *pgsql.Node_DeleteStmt, *pgsql.Node_MergeStmt, *pgsql.Node_TransactionStmt,
		*pgsql.Node_LockStmt, *pgsql.Node_TruncateStmt, *pgsql.Node_CopyStmt, *pgsql.Node_ExplainStmt, *pgsql.Node_CallStmt,
		*pgsql.Node_PrepareStmt, *pgsql.Node_ExecuteStmt, *pgsql.Node_DeclareCursorStmt, *pgsql.Node_FetchStmt, *pgsql.Node_DoStmt:
		return false
	case *pgsql.Node_SelectStmt:
		return s.SelectStmt.GetIntoClause() != nil
	case *pgsql.Node_VariableSetStmt:
		return false
	}
	return true
}

// lockWords are the words without which a text that cannot be read is taken
// to lock nothing worth an unknown.
var lockWords = lazyregexp.New(`(?i)\b(pg_(try_)?advisory\w*|for\s+(no\s+key\s+)?update|for\s+(key\s+)?share|lock\s+table|insert\s+into|update|delete\s+from|merge\s+into|truncate|alter\s+table|create\s+(unique\s+)?index|drop\s+(table|index)|nowait|skip\s+locked)\b`)

// A reading is some of the statements of a text, and why they are a guess.
type reading struct {
	stmts []pgsql.Stmt
	cut   string
}

// readable parses a text. Where one of several statements cannot be read for
// its holes, each is read by itself.
func readable(text string) []reading {
	if !strings.Contains(text, "__hole") {
		return []reading{{stmts: pgsql.Parse(text)}}
	}
	texts := []string{text}
	if strings.Contains(text, ";") {
		if all := pgsql.Parse(text); len(all) > 1 && broken(all) {
			texts = nil
			for _, s := range all {
				texts = append(texts, s.Text)
			}
		}
	}
	var out []reading
	for _, t := range texts {
		stmts, cut := mended(t)
		out = append(out, reading{stmts, cut})
	}
	return out
}

// mended parses a text with holes. One that cannot be read is tried again
// without the holes at its end, then without as few as will do; cut then says
// why what remains is a guess.
func mended(text string) (stmts []pgsql.Stmt, cut string) {
	text = behindPieces(text)
	text = inHole.ReplaceAllStringFunc(text, func(in string) string {
		if strings.EqualFold(in[:3], "NOT") {
			return "<> ALL (" + holeName.FindString(in) + ")"
		}
		return "= ANY (" + holeName.FindString(in) + ")"
	})
	text = setHole.ReplaceAllString(text, "SET $1 = NULL$2")
	text = numberHole.ReplaceAllString(text, "$1")
	if stmts = pgsql.Parse(text); !broken(stmts) {
		return stmts, ""
	}
	if short := strings.TrimSpace(trailingHoles.ReplaceAllString(text, "")); short != "" && short != strings.TrimSpace(text) {
		if again := pgsql.Parse(short); !broken(again) {
			return again, "the end of the text is put in by the caller"
		}
	}
	if rows := valuesOf(text); rows != text {
		if again := pgsql.Parse(rows); !broken(again) {
			if onlyRows.MatchString(text) {
				return again, ""
			}
			return again, "the rows of VALUES are put in by the caller"
		}
	}
	if again := withoutSome(text); again != nil {
		return again, "pieces of the text are put in by the caller"
	}
	if lockWords.MatchString(text) || wholeHole.MatchString(text) {
		return nil, "the text cannot be read without the pieces that the caller puts in"
	}
	return nil, ""
}

// behind is added to the number of a placeholder of which it is not known which
// argument it stands for: a piece of the text before it may have some.
const behind = 1 << 15

// behindPieces numbers the placeholders ? of a text in which an assignment, a
// condition or a list is a hole.
func behindPieces(text string) string {
	piece := pieceHole.FindStringIndex(text)
	if piece == nil || !strings.Contains(text[piece[1]:], "?") || numbered.MatchString(text) ||
		strings.ContainsAny(strings.ReplaceAll(text, "::", ""), ":@") {
		return text
	}
	before := len(numbered.FindAllString(pgsql.Rebind(text[:piece[0]]), -1))
	return numbered.ReplaceAllStringFunc(pgsql.Rebind(text), func(p string) string {
		n, err := strconv.Atoi(p[1:])
		if err != nil || n <= before {
			return p
		}
		return "$" + strconv.Itoa(n+behind)
	})
}

// maxPieces bounds the holes of a text of which any set is left out; of a text
// with more, all are.
const maxPieces = 8

// withoutSome parses a text without as few of its holes as will do, each with
// the comma before it; nil when it cannot be read whichever are left out.
func withoutSome(text string) []pgsql.Stmt {
	at := listedHole.FindAllStringIndex(text, -1)
	if len(at) > maxPieces {
		if stmts := pgsql.Parse(holeName.ReplaceAllString(text, " ")); !broken(stmts) {
			return stmts
		}
		return nil
	}
	var sets []uint
	for set := uint(1); set < 1<<len(at); set++ {
		sets = append(sets, set)
	}
	slices.SortStableFunc(sets, func(a, b uint) int { return cmp.Compare(bits.OnesCount(a), bits.OnesCount(b)) })
	for _, set := range sets {
		var b strings.Builder
		end := 0
		for i, span := range at {
			if set&(1<<i) != 0 {
				b.WriteString(text[end:span[0]] + " ")
				end = span[1]
			}
		}
		if stmts := pgsql.Parse(b.String() + text[end:]); !broken(stmts) {
			return stmts
		}
	}
	return nil
}

// valuesOf writes two rows in place of a piece that a caller puts in after
// VALUES: there can be several, of whatever values.
func valuesOf(text string) string {
	g := valuesHole.FindStringSubmatchIndex(text)
	if g == nil {
		return text
	}
	hole := text[g[2]:g[3]]
	one, two := hole, hole+" || ''"
	if cols := insertColumns.FindStringSubmatch(text[:g[0]]); cols != nil {
		n := strings.Count(cols[1], ",")
		one += strings.Repeat(", "+hole, n)
		two += strings.Repeat(", "+hole+" || ''", n)
	}
	return text[:g[0]] + "VALUES (" + one + "), (" + two + ")" + text[g[1]:]
}

var (
	// A list that a caller puts in is of several values.
	inHole = lazyregexp.New(`(?i)\b(NOT\s+)?IN\s*\(\s*__hole\d+__\s*\)`)
	// What stands alone after SET assigns.
	setHole = lazyregexp.New(`(?i)\bSET\s+(__hole\d+__)(\s+(?:WHERE|FROM|RETURNING)\b|\s*[;),]|\s*$)`)
	// The number of a parameter that a caller puts in: some value.
	pieceHole  = lazyregexp.New(`(?i)\b(?:SET|WHERE|AND|OR|VALUES|IN\s*\()\s*__hole\d+__\s*(?:[;),]|$|\b(?:WHERE|AND|OR|FROM|ORDER|GROUP|LIMIT|FOR|RETURNING|ON)\b)`)
	numbered   = lazyregexp.New(`\$\d+`)
	numberHole = lazyregexp.New(`\$(__hole\d+__)`)
	// What the text begins with, or a whole query in it, can be any statement.
	wholeHole = lazyregexp.New(`(?i)^(?:\s|--[^\n]*\n|/\*[^*]*\*/)*__hole\d+__|\b(?:AS|FROM|JOIN)\s*\(\s*__hole\d+__\s*\)`)
	// A hole may be another item of a list, or nothing.
	listedHole = lazyregexp.New(`(?:,\s*)?__hole\d+__`)
	valuesHole = lazyregexp.New(`(?i)\bVALUES\s*(__hole\d+__)(?:\s*,?\s*__hole\d+__)*`)
	// What follows the piece is in the text: it can be nothing but rows.
	onlyRows      = lazyregexp.New(`(?is)\bVALUES\s*__hole\d+__\s+(ON\s+CONFLICT|RETURNING)\b`)
	insertColumns = lazyregexp.New(`(?is)\binsert\s+into\s+[^()]+\(([^()]*)\)\s*$`)
)

var trailingHoles = lazyregexp.New(`(\s*__hole\d+__\s*;?)+\s*$`)

func broken(stmts []pgsql.Stmt) bool {
	for _, s := range stmts {
		if s.Err != nil {
			return true
		}
	}
	return len(stmts) == 0
}
