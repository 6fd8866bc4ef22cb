package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestInbox_AFindingSaysWhatItSaysNow: a finding whose numbers change is told with the new ones, as its record has them.
func TestInbox_AFindingSaysWhatItSaysNow(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, _ := e.newProject("Payments")
	at := "/api/projects/" + project + "/blindspots"
	var made struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, at, map[string]any{"title": "Nobody has them", "description": "61 tickets", "category": "MISSING_OWNER", "severity": "HIGH", "status": "OPEN"}, &made)
	said := func() (all string) {
		_, all, _ = e.send(e.owner, http.MethodGet, "/api/me/notifications", "")
		return all
	}
	for end := time.Now().Add(20 * time.Second); !strings.Contains(said(), "61 tickets"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the finding is not told: %s", said())
		}
	}
	e.call(e.owner, http.MethodPatch, at+"/"+made.ID, map[string]any{"description": "560 tickets"}, nil)
	if got := said(); !strings.Contains(got, "560 tickets") || strings.Contains(got, "61 tickets") {
		t.Errorf("got %s, want what the finding says now", got)
	}
	e.call(e.owner, http.MethodDelete, at+"/"+made.ID, nil, nil)
	if code, got, _ := e.send(e.owner, http.MethodGet, "/api/me/notifications?all=true", ""); code != http.StatusOK || !strings.Contains(got, "tickets") {
		t.Errorf("got %d %s of a finding that is gone", code, got)
	}
}
