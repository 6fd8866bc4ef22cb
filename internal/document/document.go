// Package document turns bytes into text and tables. What cannot be read is told in
// one sentence with its place; what can be read is kept.
package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"chela/internal/fault"
)

// A Kind is what a document is.
type Kind string

// The kinds.
const (
	CSV      Kind = "csv" // with any delimiter
	XLSX     Kind = "xlsx"
	JSON     Kind = "json"
	Markdown Kind = "markdown"
	Text     Kind = "text"
)

// A Doc is a document that was read. Text kinds have Text, normalised to UTF-8 and
// "\n"; the others have tables.
type Doc struct {
	Name     string
	Kind     Kind
	Text     string
	Tables   []Table
	Problems []Problem
}

// A Table is one sheet.
type Table struct {
	Sheet  string
	Header []string
	Rows   []Row
}

// A Row is one record; Line is where it begins in the source, from 1.
type Row struct {
	Line  int
	Cells []string
}

// A Problem is something that could not be read, and where.
type Problem struct {
	Where string // "line 41", "byte 200123"
	Text  string // a sentence
}

func (p Problem) String() string { return p.Where + ": " + p.Text }

// Limits bound what is read. Zero fields mean the default.
type Limits struct {
	Bytes int // of a file; 0 means 64 MiB
	Rows  int // of all its tables; 0 means 200,000
}

func (l Limits) fill() Limits {
	if l.Bytes == 0 {
		l.Bytes = 64 << 20
	}
	if l.Rows == 0 {
		l.Rows = 200_000
	}
	return l
}

// Read reads a document. An error means that nothing of it can be used; it is a
// sentence that names the document.
func Read(name string, raw []byte, lim Limits) (Doc, error) {
	lim = lim.fill()
	d := Doc{Name: name}
	if len(raw) > lim.Bytes {
		return d, fault.New(fault.TooLarge, "%s has %d bytes; the limit is %d. Split it.", name, len(raw), lim.Bytes)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return d, fault.New(fault.Invalid, "%s is empty.", name)
	}
	ext := strings.ToLower(filepath.Ext(name))
	if bytes.HasPrefix(raw, []byte("PK\x03\x04")) {
		if ext != ".xlsx" && ext != "" {
			return d, fault.New(fault.Invalid, "%s is an archive; Chela reads csv, tsv, xlsx, md, txt and json.", name)
		}
		return readXLSX(d, raw, lim)
	}
	text, err := decode(name, raw)
	if err != nil {
		return d, err
	}
	switch ext {
	case ".csv", ".tsv", ".tab":
		return readCSV(d, text, ext, lim)
	case ".xlsx":
		return d, fault.New(fault.Invalid, "%s is not an xlsx file, although it is named so.", name)
	case ".json":
		return readJSON(d, text, lim)
	case ".md", ".markdown":
		d.Kind, d.Text = Markdown, text
		return d.checkText()
	case ".txt", "", ".text", ".log":
		switch Sniff(text) {
		case CSV:
			return readCSV(d, text, ext, lim)
		case JSON:
			return readJSON(d, text, lim)
		case Markdown:
			d.Kind = Markdown
		case Text, XLSX:
			d.Kind = Text
		}
		d.Text = text
		return d.checkText()
	}
	return d, fault.New(fault.Invalid, "%s is of a kind that Chela does not read; it reads csv, tsv, xlsx, md, txt and json.", name)
}

// checkText notes NUL bytes, which no text has.
func (d Doc) checkText() (Doc, error) {
	if i := strings.IndexByte(d.Text, 0); i >= 0 {
		d.Problems = append(d.Problems, Problem{fmt.Sprintf("byte %d", i), fmt.Sprintf("%s has NUL bytes; they were left out.", d.Name)})
		d.Text = strings.ReplaceAll(d.Text, "\x00", "")
	}
	return d, nil
}

// decode finds the encoding: a byte order mark decides, then valid UTF-8, then the
// pattern of UTF-16 without a mark, and else Windows-1252, unless the bytes are no
// text at all.
func decode(name string, raw []byte) (string, error) {
	var enc encoding.Encoding
	switch {
	case bytes.HasPrefix(raw, []byte{0xef, 0xbb, 0xbf}):
		raw = raw[3:]
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}):
		enc = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		enc = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case alternates(raw, 1):
		enc = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case alternates(raw, 0):
		enc = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	if enc == nil {
		if at, bad := controls(raw); bad {
			return "", fault.New(fault.Invalid, "%s is a binary file (byte %d is no text); Chela reads csv, tsv, xlsx, md, txt and json.", name, at)
		}
		if utf8.Valid(raw) {
			return newlines(string(raw)), nil
		}
		enc = charmap.Windows1252
	}
	out, err := enc.NewDecoder().Bytes(raw)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "The characters of %s cannot be decoded; save it as UTF-8.", name)
	}
	return newlines(string(out)), nil
}

// alternates reports whether every other byte, from off, is mostly NUL: Latin text in
// UTF-16.
func alternates(raw []byte, off int) bool {
	n, zero, other := min(len(raw), 4096)&^1, 0, 0
	for i := 0; i < n; i += 2 {
		if raw[i+off] == 0 {
			zero++
		}
		if raw[i+1-off] == 0 {
			other++
		}
	}
	return n >= 8 && zero > n/2*8/10 && other < n/20
}

// controls finds control characters that no text has, when there are too many to be
// an accident.
func controls(raw []byte) (at int, bad bool) {
	n, count := min(len(raw), 64<<10), 0
	at = -1
	for i, c := range raw[:n] {
		if c < 9 || c > 13 && c < 32 && c != 27 {
			if at < 0 {
				at = i
			}
			count++
		}
	}
	return at, count > 3 && count*50 > n
}

func newlines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// Sniff says what pasted text is. It takes text for a table only when its first
// lines really are one.
func Sniff(text string) Kind {
	trimmed := strings.TrimSpace(text)
	if len(trimmed) > 1 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(trimmed)) {
		return JSON
	}
	if delim, ok := delimiter(text, 3); ok && delim != 0 {
		return CSV
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "### ") {
			return Markdown
		}
	}
	return Text
}

func readJSON(d Doc, text string, lim Limits) (Doc, error) {
	d.Kind = JSON
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		where := "the end"
		if se, ok := err.(*json.SyntaxError); ok { //nolint:errorlint // Unmarshal returns it bare
			where = fmt.Sprintf("byte %d", se.Offset)
		}
		return d, fault.Wrap(err, fault.Invalid, "%s is not valid JSON: it cannot be read at %s.", d.Name, where)
	}
	list, ok := v.([]any)
	if m, isMap := v.(map[string]any); isMap {
		for _, key := range []string{"issues", "tickets", "items", "records", "data"} {
			if l, found := m[key].([]any); found {
				list, ok = l, true
				break
			}
		}
	}
	if !ok || len(list) == 0 {
		d.Text = text
		return d, nil
	}
	t, problems := flatten(list, lim.Rows)
	if t.Header == nil {
		d.Text = text
		return d, nil
	}
	d.Tables, d.Problems = []Table{t}, problems
	return d, nil
}

// flatten makes a table of a list of objects; what Jira nests under "fields" is
// lifted, and an object with a name is that name.
func flatten(list []any, limit int) (t Table, problems []Problem) {
	column := make(map[string]int)
	for i, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			problems = append(problems, Problem{fmt.Sprintf("item %d", i+1), "The item is not an object and was left out."})
			continue
		}
		if i >= limit {
			return t, append(problems, Problem{fmt.Sprintf("item %d", i+1), fmt.Sprintf("Only the first %d items were read.", limit)})
		}
		if fields, ok := m["fields"].(map[string]any); ok {
			for k, v := range fields {
				m[k] = v
			}
			delete(m, "fields")
		}
		row := Row{Line: i + 1, Cells: make([]string, len(t.Header))}
		for k, v := range m {
			at, known := column[k]
			if !known {
				at = len(t.Header)
				column[k] = at
				t.Header = append(t.Header, k)
				row.Cells = append(row.Cells, "")
			}
			row.Cells[at] = cell(v)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, problems
}

func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, cell(x))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		for _, key := range []string{"displayName", "name", "value", "key", "title"} {
			if s, ok := v[key].(string); ok {
				return s
			}
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(raw)
	}
	return fmt.Sprint(v)
}
