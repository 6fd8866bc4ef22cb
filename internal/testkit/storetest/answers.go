package storetest

import (
	"testing"

	"chela/internal/channel"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/session"
	"chela/internal/store"
)

// answersGo looks at what the clock is told of answers, of who made a schedule and of chats, inside a transaction that has changed them.
func answersGo(t *testing.T, open Opener) {
	db, _ := open(t)
	off := false
	at := place(event.OrgStream)
	said := func(thread, id, who, role, text string) event.Draft {
		p := place(event.ThreadStream(thread))
		p.Thread, p.Run, p.From = thread, id, event.Party{AgentID: who, Role: role}
		return session.SaidKind.Draft(p, session.Said{Message: text})
	}
	ann := org.Person{ID: "per_ann"}.Party()
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		for _, s := range []string{event.OrgStream, event.ThreadStream("thr_a"), event.ThreadStream("thr_b")} {
			tx.Hold(s)
		}
		opened := place(event.ThreadStream("thr_b"))
		opened.Thread = "thr_b"
		_, err := tx.Append(said("thr_a", "run_a", "agent:pm", "agent", "One"), said("thr_a", "run_a", "agent:pm", "agent", "Two"),
			said("thr_a", "run_a", ann.AgentID, "person", "Thanks"), said("thr_a", "run_b", "agent:pm", "agent", "Three"), said("thr_b", "run_a", "agent:pm", "agent", "Four"),
			org.PersonAddedKind.Draft(at, org.PersonAdded{ID: "per_ann", Name: "Ann", Role: org.Editor}),
			channel.ConfiguredKind.Draft(at, channel.Options{Name: "team", Kind: "webhook", Chats: []string{"C7"}}),
			channel.ConfiguredKind.Draft(at, channel.Options{Name: "gone", Kind: "webhook", Chats: []string{"C7"}, Off: true}),
			session.OpenedKind.Draft(opened, session.Opened{Channel: "webhook", Title: "T", Chat: &session.Chat{Channel: "team", Chat: "C1", Branch: "b"}}))
		if err != nil {
			return err
		}
		for id, want := range map[string]string{"run_a": "Two", "run_b": "Three", "run_c": ""} {
			if m, err := tx.Plan().Answer("thr_a", run.ID(id)); err != nil || m.Message != want {
				t.Errorf("%s answered %q %v, want %q", id, m.Message, err, want)
			}
		}
		if role, barred, err := tx.Plan().RoleOf(ann); err != nil || role != org.Editor || barred != "" {
			t.Errorf("%s %q %v", role, barred, err)
		}
		for _, c := range []struct {
			at   session.Chat
			want schedule.Place
			ok   bool
		}{
			{session.Chat{Channel: "team", Chat: "C7"}, schedule.Place{Kind: "webhook"}, true},
			{session.Chat{Channel: "team", Chat: "C1", Branch: "b"}, schedule.Place{Thread: "thr_b", Kind: "webhook"}, true},
			{session.Chat{Channel: "team", Chat: "C1"}, schedule.Place{Kind: "webhook"}, true}, // known, and no conversation is held just there
			{session.Chat{Channel: "team", Chat: "C8"}, schedule.Place{}, false},
			{session.Chat{Channel: "gone", Chat: "C7"}, schedule.Place{}, false},
		} {
			if got, ok, err := tx.Plan().Place(c.at); err != nil || ok != c.ok || got != c.want {
				t.Errorf("%+v: %+v %v %v", c.at, got, ok, err)
			}
		}
		if _, err := tx.Append(org.PersonChangedKind.Draft(at, org.PersonChanged{ID: "per_ann", Enabled: &off})); err != nil {
			return err
		}
		if role, barred, err := tx.Plan().RoleOf(ann); err != nil || role != "" || barred == "" {
			t.Errorf("disabled: %s %q %v", role, barred, err)
		}
		return nil
	}))
	if role, barred, err := roleIn(t, db, event.Party{AgentID: "agent:pm"}); err != nil || role != "" || barred == "" {
		t.Errorf("an agent: %s %q %v", role, barred, err)
	}
	f := scheduled(t)
	f.Type, f.OnceAt, f.CronExpr, f.Message, f.Through, f.Origins = schedule.Once, "2026-03-02 09:00", "", "Look", "agent:pm", []string{"chats"}
	f.Deliver = schedule.Delivery{To: schedule.ToConversation, Thread: "thr_b"}
	p := occurrence(f, "exe_1", "prj_1", nine)
	p.Ask = schedule.Ask{Message: f.Message, Origins: f.Origins, Deliver: f.Deliver, Maker: ann, Once: true}
	_, err := db.Log.Append(t.Context(), schedule.CreatedKind.Draft(at, schedule.Made{ID: "sch_1", Version: 1, Fields: f}), schedule.PlannedKind.Draft(at, p))
	check(t, err)
	s, err := db.Plan.Schedule(t.Context(), "sch_1")
	if err != nil || s.OnceAt != f.OnceAt || s.Deliver != f.Deliver || s.Message != f.Message || s.Through != f.Through || len(s.Origins) != 1 {
		t.Errorf("%+v %v", s, err)
	}
	e, err := db.Plan.Execution(t.Context(), "exe_1")
	if err != nil || e.Deliver != f.Deliver || e.Maker != ann || !e.Once || e.Message != "Look" || len(e.Origins) != 1 {
		t.Errorf("%+v %v", e, err)
	}
}

func roleIn(t *testing.T, db *store.DB, by event.Party) (role org.Role, barred string, err error) {
	t.Helper()
	err = db.Write(t.Context(), func(tx *store.Tx) (err error) {
		role, barred, err = tx.Plan().RoleOf(by)
		return err
	})
	return role, barred, err
}
