package locks

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A drainedConn is a network connection that, once closed, is read to its end.
//
// PostgreSQL closes its side when the backend's process ends, after it has
// released its locks; closing ours alone says nothing about that.
type drainedConn struct {
	net.Conn
	limit time.Duration

	mu      sync.Mutex
	closing bool
	once    sync.Once
	done    chan struct{} // closed when the connection is
	ended   bool          // the other side was seen to end; read after done
}

// Close ends the outgoing half, and has the incoming half read to its end for
// at most the limit. It does not wait for that, since drivers call it before
// they tell that a connection is broken.
func (c *drainedConn) Close() error {
	c.once.Do(func() {
		c.mu.Lock()
		c.closing = true
		c.Conn.SetDeadline(time.Now().Add(c.limit))
		c.mu.Unlock()
		if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		}
		go func() {
			defer close(c.done)
			_, err := io.Copy(io.Discard, onlyReader{c.Conn})
			c.ended = err == nil || errors.Is(err, syscall.ECONNRESET)
			c.Conn.Close()
		}()
	})
	return nil
}

// onlyReader hides WriteTo.
type onlyReader struct{ io.Reader }

// The deadlines of a driver must not cut the drain short or make it endless.

func (c *drainedConn) SetDeadline(t time.Time) error { return c.deadline(c.Conn.SetDeadline, t) }
func (c *drainedConn) SetReadDeadline(t time.Time) error {
	return c.deadline(c.Conn.SetReadDeadline, t)
}
func (c *drainedConn) SetWriteDeadline(t time.Time) error {
	return c.deadline(c.Conn.SetWriteDeadline, t)
}

func (c *drainedConn) deadline(set func(time.Time) error, t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return nil
	}
	return set(t)
}

// end closes and reports whether the server's end was seen.
func (c *drainedConn) end() bool {
	c.Close()
	<-c.done
	return c.ended
}

// drained returns the drainedConn below c.
func drained(c net.Conn) *drainedConn {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = t.NetConn()
	}
	d, _ := c.(*drainedConn)
	return d
}

// drainingDial wraps the connections of dial, and has the kernel notice a
// dead peer within patience.
func drainingDial(dial pgconn.DialFunc, limit, patience time.Duration) pgconn.DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			probe := max(patience/4, time.Second)
			// Best effort: the heartbeat is what the budget rests on.
			_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: probe, Interval: probe, Count: 3})
			limitUnacknowledged(tcp, patience)
		}
		return &drainedConn{Conn: c, limit: limit, done: make(chan struct{})}, nil
	}
}
