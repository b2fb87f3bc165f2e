package docgen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// arms joins the arms that do the same and drops what only repeats.
func (t *teller) arms(s *lockgraph.Step) (told []lockgraph.Arm, texts []string, empty bool) {
	for _, a := range s.Arms {
		text := t.inline(a.Steps)
		if text == "" {
			empty = true
			continue
		}
		if i := slices.Index(texts, text); i >= 0 {
			switch {
			case told[i].When == "" || a.When == "":
				told[i].When = ""
			case a.When != told[i].When:
				told[i].When += " or " + when(a.When)
			}
			continue
		}
		texts = append(texts, text)
		told = append(told, lockgraph.Arm{When: when(a.When), Steps: a.Steps})
	}
	return told, texts, empty
}

// keyword matches a word of SQL in a condition.
var keyword = lazyregexp.New(`\b(NOT|AND|OR|IS|IN|NULL|FOUND|EXISTS)\b`)

// untyped matches an expression that holds a value of code with errors.
var untyped = lazyregexp.New(`\bunknown \d+\b`)

// when writes a condition: code as code, words as words.
func when(cond string) string {
	cond = strings.TrimSpace(cond)
	if untyped.MatchString(cond) || cond == "select" {
		return ""
	}
	if cond == "" || strings.Contains(cond, "`") {
		return cond
	}
	if impl := implementations(cond); len(impl) > 0 {
		return strings.Join(impl, " or ") + " runs"
	}
	// The other arm of IF NOT x is x.
	if x, ok := strings.CutPrefix(cond, "not (NOT "); ok && strings.HasSuffix(x, ")") && !strings.ContainsAny(strings.TrimSuffix(x, ")"), " ()") {
		cond = strings.TrimSuffix(x, ")")
	}
	switch strings.ToLower(cond) {
	case "else", "otherwise", "default":
		return "otherwise"
	}
	if strings.ContainsAny(cond, "=<>!&|(){}[]\"_.") || !strings.Contains(cond, " ") || keyword.MatchString(cond) {
		return code(cond)
	}
	return cond
}

// implementations are the methods of a condition that says which of several
// runs: "by (*T).M or by (*U).M".
func implementations(cond string) []string {
	var out []string
	for _, part := range strings.Split(cond, " or ") {
		impl, ok := strings.CutPrefix(part, "by ")
		if !ok || strings.Contains(impl, " ") {
			return nil
		}
		out = append(out, code(strings.NewReplacer("(*", "", "(", "", ")", "").Replace(impl)))
	}
	return out
}

// caseOf opens the n-th arm of a branch; the last one takes what is left.
func caseOf(cond string, n int, last bool) string {
	switch {
	case cond == "otherwise", cond == "" && n > 0 && last:
		return "otherwise"
	case cond == "" && n == 0:
		return "in some cases"
	case cond == "":
		return "in others"
	case strings.HasPrefix(cond, "in "):
		return cond
	case len(cond) > longCondition && n == 0:
		return "in some cases"
	case len(cond) > longCondition:
		return "in others"
	}
	return "when " + cond
}

func (t *teller) branch(s *lockgraph.Step) string {
	told, texts, empty := t.arms(s)
	switch {
	case len(told) == 0:
		return "nothing more"
	case len(told) == 1 && !empty:
		return texts[0]
	case len(told) == 1 && single(texts[0]):
		return onlyWhen(told[0].When) + ", " + texts[0]
	case len(told) == 1:
		return onlyWhen(told[0].When) + " [" + texts[0] + "]"
	}
	var arms []string
	for i, a := range told {
		arms = append(arms, caseOf(a.When, i, i == len(told)-1 && !empty)+" "+texts[i])
	}
	if empty {
		arms = append(arms, "otherwise nothing")
	}
	return "one of [" + strings.Join(arms, "; ") + "]"
}

func onlyWhen(cond string) string {
	switch {
	case cond == "" || len(cond) > longCondition:
		return "only in some cases"
	case cond == "otherwise":
		return "only in the other cases"
	}
	return "only when " + cond
}

// longCondition is how many letters of a condition a reader follows.
const longCondition = 160

func (t *teller) loopHead(s *lockgraph.Step) string {
	over, turns := loopOver(strings.TrimSpace(s.Over))
	switch {
	case s.Order == "" && (turns || s.Over == "" && t.b.routine(s) == ""):
		return over
	case s.Order == "" && s.Each == "given":
		return over + ", in the order it has"
	}
	return over + ", " + orderText(s.Order)
}

// loopOver words what a loop runs over, after "for each"; turns says that it
// has no elements, only turns.
func loopOver(over string) (text string, turns bool) {
	if over == "" {
		return "turn of a loop", false
	}
	if untyped.MatchString(over) {
		return "element of a list", false
	}
	if strings.HasPrefix(over, "[") && strings.Contains(over, "{") {
		return "element of a list that the code spells out", false
	}
	e, err := parser.ParseExpr(over)
	if err != nil && !strings.ContainsAny(over, "()[]{}<>=") {
		return over, false // a person's words
	}
	if err != nil {
		return "element of " + code(over), false
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.INT {
			return "of " + over + " turns", true
		}
	case *ast.BinaryExpr:
		return "turn while " + code(over), true
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return "turn while " + code(over), true
		}
	case *ast.Ident:
		if strings.ToLower(over) == over {
			return "of " + code(over), false
		}
	}
	return "element of " + code(over), false
}

// txHead names a transaction, or a pinned connection, with the word that leads
// to it: its kind, its handle and its bound.
func (t *teller) txHead(s *lockgraph.Step, second bool) string {
	what, lead, article := "transaction", "in ", "a"
	switch s.Handle {
	case "caller":
		if t.b.ofSession(s) {
			return "on the caller's connection"
		}
		switch s.What {
		case "":
		case orNone:
			return "inside the caller's transaction, where there is one"
		default:
			return "inside the caller's transaction (by itself when " + s.What + ")"
		}
		return "inside the caller's transaction"
	case "savepoint":
		what = "savepoint"
	case lockgraph.HandleConn:
		what, lead = "pinned connection", "on "
	}
	if s.Kind != "" && s.Handle != "savepoint" && !t.b.isPlain(s.Kind) {
		name := t.fn(s.Kind)
		what = code(name) + " " + what
		if strings.ContainsRune("aeiouAEIOU", []rune(name)[0]) {
			article = "an"
		}
	}
	within := s.Handle != "savepoint" // another transaction or connection, while one is there
	conn := s.Handle == lockgraph.HandleConn
	switch {
	case t.open && within && !conn:
		article = "a second"
	case second || t.pinned && conn:
		article = "another"
	}
	text := lead + article + " " + what
	var more []string
	if s.Handle == eitherTx && !t.b.joinsByKind(s) {
		more = append(more, "the caller's when "+s.What)
	}
	if s.Timeout != "" && (s.Kind == "" || !t.b.boundByKind(s)) {
		more = append(more, "waits bounded by "+s.Timeout)
	}
	if s.End == "rollback" && !conn {
		more = append(more, "always rolled back")
	}
	switch {
	case t.open && conn:
		more = append(more, "while the transaction is open")
	case t.open && within:
		more = append(more, "while the first is open")
	case t.pinned && within:
		more = append(more, "while the connection is pinned")
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}
