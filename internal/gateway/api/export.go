package api

import (
	"context"
	"net/http"
	"slices"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// What an export has at most.
const (
	mostExported = 10_000 // messages
	exportPage   = 500
)

func exportRoutes(a *api) {
	route(a, http.MethodPatch, "/api/sessions/{id}", "rename-session", "Rename a conversation", org.Editor, a.renameSession)
	route(a, http.MethodGet, "/api/sessions/{id}/export", "export-session", "Export a conversation with all that was said in it, as JSON or Markdown", org.Viewer, a.exportSession, textual[session.Exported](a, "text/markdown"))
}

// RenameBody is what a conversation is called.
type RenameBody struct {
	Title string `json:"title"`
}

func (a *api) renameSession(ctx context.Context, in *struct {
	IDPath
	Body RenameBody
},
) (*Body[session.Thread], error) {
	title, err := session.CheckTitle(in.Body.Title)
	if err != nil {
		return nil, err
	}
	live, err := a.Store.Conversations.Session(ctx, in.ID)
	if err = inbox.There(live, err); err != nil {
		return nil, err
	}
	if live.Title != title {
		at := a.place(ctx)
		at.Stream, at.Thread, at.Trace = event.ThreadStream(in.ID), in.ID, run.TraceOf(ctx)
		if _, err := a.Store.Log.Append(ctx, session.ChangedKind.Draft(at, session.Changed{Title: &title})); err != nil {
			return nil, err
		}
	}
	return body(a.Store.Conversations.Session(ctx, in.ID))
}

// ExportIn says which conversation is exported, and how.
type ExportIn struct {
	IDPath
	Format string `query:"format" enum:"json,markdown" doc:"as the Accept header says when left out"`
	Accept string `header:"Accept"`
}

func (a *api) exportSession(ctx context.Context, in *ExportIn) (*Text, error) {
	live, err := a.Store.Conversations.Session(ctx, in.ID)
	if err = inbox.There(live, err); err != nil {
		return nil, err
	}
	if live.Messages > mostExported {
		return nil, fault.New(fault.TooLarge, "The conversation %s has %d messages; up to %d are exported at once. GET /api/conversations/%s/messages gives it part by part.", in.ID, live.Messages, mostExported, in.ID)
	}
	out := session.Exported{Thread: live, Messages: []session.Message{}}
	for after := event.Seq(0); ; {
		more, err := a.Store.Conversations.Messages(ctx, in.ID, after, exportPage)
		if err != nil {
			return nil, err
		}
		out.Messages = append(out.Messages, more...)
		if len(more) < exportPage {
			break
		}
		after = more[len(more)-1].Seq
	}
	persons, err := a.Store.People.Persons(ctx)
	if err != nil {
		return nil, err
	}
	out.Names = make(map[string]string)
	for _, p := range persons {
		if by := p.Party().AgentID; slices.ContainsFunc(out.Messages, func(m session.Message) bool { return m.Actor == by }) {
			out.Names[by] = p.Name
		}
	}
	if in.Format == "markdown" || in.Format == "" && accepts(in.Accept, "text/markdown") {
		return &Text{Type: "text/markdown; charset=utf-8", Vary: "Accept", Body: []byte(out.Markdown())}, nil
	}
	return inJSON(out)
}
