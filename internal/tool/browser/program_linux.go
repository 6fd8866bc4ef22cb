package browser

import (
	"os"
	"os/exec"
	"syscall"
)

// nobody is the user that Chromium runs as when the daemon is root: its own sandbox does
// not hold root.
const nobody = 65534

func asNobody() bool { return os.Geteuid() == 0 }

// contain prepares the command of Chromium: it ends with the daemon, and is never root.
func contain(cmd *exec.Cmd) error {
	dir := profileOf(cmd.Args)
	cmd.Env, cmd.Dir = environment(dir), dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if !asNobody() {
		return nil
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	return os.Chown(dir, nobody, nobody)
}
