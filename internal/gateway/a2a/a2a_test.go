package a2a_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"chela/internal/config"
	"chela/internal/testkit/daemontest"
)

// deadline bounds what a test waits for.
const deadline = 20 * time.Second

// script is what the agents say.
const script = `{"steps":[
 {"contains":"Take your time","agentResponses":[{"agentName":"pm","responseFallback":"Late.","waitsSeconds":60}]},
 {"contains":"Write it","agentResponses":[{"agentName":"coder","toolCalls":[{"name":"write_file","args":{"path":"a.txt","content":"1"}}]},{"agentName":"coder","responseFallback":"I have tried."}]},
 {"contains":"Send me the table","agentResponses":[{"agentName":"coder","toolCalls":[{"name":"send_file","args":{"path":"table.csv","text":"Here it is:"}}]},{"agentName":"coder","responseFallback":"That is all."}]},
 {"contains":"END OF DATA","agentResponses":[{"agentName":"pm","responseFallback":"I have read it."}]}],
 "otherwise":[{"agentName":"controller","responseFallback":"{\"delegate\":\"\",\"sub_task\":\"\",\"respond\":\"The budget is fine.\",\"requires\":[]}"},{"agentName":"pm","responseFallback":"The plan holds."},{"agentName":"","responseFallback":"The budget is fine."}]}`

// A room is a daemon and who asks it.
type room struct {
	t     testing.TB
	dir   string
	url   string
	token string
}

func newRoom(t testing.TB, change ...func(*config.Config)) *room {
	t.Helper()
	d := daemontest.Run(t, daemontest.Setup{Script: script, Change: func(c *config.Config) {
		for _, do := range change {
			do(c)
		}
	}})
	return &room{t, d.Dir, d.URL, d.Token}
}

// api calls the REST API, and reads the answer into out unless that is nil.
func (r *room) api(method, path, body string, out any) {
	r.t.Helper()
	code, raw, _ := r.send(method, path, body, "Authorization", "Bearer "+r.token)
	if code >= 300 {
		r.t.Fatalf("%s %s: got %d %s", method, path, code, raw)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(raw), out); err != nil {
			r.t.Fatal(err)
		}
	}
}

// send sends a request and returns the answer.
func (r *room) send(method, path, body string, headers ...string) (code int, said string, header http.Header) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, string(raw), res.Header
}

// key makes a key of the owner's and returns its token.
func (r *room) key(body string) string {
	r.t.Helper()
	var key struct{ Token string }
	r.api(http.MethodPost, "/api/keys", body, &key)
	return key.Token
}

// member lets another person in and returns their token.
func (r *room) member(name, role string) string {
	r.t.Helper()
	var link, own struct{ Token string }
	r.api(http.MethodPost, "/api/persons/invite", `{"name":"`+name+`","role":"`+role+`"}`, &link)
	r.api(http.MethodPost, "/api/persons/accept", `{"token":"`+link.Token+`"}`, &own)
	return own.Token
}

// bearing adds a token to requests.
type bearing string

// RoundTrip implements [http.RoundTripper].
func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// The bindings and versions that clients speak.
const (
	rpc   = "JSON-RPC"
	rest  = "HTTP+JSON"
	older = "JSON-RPC of 0.3"
)

// client is the SDK's, at an agent's address or the organization's.
func (r *room) client(way, agent, token string) a2aclient.Transport {
	r.t.Helper()
	at, c := r.url+"/a2a", &http.Client{Transport: bearing(token)}
	if agent != "" {
		at += "/" + agent
	}
	switch way {
	case rest:
		u, err := url.Parse(at)
		if err != nil {
			r.t.Fatal(err)
		}
		return a2aclient.NewRESTTransport(u, c)
	case older:
		return a2av0.NewJSONRPCTransport(a2av0.JSONRPCTransportConfig{URL: at, Client: c})
	}
	return a2aclient.NewJSONRPCTransport(at, c)
}

func says(text string) *sdk.SendMessageRequest {
	return &sdk.SendMessageRequest{Message: sdk.NewMessage(sdk.MessageRoleUser, sdk.NewTextPart(text))}
}

// send has a message become a task.
func send(t *testing.T, c a2aclient.Transport, r *sdk.SendMessageRequest) *sdk.Task {
	t.Helper()
	got, err := c.SendMessage(t.Context(), nil, r)
	if err != nil {
		t.Fatal(err)
	}
	task, ok := got.(*sdk.Task)
	if !ok {
		t.Fatalf("got %+v, want a task", got)
	}
	return task
}

// until asks for a task until it is in a state.
func until(t *testing.T, c a2aclient.Transport, id sdk.TaskID, state sdk.TaskState) *sdk.Task {
	t.Helper()
	var got *sdk.Task
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var err error
		if got, err = c.GetTask(t.Context(), nil, &sdk.GetTaskRequest{ID: id}); err != nil {
			t.Fatal(err)
		}
		if got.Status.State == state {
			return got
		}
	}
	t.Fatalf("the task is %+v, want it %s", got, state)
	return nil
}

// answered is the text that a task came to.
func answered(task *sdk.Task) string {
	var b strings.Builder
	for _, a := range task.Artifacts {
		for _, p := range a.Parts {
			b.WriteString(p.Text())
		}
	}
	return b.String()
}

// told is what a task says of its state.
func told(task *sdk.Task) string {
	if task.Status.Message == nil {
		return ""
	}
	return task.Status.Message.Parts[0].Text()
}

// TestDoor_AMessageIsATask says something through each binding, goes on with the conversation, and sends a message twice.
func TestDoor_AMessageIsATask(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for _, way := range []string{rpc, rest, older} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			c := r.client(way, "pm", r.token)
			first := says("How is the plan?")
			task := send(t, c, first)
			if task.Status.State != sdk.TaskStateCompleted || answered(task) != "The plan holds." || !strings.HasPrefix(string(task.ID), "run_") || !strings.HasPrefix(task.ContextID, "thr_") {
				t.Errorf("got %+v, want an answered task", task)
			}
			if len(task.History) == 0 || task.History[0].Parts[0].Text() != "How is the plan?" || task.History[0].Role != sdk.MessageRoleUser {
				t.Errorf("the history is %+v, want what was said", task.History)
			}
			if again := send(t, c, first); again.ID != task.ID || again.ContextID != task.ContextID || answered(again) != "The plan holds." {
				t.Errorf("sent again, the message is %+v, want the task %s", again, task.ID)
			}
			next := says("And now?")
			next.Message.ContextID = task.ContextID
			if on := send(t, c, next); on.ContextID != task.ContextID || on.ID == task.ID {
				t.Errorf("got %+v, want another task in the context %s", on, task.ContextID)
			}
			next = says("Too late.")
			next.Message.TaskID = task.ID
			if _, err := c.SendMessage(t.Context(), nil, next); !errors.Is(err, sdk.ErrUnsupportedOperation) {
				t.Errorf("a message to a task that has ended: %v", err)
			}
			if got, err := c.GetTask(t.Context(), nil, &sdk.GetTaskRequest{ID: task.ID}); err != nil || got.Status.State != sdk.TaskStateCompleted || answered(got) != "The plan holds." {
				t.Errorf("got %+v %v", got, err)
			}
			whole := send(t, r.client(way, "", r.token), says("How is the budget?"))
			if whole.Status.State != sdk.TaskStateCompleted || answered(whole) != "The budget is fine." {
				t.Errorf("the organization answers %+v", whole)
			}
		})
	}
}

// TestDoor_Streams follows a task while it is answered.
func TestDoor_Streams(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for _, way := range []string{rpc, rest, older} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			c := r.client(way, "pm", r.token)
			var kinds []string
			var text strings.Builder
			var last sdk.TaskState
			for e, err := range c.SendStreamingMessage(t.Context(), nil, says("How is the plan?")) {
				if err != nil {
					t.Fatal(err)
				}
				switch e := e.(type) {
				case *sdk.Task:
					kinds, last = append(kinds, "task"), e.Status.State
					text.WriteString(answered(e)) // when it was answered at once
				case *sdk.TaskArtifactUpdateEvent:
					if !e.Append {
						text.Reset()
					}
					text.WriteString(e.Artifact.Parts[0].Text())
				case *sdk.TaskStatusUpdateEvent:
					kinds, last = append(kinds, "status"), e.Status.State
				}
			}
			if text.String() != "The plan holds." || last != sdk.TaskStateCompleted || kinds[0] != "task" {
				t.Errorf("got %q, %v and at last %s", text.String(), kinds, last)
			}
		})
	}
}

// TestDoor_ListsAndCancels lists a caller's tasks in pages and ends one that is worked on.
func TestDoor_ListsAndCancels(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for _, way := range []string{rpc, rest} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			c := r.client(way, "pm", r.key(`{"name":"`+way+`","role":"editor"}`))
			first := send(t, c, says("How is the plan?"))
			slow := says("Take your time.")
			slow.Config = &sdk.SendMessageConfig{ReturnImmediately: true}
			task := send(t, c, slow)
			if task.Status.State.Terminal() {
				t.Fatalf("the task is %+v, want it under way", task)
			}
			behind := says("And then this.")
			behind.Config, behind.Message.ContextID = slow.Config, task.ContextID
			waiting := send(t, c, behind) // what a key says is answered by itself, when the conversation is free
			if waiting.Status.State != sdk.TaskStateSubmitted || waiting.ID == task.ID || waiting.ContextID != task.ContextID {
				t.Errorf("a message behind it is %+v, want a task that waits", waiting)
			}
			if got, err := c.CancelTask(t.Context(), nil, &sdk.CancelTaskRequest{ID: waiting.ID}); err != nil || got.Status.State != sdk.TaskStateCanceled {
				t.Errorf("cancelled, what waits is %+v (%v)", got, err)
			}
			if got, err := c.CancelTask(t.Context(), nil, &sdk.CancelTaskRequest{ID: task.ID}); err != nil || got.Status.State != sdk.TaskStateCanceled || told(got) == "" {
				t.Errorf("cancelled, the task is %+v (%v)", got, err)
			}
			if _, err := c.CancelTask(t.Context(), nil, &sdk.CancelTaskRequest{ID: task.ID}); !errors.Is(err, sdk.ErrTaskNotCancelable) {
				t.Errorf("cancelled twice: %v", err)
			}
			page, err := c.ListTasks(t.Context(), nil, &sdk.ListTasksRequest{PageSize: 1})
			if err != nil || len(page.Tasks) != 1 || page.Tasks[0].ID != task.ID || page.TotalSize != 2 || page.NextPageToken == "" {
				t.Fatalf("the first page is %+v (%v)", page, err)
			}
			page, err = c.ListTasks(t.Context(), nil, &sdk.ListTasksRequest{PageSize: 1, PageToken: page.NextPageToken, IncludeArtifacts: true})
			if err != nil || len(page.Tasks) != 1 || page.Tasks[0].ID != first.ID || page.TotalSize != 2 || page.NextPageToken != "" || answered(page.Tasks[0]) != "The plan holds." {
				t.Errorf("the second page is %+v (%v)", page, err)
			}
			if page, err = c.ListTasks(t.Context(), nil, &sdk.ListTasksRequest{Status: sdk.TaskStateCanceled, ContextID: task.ContextID}); err != nil || len(page.Tasks) != 1 {
				t.Errorf("cancelled are %+v (%v)", page, err)
			}
			for range c.SubscribeToTask(t.Context(), nil, &sdk.SubscribeToTaskRequest{ID: first.ID}) {
				continue // it has ended, so there is nothing but the error
			}
		})
	}
}

// TestCard_SaysNoMoreThanItsReaderMayKnow reads cards as a stranger and as one who is known.
func TestCard_SaysNoMoreThanItsReaderMayKnow(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for _, agent := range []string{"pm", "nobody"} {
		code, raw, _ := r.send(http.MethodGet, "/a2a/"+agent+"/.well-known/agent-card.json", "")
		if code != http.StatusOK || !strings.Contains(raw, `"name":"`+agent+`"`) || !strings.Contains(raw, `"skills":[]`) {
			t.Errorf("a stranger gets %d %s of %s", code, raw, agent)
		}
	}
	if code, raw, _ := r.send(http.MethodGet, "/.well-known/agent-card.json", "", "Authorization", "Bearer chela_wrong"); code != http.StatusUnauthorized {
		t.Errorf("a wrong token gets %d %s", code, raw)
	}
	auth := []string{"Authorization", "Bearer " + r.token}
	if code, raw, _ := r.send(http.MethodGet, "/a2a/nobody/.well-known/agent-card.json", "", auth...); code != http.StatusNotFound {
		t.Errorf("of nobody who is known gets %d %s", code, raw)
	}
	stranger, err := agentcard.DefaultResolver.Resolve(t.Context(), r.url)
	if err != nil || stranger.Name != "Chela" || len(stranger.Skills) != 0 || !stranger.Capabilities.Streaming || stranger.Capabilities.PushNotifications {
		t.Fatalf("a stranger reads %+v (%v)", stranger, err)
	}
	known, err := agentcard.NewResolver(&http.Client{Transport: bearing(r.token)}).Resolve(t.Context(), r.url)
	if err != nil || len(known.Skills) < 3 {
		t.Fatalf("who is known reads %+v (%v)", known, err)
	}
	one := &agentcard.Resolver{Client: &http.Client{Transport: bearing(r.token)}, CardParser: a2av0.NewAgentCardParser()}
	pm, err := one.Resolve(t.Context(), r.url+"/a2a/pm")
	if err != nil || len(pm.Skills) == 0 || !strings.HasPrefix(pm.Skills[0].ID, "skill:") {
		t.Errorf("the card of an agent is %+v (%v)", pm, err)
	}
	c, err := a2aclient.NewFromCard(t.Context(), known, a2aclient.WithJSONRPCTransport(&http.Client{Transport: bearing(r.token)}))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.SendMessage(t.Context(), says("How is the budget?")); err != nil {
		t.Errorf("a client made of the card gets %+v (%v)", got, err)
	}
	if extended, err := c.GetExtendedAgentCard(t.Context(), &sdk.GetExtendedAgentCardRequest{}); err != nil || len(extended.Skills) != len(known.Skills) {
		t.Errorf("the extended card is %+v (%v)", extended, err)
	}
	trusts := newRoom(t, func(c *config.Config) { c.Proxies.Trusted = []string{"127.0.0.1", "::1"} })
	for name, c := range map[string]struct {
		room   *room
		scheme string
	}{"behind a proxy with TLS": {trusts, "https"}, "of one that is not trusted": {r, "http"}} {
		code, raw, _ := c.room.send(http.MethodGet, "/.well-known/agent-card.json", "", "X-Forwarded-Proto", "https")
		if code != http.StatusOK || !strings.Contains(raw, `"`+c.scheme+`://`) || strings.Contains(raw, `"http://`) != (c.scheme == "http") {
			t.Errorf("%s the card is %d %s", name, code, raw)
		}
	}
}
