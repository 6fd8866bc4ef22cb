package a2a

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"pgregory.net/rapid"

	"chela/internal/run"
)

// FuzzRead holds that what a request may be is read by the SDK, too, and that nothing else gets to it.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"Hello"},{"raw":"YQ==","filename":"a"},{"data":{"a":[1]}}]}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"file","file":{"bytes":"YQ=="}}]}}}`,
		`{"jsonrpc":"2.0","method":"GetTask","params":{"id":"run_1","historyLength":1}}`,
		`{"jsonrpc":"2.0","id":[],"method":"x"}`, `{"message":{"parts":[null]}}`, `null`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := read(raw, http.Header{}, aim{})
		if err == nil && len(raw) > 0 {
			if c.JSONRPC != "2.0" || c.Method == "" || !json.Valid(c.Params) {
				t.Fatalf("%q is read as %+v", raw, c)
			}
		}
		if len(c.ID) > 0 && !json.Valid([]byte(`{"id":`+string(c.ID)+`}`)) {
			t.Fatalf("the answer to %q cannot name its id %q", raw, c.ID)
		}
		_, _ = read(raw, http.Header{}, aim{under: "/message:send"}) // it does not panic
	})
}

// FuzzReadAnswer holds that only what names a question and a choice is an answer.
func FuzzReadAnswer(f *testing.F) {
	for _, s := range []string{"approve apr_1", "/deny apr_1 Not now.", "yes", "approve", "", "a apr_ b\nc", `{"approval":"apr_1","choice":"deny"}`, `{"approval":1}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts := sdk.ContentParts{sdk.NewTextPart(text)}
		var data any
		if json.Unmarshal([]byte(text), &data) == nil {
			parts = append(parts, sdk.NewDataPart(data))
		}
		for _, p := range parts {
			a, ok, err := readAnswer(&sdk.Message{Parts: sdk.ContentParts{p}})
			if _, words := p.Content.(sdk.Text); words && ok && (err != nil || a.Approval == "" || a.Choice == "" && text[0] != '/') {
				t.Fatalf("%q is read as %+v (%v)", text, a, err)
			}
		}
	})
}

// FuzzPageToken holds that a token is a position of the log or refused.
func FuzzPageToken(f *testing.F) {
	for _, s := range []string{"", "1", "0", "-1", "+1", "9223372036854775808", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if at, err := pageToken(token); err == nil && (at < 0 || token != "" && at == 0) {
			t.Fatalf("%q is the position %d", token, at)
		}
	})
}

// TestStateOf_FollowsTheRun holds that a task has ended when its run has, and asks when its run waits for somebody, by any way that a run
// may go.
func TestStateOf_FollowsTheRun(t *testing.T) {
	t.Parallel()
	all := []run.State{run.Queued, run.Running, run.Waiting, run.Done, run.Failed, run.Cancelled}
	rapid.Check(t, func(t *rapid.T) {
		now := run.Run{State: run.Queued}
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			next := rapid.SampledFrom(all).Draw(t, "next")
			if !now.State.CanBecome(next) {
				continue
			}
			before := stateOf(now)
			if now.State, now.WaitsFor = next, ""; next == run.Waiting {
				now.WaitsFor = rapid.SampledFrom([]string{run.ForPerson + "apr_1", run.ForResume, run.ForTime, run.ForClient + "c"}).Draw(t, "for")
			}
			task := stateOf(now)
			if before.Terminal() || task.Terminal() != now.State.Final() {
				t.Fatalf("a run that is %s after %s is a task %s", now.State, before, task)
			}
			if asks := now.State == run.Waiting && now.WaitsFor != run.ForTime; asks != (task == sdk.TaskStateInputRequired) {
				t.Fatalf("a run that waits for %q is a task %s", now.WaitsFor, task)
			}
			if s, err := states(task); err != nil || s != "" && s != now.State {
				t.Fatalf("tasks %s are looked for among runs %s (%v), not %s", task, s, err, now.State)
			}
		}
	})
}

// TestAim_IsOneAgentOrTheOrganization reads addresses.
func TestAim_IsOneAgentOrTheOrganization(t *testing.T) {
	t.Parallel()
	d := &door{}
	for path, want := range map[string]aim{
		"/a2a": {}, "/a2a/": {}, "/a2a/pm": {agent: "pm"}, "/a2a/pm/": {agent: "pm"}, "/a2a/tasks/run_1:cancel": {under: "/tasks/run_1:cancel"},
		"/a2a/pm/message:send": {agent: "pm", under: "/message:send"}, "/a2a/pm/.well-known/agent-card.json": {agent: "pm", under: cardPath},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.aim(r)
		if err != nil || got.agent != want.agent || got.under != want.under {
			t.Errorf("%s aims at %+v (%v), want %+v", path, got, err, want)
		}
	}
	for _, path := range []string{"/a2a//", "/a2a/PM", "/a2a/pm/x", "/a2a/../api", "/a2a/pm//tasks", "/a2a/chela", "/a2a/a b"} {
		r := &http.Request{URL: &url.URL{Path: path}, Host: "localhost"}
		if got, err := d.aim(r); err == nil {
			t.Errorf("%s aims at %+v, want nothing", path, got)
		}
	}
}
