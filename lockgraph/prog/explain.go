package prog

import "fmt"

func (p *Program) Explain(k string) string {
	f := p.Funcs[k]
	if f == nil {
		return "no " + k
	}
	h := p.handing()
	s := fmt.Sprintln("bears", p.bears[k], "hands", h[k], "lives", p.lives(f, h), "takes", p.takes[k])
	visit(f.Body, func(o *Op) {
		s += fmt.Sprintln("  op", o.Kind, o.ID, o.How, o.Pos.Line, "conn", o.Conn, "val", o.Val, o.Args)
		if o.Kind == OpCall && o.Val != nil && o.Val.Kind == VFunc && h[o.Val.Str] {
			s += "    ^^ hands\n"
		}
	})
	return s
}
