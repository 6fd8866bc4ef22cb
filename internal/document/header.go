package document

import (
	"slices"
	"strings"
)

// headerAt finds the row that names the columns: the first that has most of the cells of the widest one, behind what is
// said of the whole table above it.
func headerAt(rows []Row) int {
	var counts []int
	for _, r := range rows[:min(len(rows), 50)] {
		counts = append(counts, filled(r.Cells))
	}
	width := slices.Max(counts)
	at := max(slices.IndexFunc(counts, func(n int) bool { return n*10 >= width*6 && n > 1 || width == 1 }), 0)
	if !labelled(rows[at].Cells) {
		return at
	}
	for j := at + 1; j+1 < len(counts); j++ {
		if apart := rows[j].Line > rows[j-1].Line+1; apart && counts[j] > slices.Max(counts[:j]) && !labelled(rows[j].Cells) {
			return j
		}
	}
	return at
}

// labelled reports a row of values with their names before them: "Project:", "Payments".
func labelled(cells []string) bool {
	for i, c := range cells[:max(len(cells)-1, 0)] {
		next := strings.TrimSpace(cells[i+1])
		if strings.HasSuffix(strings.TrimSpace(c), ":") && next != "" && !strings.HasSuffix(next, ":") {
			return true
		}
	}
	return false
}

// headerOf returns the names of the columns and the rows below. Where a name stands over several columns, the row below
// has the name of each.
func headerOf(rows []Row, at int) (header []string, body []Row) {
	header = make([]string, min(len(rows[at].Cells), maxColumns))
	for i := range header {
		header[i] = strings.TrimSpace(rows[at].Cells[i])
	}
	body = rows[at+1:]
	if len(body) < 2 || body[0].Line != rows[at].Line+1 {
		return header, body
	}
	if both, ok := grouped(header, trimmed(body[0].Cells)); ok {
		return both, body[1:]
	}
	return header, body
}

// grouped joins the two rows of a header whose names stand over several columns each: the lower row has a name for each of
// these columns, and none for the others. A name that stands below two of them is told with the one above.
func grouped(upper, lower []string) (both []string, ok bool) {
	if len(lower) > maxColumns {
		return nil, false
	}
	at := func(cells []string, i int) string {
		if i < len(cells) {
			return cells[i]
		}
		return ""
	}
	both = make([]string, max(len(upper), len(lower)))
	over := make([]string, len(both))
	group := ""
	for i := range both {
		above, below := at(upper, i), at(lower, i)
		switch {
		case below == "" && above == "":
			group = ""
			continue
		case below == "": // a name for itself
			group, both[i] = "", above
			continue
		case above != "" && at(upper, i+1) == "" && at(lower, i+1) != "":
			group = above
		case above != "" || group == "":
			return nil, false
		}
		both[i], over[i], ok = below, group, true
	}
	times := make(map[string]int)
	for _, name := range both {
		times[name]++
	}
	for i, name := range both {
		if over[i] != "" && times[name] > 1 {
			both[i] = over[i] + " " + name
		}
	}
	return both, ok
}
