package extract_test

import (
	"testing"
	"time"

	"chela/internal/extract"
)

// TestReadNamed_TheNameSaysTheDay reads notes without a day: that of the name counts, also for what is due "by Friday". One in
// the text counts more.
func TestReadNamed_TheNameSaysTheDay(t *testing.T) {
	t.Parallel()
	const notes = "# Sync\n\n## Action items\n- Ann to send the report by Friday\n"
	for _, c := range []struct{ name, text, date, due string }{
		{"minutes_2020-03-05.md", notes, "2020-03-05", "2020-03-06"},
		{"20200305 Sync.txt", notes, "2020-03-05", "2020-03-06"},
		{"Protokoll 5.3.2020.docx", notes, "2020-03-05", "2020-03-06"},
		{"team/2020_03_05/notes.md", notes, "2020-03-05", "2020-03-06"},
		{"minutes_2020-03-05.md", "# Sync 2020-04-02\n\n## Action items\n- Ann to send the report by Friday\n", "2020-04-02", "2020-04-03"},
		{"invoice-2020130501.md", notes, "0001-01-01", "0001-01-01"},
		{"notes.md", notes, "0001-01-01", "0001-01-01"},
	} {
		m := extract.ReadNamed(c.name, c.text)
		if len(m.Actions) != 1 {
			t.Fatalf("%s: got the actions %+v", c.name, m.Actions)
		}
		if got := m.Date.Format(time.DateOnly); got != c.date {
			t.Errorf("%s: got the day %s, want %s", c.name, got, c.date)
		}
		if got := m.Actions[0].Due.Format(time.DateOnly); got != c.due {
			t.Errorf("%s: got due %s, want %s", c.name, got, c.due)
		}
	}
}
