package api

import (
	"context"
	"encoding/json"
	"net/http"

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
	Scope   string `query:"scope" enum:"GLOBAL,PROJECT,SESSION,THREAD"`
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
	Scope     string   `json:"scope,omitempty" enum:"GLOBAL,PROJECT,SESSION,THREAD" doc:"GLOBAL without a project, else PROJECT, when left out"`
	Key       string   `json:"key,omitempty" doc:"names the fact; made from the content when left out"`
	Content   string   `json:"content"`
	Tags      []string `json:"tags,omitempty"`
	ThreadID  string   `json:"threadId,omitempty" doc:"of the conversation"`
	ExpiresAt string   `json:"expiresAt,omitempty" doc:"a day or an instant"`
}

// keepMemory keeps a memory; an older one of that scope and key takes over what is new.
func (a *api) keepMemory(ctx context.Context, in *struct{ Body MemoryIn }) (*Body[RecordOut], error) {
	b := in.Body
	m := &desk.MemoryBody{Scope: b.Scope, ThreadID: b.ThreadID, Key: b.Key, Content: b.Content, Tags: b.Tags, ExpiresAt: desk.Date(b.ExpiresAt)}
	if m.Scope == "" && b.Project == "" {
		m.Scope = "GLOBAL"
	}
	if (m.Scope != "GLOBAL") != (b.Project != "") {
		return nil, fault.BadField("projectId", "A memory names its project, except a GLOBAL one.")
	}
	return changed(ctx, a, b.Project, func(w *clerk.Work) (desk.Record, error) {
		r, isNew, err := clerk.Ensure(w, desk.Memory, m)
		if err != nil || isNew {
			return r, err
		}
		return clerk.Edit(w, desk.Memory, r.ID, func(old *desk.MemoryBody) {
			old.Content, old.ExpiresAt = m.Content, m.ExpiresAt
			if m.Tags != nil {
				old.Tags = m.Tags
			}
		})
	})
}
