package pglab

import (
	"net"
	"sync"
	"testing"
)

// A Proxy forwards TCP connections to a server until it is told not to. Unlike
// a cut wire, it goes on to acknowledge what either side sends.
type Proxy struct {
	Port int

	to       string
	listener net.Listener
	done     sync.WaitGroup

	mu     sync.Mutex
	thawed *sync.Cond
	frozen bool
	resets int
	conns  map[net.Conn]bool
}

// NewProxy starts a proxy to the address to.
func NewProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Port: l.Addr().(*net.TCPAddr).Port, to: to, listener: l, conns: map[net.Conn]bool{}}
	p.thawed = sync.NewCond(&p.mu)
	p.done.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.Reset()
		p.Thaw()
		p.done.Wait()
	})
	return p
}

func (p *Proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.done.Go(func() { p.serve(in) })
	}
}

func (p *Proxy) serve(in net.Conn) {
	p.mu.Lock()
	for p.frozen {
		p.thawed.Wait()
	}
	resets := p.resets
	p.mu.Unlock()
	out, err := net.Dial("tcp", p.to)
	if err != nil {
		in.Close()
		return
	}
	p.mu.Lock()
	p.conns[in], p.conns[out] = true, true
	if p.resets != resets { // meanwhile
		in.Close()
		out.Close()
	}
	p.mu.Unlock()
	p.done.Go(func() { p.copy(in, out) })
	p.copy(out, in)
}

// copy moves what from sends until one of the two ends.
func (p *Proxy) copy(to, from net.Conn) {
	defer func() {
		to.Close()
		from.Close()
		p.mu.Lock()
		delete(p.conns, to)
		delete(p.conns, from)
		p.mu.Unlock()
	}()
	b := make([]byte, 1<<14)
	for {
		n, err := from.Read(b)
		p.wait()
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *Proxy) wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.frozen {
		p.thawed.Wait()
	}
}

// Freeze holds back everything, in both directions and on new connections.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = true
}

// Thaw forwards again, what was held back first.
func (p *Proxy) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = false
	p.thawed.Broadcast()
}

// Reset ends all connections, without a word of the protocol.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resets++
	for c := range p.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			tcp.SetLinger(0)
		}
		c.Close()
	}
}
