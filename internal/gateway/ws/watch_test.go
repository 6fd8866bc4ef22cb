package ws_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"chela/internal/testkit/daemontest"
)

// TestSocket_AProgramWatchesAConversation: a workflow is built by chat, without a model; a program hears it in the words of the system
// that it is of, over the socket and over server-sent events alike.
func TestSocket_AProgramWatchesAConversation(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	l := &line{t: t, url: d.URL, token: d.Token}
	l.conn = l.dial(l.token)
	l.send(`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"text":"Build a workflow called Late work that asks the pm to list late tickets, then waits 2 days."}}`)
	said, _ := l.until("the first answer", id(1))
	result, _ := said["result"].(map[string]any)
	thread, _ := result["threadId"].(string)
	if thread == "" {
		t.Fatalf("the message was taken as %v, want a conversation", said)
	}
	l.send(`{"jsonrpc":"2.0","id":2,"method":"session.watch","params":{"sessionId":"` + thread + `","after":0}}`)
	of := func(m map[string]any, method, state string) bool {
		p, _ := m["params"].(map[string]any)
		return m["method"] == method && (state == "" || p["state"] == state) && p["sessionId"] == thread
	}
	planned, before := l.until("the plan", func(m map[string]any) bool { return of(m, "session:stateChange", "planning") })
	p, _ := planned["params"].(map[string]any)
	if p["workflow"] != "late-work" || p["planId"] == nil || len(before) == 0 || !of(before[len(before)-1], "session:message", "") {
		t.Errorf("told of the plan %v after %v, want what was said before it", p, before)
	}
	l.until("the plan in words", func(m map[string]any) bool {
		p, _ := m["params"].(map[string]any)
		text, _ := p["content"].(string)
		return m["method"] == "session:message" && strings.Contains(text, "build it")
	})
	l.send(`{"jsonrpc":"2.0","id":3,"method":"chat.send","params":{"threadId":"` + thread + `","text":"build it"}}`)
	done, before := l.until("it is built", func(m map[string]any) bool { return of(m, "session:stateChange", "completed") })
	p, _ = done["params"].(map[string]any)
	logs, executing := 0, false
	for _, m := range before {
		if of(m, "execution:log", "") {
			logs++
		}
		executing = executing || of(m, "session:stateChange", "executing")
	}
	if p["previousState"] != "executing" || p["canvasVersion"] == nil || logs < 2 || !executing {
		t.Errorf("told that it is built by %v after %d lines of its log, executing %v; want a revision of the canvas, a line for each step", p, logs, executing)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.URL+"/api/conversations/"+thread+"/watch?after=0", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.Token)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }() // it is read as far as needed
	var names []string
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, is := strings.CutPrefix(lines.Text(), "event: ")
		if is {
			names = append(names, name)
		}
		if strings.Contains(lines.Text(), `"state":"completed"`) {
			break
		}
	}
	if got := strings.Join(names, " "); !strings.HasPrefix(got, "session:message session:stateChange session:message") || !strings.HasSuffix(got, "execution:log session:stateChange") {
		t.Errorf("the stream told %s", got)
	}
}
