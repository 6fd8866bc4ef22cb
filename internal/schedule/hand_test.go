package schedule_test

import (
	"fmt"
	"testing"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/schedule"
)

func (r *room) hand(by event.Party, key string) schedule.Hand {
	return schedule.Hand{By: by, At: r.place(""), Key: key, Project: r.project}
}

// through is what an agent makes for a person.
func (r *room) through() schedule.Fields {
	f := daily()
	f.Message, f.Scope, f.Project, f.Through, f.Deliver = "Look", schedule.Project, r.project, "agent:pm", schedule.Delivery{To: schedule.ToInbox}
	return f
}

// TestHand_OnceForEachCall: a call that is made again after a crash makes, changes and deletes nothing twice.
func TestHand_OnceForEachCall(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ann := r.member("per_ann", org.Editor)
	one, err := r.editor.CreateThrough(t.Context(), r.hand(ann, "c1"), r.through())
	if err != nil || one.By != ann || one.Through != "agent:pm" {
		t.Fatalf("%+v %v", one, err)
	}
	again, err := r.editor.CreateThrough(t.Context(), r.hand(ann, "c1"), r.through())
	if err != nil || again.ID != one.ID || again.Version != 1 || r.events(schedule.CreatedKind.Name) != 1 {
		t.Errorf("%+v %v, %d made", again, err, r.events(schedule.CreatedKind.Name))
	}
	two, err := r.editor.CreateThrough(t.Context(), r.hand(ann, "c2"), r.through())
	if err != nil || two.ID == one.ID {
		t.Errorf("%+v %v", two, err)
	}
	for range 2 {
		changed, err := r.editor.ChangeThrough(t.Context(), r.hand(ann, "c3"), one.ID, func(f *schedule.Fields) { f.Message = "Look closer" })
		if err != nil || changed.Version != 2 || changed.Message != "Look closer" {
			t.Errorf("%+v %v", changed, err)
		}
	}
	if err := r.editor.DeleteThrough(t.Context(), r.hand(ann, "c4"), one.ID); err != nil {
		t.Error(err)
	}
	if err := r.editor.DeleteThrough(t.Context(), r.hand(ann, "c4"), one.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("it is gone: %v", err)
	}
	list, _, err := r.db.Log.Events(t.Context(), 0, event.Filter{Type: schedule.CreatedKind.Name})
	if err != nil || list[0].Message.From.AgentID != ann.AgentID || list[0].Message.RunID != "run_1" || list[0].Message.ThreadID != "thr_1" {
		t.Errorf("the log says who and in which run: %+v %v", list[0].Message, err)
	}
}

// TestHand_WithinBounds: an agent changes what is the person's and of the project, as long as they are editors, and keeps twenty for them.
func TestHand_WithinBounds(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ann, bob, viv := r.member("per_ann", org.Editor), r.member("per_bob", org.Admin), r.member("per_viv", org.Viewer)
	if _, err := r.editor.CreateThrough(t.Context(), r.hand(viv, "c1"), r.through()); fault.KindOf(err) != fault.Denied {
		t.Errorf("a viewer: %v", err)
	}
	if _, err := r.editor.CreateThrough(t.Context(), r.hand(event.Party{AgentID: "agent:pm", Role: "agent"}, "c1"), r.through()); fault.KindOf(err) != fault.Denied {
		t.Errorf("nobody: %v", err)
	}
	hers, err := r.editor.CreateThrough(t.Context(), r.hand(ann, "c1"), r.through())
	if err != nil {
		t.Fatal(err)
	}
	edit := func(f *schedule.Fields) { f.Message = "Mine" }
	if _, err := r.editor.ChangeThrough(t.Context(), r.hand(bob, "c2"), hers.ID, edit); fault.KindOf(err) != fault.Denied {
		t.Errorf("another's: %v", err)
	}
	if err := r.editor.DeleteThrough(t.Context(), r.hand(bob, "c2"), hers.ID); fault.KindOf(err) != fault.Denied {
		t.Errorf("another's is deleted: %v", err)
	}
	elsewhere := r.hand(ann, "c3")
	elsewhere.Project = "prj_other"
	if _, err := r.editor.ChangeThrough(t.Context(), elsewhere, hers.ID, edit); fault.KindOf(err) != fault.Denied {
		t.Errorf("of another project: %v", err)
	}
	for i := range 19 {
		if _, err := r.editor.CreateThrough(t.Context(), r.hand(ann, fmt.Sprint("m", i)), r.through()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.editor.CreateThrough(t.Context(), r.hand(ann, "more"), r.through()); fault.KindOf(err) != fault.Conflict {
		t.Errorf("one more than the most: %v", err)
	}
	if _, err := r.editor.CreateThrough(t.Context(), r.hand(bob, "his"), r.through()); err != nil {
		t.Errorf("he has none: %v", err)
	}
	if _, err := r.editor.Create(t.Context(), ann, daily()); err != nil {
		t.Errorf("she may make more herself: %v", err)
	}
}
