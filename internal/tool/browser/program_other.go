//go:build !linux

package browser

import "os/exec"

func asNobody() bool { return false }

// contain prepares the command of Chromium.
func contain(cmd *exec.Cmd) error {
	dir := profileOf(cmd.Args)
	cmd.Env, cmd.Dir = environment(dir), dir
	return nil
}
