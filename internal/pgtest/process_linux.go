package pgtest

import (
	"errors"
	"os"
	"os/exec"
	osuser "os/user"
	"runtime"
	"strconv"
	"syscall"
)

// A user is whom the server runs as; nil is the user of this process.
type user struct{ uid, gid int }

// serverUser returns an unprivileged user when the process is root, since
// PostgreSQL refuses to run as root.
func serverUser() (*user, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := osuser.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil {
			return &user{uid, gid}, nil
		}
	}
	return nil, errors.New("pgtest: PostgreSQL does not run as root, and the machine has neither a user postgres nor nobody")
}

func (u *user) own(dir string) error {
	if u == nil {
		return nil
	}
	return os.Chown(dir, u.uid, u.gid)
}

func (u *user) run(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if u != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(u.uid), Gid: uint32(u.gid)}
	}
}

// launch starts a server that ends with this process, however that ends.
func launch(cmd *exec.Cmd) (*process, error) {
	p := newProcess(cmd)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGQUIT
	started := make(chan error)
	go func() {
		// The signal is sent when the thread that started the process ends,
		// so that thread has to wait for it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	return p, <-started
}

func quit(p *os.Process) error { return p.Signal(syscall.SIGQUIT) }
