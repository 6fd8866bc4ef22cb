package api_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// TestOften_WordsBecomeFields: what is read is what a reminder takes, and what is not is said.
func TestOften_WordsBecomeFields(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var p struct{ ID string }
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]any{"name": "Payments"}, &p)
	for words, holds := range map[string]func(at time.Time, f map[string]any) bool{
		"every Friday at 9": func(at time.Time, f map[string]any) bool {
			return at.Weekday() == time.Friday && f["intervalSeconds"] == 604_800.0
		},
		"each month on the 1st at 10": func(at time.Time, f map[string]any) bool { return at.Day() == 1 && f["monthDay"] == 1.0 },
		"every weekday at 8:30": func(_ time.Time, f map[string]any) bool {
			return f["weekdays"] == true && f["timezone"] == "Europe/Berlin"
		},
	} {
		var got map[string]any
		e.call(e.owner, http.MethodPost, "/api/reminders/read", map[string]any{"every": words, "timezone": "Europe/Berlin"}, &got)
		text, _ := got["triggerAt"].(string)
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || !at.After(time.Now()) || !holds(at, got) {
			t.Errorf("%q is %v (%v)", words, got, err)
		}
		got["message"] = words
		e.call(e.owner, http.MethodPost, "/api/projects/"+p.ID+"/reminders", got, nil)
	}
	for _, bad := range []string{`{"every":"every other Friday"}`, `{"every":"soon"}`, `{"every":"daily","timezone":"Moon"}`} {
		err := client.New(e.url, e.owner).Call(t.Context(), http.MethodPost, "/api/reminders/read", json.RawMessage(bad), nil)
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
