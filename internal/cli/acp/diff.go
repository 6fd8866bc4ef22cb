package acp

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A diff is what becomes of a part of a file.
type diff struct {
	path     string
	old, new string
	fresh    bool // there was no file
}

// A differ reads a unified diff line by line.
type differ struct {
	folder string // in which relative paths begin
	out    []diff
	from   string // the file of the old text
	path   string // of the file whose hunks follow; "" when it is not known
	fresh  bool
	olds   int  // lines of the hunk that are left of the old text
	news   int  // and of the new one
	last   byte // the sort of the line before
}

// diffsOf reads a unified diff: one for each hunk, with the lines that stand in it. What is none of a diff is left out.
func diffsOf(unified, folder string) []diff {
	d := differ{folder: folder}
	for line := range strings.Lines(unified) {
		d.take(line)
	}
	return d.out
}

func (d *differ) take(line string) {
	switch {
	case line[0] == '\\':
		d.endless()
	case (d.olds > 0 || d.news > 0) && d.path != "":
		d.hunk(line)
	case strings.HasPrefix(line, "--- "):
		d.from, d.path, d.fresh = fileIn(line[4:], d.folder), "", strings.TrimSpace(line[4:]) == os.DevNull
	case strings.HasPrefix(line, "+++ "):
		if d.path = fileIn(line[4:], d.folder); d.path == "" { // it is removed
			d.path = d.from
		}
	case strings.HasPrefix(line, "@@ -") && d.path != "":
		if olds, news, ok := counts(line); ok {
			d.olds, d.news = olds, news
			d.out = append(d.out, diff{path: d.path, fresh: d.fresh})
		}
	}
}

// hunk takes a line of the hunk that is read.
func (d *differ) hunk(line string) {
	at := &d.out[len(d.out)-1]
	d.last = line[0]
	switch d.last {
	case '-':
		at.old += line[1:]
		d.olds--
	case '+':
		at.new += line[1:]
		d.news--
	case ' ', '\n':
		text := strings.TrimPrefix(line, " ")
		at.old, at.new = at.old+text, at.new+text
		d.olds, d.news = d.olds-1, d.news-1
	default: // the hunk is cut
		d.olds, d.news = 0, 0
	}
}

// endless takes note that the line before has no end.
func (d *differ) endless() {
	if len(d.out) == 0 {
		return
	}
	at := &d.out[len(d.out)-1]
	if d.last != '+' {
		at.old = strings.TrimSuffix(at.old, "\n")
	}
	if d.last != '-' {
		at.new = strings.TrimSuffix(at.new, "\n")
	}
}

// counts reads how many lines the head of a hunk announces, as in "@@ -1,3 +1,4 @@".
func counts(head string) (olds, news int, ok bool) {
	parts := strings.Fields(head)
	if len(parts) < 3 || len(parts[1]) < 2 || len(parts[2]) < 2 {
		return 0, 0, false
	}
	olds, okOld := count(parts[1][1:])
	news, okNew := count(parts[2][1:])
	return olds, news, okOld && okNew
}

func count(span string) (int, bool) {
	_, said, more := strings.Cut(span, ",")
	if !more {
		return 1, true
	}
	n, err := strconv.Atoi(said)
	return n, err == nil && n >= 0
}

// fileIn is the file that a line of a diff names.
func fileIn(said, folder string) string {
	said, _, _ = strings.Cut(strings.TrimRight(said, "\r\n"), "\t")
	said = strings.TrimSpace(said)
	switch {
	case said == "" || said == os.DevNull:
		return ""
	case filepath.IsAbs(said):
		return filepath.Clean(said)
	case filepath.IsAbs(folder):
		return filepath.Join(folder, said)
	}
	return ""
}
