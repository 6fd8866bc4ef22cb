package test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"chela/internal/fault"
)

type viewAnswer struct {
	ID     string `json:"id"`
	Read   int64  `json:"read"`
	Unread int    `json:"unread"`
}

type layoutAnswer struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// TestPerson_WhatAPersonHas reads conversations and keeps layouts as two persons.
func TestPerson_WhatAPersonHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(request) any { return text("Done.") })
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	project := newProject(t, d)
	vic, _ := d.member(t, "Vic", "viewer")

	var c chatAnswer
	d.must(t, "POST", "/api/chat", map[string]any{"projectId": project, "text": "What is late?", "agent": "pm", "wait": true}, &c)
	at := "/api/conversations/" + c.Thread
	unread := func(d *daemon, want int) viewAnswer {
		t.Helper()
		var list []viewAnswer
		d.must(t, "GET", "/api/conversations?project="+project, nil, &list)
		var one viewAnswer
		d.must(t, "GET", at, nil, &one)
		if len(list) != 1 || list[0] != one || one.Unread != want {
			t.Errorf("the list has %+v, the conversation %+v; want %d unread", list, one, want)
		}
		return one
	}
	unread(d, 1)
	unread(vic, 0)
	var marked viewAnswer
	d.must(t, "PUT", at+"/read", map[string]any{}, &marked)
	if marked.Unread != 0 || marked.Read == 0 {
		t.Errorf("marked %+v", marked)
	}
	vic.must(t, "PUT", at+"/read", map[string]any{"seq": 1 << 40}, nil) // a viewer reads, too
	if v := unread(vic, 0); v.Read != marked.Read {
		t.Errorf("a mark is at most what was said: %d, want %d", v.Read, marked.Read)
	}
	d.must(t, "PUT", at+"/read", map[string]any{"seq": 1}, nil)
	if v := unread(d, 0); v.Read != marked.Read {
		t.Errorf("the mark went to %d", v.Read)
	}
	var marks struct {
		Events []struct{} `json:"events"`
	}
	d.must(t, "GET", "/api/log?type=session.read", nil, &marks)
	if len(marks.Events) != 2 {
		t.Errorf("%d marks are recorded, want one for each", len(marks.Events))
	}
	d.must(t, "POST", "/api/chat", map[string]any{"threadId": c.Thread, "text": "And now?", "wait": true}, nil)
	unread(d, 1)
	unread(vic, 2)
	if err := d.try("PUT", "/api/conversations/thr_none/read", map[string]any{}, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no conversation: %v", err)
	}
	var page []struct {
		Seq  int64  `json:"seq"`
		Text string `json:"message"`
	}
	d.must(t, "GET", at+"/messages?newest=true&limit=2", nil, &page)
	if len(page) != 2 || page[0].Text != "And now?" {
		t.Fatalf("the newest are %+v", page)
	}
	d.must(t, "GET", at+"/messages?newest=true&limit=5&before="+strconv.FormatInt(page[0].Seq, 10), nil, &page)
	if len(page) != 2 || page[0].Text != "What is late?" {
		t.Errorf("before them are %+v", page)
	}
	checkLayouts(t, d, vic)
}

func checkLayouts(t *testing.T, d, vic *daemon) {
	t.Helper()
	var list []layoutAnswer
	name := "Morning / 50% of it?"
	at := "/api/me/layouts/" + url.PathEscape(name)
	d.must(t, "PUT", at, map[string]string{"address": "/tickets?project=p"}, nil)
	d.must(t, "PUT", at, map[string]string{"address": "/runs"}, &list)
	if len(list) != 1 || list[0] != (layoutAnswer{name, "/runs"}) {
		t.Errorf("the layouts are %+v", list)
	}
	vic.must(t, "GET", "/api/me/layouts", nil, &list)
	if len(list) != 0 {
		t.Errorf("another person sees %+v", list)
	}
	if err := vic.try("DELETE", at, nil, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another person removes it: %v", err)
	}
	for name, address := range map[string]string{strings.Repeat("n", 61): "/", "long": "/" + strings.Repeat("a", 4000), "empty": ""} {
		if err := d.try("PUT", "/api/me/layouts/"+name, map[string]string{"address": address}, nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.10s: %v", name, err)
		}
	}
	d.must(t, "DELETE", at, nil, &list)
	d.must(t, "GET", "/api/me/layouts", nil, &list)
	if len(list) != 0 {
		t.Errorf("removed, there are %+v", list)
	}
}

// TestPerson_AgentsAreEditedAsSeen refuses an edit of an agent that somebody changed meanwhile, and
// says what agents are doing.
func TestPerson_AgentsAreEditedAsSeen(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	w := newWorld(t, func(r request) any {
		select {
		case <-goOn:
		case <-r.gone:
		}
		return text("Done.")
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	token, err := os.ReadFile(filepath.Join(s.data, "token"))
	if err != nil {
		t.Fatal(err)
	}
	type agentAnswer struct {
		Card struct {
			ID string `json:"agent_id"`
		} `json:"card"`
		Prompt   string `json:"prompt"`
		Version  int64  `json:"version"`
		Presence string `json:"presence"`
		Doing    []struct {
			Thread string `json:"thread"`
		} `json:"doing"`
		Today struct {
			Calls int `json:"calls"`
		} `json:"today"`
	}
	pm := func() (out agentAnswer) {
		t.Helper()
		var list []agentAnswer
		d.must(t, "GET", "/api/agents", nil, &list)
		for _, a := range list {
			if a.Card.ID == "agent:pm" {
				out = a
			}
		}
		return out
	}
	seen := pm()
	patch := func(version int64, prompt string) int {
		t.Helper()
		code, _ := raw(t, http.MethodPatch, addressOf(t, s)+"/api/agents/pm", `{"prompt":"`+prompt+`"}`,
			map[string]string{"Authorization": "Bearer " + strings.TrimSpace(string(token)), "If-Match": strconv.FormatInt(version, 10)})
		return code
	}
	if code := patch(seen.Version, "Mine."); code != http.StatusOK {
		t.Errorf("as it was seen: %d", code)
	}
	if code := patch(seen.Version, "Theirs."); code != http.StatusConflict || pm().Prompt != "Mine." {
		t.Errorf("changed meanwhile: %d, %q", code, pm().Prompt)
	}
	if p := pm(); p.Presence != "idle" || len(p.Doing) != 0 {
		t.Errorf("at rest: %+v", p)
	}
	var c chatAnswer
	d.must(t, "POST", "/api/chat", map[string]any{"text": "Hello", "agent": "pm"}, &c)
	until(t, "the pm works", func() bool { return pm().Presence == "working" })
	if p := pm(); len(p.Doing) != 1 || p.Doing[0].Thread != c.Thread {
		t.Errorf("at work: %+v", p)
	}
	d.must(t, "PATCH", "/api/agents/pm", map[string]bool{"enabled": false}, nil)
	close(goOn)
	until(t, "the pm is disabled", func() bool { return pm().Presence == "disabled" })
	if p := pm(); p.Today.Calls == 0 {
		t.Errorf("it called a model: %+v", p)
	}
}
