// Package artifact keeps large payloads in files named by their content:
// "artifact:<sha256 in hex>". What is there is never changed, so a reference in the
// log stays true.
package artifact

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chela/internal/fault"
)

// A Ref names an artifact.
type Ref string

const prefix = "artifact:"

// MaxSize bounds one artifact, in bytes: what one call of the API may bring.
const MaxSize = 128 << 20

// A Files keeps artifacts below a folder, as 2 hex digits / 64 hex digits.
type Files struct{ root string }

// Open returns the artifacts below root, making the folder when it is missing.
func Open(root string) (*Files, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The folder %s for artifacts cannot be made.", root)
	}
	return &Files{root: root}, nil
}

// At returns the artifacts below root to be read. It makes nothing: without the folder none is there.
func At(root string) *Files { return &Files{root: root} }

// Put keeps b and returns its name. It is on disk, undamaged, when Put returns.
func (f *Files) Put(b []byte) (Ref, error) {
	if len(b) > MaxSize {
		return "", fault.New(fault.TooLarge, "An artifact has at most %d bytes; this one has %d.", MaxSize, len(b))
	}
	sum := sha256.Sum256(b)
	name := hex.EncodeToString(sum[:])
	ref := Ref(prefix + name)
	if _, err := f.Get(ref); err == nil {
		return ref, nil
	}
	if err := f.unwritten(f.take(name, bytes.NewReader(b), func() error { return nil })); err != nil {
		return "", err
	}
	return ref, nil
}

// unwritten says why an artifact was not written.
func (f *Files) unwritten(err error) error {
	if err == nil || fault.KindOf(err) == fault.Invalid {
		return err
	}
	if full := fault.FullDisk(err, f.root); full != nil {
		return full
	}
	return fault.Wrap(err, fault.Unavailable, "The artifact cannot be written below %s: the folder is gone, or may not be written. Bring it back, with what was in it, and try again.", f.root)
}

// take makes the file of a name appear whole or not at all. whole is asked before it appears.
func (f *Files) take(name string, from io.Reader, whole func() error) error {
	path := f.path(name)
	dir := filepath.Dir(path)
	if err := os.Mkdir(dir, 0o700); err == nil {
		err = syncDir(f.root) // the new folder's entry
		if err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	if _, err = io.Copy(tmp, from); err == nil {
		err = whole()
	}
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // our own folder
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Get returns what ref names, checked against its name.
func (f *Files) Get(ref Ref) ([]byte, error) {
	if !ref.Valid() {
		return nil, fault.New(fault.Invalid, "%q does not name an artifact; it is artifact: and 64 hex digits.", ref)
	}
	name := string(ref[len(prefix):])
	b, err := os.ReadFile(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "The artifact %s does not exist.", ref)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The artifact %s cannot be read: %s.", ref, cause(err))
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != name {
		return nil, fault.New(fault.Internal, "The file of %s was changed on disk; restore it from a backup.", ref)
	}
	return b, nil
}

// cause is what an operation on a file failed for, without its path.
func cause(err error) string {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err.Error()
	}
	return err.Error()
}

// Valid reports whether r has the form of a name.
func (r Ref) Valid() bool {
	name, ok := strings.CutPrefix(string(r), prefix)
	raw, err := hex.DecodeString(name)
	return ok && err == nil && len(raw) == sha256.Size && name == strings.ToLower(name)
}

func (f *Files) path(name string) string { return filepath.Join(f.root, name[:2], name) }
