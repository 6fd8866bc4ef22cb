package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"

	"chela/internal/fault"
)

// Open opens what ref names to be read without holding it in memory, and returns its size. Its bytes have been read once and are those of
// its name.
func (f *Files) Open(ref Ref) (io.ReadCloser, int64, error) {
	if !ref.Valid() {
		return nil, 0, fault.New(fault.Invalid, "%q does not name an artifact; it is artifact: and 64 hex digits.", ref)
	}
	name := string(ref[len(prefix):])
	in, err := os.Open(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fault.New(fault.NotFound, "The artifact %s does not exist.", ref)
	}
	if err != nil {
		return nil, 0, fault.Wrap(err, fault.Unavailable, "The artifact %s cannot be read: %s.", ref, cause(err))
	}
	sum := sha256.New()
	size, err := io.Copy(sum, in)
	if err == nil {
		_, err = in.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = in.Close() // as it was not read
		return nil, 0, fault.Wrap(err, fault.Unavailable, "The artifact %s cannot be read: %s.", ref, cause(err))
	}
	if hex.EncodeToString(sum.Sum(nil)) != name {
		_ = in.Close() // it was only read
		return nil, 0, fault.New(fault.Internal, "The file of %s was changed on disk; restore it from a backup.", ref)
	}
	return in, size, nil
}

// Keep keeps what from gives under the name of its bytes, which ref has to be, without holding it in memory.
func (f *Files) Keep(ref Ref, from io.Reader) error {
	if !ref.Valid() {
		return fault.New(fault.Invalid, "%q does not name an artifact; it is artifact: and 64 hex digits.", ref)
	}
	sum := sha256.New()
	source := &failing{from: io.TeeReader(io.LimitReader(from, MaxSize+1), sum)}
	err := f.take(string(ref[len(prefix):]), source, func() error {
		if hex.EncodeToString(sum.Sum(nil)) != string(ref[len(prefix):]) {
			return fault.New(fault.Invalid, "The bytes of %s are not those of its name.", ref)
		}
		return nil
	})
	if source.err != nil {
		return source.err
	}
	return f.unwritten(err)
}

// failing keeps why a source could not be read.
type failing struct {
	from io.Reader
	err  error
}

func (f *failing) Read(b []byte) (int, error) {
	n, err := f.from.Read(b)
	if err != nil && err != io.EOF { //nolint:errorlint // Read returns it bare
		f.err = err
	}
	return n, err
}
