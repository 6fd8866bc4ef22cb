package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/session"
)

func (a *api) runRoutes() {
	route(a, http.MethodGet, "/api/runs", "list-runs", "List runs, newest first", org.Viewer, a.runs)
	route(a, http.MethodGet, "/api/runs/{id}", "get-run", "Get a run with its tasks, steps and cost", org.Viewer, a.run)
	route(a, http.MethodGet, "/api/runs/{id}/trace", "trace-run", "Get the trace of a run: model calls, tool calls, decisions and approvals on one timeline", org.Viewer, a.trace)
	route(a, http.MethodPost, "/api/runs/{id}/cancel", "cancel-run", "Cancel a run", org.Editor, a.act(func(b *run.Batch, id run.ID, by event.Party) error {
		return b.Cancel(id, by, "A person cancelled it.")
	}))
	route(a, http.MethodPost, "/api/runs/{id}/results", "return-results", "Bring the results of calls for which a run waits that you began with tools of your own; it goes on then", org.Viewer, a.returned, status(http.StatusAccepted))
	route(a, http.MethodPost, "/api/runs/{id}/pause", "pause-run", "Pause a run", org.Editor, a.act(func(b *run.Batch, id run.ID, by event.Party) error { return b.Pause(id, by) }))
	route(a, http.MethodPost, "/api/runs/{id}/resume", "resume-run", "Resume a paused run", org.Editor, a.act(resume))
	route(a, http.MethodPost, "/api/runs/{id}/fork", "fork-run", "Fork a run from an earlier step", org.Editor, a.fork, status(http.StatusAccepted))
	route(a, http.MethodGet, "/api/approvals", "list-approvals", "List approvals", org.Viewer, a.approvals)
	route(a, http.MethodGet, "/api/approvals/{id}", "get-approval", "Get an approval with the exact action", org.Viewer, func(ctx context.Context, in *IDPath) (*Body[approval.Approval], error) {
		return body(a.Store.Questions.Approval(ctx, in.ID))
	})
	route(a, http.MethodPost, "/api/approvals/{id}", "answer-approval", "Answer an approval; its run continues", org.Editor, a.answer)
}

func (a *api) runs(ctx context.Context, in *struct {
	State   string `query:"state" enum:"queued,running,waiting,done,failed,cancelled"`
	Project string `query:"project"`
	Thread  string `query:"thread"`
	Kind    string `query:"kind"`
	Agent   string `query:"agent" doc:"an agent's name: only runs in which it has a task"`
	Before  int64  `query:"before" doc:"only runs queued before this position of the log"`
	Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
},
) (*Body[[]RunRow], error) {
	f := run.Filter{State: run.State(in.State), Project: in.Project, Thread: in.Thread, Kind: in.Kind, Before: event.Seq(in.Before), Limit: in.Limit}
	if in.Agent != "" {
		f.Agent = string(agentID(in.Agent))
	}
	list, err := a.Store.Runs.RunList(ctx, f)
	if err != nil {
		return nil, err
	}
	ids := make([]run.ID, len(list))
	for i, r := range list {
		ids[i] = r.ID
	}
	spends, err := a.Store.Spending.Spends(ctx, ids)
	out := make([]RunRow, len(list))
	for i, r := range list {
		out[i] = RunRow{Run: r, MS: a.took(r), Spend: spends[r.ID]}
	}
	return body(out, err)
}

// A RunRow is a run as lists show it.
type RunRow struct {
	run.Run
	MS    int64       `json:"ms" doc:"how long it took, or up to now, from when it was asked for"`
	Spend agent.Spend `json:"spend"`
}

// took is how long a run took by the daemon's clock.
func (a *api) took(r run.Run) int64 {
	end := r.EndedAt
	if !r.State.Final() {
		end = a.Store.Desk.Mint().Now()
	}
	return max(end.Sub(r.CreatedAt), 0).Milliseconds()
}

// RunOut is a run with everything about it.
type RunOut struct {
	Run       run.Run             `json:"run"`
	Tasks     []run.Task          `json:"tasks"`
	Steps     []Step              `json:"steps"`
	Spend     agent.Spend         `json:"spend"`
	Approvals []approval.Approval `json:"approvals"`
	Why       string              `json:"why" doc:"what it waits for, or why it ended, in a sentence"`
}

// A Step is one event of a run, for people.
type Step struct {
	Seq  event.Seq `json:"seq"`
	At   time.Time `json:"at"`
	Type string    `json:"type"`
	Task string    `json:"task"`
	From string    `json:"from"`
	Text string    `json:"text" doc:"the payload, at most 2,000 bytes of it"`
}

func (a *api) run(ctx context.Context, in *IDPath) (*Body[RunOut], error) {
	id := run.ID(in.ID)
	r, err := a.Store.Runs.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	out := RunOut{Run: r, Steps: []Step{}, Approvals: []approval.Approval{}}
	if out.Tasks, err = a.Store.Runs.Tasks(ctx, id); err != nil {
		return nil, err
	}
	out.Tasks = append([]run.Task{}, out.Tasks...)
	if out.Spend, err = a.Store.Spending.Spend(ctx, id); err != nil {
		return nil, err
	}
	events, _, err := a.Store.Log.Events(ctx, 0, event.Filter{Run: in.ID, Limit: 1000})
	if err != nil {
		return nil, err
	}
	var routed []string
	for _, e := range events {
		if d, ok, err := router.DecidedKind.Open(e.Event); ok && err == nil {
			routed = append(routed, d.Explain())
		}
		if strings.HasPrefix(e.Message.Type, "desk.") && len(events) > 300 {
			continue // an intake's records are listed elsewhere
		}
		out.Steps = append(out.Steps, Step{Seq: e.Seq, At: e.At, Type: e.Message.Type, Task: e.Message.TaskID, From: e.Message.From.AgentID, Text: clip(string(e.Message.Payload), 2000)})
	}
	asked, err := a.Store.Questions.ApprovalsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	out.Approvals = append(out.Approvals, asked...)
	out.Why, err = a.why(ctx, r, out.Approvals)
	out.Why = strings.Join(append([]string{out.Why}, routed...), " ")
	return body(out, err)
}

func clip(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

// why says what a run waits for, or why it did not start, or how it ended.
func (a *api) why(ctx context.Context, r run.Run, asked []approval.Approval) (string, error) {
	switch r.State {
	case run.Queued:
		others, err := a.Store.Runs.RunList(ctx, run.Filter{State: run.Running, Limit: 200})
		if err != nil {
			return "", err
		}
		if i := slices.IndexFunc(others, func(o run.Run) bool { return o.Thread == r.Thread }); i >= 0 {
			return fmt.Sprintf("It has not started: its conversation works one run at a time, and %s is running.", others[i].ID), nil
		}
		n := 0
		for _, o := range others {
			if o.Lane == r.Lane {
				n++
			}
		}
		return fmt.Sprintf("It has not started: %d runs of the lane %s are running; it starts when one of them ends.", n, r.Lane), nil
	case run.Running:
		out := fmt.Sprintf("It is running on %s, segment %d, attempt %d.", r.Node, r.Segment, r.Attempt)
		if err := a.Store.Database.Writable(); err != nil {
			out += " It cannot record what it does. " + fault.TextOf(err)
		}
		return out, nil
	case run.Waiting:
		if r.Paused() {
			return fmt.Sprintf("%s It goes on when it is resumed: `chela run resume %s`.", r.Reason, r.ID), nil
		}
		for _, q := range asked {
			if q.Status == approval.Pending {
				return fmt.Sprintf("It waits for a person: %s Answer %s with one of: %s.", q.Question, q.ID, strings.Join(q.Choices, ", ")), nil
			}
		}
		return "It waits for " + r.WaitsFor + ". " + r.Reason, nil
	case run.Done:
		return "It is done.", nil
	case run.Failed:
		return "It failed: " + r.Reason, nil
	case run.Cancelled:
		return "It was cancelled: " + r.Reason, nil
	}
	return "", nil
}

// act makes a handler of a change of a run's state.
func (a *api) act(do func(*run.Batch, run.ID, event.Party) error) func(context.Context, *IDPath) (*Body[run.Run], error) {
	return func(ctx context.Context, in *IDPath) (*Body[run.Run], error) {
		id := run.ID(in.ID)
		if err := a.Runs.Write(ctx, func(b *run.Batch) error { return do(b, id, party(ctx)) }); err != nil {
			return nil, err
		}
		return body(a.Store.Runs.Run(ctx, id))
	}
}

// ForkBody says from where.
type ForkBody struct {
	After event.Seq `json:"afterSeq" doc:"the last step, by its position, that the new run inherits"`
}

// fork begins a conversation that has everything up to a step and goes on by itself.
func (a *api) fork(ctx context.Context, in *struct {
	IDPath
	Body ForkBody
},
) (*Body[run.Run], error) {
	old, err := a.Store.Runs.Run(ctx, run.ID(in.ID))
	if err != nil {
		return nil, err
	}
	if !session.IsTurn(old.Kind) {
		return nil, fault.New(fault.Invalid, "Run %s is an %s; only conversations can be forked.", old.ID, old.Kind)
	}
	if in.Body.After < old.Seq {
		return nil, fault.BadField("afterSeq", fmt.Sprintf("The run begins at position %d.", old.Seq))
	}
	live, err := a.Store.Conversations.Session(ctx, old.Thread)
	if err != nil {
		return nil, err
	}
	spec := old.Spec
	spec.ID, spec.Thread, spec.By, spec.ForkOf, spec.ForkSeq = run.ID(a.Store.Desk.Mint().ID("run")), a.Store.Desk.Mint().ID("thr"), party(ctx), old.ID, in.Body.After
	spec.Title = "Fork: " + old.Title
	at := event.Place{Stream: event.ThreadStream(spec.Thread), Thread: spec.Thread, Run: string(spec.ID), Task: run.RootTask(spec.ID), From: spec.By}
	opened := session.OpenedKind.Draft(at, session.Opened{
		Project: live.Project, Agent: live.Agent, Channel: live.Channel, Title: spec.Title, Person: spec.By.AgentID, ForkedFrom: old.Thread, ForkedSeq: old.Seq,
	})
	request := at
	request.To = []event.Party{run.Chela()}
	err = a.Runs.Write(ctx, func(b *run.Batch) error {
		return b.Start(spec, opened, run.RequestKind.Draft(request, run.TaskRequest{Title: spec.Title}))
	})
	if err != nil {
		return nil, err
	}
	return body(a.Store.Runs.Run(ctx, spec.ID))
}

func (a *api) approvals(ctx context.Context, in *struct {
	Status string `query:"status" enum:"pending,answered,lapsed"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
},
) (*Body[[]approval.Approval], error) {
	out, err := a.Store.Questions.Approvals(ctx, approval.Status(in.Status), in.Limit)
	return body(append([]approval.Approval{}, out...), err)
}

// AnswerBody is an answer.
type AnswerBody struct {
	Choice string          `json:"choice"`
	Note   string          `json:"note,omitempty" doc:"the agent is told it with a denial"`
	Digest string          `json:"digest,omitempty" doc:"of the question, when it is about calls: what is approved is what was looked at"`
	Calls  []string        `json:"calls,omitempty" doc:"approve these calls of the question and deny the others; none means all"`
	Values json.RawMessage `json:"values,omitempty" doc:"what is filled in of a form, by the names of its fields; fields that are left out get their defaults"`
}

func (a *api) answer(ctx context.Context, in *struct {
	IDPath
	Body AnswerBody
},
) (*Body[approval.Approval], error) {
	by := approval.Approver{Party: party(ctx), Role: person(ctx).Role}
	err := a.Answers.Decide(ctx, by, approval.Answer{ID: in.ID, Choice: in.Body.Choice, Note: in.Body.Note, Digest: in.Body.Digest, Calls: in.Body.Calls, Values: in.Body.Values})
	if err != nil {
		return nil, err
	}
	return body(a.Store.Questions.Approval(ctx, in.ID))
}
