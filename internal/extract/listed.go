package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file finds the tickets that a text lists line by line. What one line says, listline.go reads; whose names stand at the ends of
// lines, listnames.go decides.

const (
	// listedFrom is how many tickets a text lists at least for them to be a list.
	listedFrom = 2
	// maxFields is how many fields the lines of a list may have in all.
	maxFields = 24
)

// ListedTickets reads the tickets that a text lists line by line, each with its key, its title and what is said of it, between bars, in
// brackets, or behind commas and dashes, as a table. A row has the line as it stands; a cell that is empty says nothing. ok is false where
// the text lists none.
func ListedTickets(text string) (header []string, rows []Row, ok bool) {
	found := listedIn(text)
	header = []string{"Key", "Summary"}
	if len(found) == 0 {
		return nil, nil, false
	}
	for i := range found {
		for _, f := range found[i].fields {
			if len(header) < maxFields && !slices.ContainsFunc(header, func(h string) bool { return strings.EqualFold(h, f.name) }) {
				header = append(header, f.name)
			}
		}
	}
	for i := range found {
		t := &found[i]
		cells := []string{t.key, t.title}
		for _, h := range header[2:] {
			cells = append(cells, t.field(h))
		}
		rows = append(rows, Row{Line: t.line, Cells: cells, Said: t.quote})
	}
	return header, rows, true
}

// AroundListed is a text with the lines that [ListedTickets] reads left empty: what is said around them are notes.
func AroundListed(text string) string {
	found := listedIn(text)
	if len(found) == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := range found {
		lines[found[i].line-1] = ""
	}
	return strings.Join(lines, "\n")
}

// listedIn are the lines of a text that list a ticket.
func listedIn(text string) []listLine {
	b := lister{known: make(map[string]bool)}
	for i, raw := range strings.Split(text, "\n") {
		b.line(i+1, strings.TrimRight(raw, " \t\r"))
	}
	b.flush()
	return b.taken()
}

// A run is lines that list tickets, one after the other.
type run struct {
	lines  []listLine
	headed bool // a heading says that they are tickets
	column bool // the heading is that of a column of a board
	others bool // the heading says that they are actions, decisions or the like
}

// A lister reads a text line by line.
type lister struct {
	runs   []run
	now    run
	status string          // that the heading above says
	others int             // lines that say something else and are no heading
	known  map[string]bool // names that lines give for sure
}

// line reads one line.
func (b *lister) line(n int, raw string) {
	trimmed := strings.TrimSpace(raw)
	if trimmed == "" {
		return
	}
	if t, ok := readListLine(raw); ok && len(trimmed) <= maxListLine {
		t.line, t.quote = n, trimmed
		if b.status != "" && t.field("Status") == "" {
			t.fields = append(t.fields, listField{"Status", b.status})
			t.placed = true
		}
		b.now.lines = append(b.now.lines, t)
		return
	}
	if len(b.now.lines) > 0 && (strings.HasPrefix(raw, "  ") || strings.HasPrefix(raw, "\t")) && leftOf(raw) > b.now.lines[len(b.now.lines)-1].indent { // it says more of the ticket above
		return
	}
	b.flush()
	b.now.headed, b.now.others, b.status = listHead(trimmed)
	b.now.column = b.status != ""
	if !b.now.headed {
		b.others++
	}
}

// flush ends the lines that follow one another.
func (b *lister) flush() {
	if len(b.now.lines) > 0 {
		b.runs = append(b.runs, b.now)
	}
	b.now, b.status = run{}, ""
}

// taken are the lines that are tickets: those with fields between bars, when there are two or more, and those that follow one another
// where a heading or most of them say that they are tickets.
func (b *lister) taken() (out []listLine) {
	barred := 0
	for i := range b.runs {
		for _, t := range b.runs[i].lines {
			if t.barred {
				barred++
			}
			for _, name := range nameJoint.Split(t.field("Owner"), -1) {
				b.known[strings.ToLower(name)] = true
			}
		}
	}
	only := b.only()
	for i := range b.runs {
		r := &b.runs[i]
		r.headed = r.headed && !r.column
		r.name(b.known)
		whole := only || r.lists()
		for _, t := range r.lines {
			if t.barred && barred >= listedFrom || whole && t.titled() {
				out = append(out, t)
			}
		}
	}
	return out
}

// only reports a text that is a list of tickets, or a board, and says nothing beside.
func (b *lister) only() bool {
	n := 0
	for i := range b.runs {
		if b.runs[i].others {
			return false
		}
		for j := range b.runs[i].lines {
			t := &b.runs[i].lines[j]
			if first, _ := utf8.DecodeRuneInString(t.title); !t.titled() || unicode.IsLower(first) && !t.told(false) {
				return false
			}
			n++
		}
	}
	return n >= listedFrom && b.others <= 1
}

// clear reports a line with a sign between key and title, which begins as titles do.
func (t *listLine) clear() bool {
	first, _ := utf8.DecodeRuneInString(t.title)
	return t.strong && !unicode.IsLower(first)
}

// lists reports lines that are a list of tickets.
func (r *run) lists() bool {
	n, told, clear := 0, 0, 0
	for i := range r.lines {
		t := &r.lines[i]
		if !t.titled() {
			continue
		}
		n++
		if t.clear() {
			clear++
		}
		if t.told(r.others) {
			told++
		}
	}
	return r.headed && (n >= listedFrom && n*2 >= len(r.lines) || told+clear > 0) || n >= listedFrom && told*2 >= n
}

// told reports a line that says something of its ticket; among actions, that someone has to do it by a day says nothing of a ticket.
func (t *listLine) told(amongActions bool) bool {
	return slices.ContainsFunc(t.fields, func(f listField) bool {
		return !(t.placed && f.name == "Status") && !(amongActions && (f.name == "Owner" || f.name == "Due" || f.name == "URL"))
	})
}

// listHead reports a heading above a list of tickets, whether it says that something else is listed, and the status that it says that
// tickets have, as the columns of a board do.
func listHead(line string) (is, other bool, status string) {
	if strings.HasPrefix(line, "|") || strings.Count(line, " ") > 7 {
		return false, false, ""
	}
	bare := listCount.ReplaceAllString(strings.Trim(line, " #*_:=-–—[]"), "")
	bare = strings.ToLower(strings.Trim(bare, " #*_:"))
	marked := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "*") || strings.HasSuffix(line, ":") || !strings.ContainsAny(line, ".,;:!?")
	switch {
	case !marked || bare == "":
		return false, false, ""
	case slices.Contains(boardColumns, bare):
		return true, false, bare
	}
	return listHeading.MatchString(bare), otherHeading.MatchString(bare), ""
}
