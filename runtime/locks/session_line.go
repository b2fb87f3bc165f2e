package locks

import (
	"slices"
	"sync"

	"github.com/pglockdep/pglockdep/runtime/locks/internal/pin"
)

// lines are the callers of one program that wait for a key, in the order they
// came. Only the first of a line asks the server.
type lines struct {
	mu  sync.Mutex
	all map[pin.Key][]*place
}

// A place is one caller's place in a line.
type place struct {
	lines *lines
	key   pin.Key
	first chan struct{} // closed when the place is the first
	poked chan struct{} // the key may have become free
}

func (l *lines) join(k pin.Key) *place {
	p := &place{lines: l, key: k, first: make(chan struct{}), poked: make(chan struct{}, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[pin.Key][]*place{}
	}
	l.all[k] = append(l.all[k], p)
	if len(l.all[k]) == 1 {
		close(p.first)
	}
	return p
}

func (p *place) leave() {
	l := p.lines
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.all[p.key]
	i := slices.Index(line, p)
	line = slices.Delete(line, i, i+1)
	if len(line) == 0 {
		delete(l.all, p.key)
		return
	}
	l.all[p.key] = line
	if i == 0 {
		close(line[0].first)
	}
}

// poke has the first of k's line ask at once.
func (l *lines) poke(k pin.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if line := l.all[k]; len(line) > 0 {
		select {
		case line[0].poked <- struct{}{}:
		default:
		}
	}
}

func (l *lines) length(k pin.Key) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all[k])
}
