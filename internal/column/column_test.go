package column_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"chela/internal/column"
)

// TestList_ACopyChangesNothingElse changes copies of copies at random: each list keeps the values that it had when it was copied.
func TestList_ACopyChangesNothingElse(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var lists []column.List[int]
	var want [][]int
	var l column.List[int]
	var is []int
	for round := range 200 {
		more := r.IntN(40)
		l.Grow(len(is) + more)
		is = append(is, make([]int, more)...)
		for range min(r.IntN(20), len(is)) {
			place := r.IntN(len(is))
			l.Set(place, round+1)
			is[place] = round + 1
		}
		lists, want = append(lists, l), append(want, slices.Clone(is))
		l = l.Copy()
	}
	for n := range lists {
		var got []int
		for place, v := range lists[n].All() {
			if place != len(got) || *v != *lists[n].At(place) {
				t.Fatalf("list %d: place %d is yielded as %d", n, len(got), place)
			}
			got = append(got, *v)
		}
		if lists[n].Len() != len(want[n]) || !slices.Equal(got, want[n]) {
			t.Fatalf("list %d: got %v, want %v", n, got, want[n])
		}
	}
}

// TestList_EndsWhereItIsTold holds that a loop over a list ends when its body says so.
func TestList_EndsWhereItIsTold(t *testing.T) {
	t.Parallel()
	var l column.List[string]
	l.Grow(1000)
	for place := range l.All() {
		if place == 300 {
			return
		}
		if place > 300 {
			t.Fatal("the loop went on")
		}
	}
	t.Fatal("the loop ended before")
}
