//go:build !linux

package sqlite

import "os"

// syncData returns when what was written to f is on disk.
func syncData(f *os.File) error { return f.Sync() }
