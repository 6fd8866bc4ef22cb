package extract

import (
	"maps"
	"strings"
)

// tallies are columns that number the rows of a table. The numbers are keys, unless rows with different titles have the same.
const tallies = "nr, no, nummer, lfd. nr, lfd nr, n°, nº, №, numéro, número, numero"

func (at layout) tallied(header []string) bool {
	return at.named(header, "key", append(list(tallies), "#"))
}

// shared reports whether rows with different titles have one key.
func (at layout) shared(rows []Row) bool {
	titles := make(map[string]string, len(rows))
	for _, row := range rows {
		key, title := folded(cellIn(row, at["repository"])+"#"+cellIn(row, at["key"])), folded(cellIn(row, at["title"]))
		if strings.HasSuffix(key, "#") || title == "" {
			continue
		}
		if other, is := titles[key]; is && other != title {
			return true
		}
		titles[key] = title
	}
	return false
}

// Tallied reports whether the keys are but numbers of rows: another table may give them to other tickets.
func (t *TicketTable) Tallied() bool { return t.unkeyed != nil }

// Settle says whether the keys of a table that is [TicketTable.Tallied] are those of its tickets. Without them its rows are found by their titles.
func (t *TicketTable) Settle(keys bool) {
	if t.unkeyed != nil && !keys {
		*t = t.unkeyed()
	}
	t.unkeyed = nil
}

// tally notes how the table is read without its keys, when those number its rows.
func (t *TicketTable) tally(header []string, rows []Row, at layout, since Since) {
	if !at.tallied(header) {
		return
	}
	source := t.Source
	t.unkeyed = func() TicketTable {
		less := maps.Clone(at)
		delete(less, "key")
		return read(header, rows, less, source, since)
	}
}
