//go:build chela_fault

package fault

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
)

var (
	passed atomic.Int64
	dieAt  = target()
)

func target() int64 {
	n, _ := strconv.ParseInt(os.Getenv("CHELA_DIE_AT"), 10, 64) // 0 when unset
	return n
}

// Point counts the places where a process may die and, at the one that
// CHELA_DIE_AT numbers, kills the process as a power cut would.
func Point(name string) {
	if n := passed.Add(1); n == dieAt {
		fmt.Fprintf(os.Stderr, "chela: dying at point %d: %s\n", n, name)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// Points returns how many points have been passed.
func Points() int64 { return passed.Load() }
