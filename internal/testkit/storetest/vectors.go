package storetest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/memory"
	"chela/internal/session"
	"chela/internal/store"
	"chela/internal/vector"
)

// meanings gives vectors of 64 numbers in which words of one meaning are alike.
type meanings struct{ model string }

var sameMeaning = map[string]string{"car": "vehicle", "automobile": "vehicle", "auto": "vehicle", "lorry": "vehicle", "purchase": "buy", "acquire": "buy", "bought": "buy"}

func (m meanings) vector(text string) []float32 {
	out := make([]float32, 64)
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if same := sameMeaning[w]; same != "" {
			w = same
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(w))                // a hash takes everything
		r := rand.New(rand.NewPCG(h.Sum64(), 7)) //nolint:gosec // the same for each word
		for i := range out {
			out[i] += float32(r.NormFloat64())
		}
	}
	return out
}

func (m meanings) Question(_ context.Context, text string) (memory.Vector, error) {
	return memory.Vector{Model: m.model, Numbers: m.vector(text)}, nil
}

// vectored gives everything that waits a vector, and returns how many passages that were.
func (m meanings) vectored(t *testing.T, db *store.DB) int {
	t.Helper()
	done := 0
	for {
		held, err := db.Recall.HoldVectors(t.Context(), m.model, "one", time.Now(), time.Now().Add(time.Minute))
		check(t, err)
		if !held {
			t.Fatal("another holds the vectors")
		}
		b, err := db.Recall.WaitForVectors(t.Context(), 7)
		check(t, err)
		check(t, db.Recall.KeepVectors(t.Context(), m.model, b, m.of(b)))
		if len(b.Passages) == 0 {
			return done
		}
		done += len(b.Passages)
	}
}

func (m meanings) of(b vector.Batch) [][]float32 {
	var out [][]float32
	for _, p := range b.Passages {
		out = append(out, m.vector(p.Title+" "+p.Text))
	}
	return out
}

// finds are the texts that a reader finds by words and vectors.
func (m meanings) finds(t *testing.T, db *store.DB, who memory.Reader, q memory.Question) string {
	t.Helper()
	hits, err := memory.New(db.Recall, db.Mint().Now).With(m, nil).Recall(t.Context(), who, q)
	check(t, err)
	var out []string
	for _, h := range hits {
		out = append(out, strings.TrimSpace(h.Text))
	}
	return strings.Join(out, "; ")
}

// vectors holds that what has a vector is found by its meaning, as long as it says that.
func vectors(t *testing.T, open Opener) {
	db, again := open(t)
	m := meanings{"test/one"}
	project, _ := add(t, db)
	remembered(t, db, project, desk.MemoryBody{Key: "fleet", Content: "The automobile was acquired by Bob."})
	spoken(t, db, "thr_9", project, "per_1", "Breakfast is at nine.", "Noted.")
	for i := range 40 {
		remembered(t, db, project, desk.MemoryBody{Key: fmt.Sprint("other-", i), Content: fmt.Sprintf("Topic%d stands beside matter%d and thing%d.", i, i, i)})
	}
	ann := memory.Reader{Person: "per_1", Project: project}
	const asked = "lorry purchase"
	if got := m.finds(t, db, ann, memory.Question{Text: asked}); got != "" {
		t.Errorf("before there are vectors: %q", got)
	}
	if n := m.vectored(t, db); n != 43 {
		t.Errorf("%d passages got vectors, want 43", n)
	}
	if got := m.finds(t, db, ann, memory.Question{Text: asked, Limit: 1}); !strings.Contains(got, "automobile") {
		t.Errorf("found by meaning: %q", got)
	}
	if got := m.finds(t, db, ann, memory.Question{Text: asked, Scopes: []string{memory.Said}}); strings.Contains(got, "automobile") {
		t.Errorf("of another scope: %q", got)
	}
	if got := (meanings{"test/two"}).finds(t, db, ann, memory.Question{Text: asked}); got != "" {
		t.Errorf("a vector of another model found %q", got)
	}
	var said string
	check(t, firstOf(t, db, &said))
	at := asPerson("per_1")
	at.Thread, at.Stream = "thr_9", event.ThreadStream("thr_9")
	_, err := db.Log.Append(t.Context(), session.EditedKind.Draft(at, session.Edited{Message: said, Text: "The auto stands outside."}))
	check(t, err)
	if s, err := db.Recall.VectorStatus(t.Context()); err != nil || s.Kept != 42 || s.Waiting != 1 || s.Dims != 64 {
		t.Errorf("after a message was edited: %+v %v", s, err)
	}
	m.vectored(t, db)
	if got := m.finds(t, db, ann, memory.Question{Text: "lorry", Scopes: []string{memory.Said}, Limit: 1}); !strings.Contains(got, "auto stands") {
		t.Errorf("what an edited message means: %q", got)
	}
	_, err = db.Log.Append(t.Context(), session.DeletedKind.Draft(at, session.Deleted{Message: said}))
	check(t, err)
	if s, err := db.Recall.VectorStatus(t.Context()); err != nil || s.Kept != 42 || s.Waiting != 0 {
		t.Errorf("after a message was deleted: %+v %v", s, err)
	}
	if _, err := db.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := db.Recall.VectorStatus(t.Context()); err != nil || s.Kept != 0 || s.Waiting != 42 {
		t.Errorf("after a rebuild: %+v %v", s, err)
	}
	m.vectored(t, db)
	check(t, db.Close())
	db, err = again()
	check(t, err)
	if got := m.finds(t, db, ann, memory.Question{Text: asked, Limit: 1}); !strings.Contains(got, "automobile") {
		t.Errorf("after opening again: %q", got)
	}
}

// firstOf is the id of the first message.
func firstOf(t *testing.T, db *store.DB, id *string) error {
	t.Helper()
	said, err := db.Conversations.Messages(t.Context(), "thr_9", 0, 1)
	if err == nil {
		*id = said[0].ID
	}
	return err
}

// vectorsOnce holds that one daemon makes vectors at a time, that nothing is kept of what changed meanwhile, and that another model
// begins anew.
func vectorsOnce(t *testing.T, open Opener) {
	db, _ := open(t)
	m, now := meanings{"test/one"}, time.Now()
	project, _ := add(t, db)
	spoken(t, db, "thr_9", project, "per_1", "The car is blue.")
	hold := func(model, who string, at time.Time, want bool) {
		t.Helper()
		if held, err := db.Recall.HoldVectors(t.Context(), model, who, at, at.Add(time.Minute)); err != nil || held != want {
			t.Errorf("%s holds: %v %v, want %v", who, held, err, want)
		}
	}
	hold(m.model, "one", now, true)
	hold(m.model, "two", now, false)
	hold(m.model, "two", now.Add(2*time.Minute), true)
	b, err := db.Recall.WaitForVectors(t.Context(), 10)
	check(t, err)
	var said string
	check(t, firstOf(t, db, &said))
	at := asPerson("per_1")
	at.Thread, at.Stream = "thr_9", event.ThreadStream("thr_9")
	_, err = db.Log.Append(t.Context(), session.EditedKind.Draft(at, session.Edited{Message: said, Text: "The car is red."}))
	check(t, err)
	check(t, db.Recall.KeepVectors(t.Context(), m.model, b, m.of(b)))
	if s, err := db.Recall.VectorStatus(t.Context()); err != nil || s.Kept != 0 || s.Waiting != 1 {
		t.Errorf("a message was edited while its vector was made: %+v %v", s, err)
	}
	if b, err = db.Recall.WaitForVectors(t.Context(), 10); err != nil || len(b.Passages) != 1 || b.Passages[0].Text != "The car is red." {
		t.Errorf("waits: %+v %v", b, err)
	}
	check(t, db.Recall.KeepVectors(t.Context(), m.model, b, m.of(b)))
	if err := db.Recall.KeepVectors(t.Context(), m.model, b, [][]float32{{1, 2}}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a vector of another length: %v", err)
	}
	hold("test/two", "two", now.Add(2*time.Minute), true)
	if s, err := db.Recall.VectorStatus(t.Context()); err != nil || s.Kept != 0 || s.Waiting != 1 || s.Model != "test/two" || s.Dims != 0 {
		t.Errorf("of another model: %+v %v", s, err)
	}
	if err := db.Recall.KeepVectors(t.Context(), m.model, b, m.of(b)); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a vector of the model before: %v", err)
	}
	hold("", "two", now.Add(2*time.Minute), true)
	if s, err := db.Recall.VectorStatus(t.Context()); err != nil || s.Kept != 0 || s.Waiting != 1 || s.Model != "" {
		t.Errorf("of none: %+v %v", s, err)
	}
}
