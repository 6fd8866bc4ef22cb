package intake

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/extract"
)

// take counts the tickets of a table as there, for the tables behind it.
func (s *stock) take(t *export) error {
	for _, row := range t.Tickets {
		b := ticketOf(row)
		if b.Check() != nil {
			continue
		}
		if h := s.tickets[desk.Identity(b)]; h != nil && h.id != "" {
			continue
		}
		b.Imported = said(nil, b, row, t)
		h, err := hold("", b)
		if err != nil {
			return err
		}
		h.free, h.named, h.sheet, h.owners = true, true, t.sheet, owners(row.Owner)
		s.tickets[desk.Identity(b)] = h
	}
	return nil
}

// A retold is what a table says of tickets that a table before it brings: the later one counts.
type retold struct {
	same, changed int
	first         string
}

func (r *retold) add(h *held, was *desk.TicketBody, row extract.TicketRow, now *desk.TicketBody, t *export) {
	var fields []string
	for _, f := range comparedFields {
		if !t.tells(row, f) {
			continue
		}
		if c, ok := f.difference(h, was, now); ok {
			fields = append(fields, c.Field)
		}
	}
	if names := owners(row.Owner); t.says([]string{"owner"}) && !slices.Equal(names, h.owners) {
		fields = append(fields, "owner")
	}
	if len(fields) == 0 {
		r.same++
		return
	}
	if r.changed++; r.changed == 1 {
		in := "the table before"
		if h.sheet != "" {
			in = "sheet " + h.sheet
		}
		r.first = fmt.Sprintf("line %d: %s is in %s, too, and differs here (%s)", row.Span.Line, clipped(cmp.Or(row.Ref, row.Title), shown), in, strings.Join(fields, ", "))
	}
}

func (r *retold) sentence() string {
	switch r.changed {
	case 0:
		return ""
	case 1:
		return r.first + "; the later one counts."
	}
	return r.first + fmt.Sprintf("; %d tickets differ so, and the later one counts for each.", r.changed)
}
