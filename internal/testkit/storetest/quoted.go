package storetest

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/distill"
	"chela/internal/event"
	"chela/internal/memory"
	"chela/internal/model"
	"chela/internal/notify"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/store"
	"chela/internal/tool"
)

// quotesErased holds that what quotes a person's words quotes them no more when the person is erased: titles, summaries, memories, vectors.
// What another wrote or said stays.
func quotesErased(t *testing.T, open Opener) {
	db, again := open(t)
	project, _ := add(t, db)
	const secret = "We decided to buy Xyzzy for the team."
	spoken(t, db, "thr_1", project, "per_1", secret, "I heard it.")
	spoken(t, db, "thr_2", project, "per_2", "We decided to buy Plugh.")
	quoted(t, db, project, secret)
	said, err := db.Conversations.Messages(t.Context(), "thr_1", 0, 1)
	check(t, err)
	other, err := db.Conversations.Messages(t.Context(), "thr_2", 0, 1)
	check(t, err)
	from := func(id, quote string) desk.Source {
		return desk.Source{Document: id, Quote: quote, By: "rule:distil"}
	}
	alone := remembered(t, db, project, desk.MemoryBody{Type: "decision", Content: secret, Sources: []desk.Source{from(said[0].ID, secret)}})
	both := remembered(t, db, project, desk.MemoryBody{Key: "both", Content: "Purchases are decided.", Sources: []desk.Source{from(said[0].ID, secret), from(other[0].ID, "We decided to buy Plugh.")}})
	summed := remembered(t, db, project, desk.MemoryBody{Scope: desk.ForThread, ThreadID: "thr_1", Key: desk.SummaryKey, Type: "summary", Content: "It began: " + secret})
	mine := remembered(t, db, project, desk.MemoryBody{Key: "mine", Content: "Buy Xyzzy.", Sources: []desk.Source{from(said[0].ID, "buy Xyzzy")}})
	by := asPerson("per_2")
	check(t, clerk.New(db.Desk).Do(t.Context(), by, project, commit(t.Context(), db), func(w *clerk.Work) error {
		_, err := clerk.Edit(w, desk.Memory, mine.ID, func(b *desk.MemoryBody) { b.Content = "Another wrote this." })
		return err
	}))
	m := meanings{"test/one"}
	m.vectored(t, db)
	by.Stream = event.OrgStream
	_, err = db.Audit.Erase(t.Context(), by, "per_1", "asked for")
	check(t, err)
	for id, want := range map[string]string{alone.ID: "[erased]", both.ID: "Purchases are decided.", summed.ID: "[erased]", mine.ID: "Another wrote this."} {
		r, err := db.Desk.Record(t.Context(), id)
		check(t, err)
		b, err := desk.Open[desk.MemoryBody](r)
		if err != nil || b.Content != want || strings.Contains(string(r.Body), "Xyzzy") {
			t.Errorf("memory %s is %s, %v, want %q", id, r.Body, err, want)
		}
	}
	check(t, db.Close())
	db, err = again()
	check(t, err)
	m.vectored(t, db)
	reader := memory.Reader{Person: "per_2", Project: project, Thread: "thr_1"}
	if got := m.finds(t, db, reader, memory.Question{Text: "buy Xyzzy for the team"}); strings.Contains(got, "Xyzzy") || strings.Contains(got, "[erased]") || !strings.Contains(got, "Plugh") {
		t.Errorf("found: %q", got)
	}
	noTrace(t, db, "Xyzzy")
}

// quoted records what a conversation's own machinery quotes of what was said in thr_1.
func quoted(t *testing.T, db *store.DB, project, text string) {
	t.Helper()
	said, err := db.Conversations.Messages(t.Context(), "thr_1", 0, 1)
	check(t, err)
	at := asPerson("per_1")
	at.Thread, at.Run, at.Task, at.Stream = "thr_1", "run_1", "task_1", event.ThreadStream("thr_1")
	theirs, chela := at, at
	chela.From = run.Chela()
	title := session.TitleOf(text)
	fork := chela
	fork.Thread, fork.Stream = "thr_3", event.ThreadStream("thr_3")
	told := chela
	told.Stream = event.PersonStream("per_2")
	calls := chela
	calls.From = distill.Distiller.Party()
	in, err := json.Marshal(session.TurnInput{Message: said[0].ID})
	check(t, err)
	_, err = db.Log.Append(
		t.Context(),
		session.ChangedKind.Draft(theirs, session.Changed{Title: &title}),
		run.QueuedKind.Draft(chela, run.Spec{ID: "run_1", Thread: "thr_1", Project: project, Kind: session.ChatRun, Lane: run.UserLane, Title: title, Input: in, By: theirs.From}),
		run.RequestKind.Draft(theirs, run.TaskRequest{Title: title}),
		run.RequestKind.Draft(chela, run.TaskRequest{Title: "Condense a conversation", Description: "Of it: " + text}),
		session.OpenedKind.Draft(fork, session.Opened{Channel: "page", Title: title, Person: "agent:person/per_2", ForkedFrom: "thr_1"}),
		notify.RaisedKind.Draft(told, notify.Notification{ID: "ntf_1", Reason: notify.Failed, Title: title, Run: "run_1", Thread: "thr_1"}),
		session.CompactedKind.Draft(chela, session.Compacted{UpTo: said[0].Seq, Messages: 1, Since: time.Unix(0, 0).UTC(), Until: time.Unix(0, 0).UTC(), Strategy: "summarize", Summary: "It began: " + text}),
		session.TranscribedKind.Draft(chela, session.Transcribed{Message: said[0].ID, Said: said[0].ID, Audio: []session.Audio{{Text: text}}}),
		run.AsStep(agent.AnsweredKind.Draft(calls, agent.Answered{Agent: string(distill.Distiller), Answer: model.Answer{Text: text, Stop: model.StopEnd, Provider: "p", Model: "m"}}), "condense", true),
		tool.ResultKind.Draft(chela, tool.ResultPayload{Tool: "reread", Success: true, Result: "[0] person: " + text, Call: "c1"}),
	)
	check(t, err)
	elsewhere := chela
	elsewhere.Thread, elsewhere.Stream = "thr_2", event.ThreadStream("thr_2")
	_, err = db.Log.Append(t.Context(), tool.ResultKind.Draft(elsewhere, tool.ResultPayload{Tool: "memory_recall", Success: true, Result: "[" + said[0].ID + "] " + text, Call: "c2"}))
	check(t, err)
}

// noTrace holds that a word is in no table and in no payload, that the log verifies, also as a file, and that it gives the same tables.
func noTrace(t *testing.T, db *store.DB, word string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	check(t, err)
	var b bytes.Buffer
	check(t, db.Audit.Export(t.Context(), &b, key))
	for line := range strings.Lines(b.String()) {
		if strings.Contains(strings.ToLower(line), strings.ToLower(word)) {
			t.Errorf("the log still has %s: %s", word, line)
		}
	}
	file, err := store.VerifyExport(&b)
	if err != nil || !file.OK() {
		t.Errorf("the exported log does not verify: %+v, %v", file, err)
	}
	report, err := db.Audit.Verify(t.Context())
	if err != nil || !report.OK() {
		t.Errorf("the log does not verify: %+v, %v", report, err)
	}
	r, err := db.Rebuild(t.Context())
	if err != nil || len(r.Different()) > 0 {
		t.Errorf("different after a rebuild: %v, %v", r.Different(), err)
	}
}
