package claim_test

import (
	"strings"
	"testing"
	"time"

	"chela/internal/claim"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

func TestSplit_Sentences(t *testing.T) {
	t.Parallel()
	got := claim.Split("1. Dana has 40 hours. Joe has 32!\n- J. Doe is away, e.g. today. Is he?\n\n")
	want := []string{"1. Dana has 40 hours.", "Joe has 32!", "- J. Doe is away, e.g. today.", "Is he?"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCheck_ShowsHowNumbersFollow(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	q := "How many open tickets does each person have?"
	a, err := s.Compute(question.Read(q, s, asktest.Now()).Plans[0], asktest.Now())
	if err != nil {
		t.Fatal(err)
	}
	got := claim.NewChecker(s, a.Table, a.Sentence, q, asktest.Now()).Check("Mei Chen has 3 more open tickets than Tom Becker.", nil)
	if len(got.Marks()) != 0 || len(got.Derived) != 1 || got.Derived[0] != "3 = 10 − 7" {
		t.Errorf("got the marks %v and %q, want none and 3 = 10 − 7", got.Marks(), got.Derived)
	}
}

// FuzzCheck checks any sentence: its parts are the sentence, and it ends soon.
func FuzzCheck(f *testing.F) {
	s, err := asktest.Snapshot()
	if err != nil {
		f.Fatal(err)
	}
	answers, err := asktest.Answers()
	if err != nil {
		f.Fatal(err)
	}
	for i := 0; i < len(answers); i += 9 {
		f.Add(answers[i].Text, strings.Join(answers[i].Records, " "))
	}
	f.Add(strings.Repeat("Dana has 7 “ tickets, ", 500), "")
	q := "Open tickets by priority"
	a, err := s.Compute(question.Read(q, s, asktest.Now()).Plans[0], asktest.Now())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, ids string) {
		if len(text) > 10_000 {
			return
		}
		begin := time.Now()
		got := claim.NewChecker(s, a.Table, a.Sentence, q, asktest.Now()).Check(text, strings.Fields(ids))
		var all strings.Builder
		for _, p := range got.Parts {
			all.WriteString(p.Text)
		}
		if !strings.HasPrefix(all.String(), text) {
			t.Fatalf("the parts of %q are %q", text, all.String())
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Fatalf("checked for %s", took)
		}
	})
}
