package extract_test

import (
	"testing"
	"time"

	"chela/internal/extract"
)

// Relative days count from Tuesday, 10 February 2026.
func TestDate_DueDate(t *testing.T) {
	t.Parallel()
	base := time.Date(2026, 2, 10, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"send it by Friday":                   "2026-02-13",
		"send it by EOD":                      "2026-02-10",
		"send it by EOD Thursday":             "2026-02-12",
		"send it by end of day on 2026-02-20": "2026-02-20",
		"send it tomorrow":                    "2026-02-11",
		"send it by tomorrow":                 "2026-02-11",
		"report on the outage by Thursday":    "2026-02-12",
		"send it next week":                   "2026-02-17",
		"prepare next week's demo":            "",
		"send it this week":                   "2026-02-13",
		"send it by end of month":             "2026-02-28",
		"send it by the end of next month":    "2026-03-31",
		"send it by end of the quarter":       "2026-03-31",
		"send it by the end of March":         "2026-03-31",
		"send it by end of January":           "2027-01-31",
		"send it by EOW":                      "2026-02-13",
		"send it in two weeks":                "2026-02-24",
		"send it within 3 days":               "2026-02-13",
		"send it by the 15th":                 "2026-02-15",
		"send it by the 5th":                  "2026-03-05",
		"send it by the 5th of April":         "2026-04-05",
		"send it by 3/15":                     "2026-03-15",
		"send it by March 15":                 "2026-03-15",
		"send it by 15 March 2027":            "2027-03-15",
		"send it before next Friday":          "2026-02-13",
		"send it by next Wednesday":           "2026-02-18",
		"send it on Monday":                   "2026-02-16",
		"due: 2026-03-04":                     "2026-03-04",
		"no later than 4 Mar":                 "2026-03-04",
		"bis Freitag schicken":                "2026-02-13",
		"bis zum 15. schicken":                "2026-02-15",
		"bis 15.3. schicken":                  "2026-03-15",
		"bis 15. März schicken":               "2026-03-15",
		"bis Ende der Woche":                  "2026-02-13",
		"bis Ende des Monats":                 "2026-02-28",
		"bis morgen":                          "2026-02-11",
		"nächste Woche":                       "2026-02-17",
		"in zwei Wochen":                      "2026-02-24",
		"by Ann":                              "",
		"decide 3 things":                     "",
		"by marketing 5":                      "",
		"it may 3 times fail":                 "",
		"standby mode":                        "",
		"by the next meeting":                 "",
		"avant le 16 mars":                    "2026-03-16",
		"d'ici vendredi":                      "2026-02-13",
		"antes del 5 de mayo":                 "2026-05-05",
		"para el miércoles":                   "2026-02-11",
		"hasta el domingo":                    "2026-02-15",
		"bis Sonntag":                         "2026-02-15",
		"bis Samstag":                         "2026-02-14",
		"bis Donnerstag":                      "2026-02-12",
		"by Q3":                               "2026-09-30",
		"by the end of Q1 2027":               "2027-03-31",
		"due Q4":                              "2026-12-31",
	} {
		got := ""
		if d, ok := extract.DueDate(text, base); ok {
			got = d.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if _, ok := extract.DueDate(text, time.Time{}); ok && want != "2026-03-04" && want != "2026-02-20" && want != "2027-03-15" {
			t.Errorf("%q has a date without a day to count from", text)
		}
	}
}

func TestDate_Confidence(t *testing.T) {
	t.Parallel()
	m := extract.ReadMinutes("# M\nDecision: keep the API\nWe decided to drop the export.\n## Decisions\n- The office moves\n## Open questions\n- Who pays?\n- The printer\n")
	if len(m.Decisions) != 3 || len(m.Questions) != 2 {
		t.Fatalf("%+v", m)
	}
	marked, said, listed := m.Decisions[0].Confidence, m.Decisions[1].Confidence, m.Decisions[2].Confidence
	if !(1 >= marked && marked > listed && listed > said && said > 0) {
		t.Errorf("marked %v, listed %v, said %v", marked, listed, said)
	}
	if asked, stated := m.Questions[0].Confidence, m.Questions[1].Confidence; !(asked > stated && stated > 0) {
		t.Errorf("asked %v, stated %v", asked, stated)
	}
}

// The days of one text are written in one order: those that can be read in one way only say which.
func TestDate_TheOrderOfDaysIsThatOfTheText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Sync 03/04/2026\n\nAction: Ann to call by 05/04/2026":                 "2026-03-04 2026-05-04",
		"Sync 03/04/2026\n\nAction: Ann to call by 17/04/2026":                 "2026-04-03 2026-04-17",
		"Sync 03/04/2026 (dd/mm/yyyy)\n\nAction: Ann to call by 05/04/2026":    "2026-04-03 2026-04-05",
		"Reunión 03/04/2026\nAsistentes: Ana\n\nTareas:\n- Ana: ver 5/4":       "2026-04-03 0001-01-01",
		"Reunión 03/04/2026\nAsistentes: Ana\n\nTareas:\n- Ana: ver hasta 5/4": "2026-04-03 2026-04-05",
		"Week 16–20 March 2026\n\nAction: Ann to call by Friday":               "2026-03-16 2026-03-20",
		"Sync\nThursday 9 July 2026 10:00\n\nAction: Ann to call tomorrow":     "2026-07-09 2026-07-10",
		"Notes\nResults of the test held on June 2, 2026\n\nTODO: Ann to call": "0001-01-01 0001-01-01",
	} {
		m := extract.ReadMinutes(text)
		if len(m.Actions) != 1 {
			t.Errorf("%q: %+v", text, m.Actions)
			continue
		}
		if got := m.Date.Format(time.DateOnly) + " " + m.Actions[0].Due.Format(time.DateOnly); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
