package a2a_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"chela/internal/testkit/daemontest"
)

// asked begins a task that waits for an approval, and returns it with the id of the question.
func asked(t *testing.T, r *room, c a2aclient.Transport) (task *sdk.Task, approval string) {
	t.Helper()
	task = until(t, c, send(t, c, says("Write it.")).ID, sdk.TaskStateInputRequired)
	for end := time.Now().Add(deadline); time.Now().Before(end); {
		var all []struct {
			ID    string
			RunID string `json:"run"`
		}
		r.api(http.MethodGet, "/api/approvals?status=pending", "", &all)
		for _, a := range all {
			if a.RunID == string(task.ID) {
				return task, a.ID
			}
		}
	}
	t.Fatal("nothing is asked")
	return nil, ""
}

// reply is a message on a task.
func reply(task *sdk.Task, parts ...*sdk.Part) *sdk.SendMessageRequest {
	return &sdk.SendMessageRequest{Message: sdk.NewMessageForTask(sdk.MessageRoleUser, task, parts...)}
}

// TestTask_AsksItsCaller answers what a task waits for with its next message, and by nothing else.
func TestTask_AsksItsCaller(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for _, way := range []string{rpc, rest, older} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			c := r.client(way, "coder", r.token)
			task, id := asked(t, r, c)
			if got := told(task); !strings.Contains(got, id) || !strings.Contains(got, "a.txt") || !strings.Contains(got, "approve") {
				t.Errorf("the task asks %q, want exactly what would be done", got)
			}
			for _, other := range []*sdk.Part{sdk.NewTextPart("yes, do"), sdk.NewTextPart("approve apr_other"), sdk.NewDataPart(map[string]any{"approval": id, "choice": "perhaps"})} {
				if _, err := c.SendMessage(t.Context(), nil, reply(task, other)); !errors.Is(err, sdk.ErrInvalidParams) {
					t.Errorf("%v: got %v, want that it is no answer", other.Content, err)
				}
			}
			answer := reply(task, sdk.NewTextPart("deny "+id+" Not there."))
			if way == rest {
				answer = reply(task, sdk.NewDataPart(map[string]any{"approval": id, "choice": "deny", "note": "Not there."}))
			}
			done := until(t, c, send(t, c, answer).ID, sdk.TaskStateCompleted)
			if done.ID != task.ID || answered(done) != "I have tried." {
				t.Errorf("answered, the task is %+v", done)
			}
			if again := send(t, c, answer); again.ID != task.ID {
				t.Errorf("the answer sent again gives %+v", again)
			}
			last := sdk.TaskStateUnspecified
			for e, err := range c.SendStreamingMessage(t.Context(), nil, says("Write it.")) {
				if err != nil {
					t.Fatal(err)
				}
				switch e := e.(type) {
				case *sdk.Task:
					last = e.Status.State
				case *sdk.TaskStatusUpdateEvent:
					last = e.Status.State
				}
			}
			if last != sdk.TaskStateInputRequired {
				t.Errorf("the stream ends with the task %s, want that it waits", last)
			}
		})
	}
}

// TestTask_WaitsForAPerson has a key hear that a person decides, who does so elsewhere while it follows the task.
func TestTask_WaitsForAPerson(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	c := r.client(rpc, "coder", r.key(`{"name":"a program","role":"editor"}`))
	task, id := asked(t, r, c)
	if got := told(task); !strings.Contains(got, "chela approval approve "+id) || strings.Contains(got, "/approve") || task.Status.Message.Metadata != nil {
		t.Errorf("a key hears %q", got)
	}
	if _, err := c.SendMessage(t.Context(), nil, reply(task, sdk.NewTextPart("approve "+id))); !errors.Is(err, sdk.ErrUnauthorized) {
		t.Errorf("a key that answers gets %v", err)
	}
	var states []sdk.TaskState
	text := ""
	for e, err := range c.SubscribeToTask(t.Context(), nil, &sdk.SubscribeToTaskRequest{ID: task.ID}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *sdk.Task:
			states = append(states, e.Status.State)
			var q struct{ Digest string }
			r.api(http.MethodGet, "/api/approvals/"+id, "", &q)
			r.api(http.MethodPost, "/api/approvals/"+id, `{"choice":"deny","digest":"`+q.Digest+`"}`, nil)
		case *sdk.TaskStatusUpdateEvent:
			states = append(states, e.Status.State)
		case *sdk.TaskArtifactUpdateEvent:
			text += e.Artifact.Parts[0].Text()
		}
	}
	if text != "I have tried." || states[0] != sdk.TaskStateInputRequired || states[len(states)-1] != sdk.TaskStateCompleted {
		t.Errorf("who follows hears %v and %q", states, text)
	}
}

// TestTask_WaitsForItsTurn follows a message of a key behind another that is worked on, until it is cancelled.
func TestTask_WaitsForItsTurn(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	c := r.client(rpc, "pm", r.key(`{"name":"a program","role":"editor"}`))
	slow := says("Take your time.")
	slow.Config = &sdk.SendMessageConfig{ReturnImmediately: true}
	first := send(t, c, slow)
	behind := says("And then this.")
	behind.Message.ContextID = first.ContextID
	var states []sdk.TaskState
	for e, err := range c.SendStreamingMessage(t.Context(), nil, behind) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *sdk.Task:
			states = append(states, e.Status.State)
			if got, err := c.CancelTask(t.Context(), nil, &sdk.CancelTaskRequest{ID: e.ID}); err != nil || got.Status.State != sdk.TaskStateCanceled || got.ID == first.ID {
				t.Errorf("cancelled, what waits is %+v (%v)", got, err)
			}
		case *sdk.TaskStatusUpdateEvent:
			states = append(states, e.Status.State)
		}
	}
	if len(states) != 2 || states[0] != sdk.TaskStateSubmitted || states[1] != sdk.TaskStateCanceled {
		t.Errorf("who follows it hears %v", states)
	}
	behind = says("And this.")
	behind.Message.ContextID = first.ContextID
	done := make(chan *sdk.Task, 1)
	go func() {
		got, _ := c.SendMessage(t.Context(), nil, behind) // a test that fails below has no answer
		task, _ := got.(*sdk.Task)
		done <- task
	}()
	if _, err := c.CancelTask(t.Context(), nil, &sdk.CancelTaskRequest{ID: first.ID}); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got == nil || got.Status.State != sdk.TaskStateCompleted || answered(got) != "The plan holds." {
		t.Errorf("when it has its turn, the task is %+v", got)
	}
}

// TestTask_OutlivesTheDaemon goes on with a task at a daemon that was started again.
func TestTask_OutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var token, id string
	var task *sdk.Task
	open := func(t *testing.T) *room {
		t.Helper()
		d := daemontest.Run(t, daemontest.Setup{Dir: dir, Script: script})
		if d.Token != "" { // it is told once
			token = d.Token
		}
		return &room{t, d.Dir, d.URL, token}
	}
	t.Run("before", func(t *testing.T) {
		r := open(t)
		task, id = asked(t, r, r.client(rpc, "coder", token))
	})
	t.Run("after", func(t *testing.T) {
		c := open(t).client(rpc, "coder", token)
		if again := until(t, c, task.ID, sdk.TaskStateInputRequired); told(again) != told(task) {
			t.Errorf("the task asks %q, and asked %q before", told(again), told(task))
		}
		until(t, c, send(t, c, reply(task, sdk.NewTextPart("deny "+id))).ID, sdk.TaskStateCompleted)
	})
	t.Run("later", func(t *testing.T) {
		c := open(t).client(rpc, "coder", token)
		if got := until(t, c, task.ID, sdk.TaskStateCompleted); answered(got) != "I have tried." {
			t.Errorf("the task is %+v", got)
		}
	})
}

// TestTask_IsItsCallersOwn shows and ends nobody else's tasks.
func TestTask_IsItsCallersOwn(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	of := map[string]string{"the owner": r.token, "a key of theirs": r.key(`{"name":"one"}`), "another key": r.key(`{"name":"two"}`), "Ada": r.member("Ada", "admin")}
	for whose, token := range of {
		c := r.client(rpc, "pm", token)
		task := send(t, c, says("How is the plan?"))
		for who, other := range of {
			if who == whose {
				continue
			}
			o := r.client(rpc, "pm", other)
			on := says("Go on.")
			on.Message.TaskID = task.ID
			_, got := o.GetTask(t.Context(), nil, &sdk.GetTaskRequest{ID: task.ID})
			_, cancelled := o.CancelTask(t.Context(), nil, &sdk.CancelTaskRequest{ID: task.ID})
			_, said := o.SendMessage(t.Context(), nil, on)
			var followed error
			for _, err := range o.SubscribeToTask(t.Context(), nil, &sdk.SubscribeToTaskRequest{ID: task.ID}) {
				followed = err
			}
			for _, err := range []error{got, cancelled, said, followed} {
				if !errors.Is(err, sdk.ErrTaskNotFound) {
					t.Errorf("%s does something with a task of %s: %v", who, whose, err)
				}
			}
			list, err := o.ListTasks(t.Context(), nil, &sdk.ListTasksRequest{ContextID: task.ContextID})
			if err != nil || len(list.Tasks) != 0 || list.TotalSize != 0 {
				t.Errorf("%s lists %+v of %s (%v)", who, list, whose, err)
			}
		}
	}
}

// TestDoor_KeepsToItsKey holds a program within its role, its project and its pace.
func TestDoor_KeepsToItsKey(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	var one, two struct{ ID string }
	r.api(http.MethodPost, "/api/projects", `{"name":"One"}`, &one)
	r.api(http.MethodPost, "/api/projects", `{"name":"Two"}`, &two)
	viewer := r.client(rpc, "pm", r.key(`{"name":"viewer","role":"viewer"}`))
	if _, err := viewer.SendMessage(t.Context(), nil, says("Hello")); !errors.Is(err, sdk.ErrUnauthorized) {
		t.Errorf("a key that views says something: %v", err)
	}
	if _, err := viewer.ListTasks(t.Context(), nil, &sdk.ListTasksRequest{}); err != nil {
		t.Errorf("a key that views lists its tasks: %v", err)
	}
	other := send(t, r.client(rpc, "pm?project="+two.ID, r.token), says("Hello"))
	bound := r.client(rpc, "pm", r.key(fmt.Sprintf(`{"name":"bound","role":"editor","project":%q}`, one.ID)))
	if got := send(t, bound, says("Hello")); got.Status.State != sdk.TaskStateCompleted {
		t.Errorf("a key of a project gets %+v", got)
	}
	into := says("Hello")
	into.Message.ContextID = other.ContextID
	if _, err := bound.SendMessage(t.Context(), nil, into); !errors.Is(err, sdk.ErrUnauthorized) {
		t.Errorf("it speaks in the context of another project: %v", err)
	}
	slow := r.key(`{"name":"slow","perMinute":1}`)
	call := `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`
	if code, raw, _ := r.send(http.MethodPost, "/a2a", call, "Authorization", "Bearer "+slow); code != http.StatusOK {
		t.Fatalf("%d %s", code, raw)
	}
	if code, raw, h := r.send(http.MethodPost, "/a2a", call, "Authorization", "Bearer "+slow); code != http.StatusTooManyRequests || h.Get("Retry-After") == "" || !strings.Contains(raw, `"error"`) {
		t.Errorf("too many requests get %d %s", code, raw)
	}
}

// TestDoor_TakesDataAndFiles tells an agent data and text files as data, and shows it pictures.
func TestDoor_TakesDataAndFiles(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	dot, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	c := r.client(rpc, "pm", r.token)
	named := sdk.NewRawPart([]byte("a,b\n1,2\n"))
	named.Filename = "table.csv"
	task := send(t, c, &sdk.SendMessageRequest{Message: sdk.NewMessage(sdk.MessageRoleUser, sdk.NewTextPart("Read this."), sdk.NewDataPart(map[string]any{"x": 1}), named, sdk.NewRawPart(dot))})
	if answered(task) != "I have read it." {
		t.Errorf("got %+v", task)
	}
	var said []struct {
		Message string
		Images  []string
		Origins []string
	}
	r.api(http.MethodGet, "/api/conversations/"+task.ContextID+"/messages", "", &said)
	if first := said[0]; !strings.Contains(first.Message, `{"x":1}`) || !strings.Contains(first.Message, "table.csv") || len(first.Images) != 1 || len(first.Origins) != 1 {
		t.Errorf("what was said is %+v", first)
	}
	for what, part := range map[string]*sdk.Part{
		"an address": sdk.NewFileURLPart("http://169.254.169.254/", "text/plain"), "a program": sdk.NewRawPart([]byte("\x7fELF\x00\x01")),
	} {
		if _, err := c.SendMessage(t.Context(), nil, &sdk.SendMessageRequest{Message: sdk.NewMessage(sdk.MessageRoleUser, part)}); !errors.Is(err, sdk.ErrInvalidParams) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestTask_GivesTheFilesThatItsAgentSent has a file that an agent sends to the conversation come with the answer.
func TestTask_GivesTheFilesThatItsAgentSent(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	folder := filepath.Join(r.dir, "workspace", "coder")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "table.csv"), []byte("a,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := r.client(rpc, "coder", r.token)
	got := send(t, c, says("Send me the table."))
	if len(got.Artifacts) != 1 || len(got.Artifacts[0].Parts) != 2 {
		t.Fatalf("got %+v", got.Artifacts)
	}
	if said, file := got.Artifacts[0].Parts[0], got.Artifacts[0].Parts[1]; said.Text() != "That is all." || string(file.Raw()) != "a,b\n" || file.Filename != "table.csv" || !strings.HasPrefix(file.MediaType, "text/csv") {
		t.Errorf("got %q and %+v", said.Text(), file)
	}
}

// TestDoor_RefusesInTheProtocolsWords sends what cannot be read, or not in one way, and what is not offered.
func TestDoor_RefusesInTheProtocolsWords(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	message := func(rest string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER"` + rest + `}}}`
	}
	hello := `,"parts":[{"text":"Hello"}]`
	for _, c := range []struct {
		body string
		code int
		says string
	}{
		{`{`, -32700, "no JSON"},
		{`[]`, -32600, "JSON-RPC 2.0"},
		{`{"jsonrpc":"1.0","id":1,"method":"GetTask"}`, -32600, "JSON-RPC 2.0"},
		{`{"jsonrpc":"2.0","id":{},"method":"GetTask"}`, -32600, "JSON-RPC 2.0"},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","METHOD":"CancelTask"}`, -32600, "spelt method"},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","method":"CancelTask"}`, -32600, "twice"},
		{`{"jsonrpc":"2.0","id":1,"method":"Nothing","params":{}}`, -32601, "method"},
		{`{"jsonrpc":"2.0","id":1,"method":"nothing/at/all","params":{}}`, -32601, "method"},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":1}}`, -32602, "id"},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"run_1","Id":"run_2"}}`, -32602, "spelt id"},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"run_1"}}`, -32001, "run_1"},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"run_1","historyLength":-1}}`, -32602, "historyLength"},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageToken":"x"}}`, -32602, "pageToken"},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":101}}`, -32602, "100"},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"status":"TASK_STATE_ODD"}}`, -32602, "state"},
		{`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}`, -32602, "message"},
		{message(``), -32602, "empty"},
		{message(`,"parts":[{"text":"a","raw":"YQ=="}]`), -32602, "one thing"},
		{message(`,"parts":[{}]`), -32602, "one thing"},
		{message(`,"parts":[null]`), -32602, "one thing"},
		{message(`,"parts":[{"text":"a","Text":"b"}]`), -32602, "spelt text"},
		{message(`,"contextId":"thr_none"` + hello), -32602, "thr_none"},
		{message(`,"taskId":"run_none"` + hello), -32001, "run_none"},
		{message(`,"metadata":` + strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 100) + hello), -32600, "nested"},
		{strings.Replace(message(hello), "ROLE_USER", "ROLE_AGENT", 1), -32602, "user"},
		{strings.Replace(message(hello), `"m"`, `""`, 1), -32602, "id"},
		{`{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"run_1","url":"http://127.0.0.1/"}}`, -32003, "called"},
		{`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"configuration":{"taskPushNotificationConfig":{"url":"http://127.0.0.1/"}},"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`, -32003, "called"},
	} {
		code, raw, _ := r.send(http.MethodPost, "/a2a/pm", c.body, "Authorization", "Bearer "+r.token)
		var got struct {
			Error struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(raw), &got); err != nil || code != http.StatusOK || got.Error.Code != c.code || !strings.Contains(got.Error.Message, c.says) {
			t.Errorf("%s: got %d %s, want the error %d, %q", c.body, code, raw, c.code, c.says)
		}
	}
	for _, c := range []struct {
		method, path, body string
		headers            []string
		code               int
	}{
		{http.MethodPost, "/a2a", message(hello), []string{"Authorization", "Bearer chela_wrong"}, http.StatusUnauthorized},
		{http.MethodPost, "/a2a", message(hello), nil, http.StatusUnauthorized},
		{http.MethodGet, "/a2a/tasks", "", nil, http.StatusUnauthorized},
		{http.MethodGet, "/a2a", "", []string{"Authorization", "Bearer " + r.token}, http.StatusMethodNotAllowed},
		{http.MethodPost, "/a2a", message(hello), []string{"Authorization", "Bearer " + r.token, "Content-Type", "text/plain"}, http.StatusUnsupportedMediaType},
		{http.MethodPost, "/a2a", `"` + strings.Repeat("x", 21<<20) + `"`, []string{"Authorization", "Bearer " + r.token}, http.StatusRequestEntityTooLarge},
		{http.MethodGet, "/a2a/pm/other", "", []string{"Authorization", "Bearer " + r.token}, http.StatusNotFound},
		{http.MethodGet, "/a2a/..%2ftasks", "", []string{"Authorization", "Bearer " + r.token}, http.StatusNotFound},
		{http.MethodGet, "/a2a/tasks/run_1", "", []string{"Authorization", "Bearer " + r.token}, http.StatusNotFound},
		{http.MethodPost, "/a2a/message:send", "{", []string{"Authorization", "Bearer " + r.token}, http.StatusBadRequest},
		{http.MethodPost, "/a2a/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`, []string{"Authorization", "Bearer " + r.token, "A2A-Version", "2.0"}, http.StatusBadRequest},
	} {
		code, raw, h := r.send(c.method, c.path, c.body, c.headers...)
		if code != c.code || !strings.HasPrefix(raw, "{") || code == http.StatusUnauthorized && h.Get("WWW-Authenticate") == "" {
			t.Errorf("%s %s: got %d %s, want %d", c.method, c.path, code, raw[:min(len(raw), 300)], c.code)
		}
	}
}
