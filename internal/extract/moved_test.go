package extract

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// movedSaid are the moves of a text, as they are meant on Wednesday, 1 April 2026, of what was due on 20 April.
func movedSaid(text string) string {
	var out []string
	for _, m := range MovedIn(text) {
		day, ok := m.Day(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 20, 0, 0, 0, 0, time.UTC))
		out = append(out, fmt.Sprintf("%s: %s %v", m.Name, day.Format(time.DateOnly), ok))
	}
	return strings.Join(out, "; ")
}

func TestMoved_IsWhatASentenceSays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"We move the beta launch to May 3.":                     "beta launch: 2026-05-03 true",
		"Beta launch slips by one week":                         "Beta launch: 2026-04-27 true",
		"- Decision: we moved Beta launch back to 2026-05-03":   "Beta launch: 2026-05-03 true",
		"Ann: We have postponed the beta launch by 2 weeks.":    "beta launch: 2026-05-04 true",
		"The beta launch is postponed until 4 May":              "beta launch: 2026-05-04 true",
		"The beta launch was moved to Friday. Tests are green.": "beta launch: 2026-04-03 true",
		"Beta launch slipped by a day":                          "Beta launch: 2026-04-21 true",
		"Should we move the beta launch to May 3?":              "",
		"We could move the beta launch to May 3":                "",
		"We will not move the beta launch to May 3":             "",
		"If the tests fail, we move the beta launch to May 3":   "",
		"We move the beta launch to the other team":             "",
		"We move the beta launch to next month":                 "",
		"Beta launch slips":                                     "",
		"Beta launch slips by some days":                        "",
		"Beta launch moved by one week":                         "",
		"We moved to May 3 for the beta launch":                 "",
		"> We move the beta launch to May 3.":                   "",
		"```\nWe move the beta launch to May 3.\n```":           "",
		"~~We move the beta launch to May 3.~~":                 "",
		"| We move the beta launch to May 3. |":                 "",
	} {
		if got := movedSaid(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestMoved_FindsNothingElse: of all texts by which minutes are measured, what is found is written as such.
func TestMoved_FindsNothingElse(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*/*")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d texts: %v", len(files), err)
	}
	written := []string{
		"decision |  |  | date moved to 23 April", "decision |  |  | next 1on1 moves to Thursday", "* next 1on1 moves to Thursday", "decision | | | Release 3.1 moves to June 19",
		"• Release 3.1 moves to June 19", "Status is amber. Prakash explained why the crane tests slipped by three weeks.",
	}
	found := 0
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			continue // a folder
		}
		for _, m := range MovedIn(string(raw)) {
			if found++; !slices.Contains(written, m.Span.Quote) {
				t.Errorf("%s:%d: %s → %s %+d (%s)", f, m.Span.Line, m.Name, m.To, m.By, m.Span.Quote)
			}
		}
	}
	if found != len(written) {
		t.Errorf("%d are found, want %d", found, len(written))
	}
}

// FuzzMoved: what is found has a name and either a day or a number of days.
func FuzzMoved(f *testing.F) {
	f.Add("We move the beta launch to May 3. Beta launch slips by one week")
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range MovedIn(text) {
			if m.Name == "" || (m.To == "") == (m.By == 0) || m.By > 99*7 || m.Span.Line < 1 {
				t.Errorf("%+v", m)
			}
			m.Day(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), time.Time{})
		}
	})
}
