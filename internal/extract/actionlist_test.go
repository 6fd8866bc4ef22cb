package extract_test

import (
	"testing"

	"chela/internal/extract"
)

func TestTickets_ListsOfActions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header, row []string
		want        string // title, owner, due, status; empty where it is no list of actions
	}{
		"English":             {[]string{"Action Item", "Assigned To", "Target", "Complete (Y/N)"}, []string{"Add retries", "Sam", "2026-12-04", "Y"}, "Add retries/Sam/2026-12-04/DONE"},
		"German":              {[]string{"Was", "Verantwortlich", "Bis wann", "Erledigt?"}, []string{"Angebot nachfassen", "Petra", "4.12.2026", "nein"}, "Angebot nachfassen/Petra/2026-12-04/TODO"},
		"what, who and when":  {[]string{"What", "Who", "When"}, []string{"Call the vendor", "Lena", "2026-12-04"}, "Call the vendor/Lena/2026-12-04/TODO"},
		"a handle":            {[]string{"Task", "Owner", "Due"}, []string{"Rotate the keys", "@sam", "2026-12-04"}, "Rotate the keys/sam/2026-12-04/TODO"},
		"nobody":              {[]string{"Task", "Owner", "Due"}, []string{"Rotate the keys", "TBD", "2026-12-04"}, "Rotate the keys//2026-12-04/TODO"},
		"all":                 {[]string{"Task", "Owner", "Due"}, []string{"Rotate the keys", "everyone", "2026-12-04"}, "Rotate the keys//2026-12-04/TODO"},
		"a log of what was":   {[]string{"Time", "User", "Action"}, []string{"2026-12-04", "lena", "deleted a page"}, ""},
		"what without a who":  {[]string{"What", "When"}, []string{"Party", "2026-12-04"}, ""},
		"who did what at all": {[]string{"Who", "What"}, []string{"Lena", "Party"}, ""},
	} {
		table, ok := extract.Tickets(c.header, []extract.Row{{Line: 2, Cells: c.row}})
		got := ""
		if ok {
			x := table.Tickets[0]
			got = x.Title + "/" + x.Owner + "/" + date(x.Due) + "/" + x.Status
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
