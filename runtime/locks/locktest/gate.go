package locktest

import (
	"context"
	"net"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Gate stands between pgx and the network, and holds back one answer of the
// server. With it a test can cancel a call after the server has granted a
// lock and before the program knows.
type Gate struct {
	mu    sync.Mutex
	armed func()
}

// Watch leads the connections that are made with config through the gate.
func (g *Gate) Watch(config *pgx.ConnConfig) {
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &gatedConn{Conn: c, gate: g}, nil
	}
}

// OnAnswer calls f when the next answer of the server has arrived, before the
// program can read it. If f ends the context of the call, the answer is lost.
func (g *Gate) OnAnswer(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = f
}

func (g *Gate) take() func() {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.armed
	g.armed = nil
	return f
}

type gatedConn struct {
	net.Conn
	gate *Gate

	mu       sync.Mutex
	deadline time.Time
}

// CloseWrite is that of TCP.
func (c *gatedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *gatedConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	c.deadline = t
	c.mu.Unlock()
	return c.Conn.SetDeadline(t)
}

func (c *gatedConn) late() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.deadline.IsZero() && !time.Now().Before(c.deadline)
}

func (c *gatedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n == 0 || err != nil {
		return n, err
	}
	f := c.gate.take()
	if f == nil {
		return n, nil
	}
	f()
	// pgx ends a call by moving the deadline, from another goroutine.
	for range 100 {
		if c.late() {
			return 0, os.ErrDeadlineExceeded
		}
		time.Sleep(time.Millisecond)
	}
	return n, nil
}
