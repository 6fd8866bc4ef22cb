package clerk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
)

// act plans and records as a run of its own.
func (w *world) act(run string, plan func(*clerk.Work) error) error {
	at := place()
	at.Run = run
	return w.clerk.Do(w.t.Context(), at, w.project, func(d []event.Draft) error {
		_, err := w.db.Log.Append(w.t.Context(), d...)
		return err
	}, plan)
}

// revisions are what a run made of all records.
func (w *world) revisions(run string) (out []desk.Revision) {
	w.t.Helper()
	for r, err := range desk.Replay(w.db.Log.Stream(w.t.Context(), desk.StreamOf(w.project))) {
		if err != nil {
			w.t.Fatal(err)
		}
		if r.Event.Message.RunID == run {
			out = append(out, r)
		}
	}
	return out
}

// undo takes a run back in a run of its own.
func (w *world) undo(run, as string) (out clerk.Undone) {
	w.t.Helper()
	err := w.act(as, func(c *clerk.Work) (err error) {
		out, err = c.Undo(w.revisions(run))
		return err
	})
	if err != nil {
		w.t.Fatalf("undo %s: %v", run, err)
	}
	return out
}

// bodies are the records that are there, without what is computed.
func (w *world) bodies() map[string]string {
	w.t.Helper()
	p, err := w.db.Desk.Records(w.t.Context(), clerk.Query{Project: w.project, Limit: clerk.All})
	if err != nil {
		w.t.Fatal(err)
	}
	out := make(map[string]string)
	for _, r := range p.Records {
		var b map[string]json.RawMessage
		if err := json.Unmarshal(r.Body, &b); err != nil {
			w.t.Fatal(err)
		}
		delete(b, r.Kind.Computed())
		raw, err := json.Marshal(b)
		if err != nil {
			w.t.Fatal(err)
		}
		out[r.ID] = string(raw)
	}
	return out
}

func TestUndo_TakesBackFieldsThatNobodyChangedSince(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.make(desk.Ticket, `{"title":"Login","status":"TODO","priority":"LOW"}`)
	if err := w.act("run_a", func(c *clerk.Work) error {
		_, err := c.Patch(desk.Ticket, id, json.RawMessage(`{"status":"DONE","priority":"HIGH","labels":["x"]}`))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.patch(desk.Ticket, id, `{"priority":"CRITICAL"}`)
	got := w.undo("run_a", "run_b")
	b := open[desk.TicketBody](w, id)
	if b.Status != desk.Todo || b.Priority != "CRITICAL" || len(b.Labels) != 0 {
		t.Errorf("got %s %s %v, want TODO CRITICAL and no label", b.Status, b.Priority, b.Labels)
	}
	if len(got.Changed) != 1 || len(got.Kept) != 1 || got.Kept[0].Field != "priority" {
		t.Errorf("got %+v, want one changed record, and the priority kept", got)
	}
	w.undo("run_b", "run_c") // an undo is taken back as anything else
	if b := open[desk.TicketBody](w, id); b.Status != desk.Done || b.Priority != "CRITICAL" {
		t.Errorf("got %s %s after the undo of the undo, want DONE CRITICAL", b.Status, b.Priority)
	}
}

func TestUndo_KeepsNewRecordsThatOthersUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var used, free string
	if err := w.act("run_a", func(c *clerk.Work) error {
		one, err := c.Create(desk.Ticket, json.RawMessage(`{"title":"Used"}`))
		if err != nil {
			return err
		}
		two, err := c.Create(desk.Ticket, json.RawMessage(`{"title":"Free","owner":"Dana"}`))
		used, free = one.ID, two.ID
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.make(desk.Ticket, fmt.Sprintf(`{"title":"Later","blockedBy":[%q]}`, used))
	got := w.undo("run_a", "run_b")
	if b := w.bodies(); b[used] == "" || b[free] != "" {
		t.Errorf("got %v, want the used ticket and not the free one", b)
	}
	if len(got.Kept) != 1 || got.Kept[0].ID != used {
		t.Errorf("got kept %+v, want the used ticket", got.Kept)
	}
}

func TestUndo_BringsBackWhatWasDeletedOrMerged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.make(desk.Ticket, `{"title":"One","owner":"Dana","labels":["a"]}`)
	two := w.make(desk.Ticket, `{"title":"Two","labels":["b"]}`)
	w.make(desk.Ticket, fmt.Sprintf(`{"title":"Three","blockedBy":[%q,%q]}`, one, two))
	before := w.bodies()
	if err := w.act("run_merge", func(c *clerk.Work) error { return c.Merge(desk.Ticket, one, []string{two}) }); err != nil {
		t.Fatal(err)
	}
	merged := w.bodies()
	if err := w.act("run_remove", func(c *clerk.Work) error {
		_, err := c.Remove(desk.Ticket, one)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.undo("run_remove", "run_b")
	same(t, "after the undo of the deletion", w.bodies(), merged)
	w.undo("run_merge", "run_c")
	same(t, "after the undo of the merge", w.bodies(), before)
	if got := w.undo("run_c", "run_d"); len(got.Kept) > 0 {
		t.Errorf("kept %+v", got.Kept)
	}
	same(t, "after the undo of that", w.bodies(), merged)
}

func same(t interface {
	Helper()
	Errorf(format string, args ...any)
}, when string, got, want map[string]string,
) {
	t.Helper()
	for id, body := range want {
		if got[id] != body {
			t.Errorf("%s: %s is %s, want %s", when, id, got[id], body)
		}
	}
	for id, body := range got {
		if want[id] == "" {
			t.Errorf("%s: %s is there, %s", when, id, body)
		}
	}
}

// TestUndo_IsExact takes back random acts, newest first, and compares with what was there before each.
func TestUndo_IsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w, n := newWorld(t), 0
		var states []map[string]string
		var runs []string
		for range rapid.IntRange(1, 5).Draw(rt, "acts") {
			n++
			run := fmt.Sprintf("run_act%d", n)
			states, runs = append(states, w.bodies()), append(runs, run)
			if err := w.act(run, func(c *clerk.Work) error { return w.anything(rt, c) }); err != nil {
				rt.Fatal(err)
			}
		}
		for i, run := range slices.Backward(runs) {
			if len(w.revisions(run)) == 0 {
				continue
			}
			n++
			if got := w.undo(run, fmt.Sprintf("run_act%d", n)); len(got.Kept) > 0 {
				rt.Errorf("kept %+v", got.Kept)
			}
			same(rt, "before "+run, w.bodies(), states[i])
		}
	})
}

// anything plans a few changes of tickets.
func (w *world) anything(rt *rapid.T, c *clerk.Work) error {
	for range rapid.IntRange(1, 3).Draw(rt, "changes") {
		p, err := c.List(clerk.Query{Kind: desk.Ticket, Limit: 20})
		if err != nil {
			return err
		}
		p = slices.DeleteFunc(p, func(r desk.Record) bool { return r.Deleted || r.MergedInto != "" })
		what := rapid.SampledFrom([]string{"create", "edit", "own", "remove", "merge"}).Draw(rt, "what")
		if len(p) < 2 {
			what = "create"
		}
		pick := func(name string) string { return rapid.SampledFrom(p).Draw(rt, name).ID }
		switch what {
		case "create":
			_, err = c.Create(desk.Ticket, json.RawMessage(fmt.Sprintf(`{"title":"T%d","owner":"Dana"}`, rapid.IntRange(0, 1000).Draw(rt, "title"))))
		case "edit":
			one, two := pick("one"), pick("two")
			if one == two {
				two = ""
			}
			_, err = c.Patch(desk.Ticket, one, json.RawMessage(fmt.Sprintf(`{"status":%q,"relatedTo":[%q],"dueDate":null}`,
				rapid.SampledFrom(desk.TicketStatuses()).Draw(rt, "status"), two)))
		case "own":
			err = c.Own(pick("one"), rapid.SampledFrom([]string{"Dana", "Ann", ""}).Draw(rt, "owner"))
		case "remove":
			_, err = c.Remove(desk.Ticket, pick("one"))
		case "merge":
			if one, two := pick("one"), pick("two"); one != two {
				err = c.Merge(desk.Ticket, one, []string{two})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestUndo_AnImportSaysThatItWasTakenBack: its content can be handed in again, until the undo is undone.
func TestUndo_AnImportSaysThatItWasTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var id string
	if err := w.act("run_a", func(c *clerk.Work) error {
		r, err := clerk.Add(c, desk.Intake, &desk.IntakeBody{Title: "Minutes", Digest: "d", RunID: "run_a"})
		if id = r.ID; err == nil {
			_, err = c.Create(desk.Ticket, json.RawMessage(`{"title":"Made"}`))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []desk.IntakeStatus{desk.IntakeProcessing, desk.IntakeDispatched} {
		if err := w.act("run_a", func(c *clerk.Work) error {
			_, err := clerk.Edit(c, desk.Intake, id, func(b *desk.IntakeBody) { b.Status = s })
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		run, as string
		want    desk.IntakeStatus
	}{{"run_a", "run_b", desk.IntakeTakenBack}, {"run_b", "run_c", desk.IntakeDispatched}, {"run_c", "run_d", desk.IntakeTakenBack}} {
		w.undo(c.run, c.as)
		var known bool
		if err := w.act("run_look", func(k *clerk.Work) (err error) {
			_, known, err = k.Find(desk.Intake, "d")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if b := open[desk.IntakeBody](w, id); b.Status != c.want || known != (c.want == desk.IntakeDispatched) {
			t.Errorf("after the undo of %s the import is %s, known again %t; want %s", c.run, b.Status, known, c.want)
		}
	}
}
