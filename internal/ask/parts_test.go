package ask_test

import (
	"testing"
)

// TestAsk_SeveralQuestions answers each part of a question, from its own records.
func TestAsk_SeveralQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.ask("How many tickets are open and how many of them are blocked?")
	if want := "2 tickets: open.\n1 of 2 tickets: open, blocked."; a.Answer != want || a.Own() != "2 tickets: open." || len(a.Also) != 1 {
		t.Fatalf("got %q with %d more, own %q, want %q", a.Answer, len(a.Also), a.Own(), want)
	}
	if b := a.Also[0]; b.ReadAs != "tickets, open, blocked, counted" || len(b.Citations) != 1 || b.Citations[0].ID != w.ids["Log failures"] || len(a.Citations) != 2 {
		t.Errorf("got %+v", b)
	}
	if a.Ready {
		t.Error("a model is to word what has several parts")
	}
}
