package transcription_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"chela/internal/agent"
	"chela/internal/artifact"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/run/local"
	"chela/internal/session"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
	"chela/internal/transcription"
)

// A world transcribes over a real store; its chat runs end at once and answer nothing.
type world struct {
	t          *testing.T
	db         *store.DB
	arts       *artifact.Files
	inbox      *inbox.Inbox
	transcribe func(ctx context.Context, s model.Audio) (model.Answer, error)
	vet        func(m inbox.Message) (inbox.Message, error)
	chat       func()     // what a chat run does
	mu         sync.Mutex // guards asked
	asked      []string
}

func (w *world) Transcribe(ctx context.Context, s model.Audio) (model.Answer, error) {
	w.mu.Lock()
	w.asked = append(w.asked, s.Name+" "+s.Type+" "+string(s.Data))
	w.mu.Unlock()
	return w.transcribe(ctx, s)
}

func (w *world) TranscriptionPrice() (model.Price, bool) { return model.Price{Minute: 0.6}, true }

// Vet asks the test in place of the hooks.
func (w *world) Vet(ctx context.Context, m inbox.Message) (inbox.Message, error) {
	if w.vet != nil {
		return w.vet(m)
	}
	return w.inbox.Vet(ctx, m)
}

func (w *world) Transcribed(ctx context.Context, by run.Run, h inbox.Transcription, audio []session.Audio) error {
	return w.inbox.Transcribed(ctx, by, h, audio)
}

func says(text string) func(context.Context, model.Audio) (model.Answer, error) {
	return func(context.Context, model.Audio) (model.Answer, error) {
		return model.Answer{Text: text, Provider: "ears", Model: "whisper-1", CostUSD: 0.5, CostKnown: true, Usage: model.Usage{Seconds: 50}}, nil
	}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	arts, err := artifact.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	w := &world{t: t, db: db, arts: arts, transcribe: says("Deploy it."), chat: func() {}}
	chat := func(context.Context, *run.Segment) (run.Outcome, error) {
		w.chat()
		return run.Outcome{State: run.Done}, nil
	}
	runs := run.New(db, db.Runs, local.New(db.Queue, nil, log), run.Options{Log: log})
	w.inbox = inbox.New(runs, db, db.ForInbox(), inbox.Options{Log: log})
	audio := transcription.New(w, arts, db.Budgets, w, transcription.Options{Log: log})
	runs.Handle(session.ChatRun, chat)
	runs.Handle(inbox.TranscriptionKind, audio.Handle)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var parts sync.WaitGroup
	for _, part := range []func(context.Context) error{runs.Run, w.inbox.Run} {
		parts.Go(func() {
			if err := part(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(func() {
		cancel()
		parts.Wait()
		ctx := context.WithoutCancel(t.Context())
		if r, err := db.Audit.Verify(ctx); err != nil || !r.OK() {
			t.Errorf("the log does not verify: %+v %v", r, err)
		}
		if rebuilt, err := db.Rebuild(ctx); err != nil || len(rebuilt.Different()) > 0 {
			t.Errorf("the log does not give the tables again: %v %v", rebuilt.Different(), err)
		}
		_ = db.Close() // its file goes with the test
	})
	return w
}

// say has Ann send audio files with a text.
func (w *world) say(m inbox.Message, names ...string) inbox.Accepted {
	w.t.Helper()
	for _, name := range names {
		ref, err := w.arts.Put([]byte("OggS " + name))
		if err != nil {
			w.t.Fatal(err)
		}
		m.Audio = append(m.Audio, session.Audio{File: session.File{Ref: string(ref), Name: name, Type: "audio/ogg", Size: 5 + len(name)}})
	}
	m.From = org.Person{ID: "per_ann"}.Party()
	a, err := w.inbox.Take(w.t.Context(), m)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// until waits for as many messages of a conversation.
func (w *world) until(thread string, n int) []session.Message {
	w.t.Helper()
	grown, leave := w.db.Subscribe(event.LogGrew)
	defer leave()
	for {
		all, err := w.db.Conversations.Messages(w.t.Context(), thread, 0, 100)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(all) >= n {
			return all
		}
		select {
		case <-grown:
		case <-w.t.Context().Done():
			w.t.Fatalf("said: %+v", all)
		}
	}
}

// done waits until no run is at work.
func (w *world) done() {
	w.t.Helper()
	grown, leave := w.db.Subscribe(event.LogGrew)
	defer leave()
	for w.count(run.QueuedKind.Name) != w.count(run.FinishedKind.Name) {
		<-grown
	}
}

// over waits until so many runs have ended.
func (w *world) over(n int) {
	w.t.Helper()
	grown, leave := w.db.Subscribe(event.LogGrew)
	defer leave()
	for w.count(run.FinishedKind.Name) < n {
		<-grown
	}
}

func (w *world) count(kind string) int {
	w.t.Helper()
	events, _, err := w.db.Log.Events(w.t.Context(), 0, event.Filter{Type: kind})
	if err != nil {
		w.t.Fatal(err)
	}
	return len(events)
}

func (w *world) title(thread string) string {
	w.t.Helper()
	s, err := w.db.Conversations.Session(w.t.Context(), thread)
	if err != nil {
		w.t.Fatal(err)
	}
	return s.Title
}

// TestTranscription_AVoiceNoteIsAnsweredByWhatItSays: nothing begins before it is transcribed, and one run answers.
func TestTranscription_AVoiceNoteIsAnsweredByWhatItSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	goOn := make(chan struct{})
	w.transcribe = func(ctx context.Context, s model.Audio) (model.Answer, error) {
		<-goOn
		return says("Deploy it.")(ctx, s)
	}
	first := w.say(inbox.Message{Text: "[Voice message, 2s]", Key: "k1"}, "voice.ogg")
	if again := w.say(inbox.Message{Text: "[Voice message, 2s]", Key: "k1"}, "voice.ogg"); !first.Queued || !again.Again {
		t.Errorf("%+v, then %+v", first, again)
	}
	w.say(inbox.Message{Text: "to the test server", Thread: first.Thread, Debounce: true})
	close(goOn)
	all := w.until(first.Thread, 2)
	if words := all[0].Words(); words != "[Voice message, 2s]\n[Transcript of voice.ogg: Deploy it.]" || all[0].Actor != "agent:person/per_ann" || all[0].Audio[0].Model != "ears/whisper-1" {
		t.Errorf("%+v", all[0])
	}
	w.done()
	if len(w.asked) != 1 || w.asked[0] != "voice.ogg audio/ogg OggS voice.ogg" || w.title(first.Thread) != "Deploy it." {
		t.Errorf("asked %q; it is called %q", w.asked, w.title(first.Thread))
	}
	if n := w.count(run.QueuedKind.Name); n != 2 { // to transcribe, and to answer both
		t.Errorf("%d runs", n)
	}
	if w.count(agent.AnsweredKind.Name) != 1 || w.count(session.TranscribedKind.Name) != 1 {
		t.Error("the call is not recorded once")
	}
}

// TestTranscription_BesideTheAnswer: a message with words is said at once; what its audio files say follows, from the
// same sender, and is answered.
func TestTranscription_BesideTheAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	goOn := make(chan struct{})
	w.transcribe = func(ctx context.Context, s model.Audio) (model.Answer, error) {
		<-goOn
		if s.Name == "noise.ogg" {
			return model.Answer{}, &model.Error{Reason: model.Auth, Provider: "ears"}
		}
		return says("Deploy\x00 it.")(ctx, s)
	}
	first := w.say(inbox.Message{Text: "Have a look", Via: &session.Via{Message: "7"}}, "voice.ogg", "noise.ogg")
	if first.Queued || first.Run == "" {
		t.Errorf("%+v", first)
	}
	if all := w.until(first.Thread, 1); !strings.Contains(all[0].Words(), "voice.ogg (audio/ogg, 14 bytes) came with this message") || all[0].Audio[1].Below {
		t.Errorf("%+v", all)
	}
	w.over(1) // what is said while an agent works joins its run
	close(goOn)
	all := w.until(first.Thread, 2)
	m := all[1]
	if !strings.HasPrefix(m.Message, "[Transcript of voice.ogg: Deploy it.]\n[The audio file noise.ogg") || !strings.Contains(m.Message, "ears does not accept the key") ||
		m.Role != session.FromPerson || m.Actor != all[0].Actor || m.Transcript != first.Message || m.Via.Message != "7" || !all[0].Audio[0].Below {
		t.Errorf("%+v", all)
	}
	w.done()
	if n := w.count(run.QueuedKind.Name); n != 3 || w.count(session.TranscribedKind.Name) != 1 {
		t.Errorf("%d runs", n)
	}
}

// TestTranscription_AVoiceNoteForWhoWorks: it comes with what it says, and a message behind it after it; in a
// conversation that collects it waits for its turn.
func TestTranscription_AVoiceNoteForWhoWorks(t *testing.T) {
	t.Parallel()
	for mode, runs := range map[session.Mode]int{session.Steer: 2, session.Collect: 3} {
		t.Run(string(mode), func(t *testing.T) {
			w := newWorld(t)
			working, goOn, said := make(chan struct{}, 2), make(chan struct{}), make(chan struct{})
			w.chat = func() {
				working <- struct{}{}
				<-goOn
			}
			w.transcribe = func(ctx context.Context, s model.Audio) (model.Answer, error) {
				<-said
				return says("Deploy it.")(ctx, s)
			}
			first := w.say(inbox.Message{Text: "Begin"})
			<-working
			note := w.say(inbox.Message{Text: "[Voice message]", Thread: first.Thread, Queue: mode}, "voice.ogg")
			behind := w.say(inbox.Message{Text: "Now", Thread: first.Thread, Queue: mode})
			if !note.Queued || !behind.Queued {
				t.Errorf("%+v, then %+v", note, behind)
			}
			close(said)
			if mode == session.Steer {
				w.until(first.Thread, 3)
			}
			close(goOn)
			all := w.until(first.Thread, 3)
			if !strings.Contains(all[1].Words(), "Deploy it.") || all[2].Message != "Now" {
				t.Errorf("%+v", all)
			}
			w.done()
			if n := w.count(run.QueuedKind.Name); n != runs {
				t.Errorf("%d runs", n)
			}
		})
	}
}

func TestTranscription_WhyNothingWasTranscribed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		transcribe func(context.Context, model.Audio) (model.Answer, error)
		vet        func(inbox.Message) (inbox.Message, error)
		limit      *budget.Limit
		want       string
	}{
		"the model fails": {transcribe: func(context.Context, model.Audio) (model.Answer, error) {
			return model.Answer{}, &model.Error{Reason: model.TooLong, Model: "m"}
		}, want: "too long for the model m"},
		"it is silent": {transcribe: says(" "), want: "nothing that is said in it can be understood"},
		"a hook denies it": {vet: func(m inbox.Message) (inbox.Message, error) {
			return m, fault.New(fault.Denied, "No %s here.", m.Text)
		}, want: "No Deploy it. here."},
		"no call is left":  {limit: &budget.Limit{Scope: budget.Organization, Per: budget.Total, Bound: budget.Bound{Calls: new(int64)}}, want: "is reached"},
		"no money is left": {limit: &budget.Limit{Scope: budget.Organization, Per: budget.Total, Bound: budget.Bound{USD: new(0.00001)}}, want: "An admin raises it"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if c.transcribe != nil {
				w.transcribe = c.transcribe
			}
			w.vet = c.vet
			if c.limit != nil {
				at := event.Place{Stream: event.OrgStream, Thread: "thr_org", Run: "run_org", Task: "task_org", From: run.Chela()}
				if _, err := w.db.Log.Append(t.Context(), budget.SetKind.Draft(at, *c.limit)); err != nil {
					t.Fatal(err)
				}
			}
			first := w.say(inbox.Message{}, "voice.ogg")
			all := w.until(first.Thread, 1)
			if s := all[0].Audio[0]; s.Text != "" || !strings.Contains(s.Why, c.want) || !strings.Contains(all[0].Words(), "could not be transcribed") {
				t.Errorf("%+v", all[0])
			}
			if c.limit != nil && len(w.asked) > 0 {
				t.Error("the model is asked all the same")
			}
			w.done()
		})
	}
}

// TestTranscription_WhatIsTakenBackIsNotAnswered: nobody is told what was dropped while it was transcribed.
func TestTranscription_WhatIsTakenBackIsNotAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	goOn := make(chan struct{})
	w.transcribe = func(ctx context.Context, s model.Audio) (model.Answer, error) {
		<-goOn
		return says("Deploy it.")(ctx, s)
	}
	first := w.say(inbox.Message{}, "voice.ogg")
	at := event.Place{Stream: event.ThreadStream(first.Thread), Thread: first.Thread, Run: "run_x", Task: "task_x", From: run.Chela()}
	if _, err := w.db.Log.Append(t.Context(), session.DeletedKind.Draft(at, session.Deleted{Message: first.Message})); err != nil {
		t.Fatal(err)
	}
	second := w.say(inbox.Message{Text: "Look"}, "voice.ogg")
	w.until(second.Thread, 1)
	at.Stream, at.Thread = event.ThreadStream(second.Thread), second.Thread
	if _, err := w.db.Log.Append(t.Context(), session.DeletedKind.Draft(at, session.Deleted{Message: second.Message})); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	w.done()
	if w.count(session.TranscribedKind.Name) != 2 || w.count(event.ChatMessage) != 1 {
		t.Errorf("%d messages", w.count(event.ChatMessage))
	}
}

// TestTranscription_ARepeatSaysNothing: what was told once is not told again.
func TestTranscription_ARepeatSaysNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.say(inbox.Message{Text: "Look"}, "voice.ogg")
	w.until(first.Thread, 2)
	w.done()
	by := run.Run{Spec: run.Spec{ID: "run_again", Thread: "thr_again", By: org.Person{ID: "per_ann"}.Party()}}
	err := w.inbox.Transcribed(t.Context(), by, inbox.Transcription{Thread: first.Thread, Message: first.Message}, []session.Audio{{Text: "Again"}})
	if n := w.count(event.ChatMessage); err != nil || n != 2 {
		t.Errorf("%d messages, %v", n, err)
	}
	if err := w.inbox.Transcribed(t.Context(), by, inbox.Transcription{Thread: "thr_none", Message: "evt_none"}, nil); !errors.As(err, new(*fault.Error)) {
		t.Errorf("of no conversation: %v", err)
	}
}
