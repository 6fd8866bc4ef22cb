package api

import (
	"context"
	"net/http"
	"strings"

	"chela/internal/approval"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// sessionRoutes add what programs do with conversations that know them as sessions. A run
// begins by itself when something is said; run tells which one that is.
func sessionRoutes(a *api) {
	route(a, http.MethodPost, "/api/sessions", "open-session", "Create an empty conversation", org.Editor, a.openSession, status(http.StatusCreated))
	move := func(word, summary string, do func(context.Context, string, event.Party) error) {
		route(a, http.MethodPost, "/api/sessions/{id}/"+word, word+"-session", summary, org.Editor, func(ctx context.Context, in *IDPath) (*Body[session.Thread], error) {
			if err := do(ctx, in.ID, party(ctx)); err != nil {
				return nil, err
			}
			return body(a.Store.Conversations.Session(ctx, in.ID))
		})
	}
	move("close", "Close a conversation; messages to it are refused until it is reopened", a.Inbox.Close)
	move("reopen", "Reopen a conversation", a.Inbox.Reopen)
	move("restore", "Bring a removed conversation back", a.own(a.Inbox.Restore))
	route(a, http.MethodDelete, "/api/sessions/{id}", "remove-session", "Remove a conversation of yours, or as an admin any: it is listed and found no more until it is restored", org.Editor, func(ctx context.Context, in *IDPath) (*struct{}, error) {
		return nil, a.own(a.Inbox.Remove)(ctx, in.ID, party(ctx))
	})
	act := func(word, summary string, role org.Role, do func(ctx context.Context, thread string) (*Body[SessionRun], error)) {
		route(a, http.MethodPost, "/api/sessions/{id}/"+word, word+"-session", summary, role, func(ctx context.Context, in *IDPath) (*Body[SessionRun], error) {
			return do(ctx, in.ID)
		}, status(http.StatusAccepted))
		route(a, http.MethodPost, "/api/projects/{project}/threads/{id}/"+word, word+"-thread", summary, role, func(ctx context.Context, in *RecordPath) (*Body[SessionRun], error) {
			thread, err := a.threadIn(ctx, in)
			if err != nil {
				return nil, err
			}
			return do(ctx, thread)
		}, status(http.StatusAccepted))
	}
	act("run", "Get the run that answers the last message", org.Viewer, a.sessionRun)
	act("pause", "Pause the run of a conversation", org.Editor, a.sessionAct(func(b *run.Batch, id run.ID, by event.Party) error { return b.Pause(id, by) }))
	act("resume", "Resume the paused run of a conversation", org.Editor, a.sessionAct(resume))
}

// own does to a conversation what is for the person who began it and for admins.
func (a *api) own(do func(context.Context, string, event.Party) error) func(context.Context, string, event.Party) error {
	return func(ctx context.Context, id string, by event.Party) error {
		live, err := a.Store.Conversations.Session(ctx, id)
		if err == nil && live.Person != by.AgentID && !person(ctx).Role.AtLeast(org.Admin) {
			err = fault.New(fault.Denied, "The conversation %s is another person's; who began it and admins may remove or restore it.", id)
		}
		if err != nil {
			return err
		}
		return do(ctx, id, by)
	}
}

// there is an error when a conversation was removed or never was.
func (a *api) there(ctx context.Context, id string) error {
	return inbox.There(a.Store.Conversations.Session(ctx, id))
}

func (a *api) threadIn(ctx context.Context, in *RecordPath) (string, error) {
	if r, err := a.loose(ctx, desk.Thread, in.ID); err != nil || r.Project != in.Project {
		return "", fault.New(fault.NotFound, "The thread %s does not exist in the project %s.", in.ID, in.Project)
	}
	return in.ID, nil
}

// SessionBody begins a conversation.
type SessionBody struct {
	Project  string `json:"projectId,omitempty"`
	Title    string `json:"title,omitempty"`
	Metadata struct {
		Agent string `json:"agentId,omitempty" doc:"spoken to directly, without a controller"`
	} `json:"metadata,omitzero"`
}

func (a *api) openSession(ctx context.Context, in *struct{ Body SessionBody }) (*Body[session.Thread], error) {
	b := in.Body
	opened := session.Opened{Project: b.Project, Channel: gateway.CallerOf(ctx).How.Channel(), Title: b.Title, Person: party(ctx).AgentID}
	if b.Title != "" {
		title, err := session.CheckTitle(b.Title)
		if err != nil {
			return nil, err
		}
		opened.Title = title
	}
	if b.Metadata.Agent != "" {
		m, err := a.Store.Roster.Member(ctx, agentID(b.Metadata.Agent))
		if err != nil {
			return nil, err
		}
		opened.Agent = string(m.Card.AgentID)
	}
	if b.Project != "" {
		if _, err := a.Clerk.Begin(ctx, a.place(ctx), b.Project); err != nil {
			return nil, err
		}
	}
	at := a.place(ctx)
	at.Stream = event.ThreadStream(at.Thread)
	if _, err := a.Store.Log.Append(ctx, session.OpenedKind.Draft(at, opened)); err != nil {
		return nil, err
	}
	return body(a.Store.Conversations.Session(ctx, at.Thread))
}

// SessionRun is the run of a conversation that is under way, or was the last.
type SessionRun struct {
	Thread string    `json:"threadId"`
	Run    run.ID    `json:"runId"`
	State  run.State `json:"state"`
}

func (a *api) lastRun(ctx context.Context, thread string) (run.Run, error) {
	runs, err := a.Store.Runs.RunList(ctx, run.Filter{Thread: thread, Limit: 1})
	if err == nil && len(runs) == 0 {
		if _, err = a.Store.Conversations.Session(ctx, thread); fault.KindOf(err) == fault.NotFound && err != nil {
			_, err = a.loose(ctx, desk.Thread, thread) // a record has no conversation before the first message
		}
		if err == nil {
			err = fault.New(fault.Conflict, "Nothing was said in %s yet; a run begins with a message.", thread)
		}
	}
	if err != nil {
		return run.Run{}, err
	}
	return runs[0], nil
}

func (a *api) sessionRun(ctx context.Context, thread string) (*Body[SessionRun], error) {
	r, err := a.lastRun(ctx, thread)
	return body(SessionRun{thread, r.ID, r.State}, err)
}

// sessionAct does something with the last run of a conversation.
func (a *api) sessionAct(do func(*run.Batch, run.ID, event.Party) error) func(context.Context, string) (*Body[SessionRun], error) {
	return func(ctx context.Context, thread string) (*Body[SessionRun], error) {
		r, err := a.lastRun(ctx, thread)
		if err != nil {
			return nil, err
		}
		if err := a.Runs.Write(ctx, func(b *run.Batch) error { return do(b, r.ID, party(ctx)) }); err != nil {
			return nil, err
		}
		return a.sessionRun(ctx, thread)
	}
}

// resume lets a paused run go on; one that asks something goes on with the answer.
func resume(b *run.Batch, id run.ID, by event.Party) error {
	r, err := b.Runs().Run(id)
	if err != nil {
		return err
	}
	if strings.HasPrefix(r.WaitsFor, run.ForPerson) {
		return fault.New(fault.Conflict, "Run %s waits for an answer to %s; answer that.", id, strings.TrimPrefix(r.WaitsFor, run.ForPerson))
	}
	if r.State == run.Waiting && !r.Paused() {
		return fault.New(fault.Conflict, "Run %s is not paused, and goes on by itself. %s", id, r.Reason)
	}
	return b.Resume(id, by, "A person resumed it.")
}

// Found is what a person found for an agent's search.
type Found struct {
	Request string `json:"requestId" doc:"the id of the question"`
	Session string `json:"sessionId,omitempty" doc:"the conversation that asks; the question knows it"`
	Content string `json:"content"`
}

// searched answers what human_search asks.
func (a *api) searched(ctx context.Context, in *struct{ Body Found }) (*Body[approval.Approval], error) {
	return a.answer(ctx, &struct {
		IDPath
		Body AnswerBody
	}{IDPath{in.Body.Request}, AnswerBody{Choice: approval.Found, Note: in.Body.Content}})
}
