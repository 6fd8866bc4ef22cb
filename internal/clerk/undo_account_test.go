package clerk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

// run plans as the run of a name, and the test ends when that fails.
func (w *world) run(name string, plan func(*clerk.Work) error) {
	w.t.Helper()
	if err := w.act(name, plan); err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
}

// blindspot is a body that names records.
func blindspot(title string, ids ...string) json.RawMessage {
	raw, _ := json.Marshal(desk.BlindspotBody{Title: title, Category: "UNASSIGNED_WORK", RecordIDs: ids}) // texts alone
	return raw
}

// TestUndo_FindingsKeepNothing: two imports of which each makes a ticket, and a finding that names both.
func TestUndo_FindingsKeepNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var one, two, found, pack string
	w.run("run_a", func(c *clerk.Work) error {
		r, err := c.Create(desk.Ticket, json.RawMessage(`{"title":"One"}`))
		if err != nil {
			return err
		}
		b, err := c.Create(desk.Blindspot, blindspot("Nobody has it", r.ID))
		one, found = r.ID, b.ID
		return err
	})
	w.run("run_b", func(c *clerk.Work) error {
		r, err := c.Create(desk.Ticket, json.RawMessage(`{"title":"Two"}`))
		if err != nil {
			return err
		}
		two = r.ID
		if _, err := c.Patch(desk.Blindspot, found, blindspot("Nobody has them", one, two)); err != nil {
			return err
		}
		p, err := c.Create(desk.DeltaPack, json.RawMessage(fmt.Sprintf(`{"title":"Found","deltas":[{"deltaType":"DATE_DRIFT","title":"Late","recordIds":[%q,%q]}]}`, one, two)))
		pack = p.ID
		return err
	})
	got := w.undo("run_a", "run_c")
	if b := w.bodies(); b[one] != "" || b[two] == "" || len(got.Kept) > 0 {
		t.Errorf("the first ticket is %q and kept is %+v, want neither", b[one], got.Kept)
	}
	if b := open[desk.BlindspotBody](w, found); !slices.Equal(b.RecordIDs, []string{two}) {
		t.Errorf("the blindspot names %v, want %s alone", b.RecordIDs, two)
	}
	if b := open[desk.DeltaPackBody](w, pack); !slices.Equal(b.Deltas[0].Records, []string{two}) {
		t.Errorf("the delta names %v, want %s alone", b.Deltas[0].Records, two)
	}
	if got := w.undo("run_b", "run_d"); len(got.Kept) > 0 || w.bodies()[two] != "" {
		t.Errorf("the second ticket is %q, kept is %+v, want neither", w.bodies()[two], got.Kept)
	}
}

// TestUndo_OnePackCounts: the pack of an act that is taken back had taken the place of one, and another took its own.
func TestUndo_OnePackCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var packs []string
	for _, run := range []string{"run_a", "run_b", "run_c"} {
		w.run(run, func(c *clerk.Work) error {
			if _, err := c.Create(desk.Ticket, json.RawMessage(fmt.Sprintf(`{"title":%q}`, run))); err != nil {
				return err
			}
			p, err := c.Create(desk.DeltaPack, json.RawMessage(`{"title":"Found"}`))
			packs = append(packs, p.ID)
			return err
		})
	}
	counts := func() (out []string) {
		for _, id := range packs {
			if r, err := w.db.Desk.Record(t.Context(), id); err == nil && !r.Deleted && open[desk.DeltaPackBody](w, id).Status == desk.PackFinal {
				out = append(out, id)
			}
		}
		return out
	}
	w.undo("run_b", "run_d")
	if got := counts(); !slices.Equal(got, packs[2:]) {
		t.Errorf("the packs %v count, want the last of %v", got, packs)
	}
	w.undo("run_c", "run_e")
	if got := counts(); len(got) > 1 {
		t.Errorf("the packs %v count, want one at most", got)
	}
}

// TestUndo_OfAFindingAloneNamesWhatStays: a person's edit of a finding is an act as any other.
func TestUndo_OfAFindingAloneNamesWhatStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.make(desk.Blindspot, string(blindspot("Nobody has it")))
	w.run("run_a", func(c *clerk.Work) error {
		_, err := c.Patch(desk.Blindspot, id, json.RawMessage(`{"status":"DISMISSED"}`))
		return err
	})
	w.patch(desk.Blindspot, id, `{"status":"OPEN"}`)
	if got := w.undo("run_a", "run_b"); len(got.Kept) != 1 || got.Kept[0].Field != "status" {
		t.Errorf("kept %+v, want the status", got.Kept)
	}
}

// handedIn makes an intake with an upload of which a thread was made.
func (w *world) handedIn(run string) (thread, intake, upload string) {
	w.t.Helper()
	w.run(run, func(c *clerk.Work) error {
		i, err := clerk.Add(c, desk.Intake, &desk.IntakeBody{Title: "Minutes", Digest: "d", RunID: run})
		if err != nil {
			return err
		}
		h, err := c.Create(desk.Thread, json.RawMessage(`{"title":"Minutes"}`))
		if err != nil {
			return err
		}
		u, err := clerk.Add(c, desk.Upload, &desk.UploadBody{Title: "Minutes", Artifact: "artifact:1", IntakeID: i.ID, ThreadID: h.ID})
		if err != nil {
			return err
		}
		thread, intake, upload = h.ID, i.ID, u.ID
		_, err = clerk.Edit(c, desk.Intake, i.ID, func(b *desk.IntakeBody) { b.Uploads = []string{u.ID} })
		return err
	})
	return thread, intake, upload
}

func TestUndo_BringsAccountsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.handedIn("run_a")
	before := w.bodies()
	w.run("run_empty", func(c *clerk.Work) error {
		_, err := c.EmptyProject()
		return err
	})
	if got := w.undo("run_empty", "run_b"); len(got.Kept) > 0 || len(got.Changed) != 3 {
		t.Errorf("changed %+v, kept %+v, want three records that came back", got.Changed, got.Kept)
	}
	same(t, "after the undo of the deletion", w.bodies(), before)
	w.undo("run_b", "run_c")
	if b := w.bodies(); len(b) != 1 {
		t.Errorf("after the undo of that there is %v, want the project alone", b)
	}
	w.undo("run_c", "run_d")
	same(t, "after the undo of that in turn", w.bodies(), before)
}

func TestUndo_GivesAccountsTheReferencesBackThatTheyLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	thread, intake, upload := w.handedIn("run_a")
	other := w.make(desk.Thread, `{"title":"Minutes of Monday"}`)
	before := w.bodies()
	w.run("run_merge", func(c *clerk.Work) error {
		_, err := c.MergeThreads(other, []string{thread}, "")
		return err
	})
	if b := open[desk.UploadBody](w, upload); b.ThreadID != other {
		t.Fatalf("the upload is of the thread %s, want %s", b.ThreadID, other)
	}
	merged := w.bodies()
	w.undo("run_merge", "run_b")
	same(t, "after the undo of the merge", w.bodies(), before)
	w.undo("run_b", "run_c")
	same(t, "after the undo of that", w.bodies(), merged)
	w.undo("run_c", "run_d")
	w.undo("run_a", "run_e") // what made them tells that it happened
	if b := w.bodies(); b[thread] != "" || b[intake] == "" || b[upload] == "" {
		t.Errorf("after the undo of the intake there is %v, want the intake and the upload and no thread", b)
	}
}

// TestClerk_UndoBringsADeletedProjectBack: also an archived one, whose records do not change otherwise.
func TestClerk_UndoBringsADeletedProjectBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.handedIn("run_a")
	one := w.make(desk.Ticket, `{"title":"One","owner":"Dana"}`)
	w.run("run_before", func(c *clerk.Work) error {
		_, err := c.Remove(desk.Ticket, w.make(desk.Ticket, fmt.Sprintf(`{"title":"Two","relatedTo":[%q]}`, one)))
		return err
	})
	w.patch(desk.Project, w.project, `{"status":"ARCHIVED"}`)
	before := w.bodies()
	w.run("run_gone", func(c *clerk.Work) error {
		_, err := c.RemoveProject()
		return err
	})
	at := place()
	at.Run = "run_back"
	got, err := w.clerk.Undo(t.Context(), at, w.revisions("run_gone"), func(d []event.Draft) error {
		_, err := w.db.Log.Append(t.Context(), d...)
		return err
	})
	if err != nil || len(got.Kept) > 0 {
		t.Fatalf("the undo answers %v and kept %+v, want neither", err, got.Kept)
	}
	same(t, "after the undo", w.bodies(), before)

	undo := func(run, as string) error {
		at := place()
		at.Run = as
		_, err := w.clerk.Undo(t.Context(), at, w.revisions(run), func(d []event.Draft) error {
			_, err := w.db.Log.Append(t.Context(), d...)
			return err
		})
		return err
	}
	if err := undo("run_back", "run_again"); err != nil || len(w.bodies()) > 0 {
		t.Fatalf("the undo of the undo answers %v and leaves %v, want nothing of the project", err, w.bodies())
	}
	if err := undo("run_again", "run_once_more"); err != nil {
		t.Fatal(err)
	}
	same(t, "after the undo of that", w.bodies(), before)
	w.patch(desk.Project, w.project, `{"status":"ACTIVE"}`)
	w.make(desk.Ticket, `{"title":"Three"}`)
	if err := undo("run_once_more", "run_late"); fault.KindOf(err) != fault.Conflict || len(w.bodies()) != len(before)+1 {
		t.Errorf("with a ticket that was made since the undo answers %v and leaves %d records", err, len(w.bodies()))
	}
}
