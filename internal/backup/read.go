package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"chela/internal/artifact"
	"chela/internal/fault"
)

// A Handler takes what is read of a backup, in the order in which it is there. Nothing of it is proven whole before [Read] has returned
// without an error.
type Handler interface {
	Begin(h Header) error
	// File is given a file of the data folder, whose name has been checked.
	File(f File, from io.Reader) error
	// Rows is given a portion of the rows of a table, or of the log, whose name is "".
	Rows(table string, columns []string, rows [][]any) error
	// Artifact is given an artifact. Its bytes are those of its name when from has been read to its end without an error.
	Artifact(ref artifact.Ref, size int64, from io.Reader) error
}

// damaged says what is wrong with a backup that is not whole.
func damaged(cause error, format string, args ...any) error {
	return fault.Wrap(cause, fault.Invalid, "The backup is damaged: "+format, args...)
}

func isCut(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }

// told says what is wrong with bytes that could not be read.
func told(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case fault.KindOf(err) != fault.Internal:
		return err
	case isCut(err):
		return fault.Wrap(err, fault.Invalid, "The backup ends before its end: it was cut off. Take another.")
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.Is(err, tar.ErrHeader):
		return damaged(err, "its bytes are not those that were written. Take another.")
	}
	return err
}

// Read reads a backup from its beginning to its end, and returns what it held. It refuses what is not as a [Writer] writes it.
func Read(from io.Reader, h Handler) (Header, Manifest, error) {
	r := &reader{handler: h, digest: newDigest(), names: make(map[string]bool)}
	err := r.all(from)
	return r.header, r.manifest, err
}

type reader struct {
	handler  Handler
	digest   *digest
	header   Header
	manifest Manifest // as it says itself
	counted  Manifest
	names    map[string]bool // of files, in small letters

	stage int    // of the order of entries
	last  string // name in the stage
	n     int    // portion of the table
}

// The stages, in order.
const (
	atHeader = iota
	atFiles
	atTables
	atLog
	atArtifacts
	atManifest
)

func (r *reader) all(from io.Reader) error {
	in := bufio.NewReaderSize(from, 1<<20)
	if magic, err := in.Peek(2); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		if err != nil && !isCut(err) {
			return err
		}
		return fault.New(fault.Invalid, "The file is no backup of Chela.")
	}
	zip, err := gzip.NewReader(in)
	if err != nil {
		return told(err)
	}
	zip.Multistream(false)
	t := tar.NewReader(zip)
	for {
		e, err := t.Next()
		if err == io.EOF { //nolint:errorlint // Next returns it bare
			break
		}
		if err == nil {
			err = r.entry(e, t)
		} else if r.stage == atHeader && !isCut(err) {
			return fault.Wrap(err, fault.Invalid, "The file is no backup of Chela.")
		}
		if err != nil {
			return told(err)
		}
	}
	if r.stage != atManifest || r.manifest.Digest == "" {
		return told(io.ErrUnexpectedEOF)
	}
	if err := rest(zip, in); err != nil {
		return told(err)
	}
	return nil
}

// rest refuses what comes after the end. A tar ends with zeros.
func rest(zip *gzip.Reader, in *bufio.Reader) error {
	var buf [4096]byte
	for {
		n, err := zip.Read(buf[:])
		if len(bytes.Trim(buf[:n], "\x00")) > 0 {
			return damaged(nil, "something follows its end.")
		}
		if err == io.EOF { //nolint:errorlint // Read returns it bare
			break
		}
		if err != nil {
			return err
		}
	}
	if _, err := in.ReadByte(); err != io.EOF { //nolint:errorlint // as above
		return damaged(err, "something follows its end.")
	}
	return nil
}

// entry reads one entry and hands it on.
func (r *reader) entry(e *tar.Header, from io.Reader) error {
	if e.Typeflag != tar.TypeReg || e.Size < 0 {
		return damaged(nil, "it holds %q, which is no ordinary file.", short(e.Name))
	}
	if e.Name == manifestName {
		return r.end(e, from)
	}
	c := &counted{from: from, sum: sha256.New()}
	if err := r.take(e, c); err != nil {
		return err
	}
	if c.n != e.Size {
		return damaged(nil, "%s was not read to its end.", short(e.Name))
	}
	r.digest.add(e.Name, e.Size, c.sum.Sum(nil))
	return nil
}

// counted counts and digests what is read.
type counted struct {
	from io.Reader
	n    int64
	sum  hash.Hash
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.n += int64(n)
	c.sum.Write(b[:n])
	return n, err
}

// take hands an entry to the handler, by the name that it has.
func (r *reader) take(e *tar.Header, from io.Reader) error {
	dir, name := path.Split(e.Name)
	switch {
	case r.stage == atHeader && e.Name == headerName:
		return r.begin(e, from)
	case r.stage == atHeader:
		return fault.New(fault.Invalid, "The file is no backup of Chela.")
	case strings.HasPrefix(e.Name, filesDir):
		return r.file(e, strings.TrimPrefix(e.Name, filesDir), from)
	case dir == logDir:
		return r.portion(atLog, "", e, from)
	case strings.HasPrefix(dir, tablesDir):
		return r.portion(atTables, strings.TrimSuffix(strings.TrimPrefix(dir, tablesDir), "/"), e, from)
	case dir == artifactsDir:
		return r.artifact(e, name, from)
	}
	return damaged(nil, "it holds %q, which no backup has.", short(e.Name))
}

// reach moves to a stage, in which names rise.
func (r *reader) reach(stage int, name, whole string) error {
	if stage < r.stage || stage == r.stage && name <= r.last {
		return damaged(nil, "%s is not where it belongs, or is there twice.", short(whole))
	}
	r.stage, r.last = stage, name
	return nil
}

func (r *reader) begin(e *tar.Header, from io.Reader) error {
	raw, err := text(e, from)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &r.header); err != nil || r.header.Format < 1 {
		return damaged(err, "what it says of itself cannot be read.")
	}
	if r.header.Format > Format {
		return fault.New(fault.Conflict, "The backup has the form %d, this program knows up to %d: a newer Chela made it (%s). Use that one.", r.header.Format, Format, short(r.header.Version))
	}
	r.stage = atFiles
	return r.handler.Begin(r.header)
}

func text(e *tar.Header, from io.Reader) ([]byte, error) {
	if e.Size > mostText {
		return nil, damaged(nil, "%s has %d bytes; the limit is %d.", short(e.Name), e.Size, mostText)
	}
	return io.ReadAll(from)
}

func (r *reader) file(e *tar.Header, name string, from io.Reader) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := r.reach(atFiles, name, e.Name); err != nil {
		return err
	}
	low := strings.ToLower(name)
	for dir := path.Dir(low); dir != "."; dir = path.Dir(dir) {
		if r.names[dir] {
			return damaged(nil, "%s is a file and a folder.", short(dir))
		}
	}
	r.counted.Files++
	switch {
	case r.names[low]:
		return damaged(nil, "%s is there twice.", short(e.Name))
	case e.Size > mostFile:
		return damaged(nil, "%s has %d bytes; the limit is %d.", short(e.Name), e.Size, mostFile)
	case r.counted.Files > mostFiles:
		return damaged(nil, "it holds more than %d files of the data folder.", mostFiles)
	}
	r.names[low] = true
	return r.handler.File(File{Name: name, Exec: e.Mode&0o100 != 0}, from)
}

var tableName = regexp.MustCompile(`^([a-z][a-z_]{0,60})?$`)

func (r *reader) portion(stage int, table string, e *tar.Header, from io.Reader) error {
	if !tableName.MatchString(table) || stage == atTables && table == "" {
		return damaged(nil, "it holds %q, which no backup has.", short(e.Name))
	}
	if stage != r.stage || table != r.last {
		if stage == atLog && r.stage == atLog {
			return damaged(nil, "%s is not where it belongs.", short(e.Name))
		}
		if err := r.begun(stage, table, e.Name); err != nil {
			return err
		}
	}
	r.n++
	if want := fmt.Sprintf("%s%09d", dirOf(table), r.n); e.Name != want {
		return damaged(nil, "%s stands where %s belongs.", short(e.Name), want)
	}
	if e.Size > mostPortion {
		return damaged(nil, "%s has %d bytes; the limit is %d.", short(e.Name), e.Size, mostPortion)
	}
	columns, rows, err := portionOf(e.Name, from)
	if err != nil {
		return err
	}
	if stage == atLog {
		r.counted.Events += int64(len(rows))
	} else {
		r.counted.Rows += int64(len(rows))
	}
	return r.handler.Rows(table, columns, rows)
}

// begun moves to another table.
func (r *reader) begun(stage int, table, whole string) error {
	if stage > r.stage {
		r.stage, r.last, r.n = stage, table, 0
		return nil
	}
	r.n = 0
	return r.reach(stage, table, whole)
}

// portionOf reads a portion: the line of its columns, and its rows.
func portionOf(name string, from io.Reader) (columns []string, rows [][]any, err error) {
	lines := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := lineOf(lines)
		if err == io.EOF { //nolint:errorlint // lineOf returns it bare
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if columns == nil {
			if err := json.Unmarshal(line, &columns); err != nil || !fit(columns) {
				return nil, nil, damaged(err, "the columns of %s cannot be read.", name)
			}
			continue
		}
		row, err := readRow(line, len(columns))
		if err != nil {
			return nil, nil, damaged(err, "row %d of %s cannot be read.", len(rows)+1, name)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, nil, damaged(nil, "%s holds no row.", name)
	}
	return columns, rows, nil
}

// fit reports whether names can be those of columns.
func fit(columns []string) bool {
	seen := make(map[string]bool)
	for _, c := range columns {
		if c == "" || seen[c] || !tableName.MatchString(c) {
			return false
		}
		seen[c] = true
	}
	return len(columns) > 0 && len(columns) <= 100
}

// lineOf returns the next line, without its end.
func lineOf(in *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(out)+len(part) > mostLine {
			return nil, damaged(nil, "a row has more than %d bytes.", mostLine)
		}
		switch {
		case err == nil && out == nil:
			return part[:len(part)-1], nil
		case err == nil:
			return append(out, part[:len(part)-1]...), nil
		case errors.Is(err, bufio.ErrBufferFull):
			out = append(out, part...)
		case err == io.EOF && len(out)+len(part) == 0: //nolint:errorlint // ReadSlice returns it bare
			return nil, io.EOF
		case err == io.EOF: //nolint:errorlint // as above
			return nil, damaged(err, "a row has no end.")
		default:
			return nil, err
		}
	}
}

func (r *reader) artifact(e *tar.Header, name string, from io.Reader) error {
	ref := artifact.Ref("artifact:" + name)
	if !ref.Valid() {
		return damaged(nil, "it holds %q, which no backup has.", short(e.Name))
	}
	if err := r.reach(atArtifacts, name, e.Name); err != nil {
		return err
	}
	if e.Size > artifact.MaxSize {
		return damaged(nil, "%s has %d bytes; the limit is %d.", short(e.Name), e.Size, artifact.MaxSize)
	}
	r.counted.Artifacts++
	return r.handler.Artifact(ref, e.Size, &proven{from: from, name: name, sum: sha256.New()})
}

// proven ends without an error only after the bytes that the name is made of.
type proven struct {
	from io.Reader
	name string
	sum  hash.Hash
}

func (p *proven) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	p.sum.Write(b[:n])
	if err == io.EOF && hex.EncodeToString(p.sum.Sum(nil)) != p.name { //nolint:errorlint // Read returns it bare
		return n, damaged(nil, "the artifact %s has other bytes than those that it is named by.", p.name)
	}
	return n, err
}

// end reads the manifest and compares it with what was read.
func (r *reader) end(e *tar.Header, from io.Reader) error {
	if r.stage == atHeader || r.stage == atManifest {
		return damaged(nil, "%s is not where it belongs.", manifestName)
	}
	r.stage = atManifest
	raw, err := text(e, from)
	if err != nil {
		return err
	}
	m := &r.manifest
	if err := json.Unmarshal(raw, m); err != nil {
		return damaged(err, "what it held cannot be read.")
	}
	c := r.counted
	have := []int64{c.Events, c.Rows, c.Files, c.Artifacts, r.digest.bytes, r.digest.entries}
	if want := []int64{m.Events, m.Rows, m.Files, m.Artifacts, m.Bytes, m.Entries}; !slices.Equal(have, want) || m.Digest != r.digest.sum() {
		return damaged(nil, "it does not hold what was put into it.")
	}
	return nil
}
