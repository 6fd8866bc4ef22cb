package storetest

import (
	"encoding/json"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/store"
)

// commanded holds what commands look up and change: a conversation's model, what was spent and
// what is remembered; and that a command is no message that a run has to hear.
func commanded(t *testing.T, open Opener) {
	db, _ := open(t)
	project := seed(t, db)
	at := place(event.ThreadStream("thr_1"))
	at.From = org.Person{ID: "per_1"}.Party()
	name, none := "lab/large", ""
	_, err := db.Log.Append(t.Context(), session.SaidKind.Draft(at, session.Said{Message: "/model large", Command: true}), session.ChangedKind.Draft(at, session.Changed{Model: &name}))
	check(t, err)
	if s, err := db.Conversations.Session(t.Context(), "thr_1"); err != nil || s.Model != name || s.Title != "T" {
		t.Errorf("%+v %v", s, err)
	}
	messages, err := db.Conversations.Messages(t.Context(), "thr_1", 0, 10)
	check(t, err)
	if len(messages) != 2 || messages[0].Role != session.FromPerson || messages[1].Role != session.Commanded {
		t.Fatalf("%+v", messages)
	}
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		last, err := tx.Runs().LastSaid("thr_1")
		if last != messages[0].Seq {
			t.Errorf("the last that was said is at %d, not %d", last, messages[0].Seq)
		}
		return err
	}))
	_, err = db.Log.Append(t.Context(), session.ChangedKind.Draft(at, session.Changed{Model: &none}))
	check(t, err)
	if s, err := db.Conversations.Session(t.Context(), "thr_1"); err != nil || s.Model != "" {
		t.Errorf("%+v %v", s, err)
	}

	answered := agent.AnsweredKind.Draft(at, agent.Answered{Agent: "agent:pm", Answer: model.Answer{Usage: model.Usage{InputTokens: 7, OutputTokens: 3}}})
	other := answered
	other.Message.RunID, other.Message.TaskID = "run_2", run.RootTask("run_2")
	_, err = db.Log.Append(t.Context(), answered, other)
	check(t, err)
	spent := func(thread string, since time.Time, want inbox.Spent) {
		t.Helper()
		if got, err := db.Spending.Spent(t.Context(), thread, since); err != nil || got != want {
			t.Errorf("%q since %s: %+v %v", thread, since, got, err)
		}
	}
	spent("thr_1", time.Time{}, inbox.Spent{Calls: 1, Input: 7, Output: 3, Unpriced: 1})
	spent("", time.Time{}, inbox.Spent{Calls: 2, Input: 14, Output: 6, Unpriced: 2})
	spent("", db.Mint().Now().Add(time.Hour), inbox.Spent{})

	remember := func(in, body string) {
		t.Helper()
		check(t, clerk.New(db.Desk).Do(t.Context(), place(""), in, commit(t.Context(), db), func(w *clerk.Work) error {
			_, err := w.Create(desk.Memory, json.RawMessage(body))
			return err
		}))
	}
	remember(project, `{"key":"bank","content":"The bank is \"away\" on Sundays."}`)
	remember(project, `{"key":"tea","content":"Bob drinks tea."}`)
	for words, want := range map[string]int{"": 2, "AWAY\" on": 1, "moon": 0} {
		if got, err := db.Directory.Remembered(t.Context(), project, words, 10); err != nil || len(got) != want {
			t.Errorf("%q: %+v %v", words, got, err)
		}
	}
	if got, err := db.Directory.Remembered(t.Context(), "", "", 10); err != nil || len(got) != 0 {
		t.Errorf("what is a project's is not everybody's: %+v %v", got, err)
	}
	if got, err := db.Directory.Remembered(t.Context(), project, "", 1); err != nil || len(got) != 1 {
		t.Errorf("%+v %v", got, err)
	}
	same(t, db)
}
