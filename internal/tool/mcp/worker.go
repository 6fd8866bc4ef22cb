package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/mcp"
	"chela/internal/worker"
)

// metaPlace is of a call of a worker: where the giver calls. It does not leave the process.
const metaPlace = "chela/place"

// A workerAgent is a worker: an agent elsewhere that fetches its tasks. To our agents it is a server with three tools, as one that speaks A2A is.
type workerAgent struct {
	server mcp.Server
	tasks  *worker.Tasks
	time   time.Duration   // of a call
	base   context.Context //nolint:containedctx // ends when the daemon stops, which leaves tasks be
}

// toWorker returns the way to the server that stands for a worker. end ends that.
func (s *Servers) toWorker(ctx context.Context, server mcp.Server) (over sdk.Transport, end func(), err error) {
	w := &workerAgent{server: server, tasks: s.Workers, time: timeWithin(server), base: s.base}
	says := fmt.Sprintf("Gives work to the agent %q, which works elsewhere, and waits for what comes of it. It says of itself: %s", server.Name, server.Worker.Does)
	if len(server.Worker.Skills) > 0 {
		says += "\nSkills: " + strings.Join(server.Worker.Skills, ", ")
	}
	return standIn(ctx, sdk.Implementation{Name: "chela-worker", Title: server.Name, Version: s.Version}, says, w.ask, w.look, w.cancel)
}

// placeOf is where the giver calls, and by which key.
func placeOf(r *sdk.CallToolRequest) (at event.Place, key string) {
	raw, err := json.Marshal(r.Params.Meta[metaPlace])
	if err == nil {
		_ = json.Unmarshal(raw, &at) // without a place the call is refused
	}
	key, _ = r.Params.Meta["chela/key"].(string)
	return at, key
}

// ask gives the worker a task, or answers what one of its tasks asks. The same call is the same task.
func (w *workerAgent) ask(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in askIn
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil || strings.TrimSpace(in.Message) == "" {
		return failed("ask needs a message, as text."), nil
	}
	at, key := placeOf(r)
	if at.Stream == "" || key == "" {
		return failed("A worker is given tasks by runs alone."), nil
	}
	var t worker.Task
	var err error
	if in.Task != "" {
		t, err = w.tasks.Reply(ctx, at, w.server.Name, in.Task, key, in.Message)
	} else {
		t, err = w.tasks.Give(ctx, at, key, worker.Given{Worker: w.server.Name, Text: in.Message})
	}
	if err != nil {
		return refusedHere(ctx, err)
	}
	return w.settle(ctx, r, t.ID)
}

// look tells how a task stands.
func (w *workerAgent) look(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	id, wrong := taskOf(r)
	if wrong != nil {
		return wrong, nil
	}
	if _, err := w.tasks.Of(ctx, w.server.Name, string(id)); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return lost(string(id)), nil
		}
		return refusedHere(ctx, err)
	}
	return w.settle(ctx, r, string(id))
}

// cancel cancels a task.
func (w *workerAgent) cancel(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	id, wrong := taskOf(r)
	if wrong != nil {
		return wrong, nil
	}
	at, _ := placeOf(r)
	t, err := w.tasks.Cancel(ctx, at, w.server.Name, string(id), "Who gave it cancelled it.")
	if err != nil {
		return refusedHere(ctx, err)
	}
	return brought(t), nil
}

// settle waits until a task has ended or asks for something, and tells what came of it. A call that is cancelled cancels its task; one
// whose time is over leaves it be.
func (w *workerAgent) settle(ctx context.Context, r *sdk.CallToolRequest, id string) (*sdk.CallToolResult, error) {
	patience := w.time
	if r.Params.Meta[metaOnce] == true {
		patience = 0
	}
	limited, done := context.WithTimeout(ctx, patience)
	defer done()
	defer context.AfterFunc(w.base, done)()
	t, err := w.tasks.Settled(limited, id)
	switch {
	case err != nil:
		return refusedHere(ctx, err)
	case t.State.Ended() || t.State == worker.Asks:
		return brought(t), nil
	case ctx.Err() != nil && w.base.Err() == nil:
		at, _ := placeOf(r)
		last, done := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
		defer done()
		_, _ = w.tasks.Cancel(last, at, w.server.Name, id, "Who gave it was cancelled.") // nobody is there who would hear
		return nil, ctx.Err()
	}
	return goesOn(id, ""), ctx.Err()
}

// brought is what came of a task of a worker.
func brought(t worker.Task) *sdk.CallToolResult {
	text := func(lines ...string) []sdk.Content {
		var out []sdk.Content
		for _, l := range lines {
			if l != "" {
				out = append(out, &sdk.TextContent{Text: l})
			}
		}
		return out
	}
	switch t.State {
	case worker.Open, worker.Taken:
		return goesOn(t.ID, "")
	case worker.Asks:
		return &sdk.CallToolResult{Meta: stands(t.ID, "input_required", ""), Content: text(t.Note, waitsForAnswer(t.ID))}
	case worker.Done:
		out := t.Output
		if strings.TrimSpace(out) == "" {
			out = "[The task has ended without a word.]"
		}
		return &sdk.CallToolResult{Meta: stands(t.ID, "completed", ""), Content: text(out)}
	case worker.Failed:
		return &sdk.CallToolResult{Meta: stands(t.ID, "failed", ""), IsError: true, Content: text(t.Output, t.Reason, fmt.Sprintf("[The task %s stands as failed.]", t.ID))}
	case worker.Cancelled:
	}
	return &sdk.CallToolResult{Meta: stands(t.ID, "canceled", ""), IsError: true, Content: text(fmt.Sprintf("[The task %s stands as canceled.]", t.ID))}
}

// refusedHere is an error of ours as a worker's answer, but for what is no fault of the call.
func refusedHere(ctx context.Context, err error) (*sdk.CallToolResult, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if k := fault.KindOf(err); k == fault.Internal || k == fault.Unavailable || k == fault.Unauthenticated {
		return nil, err
	}
	return failed(fault.TextOf(err)), nil
}
