package intake

import (
	"strings"
	"testing"

	"chela/internal/extract"
)

// sheetOf reads cells between semicolons as a tracker's export; the first line is the header.
func sheetOf(t *testing.T, lines ...string) extract.TicketTable {
	t.Helper()
	var rows []extract.Row
	for i, l := range lines[1:] {
		rows = append(rows, extract.Row{Line: i + 2, Cells: strings.Split(l, ";")})
	}
	out, ok := extract.Tickets(strings.Split(lines[0], ";"), rows)
	if !ok {
		t.Fatal("it is not read as tickets")
	}
	return out
}

// TestStock_ALaterSheetOfAWorkbook holds that what a later table says of the tickets of an earlier one is told: what differs counts as
// changed, and numbers of rows that begin again are no keys.
func TestStock_ALaterSheetOfAWorkbook(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head         string
		first, later []string
		new, changed int
		same         int
		says         string
	}{
		"a status that differs": {"Key;Title;Status", []string{"PAY-1;Login;Open", "PAY-2;Logout;Open"}, []string{"PAY-1;Login;Done", "PAY-3;Pay;Open"}, 1, 1, 0, "line 2: PAY-1 is in sheet One, too, and differs here (status); the later one counts."},
		"an owner, and a title": {"Key;Title;Status;Assignee", []string{"PAY-1;Login;Open;Ann", "PAY-2;Logout;Open;Ann"}, []string{"PAY-1;Login;Open;Tom", "PAY-2;Log out;Open;Ann"}, 0, 2, 0, "line 2: PAY-1 is in sheet One, too, and differs here (owner); 2 tickets differ so, and the later one counts for each."},
		"the same":              {"Key;Title;Status;Assignee", []string{"PAY-1;Login;Open;Ann"}, []string{"PAY-1;Login;Open;Ann"}, 0, 0, 1, ""},
		"numbers begin again":   {"Nr.;Title;Status", []string{"1;Login;Open", "2;Logout;Open"}, []string{"1;Pay;Open", "2;Refund;Done"}, 2, 0, 0, "the numbers in the column Nr. are those of other tickets, so its rows are found by their titles."},
		"numbers stay":          {"Nr.;Title;Status", []string{"1;Login;Open", "2;Logout;Open"}, []string{"1;Login;Done", "3;Refund;Done"}, 1, 1, 0, "line 2: 1 is in sheet One, too, and differs here (status); the later one counts."},
	} {
		s := &stock{tickets: make(map[string]*held), told: make(map[string]bool), refs: make(map[string]string), moved: make(map[string]string)}
		first, later := sheetOf(t, append([]string{c.head}, c.first...)...), sheetOf(t, append([]string{c.head}, c.later...)...)
		if says, err := s.tallied(&first); says != "" || err != nil {
			t.Fatalf("%s: %q %v", name, says, err)
		}
		if err := s.take(newExport(first, "One")); err != nil {
			t.Fatal(err)
		}
		says, err := s.tallied(&later)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.compare(newExport(later, "Two"))
		if err != nil || got.New != c.new || got.Changed != c.changed || got.Same != c.same || says+got.Repeated != c.says {
			t.Errorf("%s: %+v %q %v", name, got, says, err)
		}
	}
}
