package cli

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// releaseStart gives back the pages of the program's own file that only the start needed:
// code and constants, which the kernel maps again from its cache when they are touched. It
// is done at best: where it cannot be, they stay.
func releaseStart() {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	for line := range bytes.Lines(maps) {
		var from, to uintptr
		var mode, offset, device, node, path string
		if n, err := fmt.Sscanf(string(line), "%x-%x %s %s %s %s %s", &from, &to, &mode, &offset, &device, &node, &path); err != nil || n != 7 || path != exe {
			continue
		}
		if mode == "r-xp" || mode == "r--p" { // never written: nothing is lost
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED)
		}
	}
}
