package sandbox

import (
	"io/fs"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// elsewhere are the kinds of file systems whose files another machine, or a program, may stamp by a clock of its own.
var elsewhere = []int64{unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC, unix.CEPH_SUPER_MAGIC, unix.AFS_SUPER_MAGIC, unix.CODA_SUPER_MAGIC, unix.MSDOS_SUPER_MAGIC}

// plainly opens no link, and does not wait for a pipe.
const plainly = unix.O_NOFOLLOW | unix.O_NONBLOCK

// ownClock reports whether files below a folder are stamped with this machine's clock whenever they change.
func ownClock(path string) bool {
	var st unix.Statfs_t
	return unix.Statfs(path, &st) == nil && !slices.Contains(elsewhere, int64(st.Type)) //nolint:unconvert // its width depends on the machine
}

// tick is the time that a file which changed now would have: the kernel stamps with the last tick of its clock.
func tick() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &t) != nil {
		return 0
	}
	return t.Nano()
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{modified: info.ModTime().UnixNano(), size: info.Size(), mode: info.Mode()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.changed, s.inode = st.Ctim.Nano(), st.Ino
	}
	return s
}
