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
	if code != http.StatusOK || !strings.HasPrefix(text, "# The budget\n") || !strings.Contains(text, "\n> # Not a heading\n") {
		t.Errorf("got %d %s", code, text)
	}
	if code, raw, _ := e.send(e.owner, http.MethodGet, "/api/sessions/thr_none/export", ""); code != http.StatusNotFound {
		t.Errorf("one that is not there gives %d %s", code, raw)
	}
}
