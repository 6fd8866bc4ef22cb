package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"chela/internal/gateway/api"
	"chela/internal/notify"
)

func TestNotifications_AreTheAskersOwn(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	dana, _ := e.member("Dana Reyes", "editor")
	var p, ticket struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Payments"}, &p)
	e.call(e.owner, http.MethodPost, "/api/projects/"+p.ID+"/tickets", map[string]string{"title": "Login"}, &ticket)
	e.call(e.owner, http.MethodPost, "/api/projects/"+p.ID+"/comments", map[string]string{"recordId": ticket.ID, "text": "@Dana please look"}, nil)
	var box api.InboxOut
	for end := time.Now().Add(20 * time.Second); box.Open == 0 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		e.call(dana, http.MethodGet, "/api/me/notifications", nil, &box)
	}
	if box.Open != 1 || box.Unread != 1 || len(box.Items) != 1 || box.Items[0].Reason != notify.Mention || box.Items[0].Record != ticket.ID {
		t.Fatalf("Dana has %+v, want one mention on the ticket", box)
	}
	id := box.Items[0].ID
	var other api.InboxOut
	e.call(e.owner, http.MethodGet, "/api/me/notifications", nil, &other)
	if other.Open != 0 {
		t.Errorf("the owner has %+v, want nothing", other.Items)
	}
	if code, said, _ := e.send(e.owner, http.MethodPost, "/api/me/notifications", `{"ids":["`+id+`"],"state":"done"}`, "Content-Type", "application/json"); code != http.StatusNotFound {
		t.Errorf("another's notification is settled with %d %s, want 404", code, said)
	}
	for _, c := range []struct {
		state        notify.State
		open, unread int
	}{{notify.Read, 1, 0}, {notify.Done, 0, 0}, {notify.New, 1, 1}} {
		e.call(dana, http.MethodPost, "/api/me/notifications", map[string]any{"ids": []string{id}, "state": c.state}, &box)
		if box.Open != c.open || box.Unread != c.unread {
			t.Errorf("%s leaves %d open and %d unread, want %d and %d", c.state, box.Open, box.Unread, c.open, c.unread)
		}
	}
	if code, said, _ := e.send(dana, http.MethodPut, "/api/me/notifications/preferences", `{"quiet":"late"}`, "Content-Type", "application/json"); code != http.StatusUnprocessableEntity && code != http.StatusBadRequest || !strings.Contains(said, "19:00-08:00") {
		t.Errorf("bad quiet hours answer %d %s, want a refusal that shows how they are written", code, said)
	}
	var prefs notify.Preferences
	e.call(dana, http.MethodPut, "/api/me/notifications/preferences", notify.Preferences{Quiet: "19:00-08:00", Zone: "Europe/Berlin"}, &prefs)
	if prefs.Quiet != "19:00-08:00" {
		t.Errorf("the preferences are %+v, want the quiet hours", prefs)
	}
}
