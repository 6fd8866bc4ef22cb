package daemon_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

// TestSchedule_AsksTheRecordsWithoutAModel: a schedule with a message delivers what the records answer, though no model is configured; one that they
// do not answer is skipped and says so.
func TestSchedule_AsksTheRecordsWithoutAModel(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	o := office{t, client.New(d.URL, d.Token)}
	var p struct{ ID string }
	o.call(http.MethodPost, "/api/projects", map[string]any{"name": "Payments"}, &p)
	o.call(http.MethodPost, "/api/projects/"+p.ID+"/tickets", map[string]any{"title": "Rotate the keys"}, nil)
	result := func(message string) (state, said string) {
		var s struct{ ScheduleID string }
		o.call(http.MethodPost, "/api/schedules", map[string]any{
			"agentId": "pm", "scheduleType": "CRON", "cronExpr": "0 9 * * MON", "projectScope": "PROJECT", "projectId": p.ID, "message": message, "deliver": map[string]string{"to": "INBOX"},
		}, &s)
		o.call(http.MethodPost, "/api/executions/trigger", map[string]string{"scheduleId": s.ScheduleID}, nil)
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			var past struct {
				Content []struct{ ResultStatus, ErrorMessage, ResponseSummary string }
			}
			o.call(http.MethodGet, "/api/executions/past?scheduleId="+s.ScheduleID, nil, &past)
			for _, a := range past.Content {
				return a.ResultStatus, a.ErrorMessage + a.ResponseSummary
			}
		}
		t.Fatalf("%q did not end in time", message)
		return "", ""
	}
	if state, said := result("Write a status report"); state != "SUCCESS" || !strings.Contains(said, "1 ticket") {
		t.Errorf("a report: %s, %s", state, said)
	}
	if state, said := result("Sing a song"); state != "SKIPPED" || !strings.Contains(said, "The records alone do not answer") {
		t.Errorf("a song: %s, %s", state, said)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var inbox struct{ Items []map[string]any }
		o.call(http.MethodGet, "/api/me/notifications", nil, &inbox)
		all := fmt.Sprint(inbox.Items)
		if strings.Contains(all, "Write a status report") && strings.Contains(all, "Sing a song") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the inbox has %s", all)
		}
	}
}
