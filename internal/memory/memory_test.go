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
