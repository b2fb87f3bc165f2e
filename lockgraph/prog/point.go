package prog

import "github.com/pglockdep/pglockdep/lockgraph"

// A point is a savepoint that SQL text sets on a connection.
type point struct {
	name string
	take int // the first acquisition after it
}

// mark sets a savepoint; take is the number of the next acquisition.
func (c *Conn) mark(name string, take int) {
	root := c.Root()
	if i := root.point(name); i >= 0 && len(root.points) > maxPoints {
		root.points = root.points[:i]
	}
	root.points = append(root.points, point{name, take})
}

// maxPoints bounds how many savepoints of one name a connection has: a loop
// may set one in each turn.
const maxPoints = 16

func (c *Conn) point(name string) int {
	for i := len(c.points) - 1; i >= 0; i-- {
		if c.points[i].name == name {
			return i
		}
	}
	return -1
}

// back rolls back to a savepoint: what was acquired after it until the end of
// the transaction is released (manual of version 15, section 13.3.2), and
// noted as lost. Savepoints stay known when one way gives them up: the walk
// comes to the other ways later.
func (c *Conn) back(name string, sts []*state) []*state {
	root := c.Root()
	i := root.point(name)
	if i < 0 {
		return sts
	}
	from := root.points[i].take
	after := func(t *Take) bool {
		return t.N >= from && t.Conn.Root() == root && t.Scope == lockgraph.Transaction && t.Acq.Family != lockgraph.Mutex
	}
	out := make([]*state, len(sts))
	for j, s := range sts {
		out[j] = s.losing(after).without(after)
	}
	return out
}
