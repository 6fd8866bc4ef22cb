package sqlite

import (
	"errors"
	"os"
	"syscall"
)

// syncData returns when what was written to f is on disk. When f was last changed need not be.
func syncData(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = c.Control(func(fd uintptr) {
		for failed = syscall.EINTR; errors.Is(failed, syscall.EINTR); {
			failed = syscall.Fdatasync(int(fd))
		}
	})
	return errors.Join(err, failed)
}
