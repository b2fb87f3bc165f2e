// Package pop has the signatures of the library, to be analysed and not run.
package pop

type Tx struct{}

type Connection struct{ TX *Tx }

type Query struct{}

func (c *Connection) Transaction(fn func(*Connection) error) error { return fn(c) }
func (c *Connection) RawQuery(string, ...any) *Query               { return &Query{} }
func (q *Query) First(any) error                                   { return nil }
func (q *Query) ExecWithCount() (int, error)                       { return 0, nil }
