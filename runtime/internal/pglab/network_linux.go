package pglab

import (
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
)

// A Network is a namespace that reaches this machine over one wire.
type Network struct {
	Here string // this machine's address on the wire

	t          testing.TB
	ip         string
	name, wire string
}

var networks atomic.Int32

// NewNetwork makes a namespace with a wire of its own. It needs root.
func NewNetwork(t testing.TB) *Network {
	t.Helper()
	n := &Network{t: t, ip: program(t, "ip", "iproute2")}
	i := int(networks.Add(1))
	id := fmt.Sprintf("%d-%d", os.Getpid()%100000, i)
	n.name, n.wire = "pglab-"+id, "pl"+id
	subnet := fmt.Sprintf("10.%d.%d.", 201+os.Getpid()>>8%50, (os.Getpid()+i)%250)
	n.Here = subnet + "1"
	if out, err := exec.Command(n.ip, "netns", "add", n.name).CombinedOutput(); err != nil {
		// Not a program that somebody forgot, but what the kernel grants.
		t.Skipf("this machine grants no network namespaces (root with CAP_SYS_ADMIN has them): %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command(n.ip, "netns", "del", n.name).Run() })
	n.do("link", "add", n.wire, "type", "veth", "peer", "name", "eth0", "netns", n.name)
	t.Cleanup(func() { exec.Command(n.ip, "link", "del", n.wire).Run() })
	n.do("addr", "add", n.Here+"/30", "dev", n.wire)
	n.do("link", "set", n.wire, "up")
	n.do("-n", n.name, "addr", "add", subnet+"2/30", "dev", "eth0")
	n.do("-n", n.name, "link", "set", "eth0", "up")
	n.do("-n", n.name, "link", "set", "lo", "up")
	return n
}

func (n *Network) do(args ...string) {
	n.t.Helper()
	if out, err := exec.Command(n.ip, args...).CombinedOutput(); err != nil {
		n.t.Fatalf("ip %v: %v: %s", args, err, out)
	}
}

// Command returns a command that runs inside the namespace.
func (n *Network) Command(name string, args ...string) *exec.Cmd {
	return exec.Command(n.ip, append([]string{"netns", "exec", n.name, name}, args...)...)
}

// Cut takes the wire away: packets are lost in both directions, and neither
// side is told.
func (n *Network) Cut() { n.do("-n", n.name, "link", "set", "eth0", "down") }

// Heal puts the wire back.
func (n *Network) Heal() { n.do("-n", n.name, "link", "set", "eth0", "up") }
