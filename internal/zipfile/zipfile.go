// Package zipfile reads zip files from elsewhere within limits, and writes them so that the same files give the same
// bytes. It touches no disk: a file is its bytes.
package zipfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"chela/internal/fault"
)

// Limits are what a zip file may hold.
type Limits struct {
	What     string // what it is, in a sentence: "bundle"
	Packed   int    // bytes of the zip itself
	Unpacked int    // bytes of all files
	File     int    // bytes of one file
	Files    int
}

// Read returns the files of a zip by their names. It refuses names that lead elsewhere or occur twice, links, and what is
// more than the limits allow. The error is a fault whose sentence names the file.
func Read(raw []byte, most Limits) (map[string][]byte, error) {
	if len(raw) > most.Packed {
		return nil, fault.New(fault.TooLarge, "The %s has %d bytes; the limit is %d.", most.What, len(raw), most.Packed)
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The %s is no zip file, or it is damaged.", most.What)
	}
	if len(z.File) > most.Files {
		return nil, fault.New(fault.TooLarge, "The %s holds %d files; the limit is %d.", most.What, len(z.File), most.Files)
	}
	out := make(map[string][]byte)
	seen, left := make(map[string]bool), most.Unpacked
	for _, f := range z.File {
		if err := Safe(f.Name, f.Mode(), seen, most.What); err != nil {
			return nil, err
		}
		if f.Mode().IsDir() {
			continue
		}
		body, err := unpack(f, min(left, most.File), most.What)
		if err != nil {
			return nil, err
		}
		left -= len(body)
		out[f.Name] = body
	}
	return out, nil
}

// Safe refuses a name that leads elsewhere, a link, and a name that was seen before; it adds the name to seen. what is what
// holds it, in a sentence.
func Safe(name string, mode fs.FileMode, seen map[string]bool, what string) error {
	switch {
	case name == "" || !utf8.ValidString(name) || strings.ContainsAny(name, "\\:\x00") || path.IsAbs(name) || path.Clean(name) != strings.TrimSuffix(name, "/") || strings.HasPrefix(name, ".."):
		return fault.New(fault.Invalid, "The %s names %q, which leads out of it.", what, name)
	case mode&^0o777 != 0 && !mode.IsDir():
		return fault.New(fault.Invalid, "The %s holds %q, which is a link or no plain file.", what, name)
	case seen[strings.ToLower(name)]:
		return fault.New(fault.Invalid, "The %s names %q twice.", what, name)
	}
	seen[strings.ToLower(name)] = true
	return nil
}

func unpack(f *zip.File, limit int, what string) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The file %q of the %s cannot be read.", f.Name, what)
	}
	defer func() { _ = r.Close() }() // read only
	body, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The file %q of the %s is damaged.", f.Name, what)
	}
	if len(body) > limit {
		return nil, fault.New(fault.TooLarge, "The file %q of the %s unpacks to more than %d bytes.", f.Name, what, limit)
	}
	return body, nil
}

// Write returns a zip of files.
func Write(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			return nil, fmt.Errorf("write a zip file: %w", err)
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
