package prog

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// Orders of the instances that the turns of a loop lock, besides "by COLUMN,
// …" and "sorted".
const (
	turnsNone  = "none"  // another one in each run
	turnsGiven = "given" // as the slice has them
)

// Outlived returns the loops around t, outermost first, that the lock
// outlives: the turns of each hold what the turns before have taken.
func (t *Take) Outlived() []*Node {
	n := 0
	switch t.Scope {
	case lockgraph.Session:
		if t.Conn.How == "pool" || t.Conn.How == "unknown" {
			return nil
		}
		n = len(t.Conn.Root().Loops)
	case lockgraph.Transaction:
		if t.Conn.How == "unknown" && t.Conn.Static != "tx" {
			return nil
		}
		c := t.Conn
		for c.How == "savepoint" && c.Parent != nil {
			c = c.Parent
		}
		if c.Opener == nil && c.How == "param" && c.Static != "tx" && c.Static != "" {
			return nil
		}
		n = len(c.Loops)
	default:
		return nil
	}
	if n >= len(t.Node.Loops) {
		return nil
	}
	return t.Node.Loops[n:]
}

// ElementOf reports whether v is made of what loop l walks.
func ElementOf(v *Val, l *Node) bool { return elementOf(v, l, 0) }

func elementOf(v *Val, l *Node, depth int) bool {
	if v == nil || depth > 16 {
		return false
	}
	walked := walkedBy(l.Val)
	switch v.Kind {
	case VElem:
		if v.Str != "" && isNumber(v.Str) {
			break
		}
		if walked == nil || Equal(walkedBy(v.Of[0]), walked) {
			return true
		}
	case VScan: // a row of the rows walked
		if l.Val != nil && l.Val.Kind == VApply && l.Val.Str == "collected" && len(v.Of) > 0 && Equal(walkedBy(v.Of[0]), walked) {
			return true
		}
	case VHole:
		if l.Op.How == "channel" || l.Op.How == "iterator" {
			return strings.Contains(v.Str, "loop") || strings.HasPrefix(v.Str, "of ") || v.Str == "value" || v.Str == "received from a channel"
		}
	}
	for _, o := range v.Of {
		if elementOf(o, l, depth+1) {
			return true
		}
	}
	return false
}

// MadeOf reports whether the statement of h is given the list that the loop l
// walks, or an element of it in each turn of another loop over it.
func MadeOf(h *Take, l *Node) bool {
	list := walkedBy(l.Val)
	st := statementOf(h.Node)
	if list == nil || list.Kind == VHole || st == nil {
		return false
	}
	return slices.ContainsFunc(h.Node.Loops, func(k *Node) bool { return Equal(walkedBy(k.Val), list) && elementOf(h.Inst, k, 0) }) ||
		slices.ContainsFunc(st.Args, func(a *Val) bool { return Equal(walkedBy(a), list) })
}

// walkedBy follows a value to the container or the rows that it is taken from.
func walkedBy(v *Val) *Val {
	for i := 0; v != nil && i < 16; i++ {
		v = bare(v)
		if v == nil {
			return nil
		}
		if v.Kind == VApply && len(v.Of) > 0 {
			switch v.Str {
			case "collected", "sorted", "slices.Sorted", "slices.SortedFunc", "slices.Compact", "maps.Keys", "maps.Values":
				v = v.Of[0]
				continue
			}
		}
		return v
	}
	return v
}

// turns returns the order in which the turns of the one loop that picks the
// instance of t lock instances: "" when no loop is known to pick it, or
// several do.
func (p *Program) turns(t *Take) string {
	var by *Node
	for _, l := range t.Outlived() {
		if !picks(l, t) {
			continue
		}
		if by != nil {
			return ""
		}
		by = l
	}
	if by == nil {
		return ""
	}
	order := p.loopOrder(by)
	column := t.column()
	switch {
	case order == "sorted":
		if columns, _ := p.sortedColumns(t, by); columns != nil {
			return "by " + strings.Join(columns, ", ")
		}
		return order
	case strings.HasPrefix(order, "by "):
		columns := orderColumns(order)
		if columns[0] == column { // the rest decides between rows that lock one instance
			columns = columns[:1]
		}
		return "by " + strings.Join(columns, ", ")
	case order != "":
		return order
	}
	return p.ownOrder(by)
}

// ownOrder says whether a loop that nothing orders goes by a slice, which has
// an order of its own.
func (p *Program) ownOrder(l *Node) string {
	if l.Op != nil && l.Op.How == "" && l.Val != nil && l.Val.Kind != VHole && l.Val.Kind != VConst && !fromQuery(l.Val) {
		return turnsGiven
	}
	return turnsNone
}

// picks reports whether the turns of l choose the instance of t: by their
// element, or by a row that a statement reads which is given the element and
// nothing else.
func picks(l *Node, t *Take) bool {
	if t.Inst == nil || l.Op == nil || l.Op.How == "forever" {
		return false
	}
	read := readRow(t.Inst)
	if statementOf(l) != nil { // a loop of a function
		return read && l.Val == nil && l.Op.Order != "" || l.Val != nil && elementOf(t.Inst, l, 0)
	}
	if l.Val == nil && l.Op.How == "" {
		return false
	}
	if elementOf(t.Inst, l, 0) {
		return true
	}
	return read && givenElement(statementOf(t.Node), l)
}

// givenElement reports whether all that a statement is given, constants left
// aside, is made of the element of the loop.
func givenElement(st *Node, l *Node) bool {
	if st == nil {
		return false
	}
	given := false
	for _, a := range st.Args {
		switch {
		case elementOf(a, l, 0):
			given = true
		case bare(a).Kind != VConst:
			return false
		}
	}
	return given
}

// readRow reports whether an instance is named by a column of a row that the
// statement itself reads.
func readRow(inst *Val) bool {
	switch inst.Kind {
	case VSQLCol:
		return true
	case VEq:
		return readRow(inst.Of[1])
	}
	return slices.ContainsFunc(inst.Of, readRow)
}

// column returns the column that names the row t locks, "" unless it is one.
func (t *Take) column() string {
	if t.Acq.Family != lockgraph.Row || len(t.Acq.Row) != 1 {
		return ""
	}
	return t.Acq.Row[0].Name
}

var collation = regexp.MustCompile(`(?i)\s+COLLATE\s+("[^"]*"|\S+)`)

// orderColumns returns the columns of "by T.COLUMN COLLATE …, …" by their
// names alone; expressions stay as they are.
func orderColumns(order string) []string {
	order = strings.TrimPrefix(order, "by ")
	if strings.Contains(order, "(") {
		return []string{order}
	}
	columns := strings.Split(collation.ReplaceAllString(order, ""), ", ")
	for i, c := range columns {
		name, rest, _ := strings.Cut(c, " ")
		if j := strings.LastIndexByte(name, '.'); j >= 0 {
			name = name[j+1:]
		}
		columns[i] = strings.TrimSpace(name + " " + rest)
	}
	return columns
}

// FromQuery reports whether v is the rows of a query.
func FromQuery(v *Val) bool { return fromQuery(v) }

// QueryText returns the text of the query whose rows v holds, "" where it is
// not known or one of several.
func QueryText(v *Val) string {
	v = walkedBy(v)
	switch {
	case v.Kind == VScan && len(v.Of) == 1:
		return QueryText(v.Of[0])
	case v.Kind == VApply && v.Str == "query":
		text, ok := v.Of[0].AsText()
		if !ok && v.Of[0].Kind == VConcat { // as the walk binds it
			text, _ = withHoles(v.Of[0].Of)
		}
		return text
	case v.Kind == VChoice:
		text := ""
		for _, o := range v.Of {
			if o.IsNil() {
				continue
			}
			t := QueryText(o)
			if t == "" || text != "" && t != text {
				return ""
			}
			text = t
		}
		return text
	}
	return ""
}

// Returned reports whether what a loop walks are rows that the statement which
// took t returned.
func (t *Take) Returned(v *Val) bool {
	v = walkedBy(v)
	switch {
	case v.Kind == VScan:
		return strings.HasPrefix(v.Str, t.stmt+".")
	case v.Kind == VChoice:
		some := false
		for _, o := range v.Of {
			if !o.IsNil() && !t.Returned(o) {
				return false
			}
			some = some || !o.IsNil()
		}
		return some
	}
	return false
}

func fromQuery(v *Val) bool {
	v = walkedBy(v)
	if v.Kind == VChoice {
		return slices.ContainsFunc(v.Of, fromQuery)
	}
	if v.Kind == VScan && len(v.Of) == 1 {
		return fromQuery(v.Of[0])
	}
	return v.Kind == VApply && v.Str == "query"
}

// looped returns what v is in the turns of a loop over a list, or over one of
// several, in which case inTurn is false: one of them alone is run.
func looped(v *Val) (all []*Val, inTurn bool) {
	switch v.Kind {
	case VElem:
		if all := whole(v); len(all) > 0 {
			return all, true
		}
		if lists := bare(v.Of[0]); lists.Kind == VChoice && !isNumber(v.Str) {
			for _, list := range lists.Of {
				if list = bare(list); list.Kind != VList && !list.IsNil() {
					return nil, false
				}
				all = append(all, list.Of...)
			}
		}
	case VField:
		records, inTurn := looped(bare(v.Of[0]))
		for _, r := range records {
			all = append(all, reduceField(New(VField, v.Str, r)))
		}
		return all, inTurn
	}
	return all, false
}
