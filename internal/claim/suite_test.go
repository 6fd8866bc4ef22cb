package claim_test

import (
	"testing"

	"chela/internal/testkit/asktest"
)

// TestSuite_Claims checks 300 answers and more over three desks, half of them wrong in one way: marks are at
// what is wrong, and at nothing else.
func TestSuite_Claims(t *testing.T) {
	t.Parallel()
	answers, err := asktest.Answers()
	if err != nil {
		t.Fatal(err)
	}
	scores, err := asktest.Claims(answers)
	if err != nil {
		t.Fatal(err)
	}
	all := scores[""]
	if all.Answers < 300 || all.Wrong*3 < all.Answers {
		t.Errorf("got %d answers of which %d are wrong, want 300 or more and a third", all.Answers, all.Wrong)
	}
	if all.Precision() < 0.95 || all.Recall() < 0.95 {
		t.Errorf("got precision %.3f and recall %.3f, want 0.95 each", all.Precision(), all.Recall())
	}
	for _, way := range asktest.Ways() {
		if scores[way].Wrong < 3 {
			t.Errorf("got %d answers that are wrong by %s, want 3 or more", scores[way].Wrong, way)
		}
	}
	t.Logf("%d answers, %d wrong: precision %.3f, recall %.3f", all.Answers, all.Wrong, all.Precision(), all.Recall())
	for _, d := range all.Detail {
		t.Log(d)
	}
}
