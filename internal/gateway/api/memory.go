package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/org"
)

// memoryRoutes adds memories by their ids, whatever project they belong to. Those of a
// project are among its records too, together with the GLOBAL ones.
func memoryRoutes(a *api) {
	route(a, http.MethodGet, "/api/memories", "find-memories", "Find memories: GLOBAL ones and those of a project", org.Viewer, a.memories, listAnswers(a, desk.Memory))
	route(a, http.MethodPost, "/api/memories", "keep-memory", "Create a memory; without a project it is GLOBAL", org.Editor, a.keepMemory, status(http.StatusCreated), answers(a, desk.Memory))
	route(a, http.MethodGet, "/api/memories/{id}", "memory", "Get a memory by its id", org.Viewer, func(ctx context.Context, in *IDPath) (*Body[RecordOut], error) {
		r, err := a.loose(ctx, desk.Memory, in.ID)
		if err != nil {
			return nil, err
		}
		return one(ctx, a.Store.Desk, r)
	}, answers(a, desk.Memory))
	forgetRoute(a, desk.Memory, "forget-memory", "Delete a memory")
}

// MemoryQuery narrows memories.
type MemoryQuery struct {
	Project string `query:"projectId" doc:"those of this project too"`
	Scope   string `query:"scope" enum:"GLOBAL,PROJECT,SESSION,THREAD,AGENT,TEAM"`
	Words   string `query:"query" doc:"a part of the content"`
	Limit   int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
	Cursor  string `query:"cursor"`
}

func (a *api) memories(ctx context.Context, in *MemoryQuery) (*Body[ListOut], error) {
	out := ListOut{Items: []RecordOut{}}
	q := clerk.Query{Kind: desk.Memory, Project: in.Project, Shared: true, Status: in.Scope, Newest: true, Limit: in.Limit, Cursor: in.Cursor}
	if in.Project == "" && in.Scope == "" {
		q.Status = "GLOBAL" // which is what belongs to no project
	}
	if in.Project != "" {
		if _, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project); err != nil {
			return nil, err
		}
	}
	if in.Words != "" {
		words, err := json.Marshal(in.Words)
		if err != nil {
			return nil, err
		}
		if q, err = (Narrowing{Filter: "content:~" + string(words)}).over(desk.Memory, q, a.Store.Desk.Mint().Now()); err != nil {
			return nil, err
		}
	}
	p, err := a.Store.Desk.Records(ctx, q)
	out.Total, out.Next = p.Total, p.Next
	for _, r := range p.Records {
		item, err := shown(r, nil)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, item)
	}
	return body(out, err)
}

// MemoryIn is a memory to keep.
type MemoryIn struct {
	Project   string   `json:"projectId,omitempty"`
	Scope     string   `json:"scope,omitempty" enum:"GLOBAL,PROJECT,SESSION,THREAD,AGENT,TEAM" doc:"GLOBAL without a project, else PROJECT, when left out"`
	Key       string   `json:"key,omitempty" doc:"names the fact; made from the content when left out"`
	Content   string   `json:"content"`
	Tags      []string `json:"tags,omitempty"`
	ThreadID  string   `json:"threadId,omitempty" doc:"of the conversation"`
	ExpiresAt string   `json:"expiresAt,omitempty" doc:"a day or an instant; THREAD 7 days and SESSION a day from now when left out"`
	Owner     string   `json:"owner,omitempty" doc:"the agent of an AGENT memory, the team of a TEAM memory"`
	Type      string   `json:"type,omitempty" doc:"fact, decision, preference, procedure, question or summary"`

	Confidence  float64       `json:"confidence,omitempty" doc:"above 0, at most 1"`
	ValidFrom   string        `json:"validFrom,omitempty"`
	ValidTo     string        `json:"validTo,omitempty"`
	Supersedes  []string      `json:"supersedes,omitempty" doc:"memories whose place it takes"`
	Contradicts []string      `json:"contradicts,omitempty" doc:"memories that say otherwise"`
	Sources     []desk.Source `json:"sources,omitempty" doc:"where it comes from, with the exact words"`
}

// keepMemory keeps a memory; an older one of that scope and key takes over what is new.
func (a *api) keepMemory(ctx context.Context, in *struct{ Body MemoryIn }) (*Body[RecordOut], error) {
	b := in.Body
	m := &desk.MemoryBody{
		Scope: b.Scope, Owner: b.Owner, ThreadID: b.ThreadID, Key: b.Key, Type: b.Type, Content: b.Content, Confidence: b.Confidence, Tags: b.Tags, ExpiresAt: desk.Date(b.ExpiresAt),
		ValidFrom: desk.Date(b.ValidFrom), ValidTo: desk.Date(b.ValidTo), Supersedes: b.Supersedes, Contradicts: b.Contradicts, Sources: b.Sources,
	}
	if m.Scope == "" && b.Project == "" {
		m.Scope = desk.ForAll
	}
	everywhere := slices.Contains([]string{desk.ForAll, desk.ForAgent, desk.ForTeam}, m.Scope)
	if everywhere != (b.Project == "") {
		return nil, fault.BadField("projectId", "A memory names its project, except one of the scopes GLOBAL, AGENT and TEAM.")
	}
	if (m.Scope == desk.ForAgent || m.Scope == desk.ForTeam) && m.Owner == "" {
		return nil, fault.BadField("owner", "A memory of the scope "+m.Scope+" names its agent or team.")
	}
	if m.Scope == desk.ForAgent {
		if _, err := a.Store.Roster.Agent(ctx, agentID(m.Owner)); err != nil {
			return nil, fault.BadField("owner", fault.TextOf(err)+" `chela org export` lists the agents.")
		}
	}
	if d := desk.LivesFor(m.Scope); d > 0 && m.ExpiresAt == "" {
		m.ExpiresAt = desk.Date(a.Store.Desk.Mint().Now().UTC().Add(d).Format(time.RFC3339))
	}
	return changed(ctx, a, b.Project, func(w *clerk.Work) (desk.Record, error) {
		r, isNew, err := clerk.Remember(w, m)
		if err != nil || isNew {
			return r, err
		}
		return clerk.Edit(w, desk.Memory, r.ID, func(old *desk.MemoryBody) {
			tags := old.Tags
			if *old = *m; m.Tags == nil {
				old.Tags = tags
			}
		})
	})
}
