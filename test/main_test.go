package test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

type list struct {
	Total int `json:"total"`
	Items []struct {
		ID    string `json:"id"`
		Owner string `json:"owner"`
		Body  struct {
			Title   string `json:"title"`
			Outcome string `json:"outcome"`
			Status  string `json:"status"`
			Sources []struct {
				Document string `json:"document"`
				Line     int    `json:"line"`
				Quote    string `json:"quote"`
			} `json:"sources"`
		} `json:"body"`
	} `json:"items"`
}

func (d *daemon) must(t *testing.T, method, path string, in, out any) {
	t.Helper()
	if err := d.try(method, path, in, out); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}

// until asks again until ok says yes, for at most a minute.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(3 * time.Minute) // many suites may share the machine
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("%s did not happen within three minutes", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func newProject(t *testing.T, d *daemon) string {
	t.Helper()
	var p struct {
		ID string `json:"id"`
	}
	d.must(t, "POST", "/api/projects", map[string]string{"name": "Payments"}, &p)
	return p.ID
}

type receiptAnswer struct {
	Intake string `json:"intakeId"`
	Run    string `json:"runId"`
	Again  bool   `json:"again"`
}

// handIn begins an intake of a file.
func handIn(t *testing.T, d *daemon, project, name string, raw []byte) (r receiptAnswer) {
	t.Helper()
	d.must(t, "POST", "/api/intake", map[string]any{"projectId": project, "files": []any{map[string]any{"name": name, "data": raw}}}, &r)
	return r
}

func takeIn(t *testing.T, d *daemon, project, name string, raw []byte) receiptAnswer {
	t.Helper()
	r := handIn(t, d, project, name, raw)
	until(t, "the intake of "+name, func() bool {
		state, err := d.stateOf(r.Run)
		if err != nil || state == "failed" {
			t.Fatalf("the intake of %s is %s: %v", name, state, err)
		}
		return state == "done"
	})
	return r
}

// TestMain_Job takes minutes and an export in, without a model, and asks.
func TestMain_Job(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		takeIn(t, d, project, "tickets.csv", documents.Tickets)
		takeIn(t, d, project, "minutes.md", documents.Minutes)
		base := "/api/projects/" + project
		var tickets, threads, objectives, people, packs list
		d.must(t, "GET", base+"/tickets", nil, &tickets)
		d.must(t, "GET", base+"/threads", nil, &threads)
		d.must(t, "GET", base+"/objectives", nil, &objectives)
		d.must(t, "GET", base+"/resources", nil, &people)
		d.must(t, "GET", base+"/delta-packs", nil, &packs)
		if tickets.Total != 11 || threads.Total != 3 || objectives.Total != 1 || people.Total != 4 || packs.Total < 1 {
			t.Fatalf("%d tickets, %d threads, %d objectives, %d people, %d packs", tickets.Total, threads.Total, objectives.Total, people.Total, packs.Total)
		}
		lines := strings.Split(string(documents.Tickets), "\n")
		for _, x := range tickets.Items {
			if len(x.Body.Sources) == 0 {
				t.Fatalf("%s has no source", x.Body.Title)
			}
			if src := x.Body.Sources[0]; src.Document == "tickets.csv" && !strings.Contains(lines[src.Line-1], src.Quote) {
				t.Errorf("%q does not stand in line %d", src.Quote, src.Line)
			}
		}
		if tickets.Items[0].Owner != "Joe Martinez" {
			t.Errorf("the first ticket's owner is %q", tickets.Items[0].Owner)
		}
		checkUploads(t, d, base)
		if r := takeInAgain(t, d, project); !r.Again {
			t.Error("the same content was taken in twice")
		}
		d.kill()
		d = s.running(t)
		d.must(t, "GET", base+"/tickets", nil, &tickets)
		if tickets.Total != 11 {
			t.Errorf("%d tickets after the kill", tickets.Total)
		}
		var answer struct {
			Answer   string `json:"answer"`
			Computed bool   `json:"computed"`
			Sources  []any  `json:"sources"`
		}
		d.must(t, "POST", "/api/ask", map[string]string{"projectId": project, "question": "Which developer has the most capacity?"}, &answer)
		if want := "has the most room: 36 of 40 hours"; !strings.Contains(answer.Answer, want) {
			t.Errorf("got the answer %q, want %q in it", answer.Answer, want)
		}
		if !answer.Computed || len(answer.Sources) < 4 {
			t.Errorf("computed %v, %d sources", answer.Computed, len(answer.Sources))
		}
		d.stop()
		s.verified(t)
	})
}

// checkUploads checks what is noted of the documents that came in.
func checkUploads(t *testing.T, d *daemon, base string) {
	t.Helper()
	var uploads struct {
		Items []struct {
			Body struct {
				Title   string   `json:"title"`
				Kind    string   `json:"contentType"`
				Class   string   `json:"classifiedAs"`
				Status  string   `json:"status"`
				Thread  string   `json:"threadId"`
				People  []string `json:"people"`
				Systems []string `json:"systems"`
				Dated   string   `json:"contentTimestamp"`
			} `json:"body"`
		} `json:"items"`
	}
	d.must(t, "GET", base+"/uploads", nil, &uploads)
	table, minutes := uploads.Items[0].Body, uploads.Items[1].Body
	if table.Kind != "csv" || table.Class != "JIRA_DUMP" || table.Status != "THREADED" || strings.Join(table.Systems, " ") != "PAY" || table.Thread != "" {
		t.Errorf("%+v", table)
	}
	if minutes.Kind != "markdown" || minutes.Class != "MEETING_NOTES" || minutes.Status != "THREADED" || minutes.Thread == "" || len(minutes.People) != 4 || minutes.Dated == "" {
		t.Errorf("%+v", minutes)
	}
	var intakes struct {
		Items []struct {
			Body struct {
				Type string `json:"sourceType"`
			} `json:"body"`
		} `json:"items"`
	}
	if d.must(t, "GET", base+"/intakes", nil, &intakes); intakes.Items[0].Body.Type != "JIRA_DUMP" || intakes.Items[1].Body.Type != "MEETING_NOTES" {
		t.Errorf("%+v", intakes)
	}
}

func takeInAgain(t *testing.T, d *daemon, project string) receiptAnswer {
	t.Helper()
	var r receiptAnswer
	d.must(t, "POST", "/api/intake", map[string]any{"projectId": project, "files": []any{map[string]any{"name": "other name.md", "data": documents.Minutes}}}, &r)
	return r
}

// TestMain_EditsAreChecked tries what people get wrong.
func TestMain_EditsAreChecked(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t)
	project := newProject(t, d)
	base := "/api/projects/" + project
	var made struct {
		ID   string          `json:"id"`
		Body json.RawMessage `json:"body"`
	}
	d.must(t, "POST", base+"/tickets", map[string]any{"title": "A", "dueDate": "2026-03-01", "owner": "Ann"}, &made)
	for _, c := range []struct {
		name, method, path string
		body               string
		kind               fault.Kind
		says               string
	}{
		{"a bad status", "PATCH", base + "/tickets/" + made.ID, `{"status":"DOING"}`, fault.Invalid, "TODO, IN_PROGRESS, REVIEW, DONE, BLOCKED"},
		{"a bad date", "PATCH", base + "/tickets/" + made.ID, `{"dueDate":"tomorrow"}`, fault.Invalid, "dueDate"},
		{"an unknown field", "PATCH", base + "/tickets/" + made.ID, `{"titel":"B"}`, fault.Invalid, "titel"},
		{"a field in another case", "PATCH", base + "/tickets/" + made.ID, `{"Title":"B"}`, fault.Invalid, "title"},
		{"another project's ticket", "GET", "/api/projects/prj_elsewhere/tickets/" + made.ID, "", fault.NotFound, "prj_elsewhere"},
		{"a project of the same name", "POST", "/api/projects", `{"name":" payments "}`, fault.Conflict, "payments"},
		{"a reference to nothing", "PATCH", base + "/tickets/" + made.ID, `{"blockedBy":["tkt_none"]}`, fault.Invalid, "blockedBy"},
		{"a message of another version", "POST", "/api/clutch", `{"v":"clutch/9","id":"msg_1"}`, fault.Invalid, "v:"},
		{"a question about no project", "POST", "/api/ask", `{"projectId":"prj_x","question":"?"}`, fault.NotFound, "prj_x"},
	} {
		var in any
		if c.body != "" {
			in = rawJSON(c.body)
		}
		err := d.try(c.method, c.path, in, nil)
		if fault.KindOf(err) != c.kind || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	d.must(t, "PATCH", base+"/tickets/"+made.ID, rawJSON(`{"dueDate":null,"owner":null,"storyPoints":3}`), &made)
	if strings.Contains(string(made.Body), "dueDate") || !strings.Contains(string(made.Body), `"storyPoints":3`) {
		t.Errorf("after clearing: %s", made.Body)
	}
	res, err := http.Get(addressOf(t, s) + "/api/projects") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	if _ = res.Body.Close(); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %d", res.StatusCode)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, addressOf(t, s)+"/health", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "https://evil.example")
	if res, err = http.DefaultClient.Do(req); err != nil {
		t.Fatal(err)
	}
	if _ = res.Body.Close(); res.StatusCode != http.StatusForbidden {
		t.Errorf("from another origin: %d", res.StatusCode)
	}
	d.stop()
	s.verified(t)
}

func addressOf(t *testing.T, s setup) string {
	t.Helper()
	raw, err := os.ReadFile(s.data + "/address")
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + strings.TrimSpace(string(raw))
}

// talk is the fake model of TestMain_ProtocolTypes: what it does follows from what it is
// asked.
func talk(r request) any {
	n, said := r.since()
	controller := len(r.Tools) == 0
	switch {
	case strings.Contains(said, "the task given to"):
		return text(`{"pass":true,"summary":"fine","feedback":""}`)
	case strings.Contains(said, "hang") && !strings.Contains(said, "DATA"):
		<-r.gone
		return text("nobody hears this")
	case strings.Contains(said, "Nobody") && controller:
		return text(`{"delegate":"nobody","sub_task":"x","respond":"","requires":[]}`)
	case controller && strings.Contains(said, "Plan"):
		return text(`{"delegate":"pm","sub_task":"read the tickets","respond":"","requires":[]}`)
	case n == 0 && strings.Contains(said, "Plan"):
		return toolCall("read_tickets", `{"status":"nonsense","bad":1}`)
	case n == 1 && strings.Contains(said, "Plan"):
		return toolCall("read_tickets", `{}`)
	}
	return text("Done.")
}

// TestMain_ProtocolTypes reaches every type of the protocol through the binary.
func TestMain_ProtocolTypes(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, talk)
		s.env = w.env()
		d := s.running(t)
		project := newProject(t, d)
		say := func(text string, more map[string]any) (out chatAnswer) {
			in := map[string]any{"projectId": project, "text": text, "wait": true}
			for k, v := range more {
				in[k] = v
			}
			d.must(t, "POST", "/api/chat", in, &out)
			return out
		}
		if out := say("Plan the week", nil); out.State != "done" {
			t.Errorf("the plan ended as %+v", out)
		}
		if out := say("Nobody can do this", nil); out.State != "failed" || !strings.Contains(out.Reply, "nobody") {
			t.Errorf("an agent that is not there: %+v", out)
		}
		if out := say("hang, and be cut off", map[string]any{"agent": "pm", "timeoutSec": 1}); out.State != "failed" {
			t.Errorf("a run that takes too long: %+v", out)
		}
		if out := say("whereami", nil); !strings.Contains(out.Reply, "new conversation") {
			t.Errorf("whereami: %+v", out)
		}
		hanging := say("hang until cancelled", map[string]any{"agent": "pm", "wait": false})
		d.must(t, "POST", "/api/runs/"+hanging.Run+"/cancel", nil, nil)
		d.must(t, "PATCH", "/api/agents/pm", rawJSON(`{"budget":{"max_tokens":1000}}`), nil)
		takeInWithModel(t, d, project)
		for _, kind := range event.ProtocolTypes() {
			var page struct {
				Events []any `json:"events"`
			}
			until(t, "an event of the type "+kind, func() bool {
				d.must(t, "GET", "/api/log?type="+kind, nil, &page)
				return len(page.Events) > 0
			})
		}
		d.stop()
		s.verified(t)
	})
}

// takeInWithModel takes content in with a model that keeps no contract: the intake
// goes on by its rules.
func takeInWithModel(t *testing.T, d *daemon, project string) {
	t.Helper()
	r := takeIn(t, d, project, "minutes.md", documents.Minutes)
	if r.Run == "" {
		t.Error(errors.New("the intake has no run"))
	}
}
