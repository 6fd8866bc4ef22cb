package extract_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/extract"
)

// sheet is a table of cells between semicolons, its first line the header.
func sheet(lines ...string) (header []string, rows []extract.Row) {
	for i, l := range lines[1:] {
		rows = append(rows, extract.Row{Line: i + 2, Cells: strings.Split(l, ";")})
	}
	return strings.Split(lines[0], ";"), rows
}

func TestTickets_RowsThatSumUpAreNone(t *testing.T) {
	t.Parallel()
	head := "Key;Title;Status;Points;Owner"
	for row, ticket := range map[string]bool{
		";Total;;8;":                false,
		";Subtotal:;;8;":            false,
		"Gesamt;;;8;":               false,
		";GRAND TOTAL;;1,234.50;":   false,
		";Summe;;8;100 %":           false,
		";Total;;;":                 true, // no number: it may be a ticket
		";Total;Open;8;":            true,
		";Total;;8;Ann":             true,
		"A-2;Total;;8;":             true,
		";Total of the invoice;;8;": true,
	} {
		header, rows := sheet(head, "A-1;Show the sum;Open;8;Ann", row)
		got, ok := extract.Tickets(header, rows)
		left := slices.ContainsFunc(got.Problems, func(p string) bool { return strings.Contains(p, "line 3: the row sums up others") })
		if !ok || len(got.Tickets) == 2 != ticket || left == ticket {
			t.Errorf("%q: %d tickets, %q", row, len(got.Tickets), got.Problems)
		}
	}
}

func TestTickets_NumbersOfRowsAreKeys(t *testing.T) {
	t.Parallel()
	for head, keyed := range map[string]bool{"Nr.": true, "No.": true, "#": true, "No": true, "Lfd. Nr.": true, "Ticket-Nr.": true, "Notes": false} {
		header, rows := sheet(head+";Title;Status", "1;Log in;Open", "2;Log out;Open")
		if got, _ := extract.Tickets(header, rows); len(got.Tickets) != 2 || got.Tickets[1].Ref == "2" != keyed {
			t.Errorf("%q: %+v", head, got.Tickets)
		}
		if head == "Ticket-Nr." {
			continue
		}
		header, rows = sheet(head+";Title;Status", "1;Log in;Open", "2;Log out;Open", "1;Pay;Open") // they begin again
		if got, _ := extract.Tickets(header, rows); len(got.Tickets) != 3 || got.Tickets[0].Ref != "" {
			t.Errorf("%q begins again: %+v", head, got.Tickets)
		}
	}
}
