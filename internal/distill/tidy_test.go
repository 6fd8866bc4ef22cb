package distill_test

import (
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/distill"
	"chela/internal/event"
)

// hold keeps memories of the project, each with a source.
func (w *world) hold(bodies ...desk.MemoryBody) {
	w.t.Helper()
	for _, b := range bodies {
		b.Sources = []desk.Source{{Document: "msg_" + b.Key, Quote: b.Content, By: "rule:test"}}
		w.do(w.project, func(x *clerk.Work) error {
			_, err := clerk.Add(x, desk.Memory, &b)
			return err
		})
	}
}

// live are the memories of the project by their keys.
func (w *world) live() map[string]desk.MemoryBody {
	w.t.Helper()
	p, err := w.db.Desk.Records(w.t.Context(), clerk.Query{Project: w.project, Kind: desk.Memory, Limit: 500})
	if err != nil {
		w.t.Fatal(err)
	}
	out := make(map[string]desk.MemoryBody)
	for _, r := range p.Records {
		b, err := desk.Open[desk.MemoryBody](r)
		if err != nil {
			w.t.Fatal(err)
		}
		out[b.Key] = b
	}
	return out
}

func (w *world) end() event.Seq {
	w.t.Helper()
	end, err := w.db.Log.End(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return end
}

func TestTidy_MergesMarksAndExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hold(
		desk.MemoryBody{Key: "a", Content: "The export job is due in May."},
		desk.MemoryBody{Key: "b", Content: "the export job is due in may"},
		desk.MemoryBody{Key: "c", Content: "The export job is due in June."},
		desk.MemoryBody{Key: "d", Content: "Service 1 runs on port 8001 since March."},
		desk.MemoryBody{Key: "e", Content: "Service 2 runs on port 8002 since March."},
		desk.MemoryBody{Key: "f", Content: "Guests may read the internal status page."},
		desk.MemoryBody{Key: "g", Content: "Guests may not read the internal status page."},
		desk.MemoryBody{Key: "h", Content: "The old banner was red.", ExpiresAt: "2026-01-01"},
		desk.MemoryBody{Key: "i", Content: "The export job is due in May.", Type: "question"},
	)
	k := w.keeper()
	n, err := k.Tidy(t.Context(), w.project)
	if err != nil || n != 4 {
		t.Errorf("%d memories changed, %v; want 4", n, err)
	}
	got := w.live()
	if len(got) != 7 || len(got["a"].Sources) != 2 {
		t.Errorf("%d memories are left, and a has the sources %+v; want 7, and those of both", len(got), got["a"].Sources)
	}
	for key, want := range map[string]int{"a": 0, "c": 1, "d": 0, "e": 0, "f": 0, "g": 1, "i": 0} {
		if b, ok := got[key]; !ok || len(b.Contradicts) != want {
			t.Errorf("%s contradicts %v; want %d", key, b.Contradicts, want)
		}
	}
	end := w.end()
	if n, err := k.Tidy(t.Context(), w.project); err != nil || n != 0 {
		t.Errorf("once more: %d changed, %v", n, err)
	}
	if n, err := w.keeper().Tidy(t.Context(), w.project); err != nil || n != 0 || w.end() != end {
		t.Errorf("by another daemon: %d changed, %v, and the log grew by %d", n, err, w.end()-end)
	}
	if r, err := w.db.Rebuild(t.Context()); err != nil || len(r.Different()) > 0 {
		t.Errorf("a rebuild: %v %v", r.Different(), err)
	}
}

// TestNight_IsQuietAndUndoneAsOne: nothing is done by day; a night is one act, which is undone as one; a night after a day on which
// nothing happened writes nothing.
func TestNight_IsQuietAndUndoneAsOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hold(
		desk.MemoryBody{Key: "a", Content: "The export job is due in May."}, desk.MemoryBody{Key: "b", Content: "The export job is due in May!"},
		desk.MemoryBody{Key: "c", Content: "The export job is due in June."}, desk.MemoryBody{Key: "d", Content: "It was red.", ExpiresAt: "2026-01-01"},
	)
	k := distill.NewKeeper(clerk.New(w.db.Desk), w.db.Desk, w.db.Conversations, w.db.Recall, w.db.Log, distill.Options{Projects: w.db.Directory.Projects})
	night := func() event.Seq {
		t.Helper()
		before := w.end()
		if err := k.Night(t.Context()); err != nil {
			t.Fatal(err)
		}
		return w.end() - before
	}
	to := func(hour int) { // of the next day, unless it comes today
		now := w.db.Mint().Now().Local()
		at := time.Date(now.Year(), now.Month(), now.Day(), hour, 30, 0, 0, time.Local)
		if !at.After(now) {
			at = at.AddDate(0, 0, 1)
		}
		w.db.Mint().Forward(at.Sub(now))
	}
	to(14)
	if n := night(); n != 0 {
		t.Errorf("%d events by day", n)
	}
	to(3)
	began := w.end()
	if n := night(); n == 0 || len(w.live()) != 2 {
		t.Errorf("%d events at night, and %d memories are left; want 2", n, len(w.live()))
	}
	if n := night(); n != 0 {
		t.Errorf("%d events in the same night once more", n)
	}
	var act []desk.Revision
	for r, err := range desk.Replay(w.db.Log.Stream(t.Context(), desk.StreamOf(w.project))) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Event.Seq > began {
			act = append(act, r)
		}
	}
	for _, r := range act {
		if r.Event.Message.RunID != act[0].Event.Message.RunID {
			t.Errorf("%s is of another act", r.Event.Message.ID)
		}
	}
	w.do(w.project, func(x *clerk.Work) error {
		_, err := x.Undo(act)
		return err
	})
	if got := w.live(); len(got) != 4 || len(got["c"].Contradicts) != 0 || len(got["a"].Sources) != 1 {
		t.Errorf("after it was undone there are %+v", got)
	}
	to(3)
	if n := night(); n != 0 {
		t.Errorf("what a person brought back is tidied again: %d events", n)
	}
	to(3)
	if n := night(); n != 0 {
		t.Errorf("a day on which nothing happened wrote %d events", n)
	}
}
