package prog

import (
	"fmt"
	"strings"
)

var opNames = [...]string{"none", "open", "sql", "acquire", "release", "end", "set", "call", "go", "defer", "branch", "loop", "exit",
	"break", "continue", "external", "unknown", "wait", "check"}

// String returns the name of the kind as the text form writes it.
func (k OpKind) String() string {
	if int(k) < len(opNames) {
		return opNames[k]
	}
	return "?"
}

// Format returns the text form of a function's lock program: one line an op,
// nested by tabs, the same bytes for the same program.
func Format(f *Func) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func %s params=%d results=%d", f.Key, f.Params, f.Results)
	if f.Exported {
		b.WriteString(" exported")
	}
	if f.Test {
		b.WriteString(" test")
	}
	b.WriteByte('\n')
	formatOps(&b, f.Body, 1)
	for _, s := range f.Sets {
		fmt.Fprintf(&b, "\tset free %d to %s\n", s.Free, s.Val)
	}
	for _, s := range f.Left {
		fmt.Fprintf(&b, "\tleave param %d as %s\n", s.Param, s.Val)
	}
	return b.String()
}

func formatOps(b *strings.Builder, ops []Op, depth int) {
	for i := range ops {
		o := &ops[i]
		b.WriteString(strings.Repeat("\t", depth))
		b.WriteString(o.Kind.String())
		if o.ID != 0 {
			fmt.Fprintf(b, " #%d", o.ID)
		}
		for _, s := range []string{o.How, o.Order, o.Query} {
			if s != "" {
				b.WriteString(" " + s)
			}
		}
		if o.Str != "" {
			fmt.Fprintf(b, " %q", o.Str)
		}
		if o.Conn != nil {
			b.WriteString(" on " + o.Conn.String())
		}
		if o.Val != nil {
			b.WriteString(" " + o.Val.String())
		}
		if len(o.Args) > 0 {
			b.WriteString(" (")
			for i, a := range o.Args {
				if i > 0 {
					b.WriteString(", ")
				}
				b.WriteString(a.String())
			}
			b.WriteByte(')')
		}
		if o.Acq != nil {
			b.WriteString(" " + o.Acq.String())
		}
		if o.Cut != "" {
			b.WriteString(" cut=" + o.Cut)
		}
		b.WriteByte('\n')
		formatOps(b, o.Body, depth+1)
		for j := range o.Arms {
			a := &o.Arms[j]
			fmt.Fprintf(b, "%sarm %q", strings.Repeat("\t", depth+1), a.When)
			if a.Guard != nil {
				b.WriteString(" when " + a.Guard.String())
			}
			b.WriteByte('\n')
			formatOps(b, a.Body, depth+2)
		}
	}
}

// String returns what is taken, how, and by which rule.
func (a *Acq) String() string {
	parts := []string{a.Family}
	if a.Relation != "" {
		parts = append(parts, a.Relation)
	}
	for _, k := range a.Key {
		parts = append(parts, k.String())
	}
	parts = append(parts, a.Mode)
	for _, s := range []string{a.Wait, a.Scope, a.Rule} {
		if s != "" && s != "wait" && s != "transaction" {
			parts = append(parts, s)
		}
	}
	if len(a.Row) > 0 {
		var cols []string
		for _, c := range a.Row {
			cols = append(cols, c.Name+"="+c.Val.String())
		}
		unique := ""
		if a.Unique {
			unique = " unique"
		}
		parts = append(parts, "["+strings.Join(cols, ", ")+unique+"]")
	}
	if a.Implicit {
		parts = append(parts, "implicit")
	}
	if a.Many {
		parts = append(parts, "many", a.Order)
	}
	return strings.Join(parts, " ")
}

// String returns the text form of a trace: its nodes in execution order,
// each acquisition with the classes held before it.
func (t *Trace) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "trace %s\n", t.Entry.Key)
	formatNodes(&b, t.Nodes, 1)
	for _, x := range t.Exits {
		fmt.Fprintf(&b, "\tends %s%s\n", x.Outcome, heldText([]Held{x.Held}))
	}
	return b.String()
}

func formatNodes(b *strings.Builder, nodes []*Node, depth int) {
	for _, n := range nodes {
		b.WriteString(strings.Repeat("\t", depth))
		b.WriteString(n.Kind.String())
		if n.Op != nil {
			fmt.Fprintf(b, " %s:%d", n.Pos.File[strings.LastIndexByte(n.Pos.File, '/')+1:], n.Pos.Line)
		}
		if n.Conn != nil {
			fmt.Fprintf(b, " %s%d", n.Conn.How, n.Conn.N)
		}
		if n.When != "" {
			fmt.Fprintf(b, " when %q", n.When)
		}
		if n.Ends != "" {
			b.WriteString(" " + n.Ends)
		}
		switch n.Kind {
		case OpCall:
			b.WriteString(" " + describe(n.Val))
		case OpUnknown:
			b.WriteString(" " + n.Op.Str)
		case OpSQL:
			if n.Op.Query != "" {
				b.WriteString(" " + n.Op.Query)
			}
		}
		if n.Take != nil && n.Take.Class != nil {
			fmt.Fprintf(b, " %s %s %s again=%s%s", n.Take.Class.ID, n.Take.Mode, n.Take.Scope, n.Take.Again, heldText(n.Held))
		}
		if n.Dead {
			b.WriteString(" leaves")
		}
		b.WriteByte('\n')
		formatNodes(b, n.Kids, depth+1)
	}
}

func heldText(sets []Held) string {
	var out []string
	for _, h := range sets {
		var ids []string
		for _, t := range h {
			ids = append(ids, t.Class.ID+" "+t.Mode)
		}
		out = append(out, "{"+strings.Join(ids, ", ")+"}")
	}
	return " held " + strings.Join(out, " or ")
}
