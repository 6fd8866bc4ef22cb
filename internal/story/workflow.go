package story

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"strings"

	"chela/internal/fault"
	"chela/internal/library"
)

// A Workflow is one that somebody saves and deploys, and that runs where it has inputs.
type Workflow struct {
	Day  int             `json:"day"`
	By   string          `json:"by"`
	File string          `json:"file"` // of the documents; or shipped:SLUG
	Runs int             `json:"runs"` // the day
	With json.RawMessage `json:"with,omitempty"`

	source string
	slug   string
}

// read takes the file in.
func (w *Workflow) read(files fs.FS) error {
	slug, comes := strings.CutPrefix(w.File, "shipped:")
	raw, err := library.ShippedSource(slug)
	if !comes {
		raw, err = fs.ReadFile(files, w.File)
	}
	if err != nil {
		return fault.Wrap(err, fault.NotFound, "The story's workflow %s cannot be read.", w.File)
	}
	w.source = string(raw)
	return nil
}

func (w *Workflow) deploy(ctx context.Context, t *teller) error {
	c, err := t.as(w.By)
	if err != nil {
		return err
	}
	var saved struct {
		Slug string `json:"slug"`
	}
	if err := c.Call(ctx, http.MethodPost, "/api/workflows", map[string]string{"source": w.source}, &saved); err != nil {
		return err
	}
	w.slug = saved.Slug
	return c.Call(ctx, http.MethodPost, "/api/workflows/"+w.slug+"/deploy", map[string]any{}, nil)
}

func (w *Workflow) run(ctx context.Context, t *teller) error {
	return t.call(ctx, w.By, http.MethodPost, "/api/workflows/"+w.slug+"/run", map[string]any{"inputs": w.With, "projectId": t.project}, nil)
}

// A Build is a workflow that somebody has built from a sentence; it stays a draft.
type Build struct {
	Day  int    `json:"day"`
	By   string `json:"by"`
	Text string `json:"text"`
}

func (b Build) build(ctx context.Context, t *teller) error {
	c, err := t.as(b.By)
	if err != nil {
		return err
	}
	var out struct {
		Plan struct {
			ID string `json:"id"`
		} `json:"plan"`
	}
	if err := c.Call(ctx, http.MethodPost, "/api/workflows/build", map[string]string{"text": b.Text}, &out); err != nil {
		return err
	}
	return c.Call(ctx, http.MethodPost, "/api/workflows/plans/"+out.Plan.ID+"/execute", nil, nil)
}
