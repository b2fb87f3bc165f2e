package prog

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// OrderOf returns the columns by which the rows of t's class are locked one
// after the other, by the statement's ORDER BY or by a loop over sorted
// elements; columns that the statement fixes are left out. rest are columns
// of the key by which a loop does not sort. No columns: they come in no
// order, or it is not known.
func (p *Program) OrderOf(t *Take) (columns, rest []string, by *Node) {
	if t.Class.Family != lockgraph.Row {
		return nil, nil, nil
	}
	if t.Acq.Many {
		if strings.HasPrefix(t.Acq.Order, "by ") {
			for _, c := range orderColumns(t.Acq.Order) {
				if !fixed(t, c) {
					columns = append(columns, c)
				}
			}
		}
		return columns, nil, nil
	}
	for _, l := range t.Outlived() {
		if picks(l, t) {
			if by != nil {
				return nil, nil, nil
			}
			by = l
		}
	}
	if by == nil || p.loopOrder(by) != "sorted" {
		return nil, nil, nil
	}
	columns, rest = p.sortedColumns(t, by)
	return columns, rest, by
}

// fixed reports whether the statement of t gives the column one value.
func fixed(t *Take, column string) bool {
	name, _, _ := strings.Cut(column, " ")
	return slices.ContainsFunc(t.Acq.Row, func(c Col) bool { return c.Name == name && c.Val != nil && c.Val.Kind != VSQLCol })
}

// sortedColumns returns the columns of t's row that are given what the
// elements of a loop are sorted by, and the columns given other parts of the
// element; none when what they are sorted by is not known to be a column.
func (p *Program) sortedColumns(t *Take, l *Node) (columns, rest []string) {
	keys := sortKeys(l.Val, 0)
	if keys == nil || t.Inst == nil {
		return nil, nil
	}
	at := map[string]string{}
	for _, eq := range t.Inst.Of {
		if eq.Kind != VEq || len(eq.Of) != 2 || eq.Of[0].Kind != VSQLCol {
			continue
		}
		name := eq.Of[0].Str[strings.LastIndexByte(eq.Of[0].Str, '.')+1:]
		if path, ok := pathIn(eq.Of[1], l); ok {
			at[path] = name
		}
	}
	for _, k := range keys {
		path, desc := strings.CutSuffix(k, " desc")
		name, ok := at[path]
		if !ok {
			return nil, nil
		}
		if desc {
			name += " desc"
		}
		columns = append(columns, name)
		delete(at, path)
	}
	for _, name := range at {
		rest = append(rest, name)
	}
	slices.Sort(rest)
	return columns, rest
}

// sortKeys returns by what the elements of v are sorted, nil when that is
// not known.
func sortKeys(v *Val, depth int) []string {
	if v == nil || depth > 10 {
		return nil
	}
	switch v.Kind {
	case VApply:
		switch v.Str {
		case "slices.Sorted":
			return []string{"."}
		case "sorted":
			if len(v.Of) < 2 {
				return nil
			}
			text, _ := v.Of[1].AsText()
			if text == "" || strings.Contains(text, "?") {
				return nil
			}
			return strings.Split(text, ", ")
		case "slices.Compact", "slices.Clone":
			return sortKeys(v.Of[0], depth+1)
		}
	case VList:
		if ascends(v) {
			return []string{"."}
		}
	case VIface, VHandle:
		return sortKeys(v.Of[0], depth+1)
	case VResult:
		if len(v.Of) == 1 {
			return sortKeys(v.Of[0], depth+1)
		}
	}
	return nil
}

// pathIn returns which part of the element of a loop v is: "." for the
// element itself.
func pathIn(v *Val, l *Node) (string, bool) {
	path := ""
	for v != nil {
		v = bare(v)
		switch v.Kind {
		case VField:
			path = "." + v.Str[strings.LastIndexByte(v.Str, '.')+1:] + path
			v = v.Of[0]
			continue
		case VElem:
			if walked := walkedBy(l.Val); walked == nil || !Equal(walkedBy(v.Of[0]), walked) {
				return "", false
			}
			if path == "" {
				path = "."
			}
			return path, true
		}
		return "", false
	}
	return "", false
}
