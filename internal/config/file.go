package config

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"

	"chela/internal/fault"
)

// A File is a file of settings that people edit while the daemon runs. Its path and its name in
// errors ("policy") are set before its first use, and so is how it is parsed. A missing file is
// parsed as an empty one.
type File[T any] struct {
	Path  string
	Name  string
	Parse func(raw []byte) (T, error)
	// Changed is told what was read, and with what error, whenever the file was read; nil tells nobody.
	Changed func(ctx context.Context, raw []byte, value T, err error)

	mu    sync.Mutex // guards the rest; Changed is called with it
	stamp stamp
	value T
	err   error
}

// A stamp tells whether a file has changed.
type stamp struct {
	size int64
	nano int64
	read bool
}

// Now returns what the file has now: it is read again when its size or its time has changed.
func (f *File[T]) Now(ctx context.Context) (T, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now, raw, err := f.look()
	if err != nil {
		var none T
		return none, fault.Wrap(err, fault.Unavailable, "The %s %s cannot be read.", f.Name, f.Path)
	}
	if now == f.stamp {
		return f.value, f.err
	}
	f.stamp = now
	if f.value, f.err = f.Parse(raw); f.err != nil {
		f.err = fault.Wrap(f.err, fault.Invalid, "%s: %s", f.Path, fault.TextOf(f.err))
	}
	if f.Changed != nil {
		f.Changed(ctx, raw, f.value, f.err)
	}
	return f.value, f.err
}

// look returns the stamp of the file, and what is in it when the stamp is another than before.
func (f *File[T]) look() (now stamp, raw []byte, err error) {
	now.read = true
	info, err := os.Stat(f.Path)
	if err == nil {
		now.size, now.nano = info.Size(), info.ModTime().UnixNano()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return now, nil, err
	}
	if now == f.stamp {
		return now, nil, nil
	}
	raw, err = os.ReadFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return now, raw, err
}
