package locks

import (
	"net"
	"syscall"
	"time"
)

// limitUnacknowledged sets TCP_USER_TIMEOUT (tcp(7)), after which data that
// the peer does not acknowledge breaks the connection.
func limitUnacknowledged(c *net.TCPConn, d time.Duration) {
	const tcpUserTimeout = 18
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(d.Milliseconds()))
		})
	}
}
