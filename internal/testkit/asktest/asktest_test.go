package asktest_test

import (
	"testing"

	"chela/internal/desk"
	"chela/internal/testkit/asktest"
)

func TestRecords_AreOfTheDesk(t *testing.T) {
	t.Parallel()
	records, err := asktest.Records("desk.json")
	if err != nil || len(records) < 200 {
		t.Fatalf("got %d records, %v; want 200 or more", len(records), err)
	}
	for _, r := range records {
		thing, err := desk.Parse(r.Kind, r.Body)
		if err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		if err := thing.Check(); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
	}
}

func TestQuestions_AreEnough(t *testing.T) {
	t.Parallel()
	questions, err := asktest.Questions()
	if err != nil || len(questions) < 120 {
		t.Fatalf("got %d questions, %v; want 120 or more", len(questions), err)
	}
	languages := make(map[string]int)
	for _, q := range questions {
		languages[q.Language]++
		if len(q.Says)+len(q.Cites) == 0 && !q.Nothing && q.Unknown == "" {
			t.Errorf("%q has no answer", q.Text)
		}
	}
	if languages["en"] < 80 || languages["de"] < 30 {
		t.Errorf("got %v, want 80 questions in English and 30 in German", languages)
	}
}
