//go:build unix

package files

import (
	"io/fs"
	"syscall"
)

// names returns how many names a file has.
func names(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink) //nolint:unconvert // the type differs between systems
	}
	return 1
}
