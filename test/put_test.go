package test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestPut_IsPatch changes records of each kind that another system's programs change.
func TestPut_IsPatch(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		base := "/api/projects/" + project
		for path, x := range map[string]struct{ make, change, want string }{
			base + "/tickets":         {`{"title":"A","storyPoints":3}`, `{"status":"DONE"}`, `"storyPoints":3`},
			base + "/objectives":      {`{"outcome":"Fast","sprintName":"S1"}`, `{"status":"ACHIEVED"}`, `"sprintName":"S1"`},
			base + "/phases":          {`{"name":"Build","sortOrder":2}`, `{"description":"x"}`, `"sortOrder":2`},
			base + "/milestones":      {`{"name":"Beta","owner":"Ann"}`, `{"status":"AT_RISK"}`, `"owner":"Ann"`},
			base + "/checklists":      {`{"name":"Ready","items":[{"text":"a"}]}`, `{"name":"Go"}`, `"text":"a"`},
			base + "/blindspots":      {`{"title":"Nobody tests","category":"MISSING_TEST_SIGNAL","severity":"HIGH"}`, `{"owner":"Ann"}`, `"severity":"HIGH"`},
			base + "/ideas":           {`{"title":"Refunds","tags":["x"]}`, `{"status":"REVIEWED"}`, `"tags":["x"]`},
			base + "/links":           {`{"url":"https://example.com","pinned":true}`, `{"title":"Docs"}`, `"pinned":true`},
			base + "/reconciliations": {`{"sourceType":"JIRA_DUMP"}`, `{"status":"REVIEWED"}`, `"sourceType":"JIRA_DUMP"`},
			"/api/resources":          {`{"projectId":"` + project + `","name":"Ann Lee","capacity":8}`, `{"role":"DESIGNER"}`, `"capacity":8`},
			"/api/reminders":          {`{"projectId":"` + project + `","message":"Ask","triggerAt":"2030-01-01"}`, `{"message":"Ask again"}`, `"triggerAt":"2030-01-01`},
		} {
			var made struct {
				ID      string `json:"id"`
				Version int    `json:"version"`
			}
			d.must(t, "POST", path, rawJSON(x.make), &made)
			var after json.RawMessage
			if err := d.try("PUT", path+"/"+made.ID, rawJSON(x.change), &after); err != nil {
				t.Errorf("PUT %s: %v", path, err)
				continue
			}
			var now struct {
				Version int            `json:"version"`
				Body    map[string]any `json:"body"`
			}
			if err := json.Unmarshal(after, &now); err != nil || now.Version != made.Version+1 || !strings.Contains(string(after), x.want) {
				t.Errorf("PUT %s: %v %s lacks %s", path, err, after, x.want)
			}
			var change map[string]any
			if err := json.Unmarshal([]byte(x.change), &change); err != nil {
				t.Fatal(err)
			}
			for field, want := range change {
				if now.Body[field] != want {
					t.Errorf("PUT %s: %s is %v", path, field, now.Body[field])
				}
			}
			if err := d.try("PUT", path+"/"+made.ID, rawJSON(`{"nonsense":1}`), nil); fault.KindOf(err) != fault.Invalid {
				t.Errorf("PUT %s takes a field that is none: %v", path, err)
			}
		}
		d.must(t, "PUT", base, rawJSON(`{"description":"Cards"}`), nil)
		d.must(t, "PUT", "/api/agents/pm", rawJSON(`{"budget":{"max_tokens":5}}`), nil)
		otherAddresses(t, d, project)
		d.stop()
		s.verified(t)
	})
}

// otherAddresses asks for what has a second address.
func otherAddresses(t *testing.T, d *daemon, project string) {
	t.Helper()
	var found list
	for path, want := range map[string]int{
		"/api/resources": 1, "/api/resources?projectId=" + project: 1, "/api/reminders?projectId=" + project: 1, "/api/reminders?filter=message:~nothing": 0,
	} {
		if d.must(t, "GET", path, nil, &found); found.Total != want {
			t.Errorf("%s has %d, expected %d", path, found.Total, want)
		}
	}
	var people struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	d.must(t, "GET", "/api/resources", nil, &people)
	var ticket struct {
		ID string `json:"id"`
	}
	d.must(t, "POST", "/api/projects/"+project+"/tickets", rawJSON(`{"title":"Hers","owner":"Ann Lee"}`), &ticket)
	if d.must(t, "GET", "/api/resources/"+people.Items[0].ID+"/assignments", nil, &found); found.Total != 1 {
		t.Errorf("%d assignments", found.Total)
	}
	for path, kind := range map[string]fault.Kind{"/api/resources/" + ticket.ID: fault.NotFound, "/api/reminders/rem_none": fault.NotFound, "/api/resources?projectId=prj_none": fault.NotFound} {
		if err := d.try("GET", path, nil, nil); fault.KindOf(err) != kind {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := d.try("POST", "/api/reminders", rawJSON(`{"message":"Where?","triggerAt":"2030-01-01"}`), nil); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "project") {
		t.Errorf("a reminder of no project: %v", err)
	}
	d.must(t, "POST", "/api/ask/dedup?projectId="+project, nil, nil)
	var took receiptAnswer
	if d.must(t, "POST", "/api/intake/pipeline", map[string]any{"projectId": project, "content": "Decision: we ship."}, &took); took.Intake == "" {
		t.Error("no intake")
	}
	d.must(t, "DELETE", "/api/resources/"+people.Items[0].ID, nil, nil)
	var thread struct {
		ID string `json:"id"`
	}
	d.must(t, "POST", "/api/projects/"+project+"/threads", rawJSON(`{"title":"Refunds"}`), &thread)
	d.must(t, "POST", "/api/projects/"+project+"/threads/"+thread.ID+"/messages", rawJSON(`{"content":"What is open?"}`), nil)
	d.must(t, "POST", "/api/sessions/"+thread.ID+"/messages", rawJSON(`{"content":"And who?"}`), nil)
	var said []struct {
		Role string `json:"role"`
	}
	if d.must(t, "GET", "/api/sessions/"+thread.ID+"/messages", nil, &said); len(said) < 2 {
		t.Errorf("%d messages", len(said))
	}
	if err := d.try("POST", "/api/projects/prj_none/threads/"+thread.ID+"/messages", rawJSON(`{"content":"x"}`), nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("in another project: %v", err)
	}
}

// TestPut_AgentsAreDeleted deletes one that has nothing to do, and not one that has.
func TestPut_AgentsAreDeleted(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, talk)
		s.env = w.env()
		d := s.running(t)
		newProject(t, d)
		d.must(t, "POST", "/api/agents", rawJSON(worker), nil)
		var made scheduleAnswer
		d.must(t, "POST", "/api/schedules", rawJSON(`{"agentId":"worker","cronExpr":"0 9 1 1 *"}`), &made)
		if err := d.try("DELETE", "/api/agents/pm", nil, nil); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "enabled") {
			t.Errorf("one that every organization has: %v", err)
		}
		if err := d.try("DELETE", "/api/agents/nobody", nil, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("one that is not there: %v", err)
		}
		var said chatAnswer
		d.must(t, "POST", "/api/chat", map[string]any{"text": "hang", "agent": "worker"}, &said)
		if err := d.try("DELETE", "/api/agents/worker", nil, nil); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), said.Run) {
			t.Errorf("one that works: %v", err)
		}
		d.must(t, "POST", "/api/runs/"+said.Run+"/cancel", nil, nil)
		var gone struct {
			Deleted   string   `json:"deleted"`
			Schedules []string `json:"schedules"`
		}
		until(t, "the run is over", func() bool { return d.try("DELETE", "/api/agents/worker", nil, &gone) == nil })
		if gone.Deleted != "worker" || len(gone.Schedules) != 1 || gone.Schedules[0] != made.ID {
			t.Errorf("%+v", gone)
		}
		for _, path := range []string{"/api/agents/worker", "/api/schedules/" + made.ID} {
			if err := d.try("GET", path, nil, nil); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s: %v", path, err)
			}
		}
		if err := d.try("POST", "/api/chat", map[string]any{"text": "Again", "agent": "worker"}, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("it is spoken to: %v", err)
		}
		d.must(t, "POST", "/api/agents", rawJSON(worker), nil) // the name is free
		d.stop()
		s.verified(t)
	})
}

// TestPut_AnEditOfWhatWasNotSeenIsRefused has two editors of one ticket: the second of them saw
// what is not any more, and changes nothing.
func TestPut_AnEditOfWhatWasNotSeenIsRefused(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		base := "/api/projects/" + newProject(t, d) + "/tickets"
		var made struct {
			ID string `json:"id"`
		}
		d.must(t, "POST", base, rawJSON(`{"title":"A"}`), &made)
		token, err := os.ReadFile(filepath.Join(s.data, "token"))
		must(t, err)
		for _, x := range []struct {
			seen, title string
			want        int
		}{{"1", "B", http.StatusOK}, {"1", "C", http.StatusConflict}, {"0", "C", http.StatusUnprocessableEntity}, {"2", "D", http.StatusOK}} {
			code, _ := raw(t, http.MethodPatch, addressOf(t, s)+base+"/"+made.ID, `{"title":"`+x.title+`"}`, map[string]string{"Authorization": "Bearer " + strings.TrimSpace(string(token)), "If-Match": x.seen})
			if code != x.want {
				t.Errorf("%s, having seen version %s: %d, want %d", x.title, x.seen, code, x.want)
			}
		}
		var now struct {
			Version int `json:"version"`
			Body    struct {
				Title string `json:"title"`
			} `json:"body"`
		}
		if d.must(t, "GET", base+"/"+made.ID, nil, &now); now.Version != 3 || now.Body.Title != "D" {
			t.Errorf("it stands at %+v", now)
		}
		d.stop()
		s.verified(t)
	})
}
