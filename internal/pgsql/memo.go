package pgsql

import "sync"

// A cache keeps results by text in two generations: when the young one is
// full it becomes the old one, and the old one is dropped. It holds at most
// twice limit statements.
type cache struct {
	mu         sync.Mutex
	young, old map[string]result
	bytes      int
}

const (
	limit      = 4096
	limitBytes = 8 << 20
)

var memo cache

func (c *cache) get(text string) (result, bool) {
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

func (c *cache) put(text string, r result) {
	if len(text) > limitBytes/8 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(text, r)
}

func (c *cache) add(text string, r result) {
	if c.young == nil || len(c.young) >= limit || c.bytes+len(text) > limitBytes {
		c.old, c.young, c.bytes = c.young, make(map[string]result), 0
	}
	c.young[text] = r
	c.bytes += len(text)
}
