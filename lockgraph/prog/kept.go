package prog

import "sort"

// KeptIn returns the fields in which the function that opened a connection
// leaves it, sorted.
func (p *Program) KeptIn(c *Conn) []string {
	if c == nil || c.Opener == nil || c.Opener.Fn == nil || c.Opener.Op == nil {
		return nil
	}
	var out []string
	for field, stores := range p.fields {
		if field == InElement {
			continue
		}
		for _, s := range stores {
			if s.Func == c.Opener.Fn.Key && refersTo(s.Val, map[int]bool{c.Opener.Op.ID: true}, 0) {
				out = append(out, field)
				break
			}
		}
	}
	sort.Strings(out)
	return out
}
