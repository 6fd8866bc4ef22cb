package memory_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/memory"
)

// asking keeps what the store is asked for, and finds nothing.
type asking struct{ got *memory.Lookup }

func (a asking) Lookup(_ context.Context, l memory.Lookup) (memory.Found, error) {
	*a.got = l
	return memory.Found{}, nil
}

func (asking) Holds(context.Context, []string) (bool, error) { return true, nil }

// empty is a store in which nothing lies; it fails the test that looks there.
type empty struct{ t *testing.T }

func (e empty) Lookup(context.Context, memory.Lookup) (memory.Found, error) {
	e.t.Error("the store is looked through, where nothing lies")
	return memory.Found{}, nil
}

func (empty) Holds(context.Context, []string) (bool, error) { return false, nil }

// TestRecall_NothingIsLookedForWhereNothingLies holds that a turn of an agent who remembers nothing costs no search.
func TestRecall_NothingIsLookedForWhereNothingLies(t *testing.T) {
	t.Parallel()
	hits, err := memory.New(empty{t}, time.Now).Recall(t.Context(), memory.Reader{Person: "per_1", Project: "prj_1", Thread: "thr_1"}, memory.Question{Text: "Which database?", Scopes: memory.Kept()})
	if err != nil || len(hits) != 0 || hits == nil {
		t.Errorf("got %v, %v; want no hits", hits, err)
	}
}

// TestRecall_LooksWhereItIsAskedTo holds in which spaces the store looks: in those of what was said only when that is wanted.
func TestRecall_LooksWhereItIsAskedTo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		q      memory.Question
		said   bool
		thread string
	}{
		{"everything", memory.Question{}, true, "thr_1"},
		{"what was said here", memory.Question{Here: true}, false, "thr_1"},
		{"what was kept", memory.Question{Scopes: memory.Kept()}, false, ""},
		{"what was said", memory.Question{Scopes: []string{memory.Said}}, true, "thr_1"},
	} {
		var got memory.Lookup
		c.q.Text = "Which database?"
		if _, err := memory.New(asking{&got}, time.Now).Recall(t.Context(), memory.Reader{Person: "per_1", Project: "prj_1", Thread: "thr_1"}, c.q); err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(got.Spaces, func(s string) bool { return strings.HasPrefix(s, "said/") })
		if said != c.said || got.Thread != c.thread {
			t.Errorf("%s: the store looks in %v and the thread %q", c.name, got.Spaces, got.Thread)
		}
	}
}
