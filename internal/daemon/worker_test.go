package daemon_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/gateway/clutch"
	"chela/internal/mcp"
	"chela/internal/run"
	"chela/internal/testkit/daemontest"
	"chela/internal/worker"
)

// A program is a worker of a test: a program with the key of an agent elsewhere.
type program struct {
	t     *testing.T
	c     *client.Client
	key   string
	agent string
	said  int
}

// hired adds a worker as a member, and returns its program.
func (o office) hired(name string) *program {
	o.t.Helper()
	o.call(http.MethodPost, "/api/mcp/servers", mcp.Server{Name: name, Worker: &worker.About{Does: "Deploys builds.", Skills: []string{"deploy"}}}, nil)
	var seen struct {
		Seen struct {
			Digest string `json:"digest"`
		} `json:"seen"`
	}
	o.call(http.MethodPost, "/api/mcp/servers/"+name+"/inspect", nil, &seen)
	o.call(http.MethodPost, "/api/mcp/servers/"+name+"/accept", map[string]string{"digest": seen.Seen.Digest}, nil)
	o.call(http.MethodPost, "/api/mcp/servers/"+name+"/register", map[string]string{"as": name}, nil)
	var key struct{ Token string }
	o.call(http.MethodPost, "/api/keys", map[string]any{"name": "tasks of " + name, "agent": name}, &key)
	return &program{t: o.t, c: client.New(o.c.Address(), key.Token), key: key.Token, agent: "agent:" + name}
}

// fetched are the messages that wait, for a while.
func (b *program) fetched() []event.Message {
	b.t.Helper()
	var out clutch.Fetched
	if err := b.c.Call(b.t.Context(), http.MethodGet, "/api/clutch/tasks?wait=20", nil, &out); err != nil {
		b.t.Fatal(err)
	}
	return out.Messages
}

// say says something of a task.
func (b *program) say(of event.Message, kind string, payload any) (clutch.Stands, error) {
	b.t.Helper()
	raw, err := json.Marshal(payload)
	if err != nil {
		b.t.Fatal(err)
	}
	b.said++
	var out clutch.Stands
	err = b.c.Call(b.t.Context(), http.MethodPost, "/api/clutch", event.Message{
		V: event.Version, ID: fmt.Sprintf("msg_%s_%d", strings.TrimPrefix(b.agent, "agent:"), b.said), TS: time.Now().UTC(), ThreadID: of.ThreadID, RunID: of.RunID, TaskID: of.TaskID,
		From: event.Party{AgentID: b.agent}, To: []event.Party{of.From}, Type: kind, Payload: raw,
	}, &out)
	return out, err
}

// does takes the task that waits, and says something of it.
func (b *program) does(kind string, payload any) []event.Message {
	b.t.Helper()
	all := b.fetched()
	if len(all) == 0 {
		b.t.Fatal("nothing waits")
	}
	for _, next := range []struct {
		kind    string
		payload any
	}{{event.TaskAccept, run.TaskAccept{TaskID: all[0].TaskID, AgentID: b.agent, StartedAt: time.Now().UTC()}}, {kind, payload}} {
		if _, err := b.say(all[0], next.kind, next.payload); err != nil {
			b.t.Fatal(err)
		}
	}
	return all
}

// asked begins a turn with an agent and returns its conversation; the answer is waited for with until.
func (o office) asked(thread, agent, text string) string {
	o.t.Helper()
	var out struct{ ThreadID string }
	o.call(http.MethodPost, "/api/chat", map[string]any{"threadId": thread, "text": text, "agent": agent}, &out)
	return out.ThreadID
}

// TestWorker_FetchesAndAnswers: an agent without an address is a member; it answers in its own name, asks and is answered, and fails; what it says is data
// from outside; the log rebuilds.
func TestWorker_FetchesAndAnswers(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: plans})
	o := office{t, client.New(d.URL, d.Token)}
	ken := o.hired("ken")
	thread := o.asked("", "ken", "Deploy the build")
	all := ken.does(event.TaskProgress, run.TaskProgress{Status: clutch.AsksAnswer, Message: "To which environment?"})
	if len(all) != 1 || all[0].Type != event.TaskRequest || all[0].Attempt != 1 || all[0].ThreadID != thread || !strings.Contains(string(all[0].Payload), "Deploy the build") || all[0].To[0].AgentID != "agent:ken" {
		t.Errorf("it fetches %+v", all)
	}
	if said := o.until(thread, 2); said[1].Message != "To which environment?" || !slices.Equal(said[1].Origins, []string{"ken.worker"}) {
		t.Errorf("it asks %+v", said)
	}
	o.asked(thread, "ken", "Staging")
	if all := ken.does(event.TaskResult, run.TaskResult{Success: true, Output: json.RawMessage(`"It is there."`)}); len(all) != 2 || all[1].Type != event.ChatMessage || !strings.Contains(string(all[1].Payload), "Staging") || all[1].TaskID != all[0].TaskID || all[0].Attempt != 2 {
		t.Errorf("it is answered with %+v", all)
	}
	if said := o.until(thread, 4); said[3].Message != "It is there." || said[3].Role != "agent" {
		t.Errorf("it answers %+v", said)
	}
	o.asked(thread, "ken", "And once more")
	if all := ken.does(event.TaskError, run.TaskError{Code: "FULL", Message: "The disk is full."}); !strings.Contains(string(all[0].Payload), "And once more") || !strings.Contains(string(all[0].Payload), "It is there.") {
		t.Errorf("without a context of its own it is told %s", all[0].Payload)
	}
	if said := o.until(thread, 6); !strings.Contains(said[5].Message, "The disk is full. (FULL)") {
		t.Errorf("it fails with %+v", said[5])
	}
}

// TestWorker_IsToldThatATaskIsCancelled: who cancels the run cancels the task, and what the worker brings then is nobody's.
func TestWorker_IsToldThatATaskIsCancelled(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: plans})
	o := office{t, client.New(d.URL, d.Token)}
	ken := o.hired("ken")
	o.asked("", "ken", "Deploy the build")
	all := ken.does(event.TaskProgress, run.TaskProgress{Status: "running", Progress: 40, Message: "Half"})
	o.call(http.MethodPost, "/api/runs/"+all[0].RunID+"/cancel", map[string]string{}, nil)
	var stands clutch.Stands
	for end := time.Now().Add(20 * time.Second); stands.State != worker.Cancelled; time.Sleep(20 * time.Millisecond) {
		if err := ken.c.Call(t.Context(), http.MethodGet, "/api/clutch/tasks/"+all[0].TaskID, nil, &stands); err != nil || time.Now().After(end) {
			t.Fatalf("the task is %+v, %v", stands, err)
		}
	}
	if now, err := ken.say(all[0], event.TaskProgress, run.TaskProgress{Status: "running"}); err != nil || now.State != worker.Cancelled {
		t.Errorf("who says that it still works hears %+v, %v", now, err)
	}
	if now, err := ken.say(all[0], event.TaskResult, run.TaskResult{Success: true, Output: json.RawMessage(`"late"`)}); err != nil || now.State != worker.Cancelled {
		t.Errorf("a late result leaves %+v, %v", now, err)
	}
}

// TestWorker_ReachesNothingElse: the key of a worker opens its tasks alone, says nothing in the name of others, and ends with its agent.
func TestWorker_ReachesNothingElse(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: plans})
	o := office{t, client.New(d.URL, d.Token)}
	ken, bo := o.hired("ken"), o.hired("bo")
	o.asked("", "ken", "Deploy the build")
	all := ken.fetched()
	for _, door := range []string{"/api/projects", "/api/chat", "/api/keys", "/v1/models", "/mcp", "/ws", "/metrics", "/api/events", "/a2a/planner", "/api/clutchx"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			r, err := http.NewRequestWithContext(t.Context(), method, d.URL+door, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+ken.key)
			r.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if _ = res.Body.Close(); res.StatusCode < 400 {
				t.Errorf("%s %s answers a worker with %s", method, door, res.Status)
			}
		}
	}
	refused := func(what string, err error, kinds ...fault.Kind) {
		t.Helper()
		if err == nil || !slices.Contains(kinds, fault.KindOf(err)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	accept := run.TaskAccept{TaskID: all[0].TaskID}
	_, err := bo.say(all[0], event.TaskAccept, accept)
	refused("another worker takes it", err, fault.NotFound)
	_, err = (&program{t: t, c: ken.c, agent: "agent:bo"}).say(all[0], event.TaskAccept, accept)
	refused("it speaks for another", err, fault.Invalid)
	_, err = ken.say(all[0], event.ChatMessage, map[string]string{"message": "Approve it"})
	refused("it chats", err, fault.Invalid)
	_, err = ken.say(all[0], event.AgentUpdate, map[string]any{"agent_id": "agent:ken"})
	refused("it changes its card", err, fault.Invalid)
	_, err = ken.say(all[0], event.TaskResult, run.TaskResult{Success: true, Output: json.RawMessage(`"x"`)})
	refused("it ends what it did not take", err, fault.Conflict)
	_, err = ken.say(all[0], event.TaskProgress, map[string]any{"status": "running", "progress": 400})
	refused("it is further than done", err, fault.Invalid)
	_, err = ken.say(all[0], event.TaskResult, map[string]any{"success": true, "output": strings.Repeat("x", worker.MostOutput+1)})
	refused("it says too much", err, fault.TooLarge)
	owner := &program{t: t, c: o.c, agent: "agent:ken"}
	_, err = owner.say(all[0], event.TaskAccept, accept)
	refused("a person takes it", err, fault.Denied)
	var none clutch.Fetched
	refused("a person fetches", o.c.Call(t.Context(), http.MethodGet, "/api/clutch/tasks", nil, &none), fault.Denied)
	refused("it waits for ever", ken.c.Call(t.Context(), http.MethodGet, "/api/clutch/tasks?wait=9999", nil, &none), fault.Invalid)
	refused("a key for an agent of ours", o.c.Call(t.Context(), http.MethodPost, "/api/keys", map[string]any{"name": "x", "agent": "coder"}, nil), fault.Invalid)
	o.call(http.MethodPatch, "/api/agents/ken", map[string]any{"enabled": false}, nil)
	refused("it is disabled", ken.c.Call(t.Context(), http.MethodGet, "/api/clutch/tasks", nil, &none), fault.Denied)
}
