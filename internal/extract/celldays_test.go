package extract_test

import (
	"strings"
	"testing"
	"time"

	"chela/internal/extract"
)

// TestCellDays_AreCountedFromADay reads words in a column of due dates on a Tuesday, with what is told of them.
func TestCellDays_AreCountedFromADay(t *testing.T) {
	t.Parallel()
	since := extract.Since(func() (time.Time, string) {
		return time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC), "the day above the table"
	})
	for cell, want := range map[string]string{
		"tomorrow":           "2026-03-04",
		"Tomorrow.":          "2026-03-04",
		"today":              "2026-03-03",
		"morgen":             "2026-03-04",
		"übermorgen":         "2026-03-05",
		"heute":              "2026-03-03",
		"by Friday":          "2026-03-06",
		"bis Freitag":        "2026-03-06",
		"EOD Thursday":       "2026-03-05",
		"next Friday":        "2026-03-06; 2026-03-13 may be meant",
		"nächsten Freitag":   "2026-03-06; 2026-03-13 may be meant",
		"next Wednesday":     "2026-03-11; 2026-03-04 may be meant",
		"next Tuesday":       "2026-03-10",
		"Tuesday":            "2026-03-10; 2026-03-03 may be meant",
		"Monday":             "2026-03-09",
		"next week":          "2026-03-10; another day of it may be meant",
		"Friday next week":   "2026-03-13",
		"end of month":       "2026-03-31",
		"Ende der Woche":     "2026-03-06",
		"EOW":                "2026-03-06",
		"in 3 days":          "2026-03-06",
		"in zwei Wochen":     "2026-03-17",
		"KW 12":              "2026-03-20",
		"5 March":            "2026-03-05",
		"asap":               "",
		"TBD":                "",
		"tomorrow if Ann is": "",
		"next sprint":        "",
		"Friday's build":     "",
		"may":                "",
		"3":                  "",
		"4/5":                "",
	} {
		got, _ := since.Tickets([]string{"Key", "Title", "Status", "Due date"}, []extract.Row{{Line: 2, Cells: []string{"A-1", "One", "To Do", "2026-03-31"}}, {Line: 3, Cells: []string{"A-2", "Two", "To Do", cell}}})
		due, told := date(got.Tickets[1].Due), strings.Join(got.Problems, "\n")
		if want == "" {
			if due != "" || !strings.Contains(told, "line 3: the date") {
				t.Errorf("%q is read as %q: %s", cell, due, told)
			}
			continue
		}
		day, or, _ := strings.Cut(want, "; ")
		if or != "" {
			or = "; " + or
		}
		if want = `line 3: "` + cell + `" in "Due date" is read as ` + day + ", counted from 2026-03-03, the day above the table" + or + "."; due != day || told != want {
			t.Errorf("%q is read as %q, want %q: %s", cell, due, day, told)
		}
	}
}

func TestExportDay_IsTheOneThatIsTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Open issues\nExported on 5 March 2026":        "2026-03-05",
		"Stand: 05.03.2026":                            "2026-03-05",
		"2026-03-05":                                   "2026-03-05",
		"March 5, 2026":                                "2026-03-05",
		"Report date: 03/25/2026":                      "2026-03-25",
		"Report date: 03/05/2026":                      "",
		"Go-live 2026-06-01":                           "",
		"Report 2026-03-01\nReport to 2026-03-31":      "",
		"Release of 5 March 2026 is the next one":      "",
		"Project: Payments":                            "",
		"Exported 2026-03-05\nStatus as of 5 Mar 2026": "2026-03-05",
	} {
		if got, ok := extract.ExportDay(strings.Split(text, "\n")); date(got) != want || ok != (want != "") {
			t.Errorf("%q says %q, want %q", text, date(got), want)
		}
	}
}
