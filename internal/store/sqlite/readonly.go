package sqlite

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"chela/internal/fault"
	"chela/internal/store"
)

// OpenToRead opens the file at path to be read. One that may not be written, or whose folder may not,
// is copied to the folder for temporary files with what was not yet put into it, and read there;
// closing the store removes the copy.
func OpenToRead(ctx context.Context, path string) (*store.DB, error) {
	if writable(path) {
		return Open(ctx, path)
	}
	folder, err := os.MkdirTemp("", "chela-read-")
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "%s may only be read, and no copy of it can be made.", path)
	}
	to := filepath.Join(folder, filepath.Base(path))
	for _, end := range []string{"", "-wal"} {
		if err := copyFile(path+end, to+end); err != nil && (end == "" || !errors.Is(err, fs.ErrNotExist)) {
			_ = os.RemoveAll(folder) // the copy's error says more
			return nil, fault.Wrap(err, fault.Unavailable, "%s may only be read, and no copy of it can be made in %s.", path, folder)
		}
	}
	b, err := open(ctx, to)
	if err != nil {
		_ = os.RemoveAll(folder) // as above
		return nil, err
	}
	inner := b.closed
	b.closed = func() error { return errors.Join(inner(), os.RemoveAll(folder)) }
	return store.New(b, store.Options{}), nil
}

// writable reports whether the file and its folder may be written.
func writable(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	_ = f.Close() // nothing was written
	probe, err := os.CreateTemp(filepath.Dir(path), ".chela-probe-*")
	if err != nil {
		return false
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name())) == nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // read only
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
