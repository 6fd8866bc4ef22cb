//go:build unix

package sqlite

import "golang.org/x/sys/unix"

// free returns how many bytes may be written to the disk of a folder.
func free(folder string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil //nolint:gosec,unconvert // the types differ between systems
}
