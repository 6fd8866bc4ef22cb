package api

import (
	"context"
	"net/http"
	"time"

	"chela/internal/agent"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/recall"
	"chela/internal/vector"
)

// recallRoutes adds what finds memories again, and a person's notes.
func recallRoutes(a *api) {
	route(a, http.MethodGet, "/api/recall", "recall", "Find what is known for a question: memories, your notes and what was said in your conversations, ranked, with reasons", org.Viewer, a.recall)
	route(a, http.MethodGet, "/api/recall/vectors", "vector-status", "Get how far the vectors of what can be recalled are, where a model is named that gives them", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[vector.Status], error) {
		return body(a.Vectors(ctx))
	})
	route(a, http.MethodGet, "/api/agents/{id}/prompt", "show-prompt", "Get what an agent would be told now, part by part, with tokens", org.Viewer, func(ctx context.Context, in *PromptQuery) (*Body[agent.ShownPrompt], error) {
		return body(a.Prompt(ctx, agentID(in.ID), person(ctx).ID, in.Thread))
	})
	route(a, http.MethodPost, "/api/persons/{id}/erase", "erase-person", "Take what a person said, asked and noted out of the log for good; the chain still verifies", org.Owner, a.erase)
	route(a, http.MethodGet, "/api/notes", "list-notes", "List your notes, which nobody else sees, the latest first", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[[]memory.Note], error) {
		return body(a.Store.Recall.Notes(ctx, person(ctx).ID))
	})
	route(a, http.MethodPost, "/api/notes", "note", "Create a note, or replace the one of its key", org.Viewer, a.note, status(http.StatusCreated))
	route(a, http.MethodDelete, "/api/notes/{id}", "forget-note", "Delete a note of yours", org.Viewer, a.forgetNote)
}

// PromptQuery names an agent, and a conversation.
type PromptQuery struct {
	IDPath
	Thread string `query:"threadId" doc:"a conversation, as if something was said in it now"`
}

// RecallQuery asks for what is known.
type RecallQuery struct {
	Text    string   `query:"q" required:"true" maxLength:"4000" doc:"a question or words; days in it are seen from now"`
	Project string   `query:"projectId" doc:"its memories and conversations, too"`
	Thread  string   `query:"threadId" doc:"the memories and messages of this conversation, too"`
	Agent   string   `query:"agent" doc:"as this agent sees it"`
	Scopes  []string `query:"scope" doc:"only these: GLOBAL, PROJECT, SESSION, THREAD, AGENT, TEAM, PERSON, SAID, with commas between them"`
	Types   []string `query:"type" doc:"only memories of these types: fact, decision, preference, procedure, question, summary"`
	Limit   int      `query:"limit" minimum:"1" maximum:"100" default:"10"`
}

// RecalledPassage is what was found.
type RecalledPassage struct {
	ID         string          `json:"id" doc:"of the record, note or message; of a piece of a long memory with # and its number"`
	Source     string          `json:"source" doc:"the record, note or message"`
	Scope      string          `json:"scope"`
	Type       string          `json:"type,omitempty"`
	Title      string          `json:"title,omitempty"`
	Text       string          `json:"text"`
	Speaker    string          `json:"speaker,omitempty" doc:"who said or wrote it"`
	At         time.Time       `json:"at"`
	Thread     string          `json:"threadId,omitempty" doc:"of what was said"`
	Project    string          `json:"projectId,omitempty"`
	Score      float64         `json:"score" doc:"between 0 and 1, within this answer"`
	Weak       bool            `json:"weak" doc:"it shares no more than one common word with the question"`
	Superseded bool            `json:"superseded" doc:"another memory took its place, or it holds no longer"`
	Outside    bool            `json:"outside" doc:"its words came from outside"`
	Reasons    []recall.Reason `json:"reasons"`
}

// RecallOut is what was found, the best first.
type RecallOut struct {
	Items []RecalledPassage `json:"items"`
}

func (a *api) recall(ctx context.Context, in *RecallQuery) (*Body[RecallOut], error) {
	who := memory.Reader{Person: person(ctx).ID, Project: in.Project, Thread: in.Thread}
	if in.Project != "" {
		if err := a.Clerk.Exists(ctx, in.Project); err != nil {
			return nil, err
		}
	}
	if in.Agent != "" {
		found, err := a.Store.Roster.Member(ctx, agentID(in.Agent))
		if err != nil {
			return nil, err
		}
		who.Agent, who.Teams = found.Card.AgentID, found.Card.Teams()
	}
	hits, err := a.Memory.Recall(ctx, who, memory.Question{Text: in.Text, Scopes: in.Scopes, Kinds: in.Types, Limit: in.Limit})
	out := RecallOut{Items: []RecalledPassage{}}
	for _, h := range hits {
		p := RecalledPassage{
			ID: h.ID, Source: h.Source, Scope: h.Scope, Type: h.Type, Title: h.Title, Text: h.Text, Speaker: h.Speaker, At: h.At, Project: h.Project,
			Score: h.Score, Weak: h.Weak, Superseded: h.Superseded, Outside: h.Outside, Reasons: h.Reasons,
		}
		if h.Scope == memory.Said {
			p.Thread = h.Thread
		}
		out.Items = append(out.Items, p)
	}
	return body(out, err)
}

// NoteIn is a note to keep.
type NoteIn struct {
	Key       string   `json:"key,omitempty" doc:"names it; made from the content when left out"`
	Content   string   `json:"content"`
	Type      string   `json:"type,omitempty" doc:"fact, decision, preference, procedure, question or summary"`
	Tags      []string `json:"tags,omitempty"`
	ExpiresAt string   `json:"expiresAt,omitempty" doc:"a day or an instant"`
}

func (a *api) note(ctx context.Context, in *struct{ Body NoteIn }) (*Body[memory.Note], error) {
	who := person(ctx).ID
	n := memory.Note{Key: in.Body.Key, Content: in.Body.Content, Type: in.Body.Type, Tags: in.Body.Tags, ExpiresAt: desk.Date(in.Body.ExpiresAt), Sources: []desk.Source{{By: "person"}}}
	if err := n.Check(a.Store.Desk.Mint().Now()); err != nil {
		return nil, err
	}
	have, err := a.Store.Recall.Notes(ctx, who)
	if err != nil {
		return nil, err
	}
	n.ID = memory.Named(have, n.Key, a.Store.Desk.Mint())
	e, err := a.Store.Log.Append(ctx, memory.NotedKind.Draft(memory.Place(a.place(ctx), who), n))
	if err == nil {
		n.At = e[0].At
	}
	return body(n, err)
}

func (a *api) forgetNote(ctx context.Context, in *IDPath) (*Body[memory.Note], error) {
	who := person(ctx).ID
	have, err := a.Store.Recall.Notes(ctx, who)
	if err != nil {
		return nil, err
	}
	for _, n := range have {
		if n.ID == in.ID {
			_, err := a.Store.Log.Append(ctx, memory.ForgottenKind.Draft(memory.Place(a.place(ctx), who), memory.Forgotten{ID: n.ID}))
			return body(n, err)
		}
	}
	return nil, fault.New(fault.NotFound, "You have no note %s.", in.ID)
}

// EraseIn says why.
type EraseIn struct {
	Reason string `json:"reason,omitempty" maxLength:"500" doc:"recorded, as is who asks"`
}

// erase takes a person's words out. Nothing else is written until all tables are made again.
func (a *api) erase(ctx context.Context, in *struct {
	IDPath
	Body EraseIn
},
) (*Body[memory.Erased], error) {
	if _, err := a.Store.People.Person(ctx, in.ID); err != nil {
		return nil, err
	}
	return body(a.Store.Audit.Erase(ctx, a.orgPlace(ctx), in.ID, in.Body.Reason))
}
