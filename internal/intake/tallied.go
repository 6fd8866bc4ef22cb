package intake

import (
	"fmt"
	"strings"

	"chela/internal/desk"
	"chela/internal/extract"
)

// tallied settles whether the numbers of a table's rows are the keys of tickets that are there: they are unless most of those that have a number
// are called otherwise, as when each sheet of a workbook begins at 1. It returns a sentence when they are not.
func (s *stock) tallied(t *extract.TicketTable) (problem string, err error) {
	if !t.Tallied() {
		return "", nil
	}
	same, others := 0, 0
	for _, row := range t.Tickets {
		b := ticketOf(row)
		if row.Ref == "" || b.Check() != nil {
			continue
		}
		h := s.find(desk.Identity(b))
		if h == nil {
			continue
		}
		was, err := h.open()
		if err != nil {
			return "", err
		}
		if strings.EqualFold(was.Title, b.Title) {
			same++
		} else {
			others++
		}
	}
	column := t.Mapping["key"]
	t.Settle(others <= same)
	if others <= same {
		return "", nil
	}
	return fmt.Sprintf("the numbers in the column %s are those of other tickets, so its rows are found by their titles.", clipped(column, 60)), nil
}
