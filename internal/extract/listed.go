package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

var (
	// ticketLine lists a ticket in a text: "- PAY-12: Refunds | Status: Open | Owner: Ann".
	ticketLine  = pattern.New(`^\s*(?:[-*+•]|\d+[.)])?\s*\**\[?([A-Z][A-Z0-9]{0,9}-[1-9]\d{0,6})\]?\**\s*(?::|\s[–—-])\s*(.+)$`)
	ticketField = pattern.New(`^\s*([\pL][\pL ]{1,24}?)\s*[:=]\s*(.*?)\s*$`)
)

// listedFrom is how many tickets a text lists at least for them to be a list.
const listedFrom = 2

// ListedTickets reads the tickets that a text lists line by line, each with its key, its title and fields between
// bars, as a table. ok is false where the text lists none.
func ListedTickets(text string) (header []string, rows []Row, ok bool) {
	type ticket struct {
		line       int
		key, title string
		fields     map[string]string
	}
	header = []string{"Key", "Summary"}
	var found []ticket
	for i, line := range strings.Split(text, "\n") {
		m := ticketLine.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
		if m == nil || !strings.Contains(m[2], "|") || strings.HasPrefix(strings.TrimSpace(line), "|") {
			continue
		}
		parts := strings.Split(m[2], "|")
		t := ticket{i + 1, m[1], strings.TrimSpace(parts[0]), make(map[string]string)}
		for _, part := range parts[1:] {
			f := ticketField.FindStringSubmatch(part)
			if f == nil {
				continue
			}
			at := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(h, f[1]) })
			if at < 0 && len(header) < maxFields {
				header = append(header, f[1])
				at = len(header) - 1
			}
			if at >= 2 {
				t.fields[header[at]] = f[2]
			}
		}
		if len(t.fields) > 0 && t.title != "" {
			found = append(found, t)
		}
	}
	if len(found) < listedFrom {
		return nil, nil, false
	}
	for _, t := range found {
		cells := []string{t.key, t.title}
		for _, h := range header[2:] {
			cells = append(cells, t.fields[h])
		}
		rows = append(rows, Row{Line: t.line, Cells: cells})
	}
	return header, rows, true
}

// maxFields is how many fields the lines of a list may have in all.
const maxFields = 24
