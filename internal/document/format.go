package document

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"chela/internal/pattern"

	"chela/internal/fault"
)

// An opener reads one file and what it holds. Its budgets are shared by all of it.
type opener struct {
	lim      Limits
	rows     int // that may still be kept
	bytes    int // that archives and mails may still unpack to
	members  int // opened so far
	docs     []Doc
	problems []Problem
}

// Bounds of containers.
const (
	maxNesting = 2   // containers inside each other
	maxMembers = 200 // documents of all containers
)

// open reads a file. An error means that nothing of it can be used.
func (o *opener) open(name string, raw []byte, depth int) error {
	if len(raw) > o.lim.Bytes {
		return fault.New(fault.TooLarge, "%s has %d bytes; the limit is %d. Split it.", name, len(raw), o.lim.Bytes)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return fault.New(fault.Invalid, "%s is empty.", name)
	}
	if o.rows <= 0 {
		return fault.New(fault.TooLarge, "%s was left out: the documents before it have %d rows already. Send it on its own.", name, o.lim.Rows)
	}
	ext := strings.ToLower(filepath.Ext(name))
	zip := isZip(raw)
	if zip && !isOffice(raw) || ext == ".eml" && !zip {
		if depth >= maxNesting {
			return fault.New(fault.Invalid, "%s is an archive or a mail %d levels deep, and only %d are opened. Send it on its own.", name, depth+1, maxNesting)
		}
		if zip {
			return o.zip(name, raw, depth)
		}
		return o.mail(name, raw, depth)
	}
	lim := o.lim
	lim.Rows = o.rows
	d, err := readPlain(name, ext, raw, lim)
	if err != nil {
		return err
	}
	for _, t := range d.Tables {
		o.rows -= len(t.Rows)
	}
	o.docs = append(o.docs, d)
	return nil
}

// member reads one document of a container; what it cannot read becomes a problem.
func (o *opener) member(name string, raw []byte, depth int) {
	if err := o.open(name, raw, depth+1); err != nil {
		o.problems = append(o.problems, Problem{name, fault.TextOf(err)})
	}
}

// readPlain reads a file that is no container: by its first bytes when they say what
// it is, else by its name, and by its text when the name says little.
func readPlain(name, ext string, raw []byte, lim Limits) (Doc, error) {
	d := Doc{Name: name}
	picture := isPicture(raw)
	switch {
	case bytes.HasPrefix(raw, []byte(oleMark)):
		return readOLE(d, raw, lim)
	case isZip(raw):
		return readOffice(d, ext, raw, lim)
	case bytes.HasPrefix(raw, []byte("%PDF-")):
		return readPDF(d, raw)
	case picture && (ext == "" || pictureNames[ext]):
		d.Kind = Image
		return d, nil
	case picture:
		return d, fault.New(fault.Invalid, "%s is a picture, although it is named %s. Give it the right ending to keep it as an attachment.", name, ext)
	case pictureNames[ext] || ext == ".xlsx" || ext == ".docx" || ext == ".pdf":
		return d, fault.New(fault.Invalid, "%s is not a %s file, although it is named so: it was cut, or is of another format. Export it again.", name, ext[1:])
	}
	text, problems, err := decode(name, raw)
	if err != nil {
		return d, err
	}
	d.Problems = problems
	return readText(d, ext, text, lim)
}

// readText reads a file of characters.
func readText(d Doc, ext, text string, lim Limits) (Doc, error) {
	markup := markupOf(text)
	switch ext {
	case ".csv", ".tsv", ".tab":
		if markup == HTML {
			return readHTML(d, text, lim)
		}
		return readCSV(d, text, ext, lim)
	case ".xls":
		if _, table := delimiter(text, 2); table && markup == "" {
			return readCSV(d, text, ext, lim)
		}
		if markup == HTML {
			return readHTML(d, text, lim)
		}
		return d, fault.New(fault.Invalid, "%s is not an xls file, although it is named so. Save it as xlsx or csv.", d.Name)
	case ".json", ".jsonl", ".ndjson":
		return readJSON(d, text, lim)
	case ".html", ".htm", ".xhtml":
		return readHTML(d, text, lim)
	case ".doc": // what Jira exports to Word is a page
		if markup == HTML {
			return readHTML(d, text, lim)
		}
	case ".xml", ".rss":
		if markup == HTML {
			return readHTML(d, text, lim)
		}
		return readXML(d, text, lim)
	case ".md", ".markdown":
		d.Kind, d.Text = Markdown, text
		return d.checkText()
	case ".txt", "", ".text", ".log":
		d.Kind = Sniff(text)
		switch d.Kind {
		case CSV:
			return readCSV(d, text, ext, lim)
		case JSON:
			return readJSON(d, text, lim)
		case HTML:
			return readHTML(d, text, lim)
		case XML:
			return readXML(d, text, lim)
		default:
			d.Text = text
			return d.checkText()
		}
	}
	return d, fault.New(fault.Invalid, "%s is of a kind that Chela does not read; it reads %s.", d.Name, readable)
}

var (
	htmlStart = pattern.New(`(?is)^(<\?xml[^>]{0,200}\?>|<!--.*?-->|\s)*<(!doctype\s+html|html|head|body|table|meta|title|style)\b`)
	xmlStart  = pattern.New(`(?s)^\s*(?:<!--.*?-->\s*)*(<\?xml\s|<rss\b|<!DOCTYPE\s)`)
)

// markupOf says whether a text begins as HTML or XML does; else it is empty.
func markupOf(text string) Kind {
	head := text[:min(len(text), 8<<10)]
	switch {
	case htmlStart.MatchString(head):
		return HTML
	case xmlStart.MatchString(head):
		return XML
	}
	return ""
}

// Sniff says what pasted text is. It takes text for a table only when its first
// lines really are one.
func Sniff(text string) Kind {
	trimmed := strings.TrimSpace(text)
	if len(trimmed) > 1 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(trimmed)) {
		return JSON
	}
	if markup := markupOf(text); markup != "" {
		return markup
	}
	if delim, ok := delimiter(text, 3); ok && delim != 0 && !isChat(text) {
		if delim == '|' && inMarkdownTable(text) {
			return Markdown
		}
		return CSV
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "### ") {
			return Markdown
		}
	}
	return Text
}

var (
	// tableRuler divides the names of a Markdown table from its rows, and keyColumn is a name of a tracker's export.
	tableRuler = pattern.New(`^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?\s*$`)
	keyColumn  = pattern.New(`(?i)\|?\s*(?:key|id|issue|issue key|ticket|summary|title|vorgang|schlüssel)\s*\|`)
)

// inMarkdownTable reports a Markdown table that is read with the text around it, as the actions of a meeting are; one with
// keys or titles of tickets is an export.
func inMarkdownTable(text string) bool {
	above := ""
	for line := range strings.Lines(text) {
		if tableRuler.MatchString(line) {
			return !keyColumn.MatchString(above)
		}
		above = line
	}
	return false
}

// chatLine begins a message of an exported chat, whose day and hour a comma divides: "11/24/26, 6:02 PM - Ann: …".
var chatLine = pattern.New(`^[\[\x{200e}]{0,2}\d{1,4}[./-]\d{1,2}[./-]\d{2,4},?\s+\d{1,2}:\d{2}(?::\d{2})?[\s\x{202f}\x{a0}]*(?:[AaPp]\.?[Mm]\.?)?(?:\]|\s+[-–])\s`)

// isChat reports whether two of the first three lines begin messages.
func isChat(text string) bool {
	lines, messages := 0, 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if chatLine.MatchString(line) {
			messages++
		}
		if lines++; lines == 3 {
			break
		}
	}
	return messages >= 2
}

var pictureNames = map[string]bool{".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true}

// isPicture knows png, jpg, gif and webp by their first bytes.
func isPicture(raw []byte) bool {
	for _, mark := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a"} {
		if bytes.HasPrefix(raw, []byte(mark)) {
			return true
		}
	}
	return len(raw) > 12 && string(raw[:4]) == "RIFF" && string(raw[8:12]) == "WEBP"
}
