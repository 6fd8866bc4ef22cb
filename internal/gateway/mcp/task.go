package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/run"
)

// tasksExtension names the extension by which a call that takes long answers with a task (SEP-2663). A task is the run of the
// call and has its id, so that every node and a daemon that was restarted know it.
const tasksExtension = protocolMeta + "tasks"

// The methods of the extension.
const (
	tasksGet    = "tasks/get"
	tasksUpdate = "tasks/update"
	tasksCancel = "tasks/cancel"
)

// The states of a task.
const (
	taskWorking   = "working"
	taskWaits     = "input_required"
	taskCompleted = "completed"
	taskFailed    = "failed"
	taskCancelled = "cancelled"
)

// What a result says of itself.
const (
	isTask     = "task"
	isComplete = "complete"
)

// A task is a run as clients of the extension see it.
type task struct {
	sdk.ResultBase

	ResultType    string              `json:"resultType"`
	ID            run.ID              `json:"taskId"`
	Status        string              `json:"status"`
	Message       string              `json:"statusMessage,omitempty"`
	CreatedAt     time.Time           `json:"createdAt"`
	LastUpdatedAt time.Time           `json:"lastUpdatedAt"`
	TTL           *int64              `json:"ttlMs"` // always null: the log keeps every run
	PollInterval  int64               `json:"pollIntervalMs"`
	InputRequests sdk.InputRequestMap `json:"inputRequests,omitempty"`
	Result        *sdk.CallToolResult `json:"result,omitempty"`
	Error         *jsonrpc.Error      `json:"error,omitempty"`
}

// An acknowledgement is the result of a method that gives nothing.
type acknowledgement struct {
	sdk.ResultBase

	ResultType string `json:"resultType"`
}

// taskParams are those of every method of the extension.
type taskParams struct {
	sdk.ParamsBase

	TaskID    string                     `json:"taskId"`
	Responses map[string]json.RawMessage `json:"inputResponses"` // of an update
}

type taskRequest = sdk.ServerRequest[*taskParams]

// A promise is the task with which a call may answer that has not ended yet.
type promise struct{ made *task }

type promiseKey struct{}

type taskKey struct{}

// capable is a request that says what its client can do.
type capable interface {
	ProtocolVersion() string
	ClientCapabilities() *sdk.ClientCapabilities
}

// taskMethods are the methods of the extension, and what answers them.
func (s *Server) taskMethods() map[string]func(context.Context, *taskRequest) (sdk.Result, error) {
	return map[string]func(context.Context, *taskRequest) (sdk.Result, error){tasksGet: s.getTask, tasksUpdate: s.updateTask, tasksCancel: s.cancelTask}
}

// addTasks has a server answer calls that take long with tasks, to clients that can hear so.
func (s *Server) addTasks(to *sdk.Server) {
	for method, answer := range s.taskMethods() {
		err := sdk.AddReceivingCustomMethod(to, method, func(ctx context.Context, _ *sdk.ServerSession, _ *taskParams) (sdk.Result, error) {
			r, _ := ctx.Value(taskKey{}).(*taskRequest) // tasking puts it there
			return answer(ctx, r)
		})
		if err != nil {
			s.Log.Warn("tasks are not offered to clients: the SDK has a method of that name", "method", method, "err", err)
		}
	}
	to.AddReceivingMiddleware(s.tasking)
}

// tasking lets clients that know tasks make them, and no others see any of it.
func (s *Server) tasking(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		switch method {
		case initialize:
			res, err := next(ctx, method, r)
			if got, ok := res.(*sdk.InitializeResult); ok && err == nil {
				return withoutTasks(got), nil
			}
			return res, err
		case tasksGet, tasksUpdate, tasksCancel:
			asked, ok := r.(*taskRequest)
			if !ok || asked.ProtocolVersion() < stateless {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "The specification " + stateless + " has " + method + ", and none before it."}
			}
			if !knowsTasks(asked) {
				return nil, errNoTasks()
			}
			return next(context.WithValue(ctx, taskKey{}, asked), method, r)
		case "tools/call":
			if c, ok := r.(capable); ok && knowsTasks(c) {
				p := new(promise)
				res, err := next(context.WithValue(ctx, promiseKey{}, p), method, r)
				if err == nil && p.made != nil {
					return p.made, nil
				}
				return res, err
			}
		}
		return next(ctx, method, r)
	}
}

// knowsTasks reports whether the client of a request says that it knows tasks.
func knowsTasks(r capable) bool {
	if r.ProtocolVersion() < stateless {
		return false
	}
	c := r.ClientCapabilities()
	if c == nil {
		return false
	}
	_, ok := c.Extensions[tasksExtension]
	return ok
}

// withoutTasks is what the server says of itself to clients of specifications that do not have the extension.
func withoutTasks(r *sdk.InitializeResult) *sdk.InitializeResult {
	if r.Capabilities == nil {
		return r
	}
	out, caps := *r, *r.Capabilities
	caps.Extensions = maps.Clone(caps.Extensions)
	delete(caps.Extensions, tasksExtension)
	out.Capabilities = &caps
	return &out
}

// errNoTasks is told to a client that asks for a task and does not say that it knows tasks.
func errNoTasks() error {
	data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{RequiredCapabilities: &sdk.ClientCapabilities{Extensions: map[string]any{tasksExtension: struct{}{}}}})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "Tasks are for clients that name the extension " + tasksExtension + " in the capabilities of the request.", Data: data}
}

// promised answers a call with the task that its run is, where the client knows tasks; false where it does not.
func (w *waiter) promised(ctx context.Context, now run.Run) bool {
	p, ok := ctx.Value(promiseKey{}).(*promise)
	if !ok || w.keeps || w.shared {
		return false
	}
	p.made = w.taskOf(now)
	p.made.ResultType = isTask
	return true
}

// taskOf is a run as a task, without what it waits for and what came of it.
func (s *Server) taskOf(r run.Run) *task {
	return &task{ResultType: isComplete, ID: r.ID, Status: taskWorking, CreatedAt: r.CreatedAt.UTC(), LastUpdatedAt: r.UpdatedAt.UTC(), PollInterval: max(s.Beat.Milliseconds(), 1)}
}

// getTask tells how a task stands, with what it asks for or what came of it.
func (s *Server) getTask(ctx context.Context, r *taskRequest) (sdk.Result, error) {
	c, now, err := s.ownTask(ctx, r)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	t := s.taskOf(now)
	switch {
	case now.State == run.Cancelled:
		t.Status, t.Message = taskCancelled, now.Reason
	case now.State.Final():
		t.Status = taskCompleted
		if t.Result, err = s.result(ctx, now); err != nil {
			t.Status, t.Error = taskFailed, protocols(err)
			t.Message = t.Error.Message
		}
	case now.State == run.Waiting && strings.HasPrefix(now.WaitsFor, run.ForPerson):
		id, form, err := s.asks(ctx, now, c, r.ClientCapabilities())
		if err != nil {
			return nil, s.fail(ctx, err)
		}
		if t.Message = now.Reason; form == nil {
			t.Message = waits(now)
			break
		}
		t.Status, t.InputRequests = taskWaits, sdk.InputRequestMap{id: form}
	default:
		t.Message = now.Reason
	}
	return t, nil
}

// protocols is an error as the protocol's.
func protocols(err error) *jsonrpc.Error {
	if said, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return said
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}

// updateTask takes the answers of a client's user to what a task asks. What it does not ask, or no longer, is left aside.
func (s *Server) updateTask(ctx context.Context, r *taskRequest) (sdk.Result, error) {
	c, now, err := s.ownTask(ctx, r)
	if err == nil && r.Params.Responses == nil {
		err = fault.BadField("inputResponses", "The update has none. They are an object: the answers by the names of the task's inputRequests.")
	}
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	id, asks := strings.CutPrefix(now.WaitsFor, run.ForPerson)
	raw, given := r.Params.Responses[id]
	if now.State != run.Waiting || !asks || !given {
		return &acknowledgement{ResultType: isComplete}, nil
	}
	if c.Key != nil {
		return nil, s.fail(ctx, fault.New(fault.Denied, "A key answers no approvals. Answer %s on the page under Approvals, or by `chela approval approve %s`.", id, id))
	}
	got, err := readAnswer(raw)
	if err == nil {
		err = s.answered(ctx, id, got, c)
	}
	if err != nil && fault.KindOf(err) != fault.Conflict { // else somebody was first
		return nil, s.fail(ctx, err)
	}
	return &acknowledgement{ResultType: isComplete}, nil
}

// readAnswer reads an answer to a question.
func readAnswer(raw json.RawMessage) (*sdk.ElicitResult, error) {
	var got sdk.ElicitResult
	if err := json.Unmarshal(raw, &got); err != nil {
		return nil, fault.BadField("inputResponses", "The answer is no object with an action and its content.")
	}
	switch got.Action {
	case "accept", "decline", "cancel":
		return &got, nil
	}
	return nil, fault.BadField("action", "The answer has none.", "accept", "decline", "cancel")
}

// cancelTask ends the run that a task is. One that has ended stays as it is.
func (s *Server) cancelTask(ctx context.Context, r *taskRequest) (sdk.Result, error) {
	c, now, err := s.ownTask(ctx, r)
	if err == nil && !now.State.Final() {
		err = s.Talk.Runs.Write(ctx, func(b *run.Batch) error { return b.Cancel(now.ID, c.Party(), "The client cancelled the task.") })
	}
	if err != nil && fault.KindOf(err) != fault.Conflict { // else it has ended meanwhile
		return nil, s.fail(ctx, err)
	}
	return &acknowledgement{ResultType: isComplete}, nil
}

// ownTask returns the caller of a request and the task that it names, which is theirs.
func (s *Server) ownTask(ctx context.Context, r *taskRequest) (gateway.Caller, run.Run, error) {
	c, err := s.caller(ctx, r.Extra)
	if err != nil {
		return c, run.Run{}, err
	}
	if r.Params == nil || r.Params.TaskID == "" {
		return c, run.Run{}, fault.BadField("taskId", "The request names no task.")
	}
	now, err := s.Store.Runs.Run(ctx, run.ID(r.Params.TaskID))
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return c, run.Run{}, err
	}
	if err != nil || !mine(now, c) {
		return c, run.Run{}, fault.New(fault.NotFound, "There is no task %q of yours.", r.Params.TaskID)
	}
	return c, now, nil
}

// mine reports whether a caller began a run, by the same key.
func mine(r run.Run, c gateway.Caller) bool {
	by := c.Party()
	return r.By.AgentID == by.AgentID && r.By.Key == by.Key
}

// A listening is what is read of a request to hear of changes before the SDK reads it, which knows no tasks.
type listening struct {
	ID     json.RawMessage `json:"id"`
	Params struct {
		Notifications struct {
			TaskIDs []json.RawMessage `json:"taskIds"`
		} `json:"notifications"`
		Meta struct {
			Can struct {
				Extensions map[string]json.RawMessage `json:"extensions"`
			} `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	} `json:"params"`
}

// refused refuses a request whose header Mcp-Name does not name its task, as the SDK does for the methods that it knows, and one
// that wants to hear of tasks and does not say that it knows them.
func refused(w http.ResponseWriter, r *http.Request) bool {
	switch r.Header.Get("Mcp-Method") {
	case tasksGet, tasksUpdate, tasksCancel:
		a := peek(r)
		if a.Params.TaskID == r.Header.Get("Mcp-Name") || a.Method == "" { // what cannot be read is told where it is read whole
			return false
		}
		return refuse(w, a.ID, &jsonrpc.Error{Code: sdk.CodeHeaderMismatch, Message: "The header Mcp-Name names another task than taskId does."})
	case listen:
		var l listening
		if json.Unmarshal(bodyOf(r), &l) != nil || len(l.Params.Notifications.TaskIDs) == 0 {
			return false
		}
		if _, knows := l.Params.Meta.Can.Extensions[tasksExtension]; !knows {
			return refuse(w, l.ID, protocols(errNoTasks()))
		}
	}
	return false
}

// refuse answers a request with an error of the protocol, before the SDK has it.
func refuse(w http.ResponseWriter, id json.RawMessage, why *jsonrpc.Error) bool {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": why})
	if err != nil {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(raw) // the client may be gone
	return true
}
