package test

import (
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestSessions begins a conversation before anything is said, pauses and resumes what
// answers in it, and reads what happened as lines.
func TestSessions(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	w := newWorld(t, func(r request) any {
		n, said := r.since()
		switch {
		case strings.Contains(said, "fail"):
			return 400
		case strings.Contains(said, "search") && n == 0:
			return toolCall("human_search", `{"query":"the vendor's number"}`)
		case strings.Contains(said, "search"):
			return text("Found: " + lastResult(r))
		case strings.Contains(said, "hang"):
			select {
			case <-goOn:
			case <-r.gone:
			}
		}
		return text("Done.")
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	project := newProject(t, d)
	type sessionRun struct {
		Run   string `json:"runId"`
		State string `json:"state"`
	}
	open := func(agent string) string {
		var th struct {
			ID string `json:"id"`
		}
		d.must(t, "POST", "/api/sessions", map[string]any{"projectId": project, "metadata": map[string]string{"agentId": agent}}, &th)
		return "/api/sessions/" + th.ID
	}
	var r sessionRun
	at := func(path string) sessionRun {
		d.must(t, "POST", path+"/run", nil, &r)
		return r
	}
	one := open("pm")
	if err := d.try("POST", one+"/run", nil, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("before anything is said: %v", err)
	}
	d.must(t, "POST", one+"/messages", map[string]string{"content": "hang"}, nil)
	until(t, "the run", func() bool { return at(one).State == "running" })
	d.must(t, "POST", one+"/pause", nil, &r)
	if r.State != "waiting" {
		t.Errorf("paused it is %s", r.State)
	}
	close(goOn)
	d.must(t, "POST", one+"/resume", nil, nil)
	until(t, "its end", func() bool { return at(one).State == "done" })

	two := open("coder")
	d.must(t, "POST", two+"/messages", map[string]string{"content": "search for it"}, nil)
	until(t, "the question", func() bool { return at(two).State == "waiting" })
	var asked []question
	d.must(t, "GET", "/api/approvals?status=pending", nil, &asked)
	if len(asked) != 1 || asked[0].Kind != "look_up" {
		t.Fatalf("%+v", asked)
	}
	if err := d.try("POST", "/api/search/response", map[string]string{"requestId": asked[0].ID, "content": " "}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an empty answer: %v", err)
	}
	d.must(t, "POST", "/api/search/response", map[string]string{"requestId": asked[0].ID, "content": "555-0100"}, nil)
	until(t, "its end", func() bool { return at(two).State == "done" })
	var said []struct {
		Message string `json:"message"`
	}
	if d.must(t, "GET", two+"/messages", nil, &said); !strings.Contains(said[len(said)-1].Message, "555-0100") {
		t.Errorf("%+v", said)
	}

	three := open("pm")
	d.must(t, "POST", three+"/messages", map[string]string{"content": "fail"}, nil)
	until(t, "its end", func() bool { return at(three).State == "failed" })
	var lines []struct {
		Level string `json:"level"`
		Type  string `json:"type"`
		Text  string `json:"message"`
	}
	d.must(t, "GET", "/api/logs/errors?limit=5", nil, &lines)
	if len(lines) == 0 || lines[0].Level != "ERROR" {
		t.Errorf("errors: %+v", lines)
	}
	if d.must(t, "GET", "/api/logs?level=INFO&limit=3", nil, &lines); len(lines) != 3 || lines[0].Level != "INFO" {
		t.Errorf("lines: %+v", lines)
	}
	var calls []struct {
		Agent string `json:"agentId"`
		Input int    `json:"promptTokens"`
	}
	if d.must(t, "GET", "/api/logs/llm-interactions?agentId=coder", nil, &calls); len(calls) != 2 || calls[0].Input != 10 {
		t.Errorf("calls: %+v", calls)
	}
	var m struct {
		Total    int `json:"totalInteractions"`
		Tokens   int `json:"recentTokens"`
		Errors   int `json:"recentErrors"`
		Messages int `json:"totalMessages"`
	}
	if d.must(t, "GET", "/api/logs/llm-interactions/metrics", nil, &m); m.Total != 3 || m.Tokens != 45 || m.Errors == 0 || m.Messages < 5 {
		t.Errorf("metrics: %+v", m)
	}
	var took struct {
		Took map[string]int `json:"took"`
	}
	d.must(t, "POST", "/api/projects/"+project+"/tickets", map[string]string{"title": "A"}, nil)
	if d.must(t, "DELETE", "/api/projects/"+project+"/data", nil, &took); took.Took["ticket"] != 1 {
		t.Errorf("%+v", took)
	}
	var l list
	if d.must(t, "GET", "/api/projects/"+project+"/tickets", nil, &l); l.Total != 0 {
		t.Errorf("%d tickets are left", l.Total)
	}
	d.stop()
	s.verified(t)
}

// TestSession_AClosedConversationRefuses closes a conversation and lets it go on. It is closed only
// when nothing is under way in it, also when both happen at once.
func TestSession_AClosedConversationRefuses(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		release := make(chan struct{})
		w := newWorld(t, func(r request) any {
			select {
			case <-release:
			case <-r.gone:
			}
			return text("Done.")
		})
		s.env = w.env()
		d := s.running(t)
		var out chatAnswer
		d.must(t, "POST", "/api/chat", map[string]any{"agent": "pm", "text": "Do it"}, &out)
		if err := d.try("POST", "/api/sessions/"+out.Thread+"/close", nil, nil); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "chela run cancel "+out.Run) {
			t.Errorf("closed while a run is under way: %v", err)
		}
		close(release)
		until(t, "the end of the run", func() bool { return stateOf(t, d, out.Run) == "done" })
		say := func() error {
			return d.try("POST", "/api/chat", map[string]any{"threadId": out.Thread, "text": "And now", "wait": true}, nil)
		}
		for _, c := range []struct {
			args []string
			code int
			says string
		}{
			{[]string{"session", "close", out.Thread}, 0, "is closed."},
			{[]string{"session", "close", out.Thread}, 3, "closed already"},
			{[]string{"session", "list"}, 0, out.Thread + "  closed"},
		} {
			if shown, errs, code := s.chela(t, "", c.args...); code != c.code || !strings.Contains(shown+errs, c.says) {
				t.Errorf("%v: %d %s%s", c.args, code, shown, errs)
			}
		}
		if err := say(); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "chela session reopen "+out.Thread) {
			t.Errorf("said to a closed conversation: %v", err)
		}
		if shown, errs, code := s.chela(t, "", "session", "reopen", out.Thread); code != 0 {
			t.Errorf("%d %s%s", code, shown, errs)
		}
		if err := say(); err != nil {
			t.Error(err)
		}
		if err := d.try("POST", "/api/sessions/thr_none/close", nil, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%v", err)
		}
		d.stop()
		s.verified(t)
	})
}
