package review_test

import (
	"testing"

	"pgregory.net/rapid"

	"chela/internal/review"
)

// TestWork_OnlyLegalMoves sends work through any moves: those that are made are legal, reworks are bounded,
// and what is final stays.
func TestWork_OnlyLegalMoves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := review.Work{State: review.Created, Author: "agent:a", Most: rapid.IntRange(0, review.MostRework).Draw(t, "most")}
		reworks := 0
		for range rapid.IntRange(1, 40).Draw(t, "moves") {
			next := rapid.SampledFrom(review.States()).Draw(t, "next")
			after, err := w.Move(next)
			if err != nil {
				if after != w {
					t.Fatalf("a move that is refused changed %+v to %+v", w, after)
				}
				continue
			}
			if w.State.Final() || !w.State.CanBecome(next) {
				t.Fatalf("%s became %s", w.State, next)
			}
			if next == review.Rework {
				reworks++
			}
			w = after
		}
		if reworks > w.Most || w.Reworks != reworks {
			t.Fatalf("%d reworks of at most %d, counted %d", reworks, w.Most, w.Reworks)
		}
	})
}

// TestCount_NeedsAQuorumOfOthers holds for any verdicts: the author never counts, nobody counts twice, and
// what is decided stays so whatever verdicts come later.
func TestCount_NeedsAQuorumOfOthers(t *testing.T) {
	t.Parallel()
	names := []string{"author", "a", "b", "c"}
	rapid.Check(t, func(t *rapid.T) {
		quorum := rapid.IntRange(1, 3).Draw(t, "quorum")
		verdicts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) review.Verdict {
			return review.Verdict{Reviewer: rapid.SampledFrom(names).Draw(t, "who"), Pass: rapid.Bool().Draw(t, "pass")}
		}), 0, 12).Draw(t, "verdicts")
		was := review.Open
		for n := range len(verdicts) + 1 {
			now := review.Count("author", 3, quorum, verdicts[:n])
			if was != review.Open && now != was {
				t.Fatalf("it was %v and became %v with %+v", was, now, verdicts[:n])
			}
			was = now
		}
		passed := make(map[string]bool)
		first := make(map[string]bool)
		for _, v := range verdicts {
			if v.Reviewer != "author" && !first[v.Reviewer] {
				first[v.Reviewer], passed[v.Reviewer] = true, v.Pass
			}
		}
		n := 0
		for _, p := range passed {
			if p {
				n++
			}
		}
		if (was == review.Passed) != (n >= quorum) {
			t.Fatalf("%d of others passed it, of %d needed, and it is %v", n, quorum, was)
		}
	})
}
