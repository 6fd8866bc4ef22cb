package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"chela/internal/canvas"
	"chela/internal/event"
	"chela/internal/library"
)

func layoutText(l canvas.Layout) (string, error) {
	if len(l) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(l)
	return string(raw), err
}

func layoutOf(text string) (canvas.Layout, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // nobody placed the nodes
	}
	var l canvas.Layout
	err := json.Unmarshal([]byte(text), &l)
	return l, err
}

func filesText(files map[string]string) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(files)
	return string(raw), err
}

func filesOf(text string) (map[string]string, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // there are none
	}
	var files map[string]string
	err := json.Unmarshal([]byte(text), &files)
	return files, err
}

// projectDraft writes drafts. An edit begins with the text as it stands, or with the version that it names.
func (tx *Tx) projectDraft(e event.Event) error {
	if e.Message.Type == library.DiscardedKind.Name {
		return open(e, library.DiscardedKind, func(p library.Discarded) error {
			if err := tx.do("DELETE FROM workflow_edits WHERE slug = ?", p.Slug); err != nil {
				return err
			}
			return tx.do("UPDATE workflow_drafts SET revision = ?, gone = 1, clean = 1, source = '', layout = '', files = '', version = 0 WHERE slug = ?", p.Revision, p.Slug)
		})
	}
	return open(e, library.EditedKind, func(p library.Edited) error {
		d, ok, err := tx.WorkingDraft(p.Slug)
		if err != nil {
			return err
		}
		if !ok || d.Gone {
			d.Version, d.Draft = p.Version, canvas.Draft{}
			if v, ok, err := tx.Numbered(p.Slug, p.Version); err != nil {
				return err
			} else if ok && p.Version > 0 {
				d.Draft = canvas.Draft{Source: v.Source, Layout: v.Layout, Files: v.Files}
			}
		}
		if err := edit(&d.Draft, p); err != nil {
			return err
		}
		layout, err := layoutText(d.Layout)
		if err != nil {
			return err
		}
		files, err := filesText(d.Files)
		if err != nil {
			return err
		}
		from, at := e.Message.From, micros(e.At)
		if err := tx.do(`INSERT INTO workflow_drafts (slug, revision, version, clean, gone, source, layout, files, edited_by, edited_role, at) VALUES (?,?,?,0,0,?,?,?,?,?,?)
			ON CONFLICT (slug) DO UPDATE SET revision = excluded.revision, version = excluded.version, clean = 0, gone = 0, source = excluded.source, layout = excluded.layout, files = excluded.files,
			edited_by = excluded.edited_by, edited_role = excluded.edited_role, at = excluded.at`,
			p.Slug, p.Revision, d.Version, d.Source, layout, files, from.AgentID, from.Role, at); err != nil {
			return err
		}
		return tx.do("INSERT INTO workflow_edits (slug, revision, edited_by, edited_role, body, at) VALUES (?,?,?,?,?,?)", p.Slug, p.Revision, from.AgentID, from.Role, string(e.Message.Payload), at)
	})
}

// edit makes of a draft what an edit made of it.
func edit(d *canvas.Draft, p library.Edited) (err error) {
	if d.Source, err = canvas.Play(d.Source, p.Splices); err != nil {
		return err
	}
	if d.Layout == nil {
		d.Layout = make(canvas.Layout)
	}
	for n, at := range p.Moved {
		if delete(d.Layout, n); at != nil {
			d.Layout[n] = *at
		}
	}
	if d.Files == nil {
		d.Files = make(map[string]string)
	}
	for name, c := range p.Files {
		if delete(d.Files, name); c.Now != nil {
			d.Files[name] = *c.Now
		}
	}
	return nil
}

// draftSaved has a draft know the version that was saved. A draft in which nothing was changed since its own version
// takes the text of the new one.
func (tx *Tx) draftSaved(p library.Saved, layout, files string) error {
	if err := tx.do("UPDATE workflow_drafts SET version = ?, clean = 1 WHERE slug = ? AND gone = 0 AND source = ?", p.Version, p.Slug, p.Source); err != nil {
		return err
	}
	if err := tx.do("DELETE FROM workflow_edits WHERE slug = ? AND EXISTS (SELECT 1 FROM workflow_drafts d WHERE d.slug = ? AND d.clean = 1 AND d.gone = 0 AND d.source <> ?)", p.Slug, p.Slug, p.Source); err != nil {
		return err
	}
	return tx.do("UPDATE workflow_drafts SET version = ?, revision = revision + 1, source = ?, layout = ?, files = ? WHERE slug = ? AND clean = 1 AND gone = 0 AND source <> ?", p.Version, p.Source, layout, files, p.Slug, p.Source)
}

const draftFields = "slug, revision, version, clean, gone, source, layout, files, edited_by, edited_role, at"

func (l look) draft(slug string) (library.WorkingDraft, bool, error) {
	rows, err := l("SELECT "+draftFields+" FROM workflow_drafts WHERE slug = ?", slug)
	if err != nil {
		return library.WorkingDraft{}, false, fmt.Errorf("read draft: %w", err)
	}
	d, err := first(rows, func(scan func(...any) error) (d library.WorkingDraft, err error) {
		var clean, gone int
		var at int64
		layout, files := "", ""
		if err := scan(&d.Slug, &d.Revision, &d.Version, &clean, &gone, &d.Source, &layout, &files, &d.By.AgentID, &d.By.Role, &at); err != nil {
			return d, err
		}
		d.Clean, d.Gone, d.At = clean == 1, gone == 1, fromMicros(at)
		if d.Layout, err = layoutOf(layout); err != nil {
			return d, err
		}
		d.Files, err = filesOf(files)
		return d, err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return d, false, nil
	}
	return d, err == nil, err
}

// Draft implements [library.Drafts].
func (w Workflows) Draft(ctx context.Context, slug string) (library.WorkingDraft, bool, error) {
	return w.db.look(ctx).draft(slug)
}

// WorkingDraft implements [library.Tx].
func (tx *Tx) WorkingDraft(slug string) (library.WorkingDraft, bool, error) {
	return look(tx.query).draft(slug)
}

// Edits implements [library.Drafts].
func (w Workflows) Edits(ctx context.Context, slug string, after int) ([]library.Edit, error) {
	rows, err := w.db.Query(ctx, `SELECT e.body, e.edited_by, e.edited_role, coalesce(p.name, ''), e.at FROM workflow_edits e LEFT JOIN org_persons p ON 'agent:person/' || p.id = e.edited_by
		WHERE e.slug = ? AND e.revision > ? ORDER BY e.revision`, slug, after)
	if err != nil {
		return nil, fmt.Errorf("read edits: %w", err)
	}
	return all(rows, func(scan func(...any) error) (e library.Edit, err error) {
		body := ""
		var at int64
		if err := scan(&body, &e.Party.AgentID, &e.Party.Role, &e.Name, &at); err != nil {
			return e, err
		}
		if e.At = fromMicros(at); e.Name == "" {
			e.Name = strings.TrimPrefix(e.Party.AgentID, "agent:")
		}
		return e, json.Unmarshal([]byte(body), &e.Edited)
	})
}
