package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

var (
	tableTag = pattern.New(`(?i)^</?(?:table|thead|tbody|colgroup|col|tr|td|th)\b`)
	htmlCell = pattern.New(`(?is)<t[dh]\b[^<>]*>(.*?)</t[dh]>`)
	anyTag   = pattern.New(`</?[a-zA-Z][^<>]*>`)
)

// htmlLines are the most that a row of a table may have.
const htmlLines = 60

// htmlTable reads a line of a table that a wiki exported as HTML, with the rest of its row.
func (s *scanner) htmlTable(line string) bool {
	if line[0] != '<' || !tableTag.MatchString(line) {
		return false
	}
	switch low := strings.ToLower(line); {
	case strings.HasPrefix(low, "<table"):
		s.columns = nil
	case strings.HasPrefix(low, "<tr"):
		s.htmlRow()
	}
	return true
}

// htmlRow reads a row up to its end, and leaves the scanner there.
func (s *scanner) htmlRow() {
	end := s.at
	for !strings.Contains(strings.ToLower(s.lines[end]), "</tr>") {
		if end++; end == len(s.lines) || end-s.from > htmlLines {
			return
		}
	}
	for s.at < end {
		s.at++
		s.refs(s.lines[s.at])
	}
	quote := strings.TrimSpace(strings.Join(s.lines[s.from:end+1], "\n"))
	var cells []string
	for _, m := range htmlCell.FindAllStringSubmatch(quote, -1) {
		cells = append(cells, clean(strings.Join(strings.Fields(anyTag.ReplaceAllString(m[1], " ")), " ")))
	}
	if len(cells) == 0 {
		return
	}
	if s.section != peopleSection && s.section != absentSection || s.columns != nil || slices.ContainsFunc(cells, isColumn) {
		s.row(cells, quote)
		return
	}
	last := strings.ToLower(cells[len(cells)-1]) // without a heading: who, and whether they came
	came := slices.Contains([]string{"yes", "x", "y", "present", "✓", "✔", "✅"}, last)
	if came || last == "" || slices.Contains(notThere, last) {
		s.people(cells[0], quote, !came, true)
	}
}

// isColumn reports the heading of a column of people.
func isColumn(cell string) bool {
	return slices.Contains([]string{"name", "attendee", "participant", "teilnehmer", "who"}, strings.ToLower(strings.Trim(cell, ": ")))
}
