package prog

import "strconv"

// InPlace is the Str of an OpOpen that makes the handle it is called on the
// transaction, and Session the How of one that makes such a handle of a pool.
const (
	InPlace = "in place"
	Session = "session"
)

// session makes a handle of a pool: until it begins a transaction each of its
// statements runs on the pool.
func (w *walker) session(o *Op, e *env, up *Conn) {
	c := w.newConn(Conn{How: "pool", Static: "pool", Parent: up, Fn: e.fn, session: true})
	e.conns[o.ID] = New(VConn, "#"+strconv.Itoa(c.N))
	e.results[o.ID] = []*Val{New(VHandle, "gorm", e.conns[o.ID]), Nil}
}

// handle resolves a bound handle value in a state. A session that has begun a
// transaction in place is that transaction while it is open.
func (w *walker) handle(h *Val, st *state, e *env, depth int) *Conn {
	c := w.behind(h, st, e, depth)
	if c.begins && st != nil {
		for _, o := range st.open {
			if o.Parent == c && o.inPlace {
				return o
			}
		}
	}
	return c
}
