package acp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chela/internal/gateway/client"
	"chela/internal/session"
)

// TestConversation_ClosedWhileAMessageIsSent cancels what answers the message once the daemon has taken it.
func TestConversation_ClosedWhileAMessageIsSent(t *testing.T) {
	t.Parallel()
	sent, closed, cancelled := make(chan struct{}), make(chan struct{}), make(chan string, 1)
	d := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/chat"):
			close(sent)
			<-closed
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, `{"threadId":"thr_1","messageId":"msg_1","runId":"run_1"}`)
		case strings.HasSuffix(r.URL.Path, "/cancel"):
			cancelled <- r.URL.Path
			_, _ = io.WriteString(w, `{}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(d.Close)
	c := newConnection(t.Context(), Options{Daemon: func() (*client.Client, error) { return client.New(d.URL, "token"), nil }, Log: io.Discard}, new(page))
	v := c.conversation(session.Thread{ID: "thr_1"}, "/w", 0)
	v.begin(nil)
	type ending struct {
		outcome
		err error
	}
	ended := make(chan ending, 1)
	go func() {
		out, err := v.say(t.Context(), message{text: "Change my notes.", quiet: true})
		ended <- ending{out, err}
	}()
	<-sent
	if err := c.end("thr_1"); err != nil {
		t.Fatal(err)
	}
	close(closed)
	if got := <-ended; !got.cancelled || got.err != nil {
		t.Errorf("the prompt ended with %+v, want that it is cancelled", got)
	}
	if path := <-cancelled; !strings.Contains(path, "run_1") {
		t.Errorf("cancelled is %s", path)
	}
}
