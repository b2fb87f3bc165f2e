package pgsql

import "sync"

// A cache keeps results by text in two generations: when the young one is
// full it becomes the old one, and the old one is dropped. It holds at most
// twice limit texts.
type cache[T any] struct {
	mu         sync.Mutex
	young, old map[string]T
	bytes      int
}

const (
	limit      = 4096
	limitBytes = 8 << 20
)

var (
	memo   cache[result]
	bodies cache[body] // of PL/pgSQL
)

type body struct {
	block *Block
	err   error
}

func (c *cache[T]) get(text string) (T, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.young[text]
	if !ok {
		if r, ok = c.old[text]; ok {
			c.add(text, r)
		}
	}
	return r, ok
}

func (c *cache[T]) put(text string, r T) {
	if len(text) > limitBytes/8 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(text, r)
}

func (c *cache[T]) add(text string, r T) {
	if c.young == nil || len(c.young) >= limit || c.bytes+len(text) > limitBytes {
		c.old, c.young, c.bytes = c.young, make(map[string]T, len(c.young)), 0
	}
	c.young[text] = r
	c.bytes += len(text)
}
