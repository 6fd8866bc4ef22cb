package storetest

import (
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/session"
	"chela/internal/store"
)

// audio holds messages that wait for what is said in their audio files: what is heard is put into them,
// and when none waits any more all have their turn at once. What was said already is marked.
func audio(t *testing.T, open Opener) {
	db, _ := open(t)
	seed(t, db)
	at := place(event.ThreadStream("thr_1"))
	until := db.Mint().Now().Add(time.Hour).Truncate(time.Microsecond)
	file := session.Audio{File: session.File{Ref: "artifact:1", Name: "voice.ogg", Type: "audio/ogg", Size: 4}}
	heard := file
	heard.Text = "Deploy it."
	hold := func(text string, audio ...session.Audio) string {
		t.Helper()
		out, err := db.Log.Append(t.Context(), session.HeldKind.Draft(at, session.Held{Message: text, Audio: audio, Mode: session.Steer, Due: until}))
		check(t, err)
		return out[0].Message.ID
	}
	transcribed := func(p session.Transcribed) time.Time {
		t.Helper()
		out, err := db.Log.Append(t.Context(), session.TranscribedKind.Draft(at, p))
		check(t, err)
		return out[0].At
	}
	waiting := func(n int) []session.Waiting {
		t.Helper()
		all, err := db.Conversations.Waiting(t.Context(), "thr_1")
		check(t, err)
		if len(all) != n {
			t.Fatalf("%+v wait", all)
		}
		return all
	}
	one, two := hold("[Voice message, 2s]", file), hold("", file)
	hold("and more")
	transcribed(session.Transcribed{Message: one, Audio: []session.Audio{heard}})
	if all := waiting(3); all[0].Audio[0] != heard || !all[0].Due.Equal(until) || all[1].Audio[0] != file {
		t.Errorf("after the first was heard: %+v", all)
	}
	freed, leave := db.Subscribe(event.QueuesMoved)
	defer leave()
	now := transcribed(session.Transcribed{Message: two, Audio: []session.Audio{heard}}).Truncate(time.Microsecond)
	for i, w := range waiting(3) {
		if !w.Due.Equal(now) {
			t.Errorf("message %d is due at %s, not at %s", i, w.Due, now)
		}
	}
	select {
	case <-freed:
	default:
		t.Error("nobody was told that they have their turn")
	}
	said := at
	said.Key = session.HeldKey(one)
	direct := at
	direct.Key = "direct"
	out, err := db.Log.Append(t.Context(), session.SaidKind.Draft(said, session.Said{Message: "One", Audio: []session.Audio{heard}, Held: one}),
		session.SaidKind.Draft(direct, session.Said{Message: "Three", Audio: []session.Audio{file}}))
	check(t, err)
	own := out[1].Message.ID
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		for id, want := range map[string]string{one: out[0].Message.ID, own: own, two: "", "evt_none": ""} {
			m, err := tx.Conversations().SaidAs("thr_1", at.From.AgentID, id)
			if m.ID != want || (err == nil) != (want != "") || err != nil && fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s was said as %q: %v", id, m.ID, err)
			}
		}
		return nil
	}))
	transcribed(session.Transcribed{Message: own, Said: own, Audio: []session.Audio{heard}})
	transcribed(session.Transcribed{Message: "evt_gone", Audio: []session.Audio{heard}})
	all, err := db.Conversations.Messages(t.Context(), "thr_1", out[1].Seq-1, 1)
	check(t, err)
	if s := all[0].Audio[0]; !s.Below || s.Text != "" {
		t.Errorf("what a message of its own says stands in %+v", s)
	}
	rebuilt, err := db.Rebuild(t.Context())
	check(t, err)
	if d := rebuilt.Different(); len(d) > 0 {
		t.Errorf("the log does not give the tables again: %v", d)
	}
}
