package gateway_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/talk"
)

// plain is a door of one page: a text comes in by POST, what is answered goes out as text. It shows
// what adding a protocol takes: this type, and one line where the daemon is assembled.
type plain struct {
	hall *gateway.Hall
	talk *talk.Talk
}

func newPlain(h *gateway.Hall, t *talk.Talk) gateway.Door {
	return gateway.Door{Path: "/plain", Handler: h.For(org.Editor, plain{h, t}.serve)}
}

func (p plain) serve(w http.ResponseWriter, r *http.Request) {
	reply, err := p.answer(r)
	if err != nil {
		p.hall.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, reply.Reply) // the client is gone
}

func (p plain) answer(r *http.Request) (talk.Reply, error) {
	if r.Method != http.MethodPost {
		return talk.Reply{}, gateway.WithStatus(http.StatusMethodNotAllowed, fault.New(fault.Invalid, "A text is posted."))
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return talk.Reply{}, gateway.Unfinished(err)
	}
	c := gateway.CallerOf(r.Context())
	return p.talk.Ask(r.Context(), talk.Message{Message: inbox.Message{
		Thread: r.URL.Query().Get("thread"), Agent: r.URL.Query().Get("agent"), Text: string(text), From: c.Party(), Channel: c.How.Channel(),
	}})
}

// TestDoor_IsOneType speaks through a door that the daemon does not know.
func TestDoor_IsOneType(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg.NoSchedules = true
	var token string
	d, err := daemon.New(t.Context(), cfg, slog.New(slog.DiscardHandler), daemon.Options{Doors: []daemon.Door{newPlain}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // its files go with the test
	token = d.Token()
	for name, c := range map[string]struct {
		method, path, text, token string
		code                      int
		want                      string
	}{
		"a command":            {"POST", "/plain", "/help", token, http.StatusOK, "/help"},
		"a thread of nobody's": {"POST", "/plain?thread=thr_none", "Hello", token, http.StatusNotFound, "thr_none does not exist"},
		"nothing":              {"POST", "/plain", " ", token, http.StatusUnprocessableEntity, "The message is empty."},
		"nobody":               {"POST", "/plain", "Hello", "", http.StatusUnauthorized, "Nobody is logged in."},
		"another method":       {"PUT", "/plain", "Hello", token, http.StatusMethodNotAllowed, "A text is posted."},
		"another path":         {"POST", "/plain/x", "Hello", token, http.StatusNotFound, "There is nothing at /plain/x."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(context.WithoutCancel(t.Context()), c.method, "http://localhost"+c.path, strings.NewReader(c.text))
			r.Header.Set("Authorization", "Bearer "+c.token)
			w := httptest.NewRecorder()
			d.Handler().ServeHTTP(w, r)
			if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("got %d %s, want %d with %q", w.Code, w.Body, c.code, c.want)
			}
		})
	}
}
