package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"chela/internal/artifact"
	"chela/internal/fault"
)

// A Writer writes a backup. What is added has to come in the order of the entries: files by their names, tables by their names, the log,
// artifacts by their names.
type Writer struct {
	zip    *gzip.Writer
	tar    *tar.Writer
	at     time.Time
	digest *digest

	manifest Manifest
	rows     *portion // of the table that is written
}

// A portion is rows of a table that are written together.
type portion struct {
	dir   string // of its entries
	head  []byte // the line of its columns
	n     int    // entries before it
	lines bytes.Buffer
}

// NewWriter begins a backup.
func NewWriter(out io.Writer, h Header) (*Writer, error) {
	zip, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	h.Format = Format
	w := &Writer{zip: zip, tar: tar.NewWriter(zip), at: h.At, digest: newDigest()}
	raw, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return w, w.entry(headerName, 0o600, int64(len(raw)), bytes.NewReader(raw))
}

// entry writes one entry, of exactly size bytes.
func (w *Writer) entry(name string, mode, size int64, from io.Reader) error {
	fault.Point("backup of an entry")
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: size, ModTime: w.at.Truncate(time.Second)}
	if err := w.tar.WriteHeader(h); err != nil {
		return fmt.Errorf("write %s to the backup: %w", name, err)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w.tar, sum), io.LimitReader(from, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("write %s to the backup: %w", name, err)
	}
	w.digest.add(name, size, sum.Sum(nil))
	return nil
}

// File adds a file of the data folder.
func (w *Writer) File(f File, size int64, from io.Reader) error {
	if err := CheckName(f.Name); err != nil {
		return err
	}
	mode := int64(0o600)
	if f.Exec {
		mode = 0o700
	}
	w.manifest.Files++
	return w.entry(filesDir+f.Name, mode, size, from)
}

// Table begins the rows of a table, whose name is "" for the log.
func (w *Writer) Table(name string, columns []string) error {
	if err := w.EndRows(); err != nil {
		return err
	}
	head, err := json.Marshal(columns)
	w.rows = &portion{dir: dirOf(name), head: append(head, '\n')}
	return err
}

// dirOf is where the rows of a table are.
func dirOf(table string) string {
	if table == "" {
		return logDir
	}
	return tablesDir + table + "/"
}

// Row adds a row of the table that was begun last.
func (w *Writer) Row(values []any) error {
	p := w.rows
	if p.lines.Len() == 0 {
		p.lines.Write(p.head)
	}
	if err := appendRow(&p.lines, values); err != nil {
		return err
	}
	if p.dir != logDir {
		w.manifest.Rows++
	}
	if p.lines.Len() < portionBytes {
		return nil
	}
	return w.flush()
}

func (w *Writer) flush() error {
	p := w.rows
	if p.lines.Len() == 0 {
		return nil
	}
	p.n++
	err := w.entry(fmt.Sprintf("%s%09d", p.dir, p.n), 0o600, int64(p.lines.Len()), &p.lines)
	if p.lines.Reset(); p.lines.Cap() > 4*portionBytes { // after a row that is large
		p.lines = bytes.Buffer{}
	}
	return err
}

// EndRows ends the rows of the table that was begun last.
func (w *Writer) EndRows() error {
	if w.rows == nil {
		return nil
	}
	err := w.flush()
	w.rows = nil
	return err
}

// Artifact adds an artifact.
func (w *Writer) Artifact(ref artifact.Ref, size int64, from io.Reader) error {
	w.manifest.Artifacts++
	return w.entry(artifactsDir+nameOf(ref), 0o600, size, from)
}

// nameOf is what an artifact's entry is called.
func nameOf(ref artifact.Ref) string {
	_, name, _ := strings.Cut(string(ref), ":")
	return name
}

// Close ends the backup with what it held. What the writer counted itself, it fills in.
func (w *Writer) Close(m Manifest) (Manifest, error) {
	m.Rows, m.Files, m.Artifacts = w.manifest.Rows, w.manifest.Files, w.manifest.Artifacts
	m.Bytes, m.Entries, m.Digest = w.digest.bytes, w.digest.entries, w.digest.sum()
	raw, err := json.Marshal(m)
	if err != nil {
		return m, err
	}
	err = w.entry(manifestName, 0o600, int64(len(raw)), bytes.NewReader(raw))
	if err == nil {
		err = errors.Join(w.tar.Close(), w.zip.Close())
	}
	return m, err
}
