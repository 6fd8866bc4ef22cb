package mcp_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chela/internal/daemon"
	"chela/internal/testkit/daemontest"
)

// A tasker is a client that knows tasks. It speaks without the SDK, which knows none.
type tasker struct {
	*room
	token  string
	at     string         // the door, with its query
	can    map[string]any // its capabilities
	header []string       // besides the usual ones
}

// tasker returns a client that can ask its user, too.
func (r *room) tasker(token string) tasker {
	return tasker{room: r, token: token, at: "/mcp?agent=coder", can: map[string]any{"elicitation": map[string]any{}, "extensions": map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}}}}
}

// An answered is what came of a request.
type answered struct {
	Result map[string]any
	Error  *struct {
		Code    int
		Message string
		Data    map[string]any
	}
	status int
}

// ask calls a method.
func (c tasker) ask(t *testing.T, method string, params map[string]any) (out answered) {
	t.Helper()
	params = maps.Clone(params)
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]any{"name": "test", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": c.can,
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	name, _ := params["name"].(string)
	if id, ok := params["taskId"].(string); ok {
		name = id
	}
	status, said := c.send(http.MethodPost, c.at, string(raw), append([]string{"Authorization", "Bearer " + c.token, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name}, c.header...)...)
	for _, line := range strings.Split(said, "\n") { // an event, or JSON alone
		if data := strings.TrimPrefix(line, "data: "); strings.HasPrefix(data, "{") && (strings.Contains(data, `"result"`) || strings.Contains(data, `"error"`)) {
			if err := json.Unmarshal([]byte(data), &out); err != nil {
				t.Fatalf("%s: got %q: %v", method, said, err)
			}
		}
	}
	if out.status = status; out.Result == nil && out.Error == nil {
		t.Fatalf("%s: got %d %q", method, status, said)
	}
	return out
}

// begin calls a tool that is answered by a task, and returns its id.
func (c tasker) begin(t *testing.T, name string, args map[string]any) string {
	t.Helper()
	got := c.ask(t, "tools/call", map[string]any{"name": name, "arguments": args})
	id, _ := got.Result["taskId"].(string)
	if got.Result["resultType"] != "task" || got.Result["status"] != "working" || !strings.HasPrefix(id, "run_") {
		t.Fatalf("got %+v, want a task", got)
	}
	if _, there := got.Result["ttlMs"]; !there || got.Result["pollIntervalMs"] != 100.0 {
		t.Errorf("got %+v, want that it never ends and is asked for again after a beat", got.Result)
	}
	return id
}

// until polls a task until it has a status.
func (c tasker) until(t *testing.T, id, status string) map[string]any {
	t.Helper()
	var got answered
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = c.ask(t, "tasks/get", map[string]any{"taskId": id}); got.Error != nil {
			break
		}
		if got.Result["resultType"] != "complete" || got.Result["taskId"] != id {
			t.Fatalf("got %+v", got.Result)
		}
		if got.Result["status"] == status {
			return got.Result
		}
	}
	t.Fatalf("the task is %+v, want it %s", got, status)
	return nil
}

// code holds that a method is refused with a code of the protocol.
func (c tasker) code(t *testing.T, want int, says, method string, params map[string]any) answered {
	t.Helper()
	got := c.ask(t, method, params)
	if got.Error == nil || got.Error.Code != want || !strings.Contains(got.Error.Message, says) {
		t.Errorf("%s of %v: got %+v, want the error %d, %q", method, params, got, want, says)
	}
	return got
}

// acknowledged holds that a method is taken, and says nothing of the task.
func (c tasker) acknowledged(t *testing.T, method string, params map[string]any) {
	t.Helper()
	got := c.ask(t, method, params)
	if delete(got.Result, "_meta"); got.Error != nil || len(got.Result) != 1 || got.Result["resultType"] != "complete" {
		t.Errorf("%s of %v: got %+v, want that it is taken", method, params, got)
	}
}

func write(path string) map[string]any { return map[string]any{"path": path, "content": "1"} }

func textIn(task map[string]any) string {
	raw, err := json.Marshal(task["result"])
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// question is the name and the form of what a task asks.
func questionOf(t *testing.T, task map[string]any) (name, message string) {
	t.Helper()
	all, _ := task["inputRequests"].(map[string]any)
	for name, raw := range all {
		asked, _ := raw.(map[string]any)
		form, _ := asked["params"].(map[string]any)
		message, _ := form["message"].(string)
		if asked["method"] != "elicitation/create" || form["requestedSchema"] == nil {
			t.Errorf("the task asks %+v", asked)
		}
		return name, message
	}
	t.Fatalf("the task %+v asks nothing", task)
	return "", ""
}

func answer(id, name, action string, content map[string]any) map[string]any {
	return map[string]any{"taskId": id, "inputResponses": map[string]any{name: map[string]any{"action": action, "content": content}}}
}

// TestTasks_AnApprovedEdit has the user of a client decide about a call that is a task.
func TestTasks_AnApprovedEdit(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	c := r.tasker(r.token)
	for choice, text := range map[string]string{"approve": "one-approve.txt", "deny": "isError"} {
		id := c.begin(t, "write_file", write("one-"+choice+".txt"))
		name, message := questionOf(t, c.until(t, id, "input_required"))
		if !strings.Contains(message, "one-"+choice+".txt") {
			t.Errorf("the user is asked %q, want what would be done", message)
		}
		c.acknowledged(t, "tasks/update", answer(id, "apr_other", "accept", nil))
		c.code(t, -32602, "accept", "tasks/update", answer(id, name, "shrug", nil))
		c.code(t, -32602, "decision", "tasks/update", answer(id, name, "accept", nil))
		c.code(t, -32602, "inputResponses", "tasks/update", map[string]any{"taskId": id})
		c.acknowledged(t, "tasks/update", answer(id, name, "cancel", nil)) // it stays open to others
		if again, _ := questionOf(t, c.until(t, id, "input_required")); again != name {
			t.Errorf("the task asks %s, then %s", name, again)
		}
		c.acknowledged(t, "tasks/update", answer(id, name, "accept", map[string]any{"decision": choice}))
		done := c.until(t, id, "completed")
		if got := textIn(done); !strings.Contains(got, text) || strings.Contains(got, "related-task") || done["inputRequests"] != nil {
			t.Errorf("the task gives %s, want %s", got, text)
		}
		if _, err := os.Stat(filepath.Join(r.dir, "workspace", "coder", "one-"+choice+".txt")); (err == nil) != (choice == "approve") {
			t.Errorf("after %s the file: %v", choice, err)
		}
		c.acknowledged(t, "tasks/update", answer(id, name, "accept", map[string]any{"decision": "deny"})) // too late
		c.acknowledged(t, "tasks/cancel", map[string]any{"taskId": id})
		c.until(t, id, "completed")
	}
}

// TestTasks_OnlyWhereTheyAreKnown makes tasks of calls that take long for clients that know tasks, and of no other call.
func TestTasks_OnlyWhereTheyAreKnown(t *testing.T) {
	t.Parallel()
	r := newRoomOf(t, time.Minute) // however busy the machine is, no call here takes that long
	c := r.tasker(r.token)
	c.at = "/mcp"
	project := r.project()
	if got := c.ask(t, "tools/call", map[string]any{"name": "read_tickets", "arguments": map[string]any{"projectId": project}}); got.Result["resultType"] != "complete" || got.Result["content"] == nil {
		t.Errorf("a call that is quick gave %+v, want its result", got)
	}
	if got := c.ask(t, "tools/call", map[string]any{"name": "write_file", "arguments": map[string]any{}}); got.Result["isError"] != true || got.Result["taskId"] != nil {
		t.Errorf("a call that fails at once gave %+v, want why", got)
	}
	got := c.ask(t, "server/discover", map[string]any{})
	caps, _ := got.Result["capabilities"].(map[string]any)
	if raw, _ := json.Marshal(caps["extensions"]); !strings.Contains(string(raw), "io.modelcontextprotocol/tasks") || caps["tasks"] != nil {
		t.Errorf("the server says that it can %+v", caps)
	}
	for _, none := range []string{"tasks/list", "tasks/result"} {
		c.code(t, -32601, none, none, map[string]any{"taskId": "run_1"})
	}
	other := r.tasker(r.token)
	other.can = map[string]any{"elicitation": map[string]any{}}
	if got := other.ask(t, "tools/call", map[string]any{"name": "write_file", "arguments": write("two.txt")}); got.Result["resultType"] != "input_required" || got.Result["taskId"] != nil {
		t.Errorf("a client that knows no tasks got %+v, want the question", got)
	}
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		got := other.code(t, -32021, "io.modelcontextprotocol/tasks", method, map[string]any{"taskId": "run_1", "inputResponses": map[string]any{}})
		if got.Error != nil && (got.status != http.StatusBadRequest || got.Error.Data["requiredCapabilities"] == nil) {
			t.Errorf("%s: got %+v", method, got)
		}
	}
	got = other.code(t, -32021, "io.modelcontextprotocol/tasks", "subscriptions/listen", map[string]any{"notifications": map[string]any{"taskIds": []string{"run_1"}}})
	if got.status != http.StatusBadRequest || got.Error.Data["requiredCapabilities"] == nil {
		t.Errorf("who wants to hear of tasks without knowing them: got %+v", got)
	}
	earlier := r.connect(t, "2025-11-25", r.token, "", nil)
	if caps := earlier.InitializeResult().Capabilities; caps.Extensions["io.modelcontextprotocol/tasks"] != nil || caps.Resources == nil {
		t.Errorf("a client of 2025-11-25 hears of %+v", caps)
	}
	status, said := r.send(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"taskId":"run_1"}}`, "Authorization", "Bearer "+r.token, "Mcp-Protocol-Version", "2025-11-25", "Mcp-Session-Id", earlier.ID())
	if !strings.Contains(said, "-32601") {
		t.Errorf("a client of 2025-11-25 that asks for a task got %d %s", status, said)
	}
}

// TestTasks_WaitForThePage tells a client that cannot ask its user what a task waits for.
func TestTasks_WaitForThePage(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	c := r.tasker(r.token)
	delete(c.can, "elicitation")
	id := c.begin(t, "write_file", write("one.txt"))
	approval, digest := r.pending(t)
	got := c.until(t, id, "working")
	for end := time.Now().Add(deadline); got["statusMessage"] == nil && time.Now().Before(end); got = c.until(t, id, "working") {
		time.Sleep(20 * time.Millisecond) // the question is there before the run waits
	}
	if says, _ := got["statusMessage"].(string); !strings.Contains(says, "chela approval approve "+approval) || got["inputRequests"] != nil {
		t.Errorf("the task says %+v, want how it goes on", got)
	}
	r.api(http.MethodPost, "/api/approvals/"+approval, `{"choice":"approve","digest":"`+digest+`"}`, nil)
	if got := textIn(c.until(t, id, "completed")); !strings.Contains(got, "one.txt") || !strings.Contains(got, id) {
		t.Errorf("the task gives %s", got)
	}
}

// TestTasks_AreTheirCallersOwn shows, changes and ends nobody else's tasks.
func TestTasks_AreTheirCallersOwn(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	var key struct{ Token string }
	r.api(http.MethodPost, "/api/keys", `{"name":"An editor","role":"editor","tools":["write_file"]}`, &key)
	owner, program, ada := r.tasker(r.token), r.tasker(key.Token), r.tasker(r.member("Ada", "admin"))
	of := map[string]tasker{"the owner": owner, "a key of theirs": program, "Ada": ada}
	for whose, c := range of {
		id := c.begin(t, "write_file", write("of.txt"))
		for who, other := range of {
			if who == whose {
				continue
			}
			for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
				other.code(t, -32602, "no task", method, map[string]any{"taskId": id, "inputResponses": map[string]any{}})
			}
		}
		c.until(t, id, map[string]string{"the owner": "input_required", "a key of theirs": "working", "Ada": "input_required"}[whose])
		if whose == "a key of theirs" {
			for end := time.Now().Add(deadline); time.Now().Before(end); {
				var all []struct{ ID, RunID string }
				if r.api(http.MethodGet, "/api/approvals?status=pending", "", &all); len(all) > 0 {
					c.code(t, -32603, "key answers no approvals", "tasks/update", answer(id, all[0].ID, "accept", map[string]any{"decision": "approve"}))
					break
				}
			}
		}
		c.acknowledged(t, "tasks/cancel", map[string]any{"taskId": id})
		if got := c.until(t, id, "cancelled"); got["result"] != nil || got["error"] != nil {
			t.Errorf("a cancelled task gives %+v", got)
		}
		c.acknowledged(t, "tasks/cancel", map[string]any{"taskId": id})
		var ran struct {
			Run struct{ State, Reason string }
		}
		if r.api(http.MethodGet, "/api/runs/"+id, "", &ran); ran.Run.State != "cancelled" {
			t.Errorf("the run is %+v", ran.Run)
		}
	}
	owner.code(t, -32602, "run_none", "tasks/get", map[string]any{"taskId": "run_none"})
	owner.code(t, -32602, "taskId", "tasks/cancel", map[string]any{"taskId": ""})
	routed := owner
	routed.header = []string{"Mcp-Name", "run_other"}
	if got := routed.code(t, -32020, "Mcp-Name", "tasks/get", map[string]any{"taskId": "run_none"}); got.status != http.StatusBadRequest {
		t.Errorf("got %d", got.status)
	}
}

// TestTasks_OutliveTheDaemon goes on with a task at a daemon that was started again.
func TestTasks_OutliveTheDaemon(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var token, id, name string
	open := func(t *testing.T) tasker {
		t.Helper()
		d := daemontest.Run(t, daemontest.Setup{Dir: dir, Script: `{"otherwise":[{"agentName":"","responseFallback":"Done."}]}`, Options: daemon.Options{Beat: 100 * time.Millisecond}})
		r := &room{t, d.Dir, d.URL, d.Token}
		if d.Token != "" { // it is told once
			token = d.Token
		}
		return r.tasker(token)
	}
	t.Run("before", func(t *testing.T) {
		c := open(t)
		id = c.begin(t, "write_file", write("one.txt"))
		name, _ = questionOf(t, c.until(t, id, "input_required"))
	})
	t.Run("after", func(t *testing.T) {
		c := open(t)
		if again, _ := questionOf(t, c.until(t, id, "input_required")); again != name {
			t.Errorf("the task asks %s, and asked %s before", again, name)
		}
		c.acknowledged(t, "tasks/update", answer(id, name, "accept", map[string]any{"decision": "approve"}))
		c.until(t, id, "completed")
	})
	t.Run("later", func(t *testing.T) {
		c := open(t)
		if got := textIn(c.until(t, id, "completed")); !strings.Contains(got, "one.txt") {
			t.Errorf("the task gives %s", got)
		}
	})
}
