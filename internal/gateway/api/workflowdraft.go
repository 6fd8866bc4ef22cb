package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"chela/internal/canvas"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/library"
	"chela/internal/org"
)

func draftRoutes(a *api) {
	route(a, http.MethodGet, "/api/workflows/{slug}/draft", "get-workflow-draft", "Get the draft of a workflow: its text, its graph with findings, and where nodes stand; the newest version when nobody edits it", org.Viewer, a.draft)
	route(a, http.MethodPut, "/api/workflows/{slug}/draft", "write-workflow-draft", "Write the whole text of a draft; others' edits since its base stay, unless they changed the same lines", org.Editor, a.writeDraft)
	route(a, http.MethodDelete, "/api/workflows/{slug}/draft", "discard-workflow-draft", "Discard a draft; the next edit begins with the newest version", org.Editor, func(ctx context.Context, in *SlugPath) (*struct{}, error) {
		return nil, a.Library.Discard(ctx, party(ctx), in.Slug)
	}, status(http.StatusNoContent))
	route(a, http.MethodGet, "/api/workflows/{slug}/draft/diff", "diff-workflow-draft", "Compare a draft with the version that is deployed; nothing is saved", org.Viewer, func(ctx context.Context, in *SlugPath) (*Body[DraftDiffOut], error) {
		live, diff, err := a.Library.DraftDiff(ctx, in.Slug)
		return body(DraftDiffOut{live, diff}, err)
	})
	route(a, http.MethodGet, "/api/workflows/{slug}/draft/file", "get-workflow-file", "Get the text of a file of a draft", org.Viewer, a.draftFile)
	route(a, http.MethodPost, "/api/workflows/{slug}/edits", "edit-workflow-draft", "Apply operations to a draft, all or none; others' edits since their base stay, and the last to write a property wins", org.Editor, a.editDraft)
	route(a, http.MethodGet, "/api/workflows/{slug}/edits", "list-workflow-edits", "List the edits of a draft, oldest first", org.Viewer, a.draftEdits)
	route(a, http.MethodPost, "/api/workflows/{slug}/draft/undo", "undo-workflow-edit", "Take back your newest edit of a draft, or the edit of a revision", org.Editor, a.undoEdit)
	route(a, http.MethodPost, "/api/workflows/{slug}/draft/redo", "redo-workflow-edit", "Do again what you undid last of a draft", org.Editor, a.redoEdit)
	route(a, http.MethodPost, "/api/workflows/{slug}/draft/save", "save-workflow-draft", "Save a draft as a version, which is not deployed yet; it must have no findings", org.Editor, a.saveDraft, status(http.StatusCreated))
}

// DraftOut is a draft of a workflow.
type DraftOut struct {
	Slug     string        `json:"slug"`
	Revision int           `json:"revision" doc:"the base of edits; 0 before the first"`
	Version  int           `json:"version,omitempty" doc:"that it began from, or was saved as last"`
	Saved    bool          `json:"saved" doc:"the text is that of the version"`
	Source   string        `json:"source" doc:"YAML"`
	Layout   canvas.Layout `json:"layout" doc:"where nodes stand, by their paths; the page places those that it does not have"`
	Graph    canvas.Graph  `json:"graph"`
	Files    []FileOut     `json:"files" nullable:"false" doc:"that the agents of instances may read"`
	EditedBy event.Party   `json:"editedBy"`
	EditedAt time.Time     `json:"editedAt"`
	Undo     int           `json:"undo,omitempty" doc:"the revision that undo takes back for you"`
	Redo     int           `json:"redo,omitempty" doc:"the revision, an undo, that redo takes back for you"`
	Created  []string      `json:"created,omitempty" doc:"paths of the nodes that the edit created, in order"`
	Notes    []string      `json:"notes,omitempty" doc:"what an edit did besides, sentences"`
}

// DraftDiffOut is what is different in a draft.
type DraftDiffOut struct {
	Deployed int    `json:"deployed,omitempty" doc:"the version that is deployed; left out when none is"`
	Diff     string `json:"diff" doc:"unified; empty is nothing"`
}

// FileOut is a file of a draft.
type FileOut struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
}

// FileText is a file with its text.
type FileText struct {
	FileOut

	Text string `json:"text"`
}

func (a *api) draftOut(ctx context.Context, d library.WorkingDraft, err error) (*Body[DraftOut], error) {
	if err != nil {
		return nil, err
	}
	_, problems := a.Library.Check(ctx, []byte(d.Source))
	g, err := canvas.Draw(d.Draft, problems)
	if err != nil {
		return nil, err
	}
	out := DraftOut{Slug: d.Slug, Revision: d.Revision, Version: d.Version, Saved: d.Clean, Source: d.Source, Layout: d.Layout, Graph: g, EditedBy: d.By, EditedAt: d.At}
	out.Files = []FileOut{}
	for _, name := range slices.Sorted(maps.Keys(d.Files)) {
		out.Files = append(out.Files, FileOut{name, len(d.Files[name])})
	}
	if out.Layout == nil {
		out.Layout = canvas.Layout{}
	}
	history, err := a.Library.History(ctx, party(ctx), d)
	out.Undo, out.Redo = history.Undo, history.Redo
	return body(out, err)
}

func (a *api) draft(ctx context.Context, in *SlugPath) (*Body[DraftOut], error) {
	d, err := a.Library.Draft(ctx, in.Slug)
	return a.draftOut(ctx, d, err)
}

func (a *api) draftFile(ctx context.Context, in *struct {
	SlugPath
	Path string `query:"path" required:"true"`
},
) (*Body[FileText], error) {
	d, err := a.Library.Draft(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	text, ok := d.Files[in.Path]
	if !ok {
		return nil, fault.New(fault.NotFound, "The draft of %s has no file %q.", in.Slug, in.Path)
	}
	return body(FileText{FileOut{in.Path, len(text)}, text}, nil)
}

// DraftBody is the text of a draft.
type DraftBody struct {
	Base   int    `json:"base" minimum:"0" doc:"the revision that the text was made from; 0 begins a draft"`
	Source string `json:"source" maxLength:"262144" doc:"YAML; it may have findings, but must be a workflow of this slug"`
	Note   string `json:"note,omitempty" maxLength:"500" doc:"what changed"`
}

func (a *api) writeDraft(ctx context.Context, in *struct {
	SlugPath
	Body DraftBody
},
) (*Body[DraftOut], error) {
	d, err := a.Library.Replace(ctx, library.By(party(ctx)), in.Slug, in.Body.Base, in.Body.Source, in.Body.Note)
	return a.draftOut(ctx, d, err)
}

// EditsBody are operations on a draft.
type EditsBody struct {
	Base       int                `json:"base" minimum:"0" doc:"the revision that the operations were made on"`
	Operations []canvas.Operation `json:"operations" nullable:"false" minItems:"1" maxItems:"1000"`
}

func (a *api) editDraft(ctx context.Context, in *struct {
	SlugPath
	Body EditsBody
},
) (*Body[DraftOut], error) {
	d, outcome, err := a.Library.Edit(ctx, library.By(party(ctx)), in.Slug, in.Body.Base, in.Body.Operations)
	out, err := a.draftOut(ctx, d, err)
	if err == nil {
		out.Body.Created, out.Body.Notes = outcome.Created, outcome.Notes
	}
	return out, err
}

// EditOut is an edit of a draft.
type EditOut struct {
	Revision   int                `json:"revision"`
	Operations []canvas.Operation `json:"operations" nullable:"false" doc:"none when the text was written as a whole"`
	Undoes     int                `json:"undoes,omitempty" doc:"the revision that it takes back"`
	Note       string             `json:"note,omitempty"`
	By         event.Party        `json:"by"`
	Name       string             `json:"name" doc:"of who made it"`
	At         time.Time          `json:"at"`
}

func (a *api) draftEdits(ctx context.Context, in *struct {
	SlugPath
	After int `query:"after" minimum:"0" doc:"only those after this revision"`
},
) (*Body[[]EditOut], error) {
	edits, err := a.Store.Workflows.Edits(ctx, in.Slug, in.After)
	out := []EditOut{}
	for _, e := range edits {
		out = append(out, EditOut{e.Revision, append([]canvas.Operation{}, e.Operations...), e.Undoes, e.Note, e.Party, e.Name, e.At})
	}
	return body(out, err)
}

// UndoEditBody names an edit.
type UndoEditBody struct {
	Revision int `json:"revision,omitempty" minimum:"0" doc:"your newest edit when left out"`
}

func (a *api) undoEdit(ctx context.Context, in *struct {
	SlugPath
	Body UndoEditBody
},
) (*Body[DraftOut], error) {
	d, err := a.Library.UndoEdit(ctx, party(ctx), in.Slug, in.Body.Revision)
	return a.draftOut(ctx, d, err)
}

func (a *api) redoEdit(ctx context.Context, in *SlugPath) (*Body[DraftOut], error) {
	d, err := a.Library.RedoEdit(ctx, party(ctx), in.Slug)
	return a.draftOut(ctx, d, err)
}

// NoteBody says what changed.
type NoteBody struct {
	Note string `json:"note,omitempty" maxLength:"500" doc:"what changed"`
}

func (a *api) saveDraft(ctx context.Context, in *struct {
	SlugPath
	Body NoteBody
},
) (*Body[WorkflowOut], error) {
	v, err := a.Library.SaveDraft(ctx, party(ctx), in.Slug, in.Body.Note)
	if err != nil {
		return nil, err
	}
	return body(workflowOut(v), nil)
}
