package api_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestSession_RenamedAndExported(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var said struct {
		Thread string `json:"threadId"`
	}
	e.call(e.owner, http.MethodPost, "/api/chat", map[string]any{"text": "/help\n# Not a heading"}, &said)
	var thread struct {
		Title string `json:"title"`
	}
	e.call(e.owner, http.MethodPatch, "/api/sessions/"+said.Thread, map[string]string{"title": "  The  budget "}, &thread)
	if thread.Title != "The  budget" {
		t.Errorf("it is called %q", thread.Title)
	}
	for _, bad := range []string{"", "two\nlines", strings.Repeat("x", 201)} {
		if code, raw, _ := e.send(e.owner, http.MethodPatch, "/api/sessions/"+said.Thread, `{"title":`+strconv.Quote(bad)+`}`); code != http.StatusUnprocessableEntity {
			t.Errorf("the title %q gives %d %s", bad, code, raw)
		}
		if bad == "" { // it is called by what is said first
			bad = " \t"
		}
		if code, raw, _ := e.send(e.owner, http.MethodPost, "/api/sessions", `{"title":`+strconv.Quote(bad)+`}`); code != http.StatusUnprocessableEntity {
			t.Errorf("one that begins with the title %q gives %d %s", bad, code, raw)
		}
	}
	var out struct {
		Thread struct {
			Title string `json:"title"`
		} `json:"thread"`
		Messages []struct {
			Message string `json:"message"`
		} `json:"messages"`
	}
	e.call(e.owner, http.MethodGet, "/api/sessions/"+said.Thread+"/export", nil, &out)
	if out.Thread.Title != "The  budget" || len(out.Messages) != 2 {
		t.Errorf("exported %+v, want both messages", out)
	}
	code, text, _ := e.send(e.owner, http.MethodGet, "/api/sessions/"+said.Thread+"/export?format=markdown", "")
	if strings.Contains(text, "person/per_") {
		t.Errorf("a person is named by the id: %s", text)
	}
	if code != http.StatusOK || !strings.HasPrefix(text, "# The budget\n") || !strings.Contains(text, "\n> # Not a heading\n") {
		t.Errorf("got %d %s", code, text)
	}
	if code, raw, _ := e.send(e.owner, http.MethodGet, "/api/sessions/thr_none/export", ""); code != http.StatusNotFound {
		t.Errorf("one that is not there gives %d %s", code, raw)
	}
}

// TestSession_RemovedAndRestored: a removed conversation is answered nowhere, by whom it is or an admin, until it is restored.
func TestSession_RemovedAndRestored(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	ann, _ := e.member("Ann", "editor")
	ben, _ := e.member("Ben", "editor")
	var said struct {
		Thread string `json:"threadId"`
	}
	e.call(ann, http.MethodPost, "/api/chat", map[string]any{"text": "/help"}, &said)
	at := "/api/sessions/" + said.Thread
	tried := func(token, method, path, body string, want int) {
		t.Helper()
		if code, raw, _ := e.send(token, method, path, body); code != want {
			t.Errorf("%s %s gives %d %s, want %d", method, path, code, raw, want)
		}
	}
	tried(ben, http.MethodDelete, at, "", http.StatusForbidden)
	tried(ann, http.MethodPost, at+"/restore", "", http.StatusConflict)
	tried(ann, http.MethodDelete, at, "", http.StatusNoContent)
	for _, c := range [][3]string{
		{http.MethodGet, "/api/conversations/" + said.Thread, ""},
		{http.MethodGet, at + "/messages", ""},
		{http.MethodGet, at + "/export", ""},
		{http.MethodPatch, at, `{"title":"B"}`},
		{http.MethodPost, "/api/chat", `{"threadId":"` + said.Thread + `","text":"/help"}`},
		{http.MethodPost, at + "/close", ""},
		{http.MethodPost, at + "/reopen", ""},
		{http.MethodDelete, at, ""},
	} {
		if code, raw, _ := e.send(ann, c[0], c[1], c[2]); code != http.StatusNotFound && code != http.StatusConflict || !strings.Contains(raw, "chela session restore "+said.Thread) {
			t.Errorf("%s %s gives %d %s, want how it is restored", c[0], c[1], code, raw)
		}
	}
	var all []struct {
		ID string `json:"id"`
	}
	if e.call(ann, http.MethodGet, "/api/conversations", nil, &all); len(all) != 0 {
		t.Errorf("listed are %v", all)
	}
	tried(ben, http.MethodPost, at+"/restore", "", http.StatusForbidden)
	tried(e.owner, http.MethodPost, at+"/restore", "", http.StatusOK)
	tried(ann, http.MethodGet, at+"/messages", "", http.StatusOK)
	tried(ann, http.MethodPost, "/api/chat", `{"threadId":"`+said.Thread+`","text":"/help"}`, http.StatusAccepted)
}
