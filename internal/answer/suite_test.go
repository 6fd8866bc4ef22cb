package answer_test

import (
	"testing"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/testkit/asktest"
)

// TestSuite_Questions asks the suite's questions: nine of ten are answered right with their sources, and
// none is answered wrong without a word that it may be.
func TestSuite_Questions(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	holds(t, s, every(t))
}

// every are all questions of the suite.
func every(t *testing.T) []asktest.Question {
	t.Helper()
	questions, err := asktest.Questions()
	if err != nil {
		t.Fatal(err)
	}
	later, err := asktest.Later()
	if err != nil {
		t.Fatal(err)
	}
	return append(questions, later...)
}

// TestSuite_ClosedHere asks when tickets were closed where the log says it and no tracker.
func TestSuite_ClosedHere(t *testing.T) {
	t.Parallel()
	records, err := asktest.ClosedHere()
	if err != nil {
		t.Fatal(err)
	}
	questions, err := asktest.Closed()
	if err != nil {
		t.Fatal(err)
	}
	right(t, of(t, records), questions)
}

// TestSuite_Negated asks questions with negations, an "or", lengths of time, ranges, superlatives and sprints: nine of ten are
// answered right, or are a search that names the word that it does not take into account, and none is answered wrong.
func TestSuite_Negated(t *testing.T) {
	t.Parallel()
	records, err := asktest.Imported()
	if err != nil {
		t.Fatal(err)
	}
	questions, err := asktest.Negated()
	if err != nil {
		t.Fatal(err)
	}
	holds(t, of(t, records), questions)
}

// TestSuite_Planned asks all other questions of the desk that has plans of its sprints, too: the answers are the same.
func TestSuite_Planned(t *testing.T) {
	t.Parallel()
	records, err := asktest.Planned()
	if err != nil {
		t.Fatal(err)
	}
	holds(t, of(t, records), every(t))
}

// TestSuite_Managers asks what a manager asks of sprints, thresholds, days of milestones and minutes: all are answered right.
func TestSuite_Managers(t *testing.T) {
	t.Parallel()
	records, err := asktest.Planned()
	if err != nil {
		t.Fatal(err)
	}
	questions, err := asktest.Managers()
	if err != nil {
		t.Fatal(err)
	}
	right(t, of(t, records), questions)
}

// right fails the test unless all questions are answered right.
func right(t *testing.T, s *answer.Snapshot, questions []asktest.Question) {
	t.Helper()
	scores, err := asktest.Run(s, questions)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range scores[""].Wrong {
		t.Error(w)
	}
}

// of is a snapshot of records.
func of(t *testing.T, records []desk.Record) *answer.Snapshot {
	t.Helper()
	s, err := asktest.SnapshotOf(records)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// holds fails the test unless nine of ten questions are answered right and none is answered wrong without a mark.
func holds(t *testing.T, s *answer.Snapshot, questions []asktest.Question) {
	t.Helper()
	scores, err := asktest.Run(s, questions)
	if err != nil {
		t.Fatal(err)
	}
	all := scores[""]
	if all.Right*10 < all.Questions*9 || all.Unmarked > 0 {
		t.Errorf("got %d of %d right and %d wrong without a mark, want 90 %% and none", all.Right, all.Questions, all.Unmarked)
	}
	for _, w := range all.Wrong {
		t.Log(w)
	}
}

// TestSuite_Meetings asks who was at meetings, what the first and the last one said, and what somebody said: all are answered right.
func TestSuite_Meetings(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	questions, err := asktest.Meetings()
	if err != nil {
		t.Fatal(err)
	}
	right(t, s, questions)
}
