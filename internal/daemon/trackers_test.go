package daemon_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/config"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/run"
	"chela/internal/testkit/daemontest"
	"chela/internal/testkit/trackertest"
)

// board is a daemon with a project and a fake GitHub that it reads.
type board struct {
	*testing.T
	daemontest.Daemon
	c       *client.Client
	github  *trackertest.GitHub
	project string
}

func newBoard(t *testing.T, s daemontest.Setup) *board {
	t.Helper()
	d := daemontest.Run(t, s)
	b := &board{T: t, Daemon: d, c: client.New(d.URL, d.Token), github: trackertest.NewGitHub(t)}
	p, err := b.c.CreateProject(t.Context(), desk.ProjectBody{Name: "Web"})
	if err != nil {
		t.Fatal(err)
	}
	b.project = p.ID
	return b
}

func (b *board) set(change func(*client.TrackerBody)) {
	b.Helper()
	body := client.TrackerBody{Kind: "github", Scope: "acme/web", ProjectID: b.project, Address: &b.github.URL}
	if change != nil {
		change(&body)
	}
	if _, err := b.c.SetTracker(b.Context(), "web", body); err != nil {
		b.Fatal(err)
	}
}

// shows waits until the tracker is as fits says.
func (b *board) shows(what string, fits func(client.TrackerOut) bool) client.TrackerOut {
	b.Helper()
	var out client.TrackerOut
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		var err error
		if out, err = b.c.GetTracker(b.Context(), "web"); err != nil {
			b.Fatal(err)
		}
		if fits(out) {
			return out
		}
	}
	b.Fatalf("the tracker does not show %s: %+v", what, out)
	return out
}

// sync reads the tracker and returns what came of it.
func (b *board) sync(all bool) client.TrackerRun {
	b.Helper()
	begun, err := b.c.SyncTracker(b.Context(), "web", client.TrackerSync{All: &all})
	if err != nil {
		b.Fatal(err)
	}
	of := func(out client.TrackerOut) (s client.TrackerRun) {
		for _, s = range out.Syncs {
			if s.RunID == begun.RunID {
				return s
			}
		}
		return client.TrackerRun{}
	}
	return of(b.shows("the end of "+begun.RunID, func(out client.TrackerOut) bool { return run.State(of(out).State).Final() }))
}

// tickets are the tickets of the project by their keys.
func (b *board) tickets() map[string]desk.TicketBody {
	b.Helper()
	out := make(map[string]desk.TicketBody)
	list, err := b.c.ListTickets(b.Context(), b.project, client.ListTicketsQuery{Limit: 500})
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range list.Items {
		if _, twice := out[r.Body.ExternalRef]; twice {
			b.Errorf("the issue %s is two tickets", r.Body.ExternalRef)
		}
		out[r.Body.ExternalRef] = r.Body
	}
	return out
}

// brought fails the test unless a sync brought so much.
func (b *board) brought(s client.TrackerRun, issues, made, moved int) {
	b.Helper()
	if s.State != "done" || s.Brought == nil || s.Brought.Issues != issues || s.Brought.New["ticket"] != made || s.Brought.Moved["ticket"] != moved {
		b.Fatalf("it ended %s (%s) with %+v, want %d issues, %d tickets that are new and %d that changed", s.State, s.Text, s.Brought, issues, made, moved)
	}
}

func TestTracker_WhatChangedIsMerged(t *testing.T) {
	t.Parallel()
	b := newBoard(t, daemontest.Setup{})
	b.github.Put(trackertest.Issue{Number: 1, Title: "Pay by card", Body: "As a shop.", Labels: []string{"bug"}, Owner: "dreyes"})
	b.github.Put(trackertest.Issue{Number: 2, Title: "Show <b>totals</b>", Body: "Blocked by #1"})
	b.github.Put(trackertest.Issue{Number: 3, Title: "Cards", Body: "Fixes #1", Pull: true})
	b.set(nil)
	b.brought(b.sync(false), 3, 2, 0)
	b.brought(b.sync(false), 0, 0, 0)
	list := b.tickets()
	if one := list["1"]; one.Title != "Pay by card" || !strings.Contains(one.Description, "As a shop.") || !slices.Contains(one.Labels, "bug") || one.Type != "BUG" || len(one.Sources) == 0 || !strings.Contains(one.Sources[0].Document, "127.0.0.1") {
		t.Errorf("the first is %+v", one)
	}
	if two := list["2"]; two.Title != "Show <b>totals</b>" || len(two.BlockedBy) != 1 {
		t.Errorf("the second is %+v", two)
	}
	b.github.Put(trackertest.Issue{Number: 1, Title: "Pay by card", Body: "As a shop.", Labels: []string{"bug"}, Owner: "dreyes", Closed: true})
	s := b.sync(false)
	b.brought(s, 1, 0, 1)
	if got := b.tickets()["1"].Status; got != "DONE" {
		t.Errorf("closed there, it is %s", got)
	}
	if len(s.Brought.Left) > 0 {
		t.Errorf("one issue by itself: %v", s.Brought.Left)
	}
	b.github.Put(trackertest.Issue{Number: 3, Title: "More cards", Body: "Fixes #1", Pull: true})
	if s = b.sync(false); s.State != "done" || s.Brought == nil || s.Brought.New["ticket"] != 0 {
		t.Errorf("a pull request by itself: %s, %+v", s.Text, s.Brought)
	}
}

func TestTracker_IsReadPageByPage(t *testing.T) {
	t.Parallel()
	b := newBoard(t, daemontest.Setup{})
	at := time.Now().UTC().Truncate(time.Second).Add(-48 * time.Hour)
	for n := range 350 {
		when := at.Add(time.Duration(n) * time.Second)
		if n >= 60 && n < 290 {
			when = at.Add(60 * time.Second) // many at one moment, over pages
		}
		b.github.Put(trackertest.Issue{Number: n + 1, Title: fmt.Sprintf("Issue %d", n+1), Updated: when})
	}
	// While it is read, one of the first page changes: it moves to the end, and the others one place up.
	b.github.Next(func(http.ResponseWriter, *http.Request) bool { return false })
	b.github.Next(func(http.ResponseWriter, *http.Request) bool {
		b.github.Put(trackertest.Issue{Number: 5, Title: "Issue 5, new", Updated: at.Add(time.Hour)})
		return false
	})
	b.set(nil)
	b.brought(b.sync(false), 350, 350, 0)
	if list := b.tickets(); len(list) != 350 || list["5"].Title != "Issue 5, new" {
		t.Errorf("there are %d tickets, and the fifth is %q", len(list), list["5"].Title)
	}
	if n := len(b.github.Asked()); n > 8 {
		t.Errorf("it took %d requests", n)
	}
}

func TestTracker_ATakenBackImportIsReadAnew(t *testing.T) {
	t.Parallel()
	b := newBoard(t, daemontest.Setup{})
	b.github.Put(trackertest.Issue{Number: 1, Title: "Pay by card"})
	b.set(nil)
	s := b.sync(false)
	b.brought(s, 1, 1, 0)
	if _, err := b.c.Undo(t.Context(), client.UndoBody{Run: &s.Brought.Run}); err != nil {
		t.Fatal(err)
	}
	if n := len(b.tickets()); n != 0 {
		t.Fatalf("taken back, there are %d tickets", n)
	}
	b.brought(b.sync(false), 0, 0, 0)
	b.brought(b.sync(true), 1, 1, 0)
	b.brought(b.sync(true), 1, 0, 0)
	if n := len(b.tickets()); n != 1 {
		t.Errorf("read anew, there are %d tickets", n)
	}
}

func TestTracker_WhatAPersonChangedIsAsked(t *testing.T) {
	t.Parallel()
	b := newBoard(t, daemontest.Setup{})
	b.github.Put(trackertest.Issue{Number: 1, Title: "Pay by card"})
	b.set(nil)
	b.brought(b.sync(false), 1, 1, 0)
	list, err := b.c.ListTickets(t.Context(), b.project, client.ListTicketsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.c.EditTicket(t.Context(), b.project, list.Items[0].ID, map[string]any{"title": "Pay by card or phone"}); err != nil {
		t.Fatal(err)
	}
	b.github.Put(trackertest.Issue{Number: 1, Title: "Pay with a card"})
	if s := b.sync(false); s.State != "done" {
		t.Fatalf("it ended %s: %s", s.State, s.Text)
	}
	if got := b.tickets()["1"].Title; got != "Pay by card or phone" {
		t.Errorf("the person's title became %q", got)
	}
	asked, err := b.c.ListReconciliations(t.Context(), b.project, client.ListReconciliationsQuery{})
	if err != nil || len(asked.Items) == 0 {
		t.Errorf("nobody is asked: %v", err)
	}
}

func TestTracker_TheTokenComesFromTheVault(t *testing.T) {
	t.Parallel()
	b := newBoard(t, daemontest.Setup{})
	b.github.Token = "gh-token-12345"
	b.github.Put(trackertest.Issue{Number: 1, Title: "Pay by card"})
	secret := "TRACKER_GITHUB"
	b.set(func(x *client.TrackerBody) { x.Secret = &secret })
	if s := b.sync(false); s.State != "failed" || !strings.Contains(s.Text, "TRACKER_GITHUB") {
		t.Errorf("without the secret: %s, %s", s.State, s.Text)
	}
	if err := b.c.SetSecret(t.Context(), secret, client.SecretInBody{Value: "gh-wrong-12345"}); err != nil {
		t.Fatal(err)
	}
	if s := b.sync(false); s.State != "failed" || !strings.Contains(s.Text, "does not know the token") {
		t.Errorf("with another token: %s, %s", s.State, s.Text)
	}
	out, err := b.c.GetTracker(t.Context(), "web")
	if err != nil || client.Value(out.Failures) != 2 || out.Problem == "" {
		t.Errorf("it shows %d failures, %q, %v", client.Value(out.Failures), out.Problem, err)
	}
	if err := b.c.SetSecret(t.Context(), secret, client.SecretInBody{Value: "gh-token-12345"}); err != nil {
		t.Fatal(err)
	}
	b.brought(b.sync(false), 1, 1, 0)
	if out, err := b.c.GetTracker(t.Context(), "web"); err != nil || client.Value(out.Failures) != 0 || out.Problem != "" {
		t.Errorf("it shows %d failures, %q, %v", client.Value(out.Failures), out.Problem, err)
	}
}

func TestTracker_AskedToWaitItWaits(t *testing.T) {
	t.Parallel()
	b := newBoard(t, daemontest.Setup{})
	b.github.Put(trackertest.Issue{Number: 1, Title: "Pay by card"})
	b.set(nil)
	tooOften := func(seconds string) func(w http.ResponseWriter, _ *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", seconds)
			http.Error(w, `{"message":"slow down"}`, http.StatusTooManyRequests)
			return true
		}
	}
	b.github.Next(tooOften("1"))
	b.brought(b.sync(false), 1, 1, 0)
	b.github.Next(tooOften("600"))
	begun, err := b.c.SyncTracker(t.Context(), "web", client.TrackerSync{})
	if err != nil {
		t.Fatal(err)
	}
	b.shows("that it waits", func(out client.TrackerOut) bool {
		return out.Syncs[0].RunID == begun.RunID && out.Syncs[0].State == "waiting"
	})
	again, err := b.c.SyncTracker(t.Context(), "web", client.TrackerSync{})
	if err != nil || again.RunID != begun.RunID {
		t.Errorf("asked again, it is %s, %v, want %s", again.RunID, err, begun.RunID)
	}
	if err := b.c.RemoveTracker(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	r, err := b.c.GetRun(t.Context(), begun.RunID)
	if err != nil || r.Run.State != run.Cancelled {
		t.Errorf("of a tracker that was removed, the sync is %s, %v", r.Run.State, err)
	}
}

func TestTracker_IsLookedAtByTheClock(t *testing.T) {
	t.Parallel()
	b := newBoard(t, daemontest.Setup{Change: func(c *config.Config) { c.NoSchedules = false }})
	b.github.Put(trackertest.Issue{Number: 1, Title: "Pay by card"})
	b.set(nil)
	b.shows("that it was read", func(out client.TrackerOut) bool { return out.Last != nil && out.Last.Issues == 1 })
	b.set(nil)
	b.shows("that it was looked at", func(out client.TrackerOut) bool { return !out.NextAt.IsZero() && out.NextAt.After(time.Now()) })
	out, err := b.c.GetTracker(t.Context(), "web")
	if err != nil || len(out.Syncs) != 1 || len(b.tickets()) != 1 {
		t.Errorf("with nothing new there are %d syncs, %v", len(out.Syncs), err)
	}
}

func TestTracker_OnlyAnAdminSetsOne(t *testing.T) {
	t.Parallel()
	b := newBoard(t, daemontest.Setup{})
	as := func(role string) *client.Client {
		made, err := b.c.MakeKey(t.Context(), client.KeyBody{Name: role, Role: &role})
		if err != nil {
			t.Fatal(err)
		}
		return client.New(b.URL, made.Token)
	}
	b.set(nil)
	body := client.TrackerBody{Kind: "github", Scope: "acme/shop", ProjectID: b.project}
	for role, want := range map[string]fault.Kind{"viewer": fault.Denied, "editor": fault.Denied, "admin": fault.Internal} {
		_, err := as(role).SetTracker(t.Context(), "shop", body)
		if (err != nil) != (want == fault.Denied) || err != nil && fault.KindOf(err) != want {
			t.Errorf("a %s who sets one: %v", role, err)
		}
	}
	admin := as("admin")
	inside, secret := "http://127.0.0.1:1", "MODEL_KEY"
	body.Address = &inside
	if _, err := admin.SetTracker(t.Context(), "shop", body); fault.KindOf(err) != fault.Denied {
		t.Errorf("an admin who names an address inside: %v", err)
	}
	body.Address, body.Secret = nil, &secret
	if _, err := admin.SetTracker(t.Context(), "shop", body); fault.KindOf(err) != fault.Denied {
		t.Errorf("an admin who names any secret: %v", err)
	}
	if _, err := as("viewer").SyncTracker(t.Context(), "web", client.TrackerSync{}); fault.KindOf(err) != fault.Denied {
		t.Errorf("a viewer who reads: %v", err)
	}
	if _, err := as("editor").SyncTracker(t.Context(), "web", client.TrackerSync{}); err != nil {
		t.Errorf("an editor who reads: %v", err)
	}
}
