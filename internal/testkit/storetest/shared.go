package storetest

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/store"
)

// turnsTaken is what two processes write on one database, one after the other: neither
// may rely on what it remembers of the log's end.
func turnsTaken(t *testing.T, open Opener) {
	db, again := open(t)
	other, err := again()
	check(t, err)
	for i := range 4 {
		for _, w := range []*store.DB{db, other} {
			_, err := w.Log.Append(t.Context(), draft("s", fmt.Sprint(i)), draft("s", "and"))
			check(t, err)
		}
	}
	check(t, other.Close())
	r, err := db.Audit.Verify(t.Context())
	check(t, err)
	if !r.OK() || r.Events != 16 {
		t.Errorf("%+v", r)
	}
}

// keptBriefly is that what is kept in memory of the organization is dropped at once when
// it changes here, and soon when it changes elsewhere.
func keptBriefly(t *testing.T, open Opener) {
	db, again := open(t)
	at := place(event.OrgStream)
	_, err := db.Log.Append(t.Context(), org.PersonAddedKind.Draft(at, org.PersonAdded{ID: "per_a", Name: "Ann", Role: org.Editor}))
	check(t, err)
	check(t, db.Credentials.Grant(t.Context(), "secret", org.Access{Person: "per_a", Purpose: org.APIToken}))
	guest := func() org.Person {
		p, _, err := db.Credentials.Guest(t.Context(), "secret")
		check(t, err)
		return p
	}
	if p := guest(); p.Name != "Ann" || !p.Enabled {
		t.Fatalf("%+v", p)
	}
	if _, _, err := db.Credentials.Guest(t.Context(), "another"); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("an unknown token: %v", err)
	}
	viewer, no := org.Viewer, false
	_, err = db.Log.Append(t.Context(), org.PersonChangedKind.Draft(at, org.PersonChanged{ID: "per_a", Role: &viewer}))
	check(t, err)
	if p := guest(); p.Role != org.Viewer {
		t.Errorf("the role of before: %+v", p)
	}
	other, err := again()
	check(t, err)
	_, err = other.Log.Append(t.Context(), org.PersonChangedKind.Draft(at, org.PersonChanged{ID: "per_a", Enabled: &no}))
	check(t, err)
	for deadline := time.Now().Add(10 * time.Second); guest().Enabled; {
		if time.Now().After(deadline) {
			t.Fatal("a person whom another process has disabled is let in for good")
		}
		<-time.After(20 * time.Millisecond)
	}
	check(t, other.Close())
}

// renamed asks how a project is called, before and after it changes.
func renamed(t *testing.T, open Opener) {
	db, _ := open(t)
	id, _ := add(t, db)
	for _, name := range []string{"Payments", "Refunds"} {
		check(t, clerk.New(db.Desk).Do(t.Context(), place(""), id, commit(t.Context(), db), func(w *clerk.Work) error {
			_, err := w.Patch(desk.Project, id, json.RawMessage(`{"name":"`+name+`"}`))
			return err
		}))
		if got, err := db.Directory.ProjectName(t.Context(), id); err != nil || got != name {
			t.Errorf("%q instead of %q: %v", got, name, err)
		}
	}
	if _, err := db.Directory.ProjectName(t.Context(), "prj_none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a project that is not there: %v", err)
	}
}

// shared finds what is of all projects with what is of one, and by its identity.
func shared(t *testing.T, open Opener) {
	db, _ := open(t)
	one, _ := add(t, db, [2]string{"memory", `{"key":"a","content":"of all","scope":"GLOBAL"}`}, [2]string{"memory", `{"key":"b","content":"of one"}`})
	two, _ := add(t, db, [2]string{"memory", `{"key":"c","content":"of two"}`})
	for name, c := range map[string]struct {
		q    clerk.Query
		want string
	}{
		"one, with all":  {clerk.Query{Project: one, Shared: true}, "a b"},
		"one alone":      {clerk.Query{Project: one}, "b"},
		"two, with all":  {clerk.Query{Project: two, Shared: true}, "a c"},
		"newest first":   {clerk.Query{Project: two, Shared: true, Newest: true}, "c a"},
		"of one scope":   {clerk.Query{Project: two, Shared: true, Status: "GLOBAL"}, "a"},
		"by an identity": {clerk.Query{Project: two, Shared: true, Identity: desk.Identity(&desk.MemoryBody{Scope: "GLOBAL", Key: "a"})}, "a"},
		"of another":     {clerk.Query{Project: two, Shared: true, Identity: desk.Identity(&desk.MemoryBody{Scope: "PROJECT", Key: "b"})}, ""},
	} {
		c.q.Kind = desk.Memory
		p, err := db.Desk.Records(t.Context(), c.q)
		check(t, err)
		if got := titles(t, p.Records); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// cursorMoved is that of many who move a reader from the same position one does.
func cursorMoved(t *testing.T, open Opener) {
	db, again := open(t)
	other, err := again()
	check(t, err)
	var moved atomic.Int32
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			ok, err := []*store.DB{db, other}[i%2].Log.MoveCursor(t.Context(), "reader", 0, event.Seq(7+i))
			if err != nil {
				t.Error(err)
			}
			if ok {
				moved.Add(1)
			}
		})
	}
	wait.Wait()
	check(t, other.Close())
	at, err := db.Log.Cursor(t.Context(), "reader")
	check(t, err)
	if moved.Load() != 1 || at < 7 {
		t.Errorf("%d moved it, to %d; want 1, to 7 or more", moved.Load(), at)
	}
}
