package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// RunHeader names, in the answer to a change, the run that the change is part of.
const RunHeader = "Chela-Run"

func undoRoutes(a *api) {
	route(a, http.MethodPost, "/api/undo", "undo", "Take back what a run or an event did to records: an edit, a bulk edit, an agent's work, an import or, for an admin, the deletion of a project", org.Editor, a.undo)
}

// UndoBody says what is taken back: a run, an event, or the caller's last change of a project.
type UndoBody struct {
	Run     string `json:"run,omitempty" doc:"all that this run changed; the header Chela-Run of the answer to a change names it"`
	Event   string `json:"event,omitempty" doc:"only what this event changed"`
	Project string `json:"projectId,omitempty" doc:"with neither: the caller's last change in this project"`
	Preview bool   `json:"preview,omitempty" doc:"say what would change, and change nothing"`
}

// UndoOut says what was taken back, and what was left.
type UndoOut struct {
	clerk.Undone
	Preview bool `json:"preview,omitempty"`
}

func (a *api) undo(ctx context.Context, in *struct{ Body UndoBody }) (*Body[UndoOut], error) {
	b := in.Body
	if b.Run == "" && b.Event == "" {
		var err error
		if b.Run, err = a.lastAct(ctx, b.Project); err != nil {
			return nil, err
		}
	}
	act, err := a.Past.Act(ctx, b.Run, b.Event)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(act, clerk.EndsProject) && !person(ctx).Role.AtLeast(org.Admin) {
		return nil, fault.New(fault.Denied, "Only an admin deletes projects and takes that back.")
	}
	out := UndoOut{Undone: clerk.Undone{Changed: []desk.Diff{}, Kept: []clerk.Kept{}}, Preview: b.Preview}
	commit, at := a.commit(ctx), a.place(ctx)
	if b.Preview {
		commit = nil
	}
	for _, part := range byProject(act) {
		done, err := a.Clerk.Undo(ctx, at, part, commit)
		if err != nil {
			return nil, err
		}
		out.Changed, out.Kept = append(out.Changed, done.Changed...), append(out.Kept, done.Kept...)
	}
	return body(out, nil)
}

// lastAct finds the run of the caller's last change of a project's records.
func (a *api) lastAct(ctx context.Context, project string) (string, error) {
	if project == "" {
		return "", fault.BadField("run", "Say what is taken back: a run, an event, or a project for your last change in it.")
	}
	if err := a.Clerk.Exists(ctx, project); err != nil {
		return "", err
	}
	last, _, err := a.Store.Log.Events(ctx, 0, event.Filter{Stream: desk.StreamOf(project), Actor: party(ctx).AgentID, Type: "desk.*", Newest: true, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(last) == 0 {
		return "", fault.New(fault.NotFound, "You have changed nothing in this project. Name a run or an event.")
	}
	return last[0].Message.RunID, nil
}

// byProject divides what an act did by the project whose records it changed.
func byProject(act []desk.Revision) [][]desk.Revision {
	var out [][]desk.Revision
	at := make(map[string]int)
	for _, r := range act {
		i, ok := at[r.After.Project]
		if !ok {
			i, out = len(out), append(out, nil)
			at[r.After.Project] = i
		}
		out[i] = append(out[i], r)
	}
	return out
}

type actKey struct{}

// tellAct has the answer to a change name the run that the change is part of.
func tellAct(c huma.Context, next func(huma.Context)) {
	if c.Method() != http.MethodGet {
		c = huma.WithValue(c, actKey{}, func(run string) { c.SetHeader(RunHeader, run) })
	}
	next(c)
}
