package api

import (
	"context"
	"net/http"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/talk"
	"chela/internal/tool"
)

// extractor is the agent that finds in threads what nobody has written down.
const extractor = org.AgentID("agent:thread-extractor")

func extractRoutes(a *api) {
	route(a, http.MethodPost, "/api/projects/{project}/extract", "extract", "Extract reminders, checklists, tickets and ideas from threads", org.Editor, a.extract, status(http.StatusAccepted))
	route(a, http.MethodGet, "/api/projects/{project}/extractions", "list-extractions", "List extractions, newest first", org.Viewer, a.extractions)
	route(a, http.MethodGet, "/api/projects/{project}/extractions/{id}", "get-extraction", "Get an extraction", org.Viewer, func(ctx context.Context, in *RecordPath) (*Body[Extraction], error) {
		r, err := a.Store.Runs.Run(ctx, run.ID(in.ID))
		if err != nil || r.Project != in.Project || r.Kind != session.ExtractionRun {
			return nil, fault.New(fault.NotFound, "The extraction %s does not exist.", in.ID)
		}
		return body(a.extraction(ctx, r))
	})
}

// ExtractBody says what to look for, and where.
type ExtractBody struct {
	Threads []string `json:"threadIds,omitempty" maxItems:"50" doc:"all threads of the project when left out, the newest 50"`
	Types   []string `json:"types,omitempty" enum:"REMINDERS,CHECKLISTS,TICKETS,IDEAS,ALL" doc:"ALL when left out"`
	DryRun  bool     `json:"dryRun,omitempty" doc:"say which threads would be read, and ask nobody"`
}

// An Extraction is one look through threads.
type Extraction struct {
	ID      run.ID   `json:"extractionId,omitempty"`
	Session string   `json:"sessionId,omitempty" doc:"the conversation with the extractor"`
	Status  string   `json:"status" enum:"DRY_RUN,QUEUED,RUNNING,COMPLETED,FAILED"`
	Summary string   `json:"summary,omitempty" doc:"what the extractor said, or why it failed"`
	Threads []string `json:"threadIds,omitempty"`
}

func (a *api) extract(ctx context.Context, in *struct {
	ProjectPath
	Body *ExtractBody `required:"false"`
},
) (*Body[Extraction], error) {
	b := ExtractBody{}
	if in.Body != nil {
		b = *in.Body
	}
	threads, err := a.threadsOf(ctx, in.Project, b.Threads)
	if err != nil {
		return nil, err
	}
	out := Extraction{Status: "DRY_RUN"}
	sections := make([]prompt.Section, len(threads))
	for i, r := range threads {
		t, err := desk.Open[desk.ThreadBody](r)
		if err != nil {
			return nil, err
		}
		out.Threads = append(out.Threads, r.ID)
		sections[i] = prompt.Section{ID: r.ID, Title: t.Title, Text: t.Summary + "\n" + t.Content}
	}
	if b.DryRun {
		return body(out, nil)
	}
	acc, err := a.Talk.Say(ctx, talk.Message{Message: inbox.Message{
		Project: in.Project, Agent: string(extractor), Kind: session.ExtractionRun, From: party(ctx), Channel: gateway.CallerOf(ctx).How.Channel(), Text: prompt.Extraction(b.Types, sections), Origins: []string{tool.FromImports, tool.FromRecords},
	}})
	if err != nil {
		return nil, err
	}
	out.ID, out.Session, out.Status = run.ID(acc.Run), acc.Thread, "QUEUED"
	return body(out, a.lookedThrough(ctx, in.Project, out.Threads))
}

// lookedThrough notes on threads that they are looked through.
func (a *api) lookedThrough(ctx context.Context, project string, threads []string) error {
	now := desk.Date(a.Store.Desk.Mint().Now().UTC().Format(time.RFC3339))
	return a.Clerk.Do(ctx, a.place(ctx), project, a.commit(ctx), func(w *clerk.Work) error {
		for _, id := range threads {
			_, err := clerk.Edit(w, desk.Thread, id, func(b *desk.ThreadBody) { b.ExtractedAt, b.Extractions = now, b.Extractions+1 })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// threadsOf returns the threads that are asked for, or the newest.
func (a *api) threadsOf(ctx context.Context, project string, ids []string) ([]desk.Record, error) {
	w, err := a.Clerk.Begin(ctx, a.place(ctx), project)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		p, err := a.Store.Desk.Records(ctx, clerk.Query{Project: project, Kind: desk.Thread, Newest: true, Limit: 50})
		if err == nil && len(p.Records) == 0 {
			err = fault.New(fault.Invalid, "The project has no threads to look through. They come from minutes.")
		}
		return p.Records, err
	}
	var out []desk.Record
	for _, id := range ids {
		r, err := w.Get(desk.Thread, id)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func (a *api) extraction(ctx context.Context, r run.Run) (Extraction, error) {
	out := Extraction{ID: r.ID, Session: r.Thread, Summary: r.Reason}
	switch r.State {
	case run.Queued:
		out.Status = "QUEUED"
	case run.Done:
		out.Status = "COMPLETED"
		said, err := a.Talk.Await(ctx, inbox.Accepted{Thread: r.Thread, Run: string(r.ID)})
		if err != nil {
			return out, err
		}
		out.Summary = said.Reply
	case run.Failed, run.Cancelled:
		out.Status = "FAILED"
	case run.Running, run.Waiting:
		out.Status = "RUNNING"
	}
	return out, nil
}

func (a *api) extractions(ctx context.Context, in *ProjectPath) (*Body[[]Extraction], error) {
	if _, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project); err != nil {
		return nil, err
	}
	runs, err := a.Store.Runs.RunList(ctx, run.Filter{Project: in.Project, Kind: session.ExtractionRun, Limit: 200})
	out := []Extraction{}
	for _, r := range runs {
		x, err := a.extraction(ctx, r)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return body(out, err)
}
