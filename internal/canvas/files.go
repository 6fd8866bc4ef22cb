package canvas

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the files of a draft, in bytes where they are of texts.
const (
	mostFiles    = 50
	MostFile     = 64 << 10
	mostAllFiles = 256 << 10
	mostFilePath = 200
)

// CheckFile says why a path and a text cannot be a file of a draft. The error is a clause.
func CheckFile(name, text string) error {
	switch {
	case name == "" || len(name) > mostFilePath || !utf8.ValidString(name) || path.IsAbs(name) || path.Clean(name) != name || name == "." || strings.HasPrefix(name, "..") ||
		strings.ContainsAny(name, "\\:") || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("%q names no file of a draft; write a path within it such as templates/report.md", name)
	case len(text) > MostFile:
		return fmt.Errorf("the file %s has %d bytes; it may have %d", name, len(text), MostFile)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return fmt.Errorf("the file %s is no text", name)
	}
	return nil
}

// CheckFiles says why files cannot be those of a draft together. The error is a clause.
func CheckFiles(files map[string]string) error {
	all := 0
	for name, text := range files {
		if err := CheckFile(name, text); err != nil {
			return err
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, both := files[dir]; both {
				return fmt.Errorf("%s is a file and a folder", dir)
			}
		}
		all += len(text)
	}
	switch {
	case len(files) > mostFiles:
		return fmt.Errorf("there would be %d files; a draft has at most %d", len(files), mostFiles)
	case all > mostAllFiles:
		return fmt.Errorf("the files would have %d bytes; those of a draft have at most %d", all, mostAllFiles)
	}
	return nil
}

// write writes a file, over the one that was there.
func (e *editor) write(op Operation) error {
	if op.Content == nil {
		return errors.New("a file has a content, which may be empty")
	}
	if e.files == nil {
		e.files = make(map[string]string)
	}
	e.files[op.Path] = *op.Content
	return CheckFiles(e.files)
}

func (e *editor) erase(name string) error {
	if _, there := e.files[name]; !there {
		return fmt.Errorf("there is no file %s", name)
	}
	delete(e.files, name)
	return nil
}
