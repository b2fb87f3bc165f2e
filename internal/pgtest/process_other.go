//go:build !linux

package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// A user is whom the server runs as; nil is the user of this process.
type user struct{}

func serverUser() (*user, error) {
	if os.Geteuid() == 0 {
		return nil, errors.New("pgtest: PostgreSQL does not run as root; run the tests as another user or name a running server in " + Env)
	}
	return nil, nil
}

func (u *user) own(string) error { return nil }

func (u *user) run(*exec.Cmd) {}

func launch(cmd *exec.Cmd) (*process, error) {
	p := newProcess(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

func quit(p *os.Process) error { return p.Signal(syscall.SIGQUIT) }
