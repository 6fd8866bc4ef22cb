package test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
)

// invoked is what a call of a tool gave, as the API gives it.
type invoked struct {
	Success bool            `json:"success"`
	Output  json.RawMessage `json:"output"`
	Error   string          `json:"error"`
	Run     string          `json:"runId"`
	State   string          `json:"state"`
	Waits   string          `json:"waitsFor"`
}

func (d *daemon) invoke(t *testing.T, tool, query, args string) (out invoked) {
	t.Helper()
	d.must(t, http.MethodPost, "/api/tools/"+tool+"/invoke?"+query, rawJSON(args), &out)
	return out
}

// TestInvoke_AToolIsInvoked calls tools for persons: what they may is done and in the log, what they may not is denied,
// and what is asked about waits.
func TestInvoke_AToolIsInvoked(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, func(request) any { return text("I was asked.") })
		s.env = w.env()
		d := s.running(t)
		project := newProject(t, d)
		in := url.Values{"project": {project}}.Encode()

		made := d.invoke(t, "create_ticket", "", fmt.Sprintf(`{"projectId":%q,"title":"Renew the certificate"}`, project))
		if !made.Success || made.State != "done" || !strings.Contains(string(made.Output), `"status":"created"`) {
			t.Errorf("%+v", made)
		}
		if read := d.invoke(t, "read_tickets", in, `{}`); !strings.Contains(string(read.Output), "Renew the certificate") {
			t.Errorf("%+v", read)
		}
		if none := d.invoke(t, "read_tickets", "", `{}`); none.Success || none.State != "failed" || !strings.Contains(none.Error, "project") {
			t.Errorf("without a project: %+v", none)
		}
		if misfit := d.invoke(t, "read_tickets", in, `{"colour":"red"}`); misfit.Success || !strings.Contains(misfit.Error, "colour") {
			t.Errorf("arguments that do not fit: %+v", misfit)
		}
		for path, want := range map[string]fault.Kind{"/api/tools/nothing/invoke": fault.NotFound, "/api/tools/read_tickets/invoke?agent=nobody": fault.NotFound} {
			if err := d.try(http.MethodPost, path, rawJSON(`{}`), nil); fault.KindOf(err) != want {
				t.Errorf("%s: %v", path, err)
			}
		}
		if err := d.try(http.MethodPost, "/api/tools/read_tickets/invoke", rawJSON(`[]`), nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("a list of arguments: %v", err)
		}
		viewer, _ := d.member(t, "Vera", "viewer")
		if no := viewer.invoke(t, "create_ticket", in, `{"title":"No"}`); no.Success || !strings.Contains(no.Error, "editor") {
			t.Errorf("a viewer's ticket: %+v", no)
		}
		if yes := viewer.invoke(t, "read_tickets", in, `{}`); !yes.Success {
			t.Errorf("what a viewer reads: %+v", yes)
		}

		d.must(t, http.MethodPost, "/api/chat", map[string]string{"text": "/help", "idempotencyKey": "once"}, nil) // has nothing to do with it
		again := url.Values{"project": {project}, "key": {"once"}}.Encode()
		one, two := d.invoke(t, "create_idea", again, `{"title":"A fund"}`), d.invoke(t, "create_idea", again, `{"title":"A fund"}`)
		if one.Run != two.Run || !one.Success || string(one.Output) != string(two.Output) {
			t.Errorf("under one key: %+v and %+v", one, two)
		}
		d.invokedInTheLog(t, made.Run)
		d.stop()
		s.verified(t)
		if n := total(w.asked); n != 0 {
			t.Errorf("the model was asked %d times", n)
		}
	})
}

// invokedInTheLog looks at what is recorded of a call.
func (d *daemon) invokedInTheLog(t *testing.T, run string) {
	t.Helper()
	var log struct {
		Events []struct {
			Type    string          `json:"type"`
			Sender  json.RawMessage `json:"from"`
			Payload json.RawMessage `json:"payload"`
		} `json:"events"`
	}
	d.must(t, http.MethodGet, "/api/log?run="+run, nil, &log)
	raw, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, e := range log.Events {
		types = append(types, e.Type)
	}
	if want := "task.request run.queued run.started task.accept tool.call"; !strings.HasPrefix(strings.Join(types, " "), want) || !strings.HasSuffix(strings.Join(types, " "), "tool.result task.result run.finished") {
		t.Errorf("the log has %v", types)
	}
	if !strings.Contains(string(raw), `"rule":"`) || !strings.Contains(string(raw), "Renew the certificate") {
		t.Errorf("the log does not say why it was permitted, or what was called: %s", raw)
	}
}

// TestInvoke_AnInvocationIsAskedAbout has a program wait for a person, by the command line.
func TestInvoke_AnInvocationIsAskedAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(request) any { return text("I was asked.") })
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	d.hire(t)
	if got, errs, code := s.chela(t, "", "tools", "call", "fake_read", `{"text":"it"}`); code != 0 || got != "did it\n" {
		t.Errorf("%d %s %s", code, got, errs)
	}
	if _, errs, code := s.chela(t, "", "tools", "call", "fake_read", `{"text"`); code == 0 || !strings.Contains(errs, "no JSON") {
		t.Errorf("arguments that are no JSON: %d %s", code, errs)
	}
	if _, errs, code := s.chela(t, "", "tools", "call", "fake_read", `{"nonsense":1}`); code == 0 || !strings.Contains(errs, "nonsense") {
		t.Errorf("arguments that do not fit: %d %s", code, errs)
	}
	if got, _, code := s.chela(t, "", "tools", "call", "fake_read", `{"nonsense":1}`, "--json"); code == 0 || !strings.Contains(got, `"success": false`) {
		t.Errorf("as JSON: %d %s", code, got)
	}
	must(t, os.WriteFile(filepath.Join(s.data, "policy.yaml"), []byte("version: 1\nrules:\n  - {name: the world, answer: ask, tools: [fake_write]}\n"), 0o600))
	for choice, want := range map[string]string{"approve": "done", "deny": "failed"} {
		_, errs, code := s.chela(t, "", "tools", "call", "fake_write", `{"text":"it"}`, "-a", "worker")
		if code == 0 || !strings.Contains(errs, "chela approval approve") {
			t.Fatalf("%d %s", code, errs)
		}
		_, rest, _ := strings.Cut(errs, "chela why ")
		run, _, _ := strings.Cut(rest, "`")
		s.answer(t, d, choice)
		until(t, "the end of the call", func() bool { return stateOf(t, d, run) == want })
	}
	if n := total(w.writes); n != 1 {
		t.Errorf("the world was changed %d times: %v", n, w.writes)
	}
	d.stop()
	s.verified(t)
}

// invocationJob is a call that changes the world, asked for under a key until it is answered.
func invocationJob() job {
	return job{
		begin: func(d *daemon) (string, error) {
			if err := hireWorker(d); err != nil {
				return "", err
			}
			var out invoked
			err := d.try(http.MethodPost, "/api/tools/fake_write/invoke?agent=worker&key=the-job", rawJSON(`{"text":"it"}`), &out)
			return out.Run, err
		},
		from: serving, points: passed(9, 0, 1), judge: onceAtMost,
	}
}
