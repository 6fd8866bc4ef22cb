package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A Bound is a file or folder on which a call depends that was asked about: what is approved
// is the call with this, as it was when the question was put.
type Bound struct {
	Path string `json:"path"`              // as the call names it
	Real string `json:"real,omitempty"`    // where its links lead; "" when it is not there
	Sum  string `json:"content,omitempty"` // SHA-256 of what is in a file
}

// mostBytes is how much of a file is read for its sum. A larger one is known by its size and
// by when it was changed, too.
const mostBytes = 64 << 20

// Identify says what is at a path now. Only regular files are opened.
func Identify(path string) Bound {
	b := Bound{Path: path}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return b
	}
	b.Real = real
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		return b
	}
	f, err := os.Open(real) //nolint:gosec // what is read is only summed
	if err != nil {
		return b
	}
	defer f.Close() //nolint:errcheck // read only
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, mostBytes)); err != nil {
		return b
	}
	if info.Size() > mostBytes {
		_, _ = fmt.Fprintf(sum, "%d %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)) // a sum takes everything
	}
	b.Sum = hex.EncodeToString(sum.Sum(nil))
	return b
}

// RealFolder is where the call works, with the links followed as they were when it was asked.
func (a Asked) RealFolder() string {
	for _, b := range a.Bound {
		if b.Path == a.Folder && b.Real != "" {
			return b.Real
		}
	}
	return a.Folder
}

// Differ says in a sentence what is not any more as it was; "" when all is.
func Differ(then, now []Bound) string {
	for i, was := range then {
		if i >= len(now) || now[i].Path != was.Path {
			return was.Path + " is not what the call depends on any more."
		}
		switch is := now[i]; {
		case is == was:
		case is.Real == "":
			return was.Path + " is not there any more."
		case was.Real == "":
			return was.Path + " was not there when a person was asked."
		case is.Real != was.Real:
			return fmt.Sprintf("%s leads to %s now; when a person was asked it led to %s.", was.Path, is.Real, was.Real)
		default:
			return was.Path + " has changed since a person was asked."
		}
	}
	if len(now) > len(then) {
		return now[len(then)].Path + " was not asked about."
	}
	return ""
}
