package intake

import (
	"fmt"
	"slices"
	"testing"

	"chela/internal/desk"
	"chela/internal/extract"
)

// TestStock_TellsOpenTicketsThatANewerExportDoesNotName holds that of tickets that an export brought those are told that are open, of a
// series that the newer one has, and not in it.
func TestStock_TellsOpenTicketsThatANewerExportDoesNotName(t *testing.T) {
	t.Parallel()
	there := func(tickets ...desk.TicketBody) *stock {
		s := &stock{tickets: make(map[string]*held), told: make(map[string]bool)}
		for i, b := range tickets {
			b.Title, b.Imported = "T", map[string]string{"title": "x"}
			if b.Status == "" {
				b.Status = desk.Todo
			}
			if b.Type == "ours" {
				b.Type, b.Imported = "", nil
			}
			h, err := hold(fmt.Sprintf("tkt_%d", i), &b)
			if err != nil {
				t.Fatal(err)
			}
			s.tickets[desk.Identity(&b)] = h
		}
		return s
	}
	var many []desk.TicketBody
	for i := range 12 {
		many = append(many, desk.TicketBody{ExternalRef: fmt.Sprintf("PAY-%d", i+1)})
	}
	for name, c := range map[string]struct {
		there []desk.TicketBody
		keys  []string
		want  string
	}{
		"all are named":     {many[:2], []string{"PAY-1", "PAY-2"}, ""},
		"one is not":        {many[:2], []string{"PAY-1"}, "1 open ticket of PAY that an earlier export brought is not in this one, and left as before: PAY-2."},
		"many are not":      {many, []string{"PAY-1"}, "11 open tickets of PAY that an earlier export brought are not in this one, and left as before: PAY-2, PAY-3, PAY-4, PAY-5, PAY-6, PAY-7, PAY-8, PAY-9, PAY-10, PAY-11 and 1 more."},
		"another series":    {many[:1], []string{"APP-1"}, ""},
		"two series":        {[]desk.TicketBody{{ExternalRef: "a/b#7"}, {ExternalRef: "PAY-1"}}, []string{"PAY-2", "a/b#8"}, "2 open tickets of PAY and a/b that an earlier export brought are not in this one, and left as before: PAY-1, a/b#7."},
		"done":              {[]desk.TicketBody{{ExternalRef: "PAY-1", Status: desk.Done}}, []string{"PAY-2"}, ""},
		"made here":         {[]desk.TicketBody{{ExternalRef: "PAY-1", Type: "ours"}}, []string{"PAY-2"}, ""},
		"numbers alone":     {[]desk.TicketBody{{ExternalRef: "17"}}, []string{"18"}, ""},
		"a key's other way": {many[:1], []string{"pay-1"}, ""},
	} {
		s := there(c.there...)
		var rows []extract.TicketRow
		for _, k := range c.keys {
			rows = append(rows, extract.TicketRow{Ref: k, Title: "T", Status: string(desk.Todo), Priority: string(desk.Medium)})
		}
		if _, err := s.compare(newExport(extract.TicketTable{Tickets: rows}, "")); err != nil {
			t.Fatal(err)
		}
		got, err := s.absent()
		if err != nil || got.Text != c.want || (got.Count == 0) != (c.want == "") || !slices.IsSortedFunc(got.Keys, byNumber) {
			t.Errorf("%s: %q %v, want %q (%v)", name, got.Text, got.Keys, c.want, err)
		}
	}
}
