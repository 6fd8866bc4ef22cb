package daemon_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/config"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/gateway/client"
	"chela/internal/run"
	"chela/internal/testkit/daemontest"
	"chela/internal/testkit/trackertest"
)

var _ = []any{clerk.Query{}, desk.Ticket, event.OrgStream, run.Done, config.Config{}, slices.Sorted[int], http.MethodGet}

// board is a daemon with a project and a fake GitHub that it reads.
type board struct {
	*testing.T
	c       *client.Client
	github  *trackertest.GitHub
	project string
}

func newBoard(t *testing.T) *board {
	t.Helper()
	d := daemontest.Run(t, daemontest.Setup{})
	b := &board{T: t, c: client.New(d.URL, d.Token), github: trackertest.NewGitHub(t)}
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

// sync reads the tracker and returns what came of it.
func (b *board) sync(all bool) client.TrackerRun {
	b.Helper()
	begun, err := b.c.SyncTracker(b.Context(), "web", client.TrackerSync{All: &all})
	if err != nil {
		b.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		out, err := b.c.GetTracker(b.Context(), "web")
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range out.Syncs {
			if s.RunID == begun.RunID && run.State(s.State).Final() {
				return s
			}
		}
	}
	b.Fatal("the sync did not end")
	return client.TrackerRun{}
}

func TestTracker_WhatChangedIsMerged(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	b.github.Put(trackertest.Issue{Number: 1, Title: "Pay by card", Body: "As a shop.", Labels: []string{"bug"}, Owner: "dreyes"})
	b.github.Put(trackertest.Issue{Number: 2, Title: "Show <b>totals</b>", Body: "Blocked by #1"})
	b.set(nil)
	s := b.sync(false)
	if s.State != "done" || s.Brought == nil || s.Brought.New["ticket"] != 2 {
		t.Fatalf("the first sync: %s, %s, %+v", s.State, s.Text, s.Brought)
	}
	if s = b.sync(false); s.State != "done" || s.Brought == nil || s.Brought.Issues != 0 {
		t.Fatalf("with nothing new: %s, %s, %+v", s.State, s.Text, s.Brought)
	}
	b.github.Put(trackertest.Issue{Number: 1, Title: "Pay by card", Body: "As a shop.", Labels: []string{"bug"}, Owner: "dreyes", Closed: true})
	s = b.sync(false)
	if s.State != "done" || s.Brought == nil || s.Brought.Issues != 1 || s.Brought.Moved["ticket"] != 1 || len(s.Brought.New) != 0 {
		t.Fatalf("one was closed: %s, %s, %+v", s.State, s.Text, s.Brought)
	}
	for _, p := range s.Brought.Left {
		if strings.Contains(p, "not in this one") {
			t.Errorf("what a tracker did not change is called absent: %s", p)
		}
	}
}
