package document

import (
	"slices"
	"strings"
)

// monday.com exports a board as a sheet with a part for each group: its name, the header again, the items, beneath each item those
// that belong to it behind a header of their own, and a row that sums up. Such a sheet becomes one table of the items, with columns for group and parent.

const (
	subitems  = "Subitems"
	itemID    = "Item ID (auto generated)"
	groupName = "Group"
	parentID  = "Parent item"
	itemType  = "Task type"
)

// sections makes one table of a sheet with parts; ok is false for another sheet.
func sections(sheet string, rows []Row) (t Table, ok bool) {
	head := slices.IndexFunc(rows[:min(len(rows), 20)], func(r Row) bool {
		return filled(r.Cells) > 2 && (slices.Contains(r.Cells, itemID) || slices.Contains(r.Cells, subitems)) && slices.Contains([]string{"Name", "Item", "Task"}, first(r))
	})
	if head < 0 {
		return t, false
	}
	s := &sectioned{grid: newGrid(len(rows)), header: trimmed(rows[head].Cells), sub: nil}
	if head > 0 && filled(rows[head-1].Cells) == 1 {
		s.group = first(rows[head-1])
	}
	s.typed = s.column("type") >= 0
	for i := head + 1; i < len(rows); i++ {
		s.row(rows[i], i+1 < len(rows) && s.isHeader(rows[i+1]))
	}
	t, _ = s.grid.table(sheet) // a sheet has fewer columns than a table may have
	t.Sheet = sheet
	return t, true
}

// A sectioned is a sheet with parts while it is read.
type sectioned struct {
	grid   *grid
	header []string
	sub    []string // the header of the items below the last one, nil above it
	group  string
	parent string // of these items
	typed  bool   // items say their type
}

func first(r Row) string {
	if len(r.Cells) == 0 {
		return ""
	}
	return strings.TrimSpace(r.Cells[0])
}

func trimmed(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = strings.TrimSpace(c)
	}
	return out
}

func (s *sectioned) isHeader(r Row) bool {
	cells := trimmed(r.Cells)
	for len(cells) > 0 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	return len(cells) > 1 && slices.Equal(cells, s.header[:min(len(cells), len(s.header))]) && filled(s.header) == filled(cells)
}

// row reads a row; heads says that the one below it is the header again.
func (s *sectioned) row(r Row, heads bool) {
	switch {
	case s.isHeader(r):
		s.sub = nil
	case heads && filled(r.Cells) == 1 && first(r) != "":
		s.group, s.sub = first(r), nil
	case first(r) == subitems && len(r.Cells) > 1 && filled(r.Cells) > 1:
		s.sub = trimmed(r.Cells)
	case first(r) == "" && s.sub != nil && len(r.Cells) > 1 && strings.TrimSpace(r.Cells[1]) != "":
		s.subitem(r)
	case first(r) != "":
		s.item(r)
	default: // it sums up the group
	}
}

func (s *sectioned) item(r Row) {
	s.sub, s.parent = nil, first(r)
	out := make([]field, 0, len(s.header)+2)
	for i, name := range s.header {
		if i < len(r.Cells) && name != "" {
			out = append(out, field{name, r.Cells[i]})
			if name == itemID && strings.TrimSpace(r.Cells[i]) != "" {
				s.parent = strings.TrimSpace(r.Cells[i])
			}
		}
	}
	if s.group != "" {
		out = append(out, field{groupName, s.group})
	}
	s.grid.add(r.Line, out)
}

// subitem reads an item below another, under the names of the columns of items where they are alike.
func (s *sectioned) subitem(r Row) {
	out := []field{{parentID, s.parent}}
	kind := itemType
	if s.typed {
		kind = s.header[s.column("type")]
	}
	for i, name := range s.sub[1:] {
		if i+1 >= len(r.Cells) || name == "" {
			continue
		}
		if i == 0 {
			name = s.header[0]
		} else if at := s.column(strings.ToLower(name)); at >= 0 {
			name = s.header[at]
		}
		if name == kind {
			kind = ""
		}
		out = append(out, field{name, r.Cells[i+1]})
	}
	if kind != "" {
		out = append(out, field{kind, "Subtask"})
	}
	s.grid.add(r.Line, out)
}

// column is the place of an item's column of that name, else of one whose name has it as a word.
func (s *sectioned) column(name string) int {
	if at := slices.IndexFunc(s.header, func(h string) bool { return strings.EqualFold(h, name) }); at >= 0 {
		return at
	}
	return slices.IndexFunc(s.header, func(h string) bool { return slices.Contains(strings.Fields(strings.ToLower(h)), name) })
}

// withUpdates gives the items of a workbook what its sheet of updates says of them, and leaves that sheet out.
func withUpdates(tables []Table) []Table {
	at := slices.IndexFunc(tables, func(t Table) bool { return columnAt(t, "Update Content") >= 0 && columnAt(t, "Item ID") >= 0 })
	if at < 0 || !slices.ContainsFunc(tables, func(t Table) bool { return columnAt(t, itemID) >= 0 }) {
		return tables
	}
	said := make(map[string][]remark)
	updates := tables[at]
	cell := func(r Row, name string) string {
		if i := columnAt(updates, name); i >= 0 {
			return strings.TrimSpace(r.Cells[i])
		}
		return ""
	}
	for _, r := range updates.Rows {
		if id, text := cell(r, "Item ID"), cell(r, "Update Content"); id != "" && text != "" {
			said[id] = append(said[id], remark{cell(r, "User"), cell(r, "Created At"), proseOf(text)})
		}
	}
	out := slices.Delete(slices.Clone(tables), at, at+1)
	for i := range out {
		id := columnAt(out[i], itemID)
		if id < 0 {
			continue
		}
		out[i].Header = append(slices.Clone(out[i].Header), "Updates")
		for j, r := range out[i].Rows {
			out[i].Rows[j].Cells = append(r.Cells, remarks(said[strings.TrimSpace(r.Cells[id])]))
		}
	}
	return out
}

func columnAt(t Table, name string) int {
	return slices.IndexFunc(t.Header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
}
