package storetest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"chela/internal/event"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/session"
	"chela/internal/store"
)

// saidLater holds that what is found of conversations does not depend on when it was indexed: whatever becomes of a message, or of
// its conversation, before or after. The tables are those that the log gives.
func saidLater(t *testing.T, open Opener) {
	db, _ := open(t)
	project, _ := add(t, db)
	other, _ := add(t, db)
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // repeatable
		c := newTalk(t, db, fmt.Sprintf("thr_said%d", seed), project)
		for range 40 {
			c.change(r, project, other)
		}
		rebuilt, err := db.Rebuild(t.Context())
		check(t, err)
		if d := rebuilt.Different(); len(d) > 0 {
			t.Fatalf("with seed %d, rebuilt, these differ: %v", seed, d)
		}
	}
}

// saidWithNUL holds that a text with a NUL character, which a model or a program may say, is recorded without it.
func saidWithNUL(t *testing.T, open Opener) {
	db, _ := open(t)
	project, _ := add(t, db)
	c := newTalk(t, db, "thr_nul", project)
	c.say(session.Said{Message: "It is\x00 there.\x00"})
	c.append(session.ChangedKind.Draft(c.at, session.Changed{Title: new("A\x00title")}))
	all, err := db.Conversations.LastMessages(t.Context(), "thr_nul", event.Newest, 10)
	check(t, err)
	if n := len(all); n == 0 || all[n-1].Message != "It is there." {
		t.Errorf("got %+v, want the message without NUL characters", all)
	}
	thread, err := db.Conversations.Session(t.Context(), "thr_nul")
	if check(t, err); thread.Title != "Atitle" {
		t.Errorf("got the title %q, want Atitle", thread.Title)
	}
}

// A talk is a conversation to which changes are made.
type talk struct {
	t     *testing.T
	db    *store.DB
	at    event.Place
	said  []string // the ids of its messages
	words int
}

func newTalk(t *testing.T, db *store.DB, thread, project string) *talk {
	t.Helper()
	spoken(t, db, thread, project, "per_1")
	at := asPerson("per_1")
	at.Thread, at.Stream = thread, event.ThreadStream(thread)
	return &talk{t: t, db: db, at: at}
}

// change makes one change by chance.
func (c *talk) change(r *rand.Rand, projects ...string) {
	c.t.Helper()
	c.words++
	text := fmt.Sprintf("The word is w%dx.", c.words)
	of := ""
	if len(c.said) > 0 {
		of = c.said[r.IntN(len(c.said))]
	}
	switch n := r.IntN(12); {
	case n == 0:
		check(c.t, c.db.Recall.IndexSaid(c.t.Context()))
	case n == 1:
		c.append(session.RemovedKind.Draft(c.at, session.Moved{}))
	case n == 2:
		c.append(session.RestoredKind.Draft(c.at, session.Moved{}))
	case n == 3:
		c.append(session.ChangedKind.Draft(c.at, session.Changed{Project: &projects[r.IntN(len(projects))]}))
	case n < 6 && of != "":
		c.append(session.EditedKind.Draft(c.at, session.Edited{Message: of, Text: []string{text, ""}[r.IntN(2)]}))
	case n == 6 && of != "":
		c.append(session.DeletedKind.Draft(c.at, session.Deleted{Message: of}))
	case n == 7:
		c.say(session.Said{Message: "/help", Command: true})
	case n == 8:
		c.say(session.Said{})
	default:
		c.say(session.Said{Message: text})
	}
}

func (c *talk) say(s session.Said) {
	c.t.Helper()
	c.said = append(c.said, c.append(session.SaidKind.Draft(c.at, s)))
}

// append returns the id of what was recorded.
func (c *talk) append(d event.Draft) string {
	c.t.Helper()
	recorded, err := c.db.Log.Append(c.t.Context(), d)
	check(c.t, err)
	return recorded[0].Message.ID
}

// saidAtOnce holds that several daemons that index the same messages at once, while they are edited, index each once, as it is.
func saidAtOnce(t *testing.T, open Opener) {
	db, again := open(t)
	second := db
	if db.Name() != "sqlite" { // there one process writes
		var err error
		second, err = again()
		check(t, err)
	}
	project, _ := add(t, db)
	c := newTalk(t, db, "thr_1", project)
	for range 30 {
		c.words++
		c.say(session.Said{Message: fmt.Sprintf("The word is w%dx.", c.words)})
	}
	var wait sync.WaitGroup
	for _, d := range []*store.DB{db, second} {
		wait.Go(func() {
			if err := d.Recall.IndexSaid(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Go(func() {
		for i, id := range c.said {
			c.append(session.EditedKind.Draft(c.at, session.Edited{Message: id, Text: fmt.Sprintf("The word is v%dx.", i)}))
		}
	})
	wait.Wait()
	who := memory.Reader{Person: org.PersonOf(c.at.From), Project: project}
	for i := range c.said {
		want := fmt.Sprintf(":The word is v%dx.", i)
		if got := recalled(t, db, who, memory.Question{Text: fmt.Sprintf("v%dx", i), Limit: 1}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := recalled(t, db, who, memory.Question{Text: fmt.Sprintf("w%dx", i+1), Limit: 1}); got != "" {
			t.Errorf("what was edited is found: %q", got)
		}
	}
	rebuilt, err := db.Rebuild(t.Context())
	check(t, err)
	if d := rebuilt.Different(); len(d) > 0 {
		t.Errorf("rebuilt, these differ: %v", d)
	}
}
