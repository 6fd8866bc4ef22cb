package a2a

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// answerID names the artifact that is the answer of a task.
const answerID sdk.ArtifactID = "answer"

// needs refuses callers below a role.
func needs(ctx context.Context, role org.Role) error {
	if c := gateway.CallerOf(ctx); !c.Person.Role.AtLeast(role) {
		return fault.New(fault.Denied, "This needs the role %s; the caller has the role %s.", role, c.Person.Role)
	}
	return nil
}

// mine reports whether a caller is who did something, by the same key.
func mine(c gateway.Caller, by event.Party) bool {
	own := c.Party()
	return own.AgentID == by.AgentID && own.Key == by.Key
}

// noTask says that a caller has no such task, whether or not another has.
func noTask(id sdk.TaskID) error {
	return sdk.NewError(sdk.ErrTaskNotFound, fmt.Sprintf("There is no task %q of yours.", id))
}

// A work is what answers a message of a caller: a run, or a message that waits until its run begins.
type work struct {
	run  run.Run
	held *event.Event // that has the message which waits; nil when the run has begun
}

// own finds a task of a caller.
func (d *door) own(ctx context.Context, id sdk.TaskID) (work, error) {
	c := gateway.CallerOf(ctx)
	if id == "" {
		return work{}, fault.BadField("id", "The request names no task.")
	}
	r, err := d.Talk.Store.Runs.Run(ctx, run.ID(id))
	if err == nil {
		if !mine(c, r.By) || !session.IsTurn(r.Kind) {
			return work{}, noTask(id)
		}
		return work{run: r}, nil
	}
	if fault.KindOf(err) != fault.NotFound {
		return work{}, err
	}
	found, _, err := d.Talk.Store.Log.Events(ctx, 0, event.Filter{Run: string(id), Type: session.HeldKind.Name, Limit: 1})
	if err != nil {
		return work{}, err
	}
	if len(found) == 0 || !mine(c, found[0].Message.From) {
		return work{}, noTask(id)
	}
	e := found[0].Event
	return work{run.Run{Spec: run.Spec{ID: run.ID(id), Thread: e.Message.ThreadID, By: e.Message.From}, State: run.Queued, UpdatedAt: e.At}, &e}, nil
}

// info is what places an event of the protocol.
func (w work) info() sdk.TaskInfo {
	return sdk.TaskInfo{TaskID: sdk.TaskID(w.run.ID), ContextID: w.run.Thread}
}

// accepted is the work as the engine knows it.
func (w work) accepted() inbox.Accepted {
	return inbox.Accepted{Thread: w.run.Thread, Run: string(w.run.ID), Queued: w.held != nil}
}

// status is how a work stands, as the log says.
func (d *door) status(ctx context.Context, w work) (sdk.TaskStatus, error) {
	at := w.run.UpdatedAt.UTC()
	out := sdk.TaskStatus{State: stateOf(w.run), Timestamp: &at}
	var err error
	switch {
	case w.held != nil:
		err = d.dropped(ctx, w, &out)
	case out.State == sdk.TaskStateInputRequired:
		out.Message, err = d.asks(ctx, w)
	case w.run.State != run.Done && w.run.Reason != "":
		out.Message = d.says(w, w.run.Reason)
	}
	return out, err
}

// dropped finds out whether a message that waited will not be answered.
func (d *door) dropped(ctx context.Context, w work, out *sdk.TaskStatus) error {
	waiting, err := d.Store.Conversations.Waiting(ctx, w.run.Thread)
	if err != nil || slices.ContainsFunc(waiting, func(m session.Waiting) bool { return m.ID == w.held.Message.ID }) {
		return err
	}
	events, _, err := d.Talk.Store.Log.Events(ctx, w.held.Seq, event.Filter{Thread: w.run.Thread, Type: session.DroppedKind.Name})
	for _, e := range events {
		p, ok, err := session.DroppedKind.Open(e.Event)
		if err != nil || !ok || p.ID != w.held.Message.ID {
			continue
		}
		out.State = sdk.TaskStateCanceled
		if e.Message.From.AgentID == run.Chela().AgentID {
			out.State = sdk.TaskStateRejected
		}
		at := e.At.UTC()
		out.Timestamp, out.Message = &at, d.says(w, p.Why)
	}
	return err
}

// says is a message to the caller about a task.
func (d *door) says(w work, text string) *sdk.Message {
	return &sdk.Message{ID: "status_" + string(w.run.ID), Role: sdk.MessageRoleAgent, TaskID: sdk.TaskID(w.run.ID), ContextID: w.run.Thread, Parts: sdk.ContentParts{textPart(text)}}
}

// textPart is a text as agents write it.
func textPart(text string) *sdk.Part {
	return &sdk.Part{Content: sdk.Text(text), MediaType: "text/markdown"}
}

// A look says what of a task is told.
type look struct {
	history   int  // newest messages
	artifacts bool // with what came of it
}

// mostHistory is how many messages of a task are told at most, and when the caller does not say.
const mostHistory = 100

func lookOf(history *int, otherwise int, artifacts bool) (look, error) {
	n := otherwise
	if history != nil {
		n = *history
	}
	if n < 0 {
		return look{}, fault.BadField("historyLength", "The number of messages is not below 0.")
	}
	return look{min(n, mostHistory), artifacts}, nil
}

// task is a work as clients see it.
func (d *door) task(ctx context.Context, w work, l look) (*sdk.Task, error) {
	out := &sdk.Task{ID: sdk.TaskID(w.run.ID), ContextID: w.run.Thread}
	var err error
	if out.Status, err = d.status(ctx, w); err != nil {
		return nil, err
	}
	if w.held != nil && w.run.State == run.Queued {
		p, _, err := session.HeldKind.Open(*w.held)
		if l.history > 0 && err == nil {
			out.History = []*sdk.Message{d.heard(w, w.held.Message.ID, sdk.MessageRoleUser, p.Message)}
		}
		return out, err
	}
	if l.history == 0 && (!l.artifacts || w.run.State != run.Done) {
		return out, nil
	}
	said, err := d.said(ctx, w)
	if err != nil {
		return nil, err
	}
	if l.artifacts && w.run.State == run.Done {
		if made, err := d.answer(ctx, w, said); err != nil {
			return nil, err
		} else if made != nil {
			out.Artifacts = []*sdk.Artifact{made}
		}
	}
	for _, s := range said {
		role := sdk.MessageRoleUser
		if s.agent {
			role = sdk.MessageRoleAgent
		}
		if s.Message != "" {
			out.History = append(out.History, d.heard(w, s.id, role, s.Message))
		}
	}
	out.History = out.History[max(len(out.History)-l.history, 0):]
	return out, nil
}

func (d *door) heard(w work, id string, role sdk.MessageRole, text string) *sdk.Message {
	return &sdk.Message{ID: id, Role: role, TaskID: sdk.TaskID(w.run.ID), ContextID: w.run.Thread, Parts: sdk.ContentParts{sdk.NewTextPart(text)}}
}

// An entry is a message of a run.
type entry struct {
	session.Said
	id    string
	agent bool // by an agent
}

// said reads what was said in the conversation of a run by it and to it, the oldest first. What it sent to chats elsewhere is not told.
func (d *door) said(ctx context.Context, w work) ([]entry, error) {
	events, _, err := d.Talk.Store.Log.Events(ctx, 0, event.Filter{Thread: w.run.Thread, Run: string(w.run.ID), Type: session.SaidKind.Name})
	if err != nil {
		return nil, err
	}
	out := make([]entry, 0, len(events))
	for _, e := range events {
		if e.Erased {
			continue
		}
		p, ok, err := session.SaidKind.Open(e.Event)
		if err != nil {
			return nil, fmt.Errorf("read what was said in %s: %w", w.run.ID, err)
		}
		if ok && !p.Command {
			out = append(out, entry{p, e.Message.ID, org.AgentOf(e.Message.From) != ""})
		}
	}
	return out, nil
}

// mostFiles bounds the bytes of files that go with an answer; of others the name is told.
const mostFiles = 8 << 20

// answer is what came of a run that is done; nil when that is nothing.
func (d *door) answer(ctx context.Context, w work, said []entry) (*sdk.Artifact, error) {
	reply, err := d.Talk.Look(ctx, w.accepted())
	if err != nil {
		return nil, err
	}
	out := &sdk.Artifact{ID: answerID, Name: "answer"}
	if reply.Reply != "" {
		out.Parts = append(out.Parts, textPart(reply.Reply))
	}
	size := 0
	for _, s := range said {
		if !s.agent {
			continue
		}
		for _, f := range s.Files {
			if size += f.Size; size > mostFiles {
				out.Parts = append(out.Parts, textPart(fmt.Sprintf("[The file %s of %d bytes is too large to go along. It is in the conversation.]", f.Name, f.Size)))
				continue
			}
			raw, err := d.file(f)
			if err != nil {
				return nil, err
			}
			out.Parts = append(out.Parts, &sdk.Part{Content: sdk.Raw(raw), Filename: f.Name, MediaType: f.Type})
		}
	}
	if len(out.Parts) == 0 {
		return nil, nil //nolint:nilnil // nothing was said
	}
	return out, nil
}

// GetTask implements [srv.RequestHandler].
func (d *door) GetTask(ctx context.Context, r *sdk.GetTaskRequest) (*sdk.Task, error) {
	l, err := lookOf(r.HistoryLength, mostHistory, true)
	if err != nil {
		return nil, d.protocols(ctx, err)
	}
	return d.stands(ctx, r.ID, l)
}

// stands is how a task of a caller stands.
func (d *door) stands(ctx context.Context, id sdk.TaskID, l look) (*sdk.Task, error) {
	w, err := d.own(ctx, id)
	if err == nil {
		var out *sdk.Task
		if out, err = d.task(ctx, w, l); err == nil {
			return out, nil
		}
	}
	return nil, d.protocols(ctx, err)
}

// CancelTask implements [srv.RequestHandler].
func (d *door) CancelTask(ctx context.Context, r *sdk.CancelTaskRequest) (*sdk.Task, error) {
	err := needs(ctx, org.Editor)
	var w work
	if err == nil {
		w, err = d.own(ctx, r.ID)
	}
	if err == nil {
		err = d.cancel(ctx, w)
	}
	if err != nil {
		return nil, d.protocols(ctx, err)
	}
	return d.stands(ctx, r.ID, look{mostHistory, true})
}

func (d *door) cancel(ctx context.Context, w work) error {
	by := gateway.CallerOf(ctx).Party()
	ended := sdk.NewError(sdk.ErrTaskNotCancelable, fmt.Sprintf("The task %s has ended.", w.run.ID))
	var err error
	switch {
	case w.run.State.Final():
		return ended
	case w.held != nil:
		err = d.Talk.Inbox.Drop(ctx, by, w.run.Thread, w.held.Message.ID)
	default:
		err = d.Talk.Runs.Write(ctx, func(b *run.Batch) error { return b.Cancel(w.run.ID, by, "The client cancelled the task.") })
	}
	if kind := fault.KindOf(err); err != nil && (kind == fault.Conflict || kind == fault.NotFound && w.held != nil) {
		return ended // meanwhile
	}
	return err
}

// The pages of a list.
const (
	mostLooked = 1000 // runs that are looked at for one answer
	usualPage  = 50
	mostPage   = 100
)

// states are the states of runs that may stand as a state of tasks; none is all.
func states(s sdk.TaskState) (run.State, error) {
	switch s {
	case sdk.TaskStateUnspecified:
		return "", nil
	case sdk.TaskStateSubmitted:
		return run.Queued, nil
	case sdk.TaskStateWorking, sdk.TaskStateInputRequired: // a run that waits for a time works
		return "", nil
	case sdk.TaskStateCompleted:
		return run.Done, nil
	case sdk.TaskStateFailed:
		return run.Failed, nil
	case sdk.TaskStateCanceled:
		return run.Cancelled, nil
	case sdk.TaskStateRejected, sdk.TaskStateAuthRequired:
		return "", nil // none is ever so, once its run has begun
	}
	return "", fault.BadField("status", "There is no such state of tasks.")
}

// ListTasks implements [srv.RequestHandler]. It lists runs, the newest first; messages that wait for theirs are found by their id. The
// total is of the newest runs that are looked at.
func (d *door) ListTasks(ctx context.Context, r *sdk.ListTasksRequest) (*sdk.ListTasksResponse, error) {
	out, err := d.list(ctx, r)
	if err != nil {
		return nil, d.protocols(ctx, err)
	}
	return out, nil
}

func (d *door) list(ctx context.Context, r *sdk.ListTasksRequest) (*sdk.ListTasksResponse, error) {
	l, err := lookOf(r.HistoryLength, 0, r.IncludeArtifacts)
	if err != nil {
		return nil, err
	}
	size := cmp.Or(r.PageSize, usualPage)
	if size < 1 || size > mostPage {
		return nil, fault.BadField("pageSize", fmt.Sprintf("A page has 1 to %d tasks.", mostPage))
	}
	before, err := pageToken(r.PageToken)
	if err != nil {
		return nil, err
	}
	state, err := states(r.Status)
	if err != nil {
		return nil, err
	}
	c := gateway.CallerOf(ctx)
	f := run.Filter{State: state, Thread: r.ContextID, Kind: session.ChatRun, By: c.Party().AgentID, Limit: mostLooked}
	if to := aimOf(ctx); to.agent != "" {
		f.Agent = "agent:" + to.agent
	}
	fits := func(now run.Run) bool {
		return mine(c, now.By) && (r.StatusTimestampAfter == nil || !now.UpdatedAt.Before(*r.StatusTimestampAfter)) && (r.Status == "" || r.Status == stateOf(now))
	}
	all, err := d.Store.Runs.RunList(ctx, f)
	if err != nil {
		return nil, err
	}
	out := &sdk.ListTasksResponse{Tasks: []*sdk.Task{}, PageSize: size}
	for _, now := range all {
		if fits(now) {
			out.TotalSize++
		}
	}
	if n := len(all); n == mostLooked && before > 0 && before <= all[n-1].Seq {
		f.Before = before
		if all, err = d.Store.Runs.RunList(ctx, f); err != nil {
			return nil, err
		}
	}
	for _, now := range all {
		if before > 0 && now.Seq >= before || !fits(now) {
			continue
		}
		if len(out.Tasks) == size {
			out.NextPageToken = strconv.FormatInt(int64(before), 10)
			return out, nil
		}
		t, err := d.task(ctx, work{run: now}, l)
		if err != nil {
			return nil, err
		}
		out.Tasks, before = append(out.Tasks, t), now.Seq
	}
	if n := len(all); n == mostLooked {
		out.NextPageToken = strconv.FormatInt(int64(all[n-1].Seq), 10)
	}
	return out, nil
}

// stateOf is the state of a run as one of tasks.
func stateOf(r run.Run) sdk.TaskState {
	switch r.State {
	case run.Queued:
		return sdk.TaskStateSubmitted
	case run.Waiting:
		if r.WaitsFor != run.ForTime {
			return sdk.TaskStateInputRequired
		}
	case run.Done:
		return sdk.TaskStateCompleted
	case run.Failed:
		return sdk.TaskStateFailed
	case run.Cancelled:
		return sdk.TaskStateCanceled
	case run.Running:
	}
	return sdk.TaskStateWorking
}

// pageToken reads where a page begins: before which position of the log.
func pageToken(token string) (event.Seq, error) {
	if token == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(token, 10, 64)
	if err != nil || n < 1 || strings.HasPrefix(token, "+") {
		return 0, fault.BadField("pageToken", "The token is none that a list gave.")
	}
	return event.Seq(n), nil
}
