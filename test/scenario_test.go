package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestScenario_ARunIsRecordedAndPlays freezes what a live model did as a scenario, which then
// plays with a scripted one.
func TestScenario_ARunIsRecordedAndPlays(t *testing.T) {
	t.Parallel()
	ticket := ""
	w := newWorld(t, func(r request) any {
		if done, _ := r.since(); done > 0 {
			return text("Retries are HIGH now.")
		}
		return toolCall("update_ticket", `{"ticketId":"`+ticket+`","priority":"HIGH"}`)
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	project := newProject(t, d)
	var made struct {
		ID string `json:"id"`
	}
	d.must(t, "POST", "/api/projects/"+project+"/resources", map[string]string{"name": "Ann Lee"}, nil)
	d.must(t, "POST", "/api/projects/"+project+"/tickets", map[string]string{"title": "Retries", "owner": "Ann Lee", "priority": "LOW"}, &made)
	ticket = made.ID
	var out struct {
		Run   string `json:"runId"`
		State string `json:"state"`
	}
	d.must(t, "POST", "/api/chat", map[string]any{"projectId": project, "agent": "pm", "text": "Make " + ticket + " HIGH", "wait": true}, &out)
	if out.State != "done" {
		t.Fatalf("%+v", out)
	}
	file := filepath.Join(t.TempDir(), "recorded.json")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"scenario", "record", out.Run, "--out", file}, 0, "recorded.json"},
		{[]string{"scenario", "record", "run_none"}, 3, "run_none"},
		{[]string{"scenario", "run", file}, 0, "desk.ticket.updated"},
	} {
		said, errs, code := s.chela(t, "", c.args...)
		if code != c.code || !strings.Contains(said+errs, c.says) {
			t.Errorf("%v: %d, want %d\n%s%s", c.args, code, c.code, said, errs)
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(raw), ticket) || !strings.Contains(string(raw), "Make {{ticket2}} HIGH") {
		t.Errorf("%v\n%s", err, raw)
	}
	var frozen struct {
		Defaults struct {
			StartAt time.Time `json:"startAt"`
		} `json:"defaults"`
	}
	// It has two steps, a minute each, and the second is played when the run was.
	if err := json.Unmarshal(raw, &frozen); err != nil || time.Since(frozen.Defaults.StartAt) < 2*time.Minute || time.Since(frozen.Defaults.StartAt) > 10*time.Minute {
		t.Errorf("%v: it starts at %s", err, frozen.Defaults.StartAt)
	}
	d.stop()
}
