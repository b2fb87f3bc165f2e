package locks

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// firstWatch is how old a lock is when its connection is first watched.
const firstWatch = 2 * time.Millisecond

// keep owns the connection: it watches it, proves it with heartbeats, and
// lends it to those who ask. It ends when the lock is released or lost.
func (s *Session) keep() {
	defer close(s.done)
	// Many locks are released at once; for those a watch costs more than the
	// lock.
	brief := time.NewTimer(firstWatch)
	select {
	case <-s.wake:
	case <-brief.C:
	}
	brief.Stop()
	for !s.isCut() {
		ctx, a := s.next()
		if a != nil {
			if !s.lend(a) {
				return
			}
		} else if err := s.listen(ctx); err != nil {
			_ = s.lose(err)
		}
		if s.isLost() {
			s.ended = s.m.destroy(s.ctx, s.conn, s.key, context.Cause(s.ctx), false)
			s.m.lines.poke(pinKey(s.key))
			return
		}
	}
}

// next returns the first who asks for the connection, else the context of
// one watch.
func (s *Session) next() (context.Context, *ask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.asks) > 0 {
		a := s.asks[0]
		s.asks = s.asks[1:]
		if !a.gone {
			s.user = a
			return nil, a
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), max(time.Until(s.confirmed.Add(s.m.cfg.Heartbeat)), 0))
	s.interrupt = cancel
	return ctx, nil
}

// listen watches the connection until somebody asks for it or a heartbeat is
// due, which it makes.
func (s *Session) listen(ctx context.Context) error {
	err := s.conn.Watch(ctx)
	due := errors.Is(ctx.Err(), context.DeadlineExceeded)
	s.mu.Lock()
	s.interrupt()
	s.interrupt = nil
	s.mu.Unlock()
	if err != nil || !due {
		return err
	}
	begun := time.Now()
	limit := s.confirmedAt().Add(s.m.cfg.Trust)
	ping, cancel := context.WithDeadline(context.Background(), limit)
	defer cancel()
	if err := s.conn.Ping(ping); err != nil {
		if ping.Err() != nil {
			return fmt.Errorf("no answer from the server for %v", s.m.cfg.Trust)
		}
		return err
	}
	s.confirm(begun)
	return nil
}

// lend hands the connection to a and reports whether it came back.
func (s *Session) lend(a *ask) bool {
	close(a.granted)
	select {
	case <-a.back:
	case <-s.cut:
		return false
	}
	if a.last {
		return false
	}
	if s.conn.Closed() && !s.isLost() {
		_ = s.lose(errors.New("its connection was closed"))
	}
	return true
}

// borrow waits for the connection.
func (s *Session) borrow(ctx context.Context, tx bool) (*ask, error) {
	a := &ask{granted: make(chan struct{}), back: make(chan struct{}), tx: tx}
	s.mu.Lock()
	if s.over != nil {
		defer s.mu.Unlock()
		return nil, s.over
	}
	s.asks = append(s.asks, a)
	select {
	case s.wake <- struct{}{}:
	default:
	}
	if s.interrupt != nil {
		s.interrupt()
	}
	s.mu.Unlock()
	select {
	case <-a.granted:
		return a, nil
	case <-s.ctx.Done():
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-a.granted: // at the same moment
		return a, nil
	default:
	}
	a.gone = true
	if s.over != nil {
		return nil, s.over
	}
	return nil, fmt.Errorf("locks: the connection of %v is in use: %w", s.key, context.Cause(ctx))
}

func (s *Session) giveBack(a *ask) {
	s.mu.Lock()
	s.user = nil
	s.mu.Unlock()
	close(a.back)
}

// end gives the connection back for good.
func (s *Session) end(a *ask) {
	a.last = true
	close(a.back)
}

// openTx reports whether a transaction has the connection.
func (s *Session) openTx() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.user != nil && s.user.tx
}

func (s *Session) confirm(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.confirmed = t
}

func (s *Session) confirmedAt() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.confirmed
}

// finish closes the door of the connection, the first reason counts.
func (s *Session) finish(why error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over == nil {
		s.over = why
		s.drop()
		s.cancel(why)
	}
	return s.over
}

// lose tells everybody that the lock is gone.
func (s *Session) lose(why error) error {
	err := fmt.Errorf("%w: %v: %w", ErrLost, s.key, why)
	s.mu.Lock()
	first := s.over == nil
	if first {
		s.over = err
		s.drop()
		close(s.lost)
		s.cancel(err)
	}
	err = s.over
	s.mu.Unlock()
	if first {
		s.event(Lost, err)
	}
	return err
}

func (s *Session) isLost() bool { return isClosed(s.lost) }

func (s *Session) isCut() bool { return isClosed(s.cut) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
