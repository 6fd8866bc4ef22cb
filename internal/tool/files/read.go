package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"chela/internal/document"
	"chela/internal/fault"
	"chela/internal/tool"
)

type readOut struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	From    int    `json:"from_line,omitempty"` // of content, when it is a part
	Lines   int    `json:"lines"`               // of the whole file
	Kind    string `json:"kind,omitempty"`      // of what is not plain text
	Note    string `json:"note,omitempty"`
}

func readFile(_ context.Context, c tool.Call, in readIn) (readOut, error) {
	path, raw, err := Read(c.Folders, in.Path)
	if err != nil {
		return readOut{}, err
	}
	out := readOut{Path: path}
	text, plain := plainText(raw)
	if !plain {
		out.Kind, text, out.Note = describe(path, raw)
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	out.Lines = len(lines)
	if in.Offset < 0 || in.Limit < 0 {
		return out, fault.BadField("offset", "Lines are counted from 1.")
	}
	if in.Offset > 0 || in.Limit > 0 {
		out.From = max(in.Offset, 1)
		lines = lines[min(out.From-1, len(lines)):]
		if in.Limit > 0 {
			lines = lines[:min(in.Limit, len(lines))]
		}
	}
	out.Content = strings.Join(lines, "")
	return out, nil
}

// plainText reports whether raw is text in UTF-8, and returns it without a byte order mark.
func plainText(raw []byte) (string, bool) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	return string(raw), utf8.Valid(raw) && !bytes.ContainsRune(raw, 0)
}

// describe says what a file is that is no plain text, and the text of a document.
func describe(path string, raw []byte) (kind, text, note string) {
	if doc, err := document.Read(filepath.Base(path), raw, document.Limits{}); err == nil && (doc.Text != "" || len(doc.Tables) > 0) {
		return string(doc.Kind), doc.Text + tables(doc), "This is the text of the document, not its bytes."
	}
	sum := sha256.Sum256(raw)
	return "binary", "", "The file is binary: " + strings.TrimPrefix(filepath.Ext(path)+" ", ".") + size(int64(len(raw))) + ", SHA-256 " + hex.EncodeToString(sum[:]) + ". Its bytes are not shown."
}

func tables(d document.Doc) string {
	var b strings.Builder
	for _, t := range d.Tables {
		b.WriteString("\n" + t.Sheet + "\n" + strings.Join(t.Header, "\t") + "\n")
		for _, row := range t.Rows {
			b.WriteString(strings.Join(row.Cells, "\t") + "\n")
		}
	}
	return b.String()
}

type entry struct {
	Name     string    `json:"name"` // a folder's ends with /
	Size     int64     `json:"size,omitempty"`
	Modified time.Time `json:"modified"`
	Link     string    `json:"link,omitempty"` // where a link leads
}

type listOut struct {
	Path    string  `json:"path"`
	Entries []entry `json:"entries"`
	Note    string  `json:"note,omitempty"`
}

// maxEntries bounds a listing.
const maxEntries = 500

func listDirectory(_ context.Context, c tool.Call, in listIn) (listOut, error) {
	p, err := at(c.Folders, in.Path, false)
	if err != nil {
		return listOut{}, err
	}
	defer func() { _ = p.root.Close() }() // only read
	file, info, err := p.open()
	if err != nil {
		return listOut{}, err
	}
	defer func() { _ = file.Close() }() // only read
	if !info.IsDir() {
		return listOut{}, fault.New(fault.Invalid, "%s is a file; read_file reads it.", p.path)
	}
	list, err := fs.ReadDir(p.root.FS(), filepath.ToSlash(p.name))
	if err != nil {
		return listOut{}, refused(err, p.path)
	}
	out := listOut{Path: p.path, Entries: []entry{}}
	for i, e := range list {
		if i == maxEntries {
			out.Note = "The folder has more entries; list its folders, or search_files."
			break
		}
		info, err := e.Info()
		if err != nil {
			continue // gone meanwhile
		}
		next := entry{Name: e.Name(), Size: info.Size(), Modified: info.ModTime().UTC().Truncate(time.Second)}
		switch {
		case e.IsDir():
			next.Name, next.Size = next.Name+"/", 0
		case e.Type()&fs.ModeSymlink != 0:
			next.Link, _ = p.root.Readlink(filepath.Join(p.name, e.Name())) // gone meanwhile
		}
		out.Entries = append(out.Entries, next)
	}
	return out, nil
}
