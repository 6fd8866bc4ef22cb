package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/notify"
	"chela/internal/org"
	"chela/internal/run"
)

// delegateRoutes adds how a ticket is handed to an agent.
func delegateRoutes(a *api) {
	const path = "/api/projects/{project}/tickets/{id}/delegate"
	route(a, http.MethodPost, path, "delegate-ticket", "Hand a ticket to an agent: a comment of yours mentions it, and it begins", org.Editor, a.delegate, status(http.StatusCreated))
	route(a, http.MethodGet, path, "list-delegated", "List the agents that were asked in comments on a ticket, with their last run of it", org.Viewer, a.delegated)
}

// DelegateBody says to whom a ticket is handed, and what they are to do.
type DelegateBody struct {
	Agent string `json:"agent" minLength:"1" doc:"its name; it has to be enabled"`
	Text  string `json:"text,omitempty" doc:"what it is to do, Markdown; Please do this ticket. when left out"`
}

// Delegated is a ticket that was handed to an agent.
type Delegated struct {
	Agent   string `json:"agent"`
	Comment string `json:"commentId" doc:"in which the agent is asked"`
	Thread  string `json:"threadId" doc:"the conversation with the agent about the ticket; it may begin in a moment"`
}

// wanted is what an agent is asked for when nobody says.
const wanted = "Please do this ticket."

func (a *api) delegate(ctx context.Context, in *struct {
	RecordPath
	Body DelegateBody
},
) (*Body[Delegated], error) {
	id := agentID(strings.TrimPrefix(strings.TrimSpace(in.Body.Agent), "@"))
	agent, err := a.Store.Roster.Agent(ctx, id)
	if err != nil && fault.KindOf(err) == fault.NotFound {
		return nil, fault.BadField("agent", "There is no agent "+id.Name()+"; GET /api/agents lists those there are.")
	}
	if err == nil {
		err = agent.Ready()
	}
	if err != nil {
		return nil, err
	}
	text := "@" + id.Name() + " " + cmp.Or(strings.TrimSpace(in.Body.Text), wanted)
	switch asked, err := a.mentioned(ctx, text); {
	case err != nil:
		return nil, err
	case !slices.Contains(asked, id):
		return nil, fault.New(fault.Conflict, "A person and the agent %s have the same name, so a comment mentions neither. Rename one of them.", id.Name())
	}
	out := Delegated{Agent: id.Name()}
	err = a.Clerk.Do(ctx, a.place(ctx), in.Project, a.commit(ctx), func(w *clerk.Work) error {
		w.ByHand()
		t, err := w.Get(desk.Ticket, in.ID)
		if err != nil {
			return err
		}
		c, err := clerk.Add(w, desk.Comment, &desk.CommentBody{RecordID: t.ID, Text: text})
		out.Comment = c.ID
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Thread, err = a.Talk.About(ctx, in.ID, in.Project, string(id))
	return body(out, err)
}

// mentioned are the agents that a text mentions.
func (a *api) mentioned(ctx context.Context, texts ...string) ([]org.AgentID, error) {
	people, err := a.Store.People.Persons(ctx)
	if err != nil {
		return nil, err
	}
	members, err := a.Store.Roster.Members(ctx)
	if err != nil {
		return nil, err
	}
	agents := make([]org.AgentID, len(members))
	for i, m := range members {
		agents[i] = m.Card.AgentID
	}
	var out []org.AgentID
	for _, text := range texts {
		for _, id := range notify.Mentioned(text, people, agents) {
			if who := org.AgentID(id); slices.Contains(agents, who) && !slices.Contains(out, who) {
				out = append(out, who)
			}
		}
	}
	return out, nil
}

// DelegatedRun is an agent that was asked in comments on a ticket, and how it stands with it.
type DelegatedRun struct {
	Agent    string    `json:"agent"`
	Thread   string    `json:"threadId" doc:"the conversation with the agent about the ticket"`
	Run      run.ID    `json:"runId"`
	State    run.State `json:"state" enum:"queued,running,waiting,done,failed,cancelled"`
	Reason   string    `json:"reason,omitempty" doc:"why it ended or waits"`
	Approval string    `json:"approvalId,omitempty" doc:"the question with which it waits"`
	At       time.Time `json:"at" doc:"since when"`
}

// mostComments are the comments of a ticket that are looked at, the newest.
const mostComments = 200

func (a *api) delegated(ctx context.Context, in *RecordPath) (*Body[[]DelegatedRun], error) {
	w, err := a.Clerk.Begin(ctx, event.Place{}, in.Project)
	if err != nil {
		return nil, err
	}
	if _, err := w.Get(desk.Ticket, in.ID); err != nil {
		return nil, err
	}
	comments, err := w.List(clerk.Query{Kind: desk.Comment, RefField: "recordId", RefTo: []string{in.ID}, Limit: mostComments, Newest: true})
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, c := range comments {
		b, err := desk.Open[desk.CommentBody](c)
		if err != nil {
			return nil, err
		}
		if strings.Contains(b.Text, "@") {
			texts = append(texts, b.Text)
		}
	}
	out := []DelegatedRun{}
	if len(texts) == 0 {
		return body(out, nil)
	}
	agents, err := a.mentioned(ctx, texts...)
	if err != nil {
		return nil, err
	}
	for _, id := range agents {
		thread, err := a.Talk.About(ctx, in.ID, in.Project, string(id))
		if err != nil {
			return nil, err
		}
		runs, err := a.Store.Runs.RunList(ctx, run.Filter{Thread: thread, Project: in.Project, Limit: 1})
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			d := DelegatedRun{Agent: id.Name(), Thread: thread, Run: r.ID, State: r.State, Reason: r.Reason, At: r.UpdatedAt}
			d.Approval, _ = strings.CutPrefix(r.WaitsFor, run.ForPerson)
			if d.Approval == r.WaitsFor {
				d.Approval = "" // it waits for something else, or not
			}
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b DelegatedRun) int { return b.At.Compare(a.At) })
	return body(out, nil)
}
