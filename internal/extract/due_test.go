package extract_test

import (
	"testing"
	"time"

	"chela/internal/extract"
)

// Days count from Tuesday, 24 November 2026, in week 48.
func TestDueDate_ByMoreThanItsName(t *testing.T) {
	t.Parallel()
	base := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		// a weekday with its date
		"due Fri 11 Dec":                "2026-12-11",
		"due Friday, 11 December":       "2026-12-11",
		"by Fri, Dec 11":                "2026-12-11",
		"by Friday the 11th":            "2026-12-11",
		"by Tue 12/8":                   "2026-12-08",
		"by Friday, 2027-01-15":         "2027-01-15",
		"bis Freitag, 11.12.":           "2026-12-11",
		"bis Freitag, den 11. Dezember": "2026-12-11",
		"by Friday for 11 people":       "2026-11-27",
		"by Friday, 5 people need it":   "2026-11-27",
		"by Friday":                     "2026-11-27",
		// a weekday with its week
		"by Friday next week":        "2026-12-04",
		"send it Friday next week":   "2026-12-04",
		"by Friday of this week":     "2026-11-27",
		"by Monday of next week":     "2026-11-30",
		"bis Freitag nächster Woche": "2026-12-04",
		"by Friday after next":       "2026-12-04",
		"a week on Monday":           "2026-12-07",
		"two weeks from Friday":      "2026-12-11",
		"a week from tomorrow":       "2026-12-02",
		// parts of months, weeks by number
		"by mid-December":                "2026-12-15",
		"by the middle of December":      "2026-12-15",
		"send it mid-December":           "2026-12-15",
		"write the mid-December notes":   "",
		"bis Mitte Januar":               "2027-01-15",
		"bis Mitte nächster Woche":       "2026-12-02",
		"by end January":                 "2027-01-31",
		"bis KW 48":                      "2026-11-27",
		"bis Ende KW 50":                 "2026-12-11",
		"in KW 2":                        "2027-01-15",
		"bis KW 53":                      "2027-01-01",
		"bis KW 54":                      "",
		"by CW 3/2028":                   "2028-01-21",
		"die Notizen zu KW 50 schreiben": "",
		// hours, and days in short
		"slides (EOD Fri)":          "2026-11-27",
		"slides, EOD":               "2026-11-24",
		"by 5pm Friday":             "2026-11-27",
		"by 17:00 Thursday":         "2026-11-26",
		"by first thing Monday":     "2026-11-30",
		"by close of play Thursday": "2026-11-26",
		"by the day after tomorrow": "2026-11-26",
		"by tmrw":                   "2026-11-25",
		"bis Fr.":                   "2026-11-27",
		"bis Mo":                    "2026-11-30",
		"bis Mo, 7.12.":             "2026-12-07",
		"until so many agree":       "",
		"ich schicke es morgen.":    "2026-11-25",
		"Guten morgen zusammen":     "",
		// lengths of time
		"in a fortnight":                  "2026-12-08",
		"in 2 wks":                        "2026-12-08",
		"within 5 working days":           "2026-12-01",
		"in 10 business days":             "2026-12-08",
		"innerhalb von drei Arbeitstagen": "2026-11-27",
	} {
		got := ""
		if d, ok := extract.DueDate(text, base); ok {
			got = d.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
