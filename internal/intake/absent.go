package intake

import (
	"fmt"
	"slices"
	"strings"
)

// An Absent is what an export does not name: tickets that an earlier one brought, that are open, and whose keys are of a series
// that the export has. They may have been closed, moved or deleted in the tracker, or left out by a filter; they stay as they are.
type Absent struct {
	Count  int      `json:"count"`
	Keys   []string `json:"keys"`   // the first of them
	Series []string `json:"series"` // of the keys: PAY of PAY-7
	Text   string   `json:"text"`   // says it in a sentence; empty where none is absent
}

// absentKeys is how many keys of absent tickets are told.
const absentKeys = 10

// text says it.
func (a Absent) text() string {
	if a.Count == 0 {
		return ""
	}
	keys := strings.Join(a.Keys, ", ")
	if more := a.Count - len(a.Keys); more > 0 {
		keys += fmt.Sprintf(" and %d more", more)
	}
	be := "are"
	if a.Count == 1 {
		be = "is"
	}
	return fmt.Sprintf("%s of %s that an earlier export brought %s not in this one, and left as before: %s.", many(a.Count, "open ticket"), strings.Join(a.Series, " and "), be, keys)
}

// series is what comes before a key's number; nothing for a number alone, which tells no tracker from another.
func series(key string) string {
	name := strings.TrimRight(key, "0123456789")
	if name == key {
		return ""
	}
	return strings.TrimRight(name, "-#")
}

// absent tells which tickets of their series none of the tables that were compared names.
func (s *stock) absent() (out Absent, err error) {
	out.Keys, out.Series = []string{}, []string{}
	for _, h := range s.tickets {
		if h.id == "" || h.named || h.series == "" || !s.told[h.series] {
			continue
		}
		b, err := h.open()
		if err != nil {
			return out, err
		}
		if !b.Status.Open() || len(b.Imported) == 0 {
			continue
		}
		out.Count++
		out.Keys = append(out.Keys, b.ExternalRef)
		if name := series(b.ExternalRef); !slices.Contains(out.Series, name) {
			out.Series = append(out.Series, name)
		}
	}
	slices.SortFunc(out.Keys, byNumber)
	slices.Sort(out.Series)
	out.Keys = out.Keys[:min(len(out.Keys), absentKeys)]
	out.Text = out.text()
	return out, nil
}

// byNumber orders keys as people count them: PAY-9 before PAY-10.
func byNumber(a, b string) int {
	if len(a) != len(b) && series(a) == series(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
