package desk_test

import (
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/fault"
)

// TestRead_OneWhole: an agent that is to work on a ticket reads what it says, by id or by key, and of a thread what was decided.
func TestRead_OneWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ids["first"] = w.make(desk.Ticket, `{"title":"First"}`)
	w.ids["one"] = w.make(desk.Ticket, `{"title":"Totals are wrong","externalRef":"SHOP-1","description":"The last price is left out.","blockedBy":["{first}"],"dueDate":"2026-03-02",
		"contract":[{"name":"tests pass","command":{"run":"go test ./..."}}],"sources":[{"by":"person","quote":"the total was 300"}]}`)
	w.make(desk.Comment, `{"recordId":"{one}","text":"Seen again today."}`)
	w.ids["talk"] = w.make(desk.Thread, `{"title":"Prices","content":"We talked about cents.","decisions":[{"text":"Prices are whole cents."}]}`)
	for _, c := range []struct {
		tool, args string
		want       []string
		not        string
	}{
		{"read_tickets", `{"ticketId":"{one}"}`, []string{`"total":1`, "The last price is left out.", w.ids["first"], "2026-03-02", "go test ./...", "the total was 300", `"comments":1`}, `"First"`},
		{"read_tickets", `{"ticketId":"SHOP-1"}`, []string{`"id":"` + w.ids["one"], "The last price is left out."}, `"First"`},
		{"read_tickets", `{}`, []string{"Totals are wrong", "First"}, "The last price"},
		{"read_threads", `{"threadId":"{talk}"}`, []string{"We talked about cents.", "Prices are whole cents."}, ""},
		{"read_threads", `{}`, []string{"Prices", `"decisions":1`}, "whole cents"},
	} {
		got, err := w.call(c.tool, c.args)
		if err != nil || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s %s: %v, %s", c.tool, c.args, err, got)
		}
		for _, part := range c.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s %s: %q is not in %s", c.tool, c.args, part, got)
			}
		}
	}
	for _, c := range [][2]string{{"read_tickets", `{"ticketId":"SHOP-2"}`}, {"read_tickets", `{"ticketId":"{talk}"}`}, {"read_threads", `{"threadId":"{one}"}`}} {
		if got, err := w.call(c[0], c[1]); fault.KindOf(err) != fault.NotFound || err == nil {
			t.Errorf("%s %s: %v, %s", c[0], c[1], err, got)
		}
	}
}
