package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"chela/internal/contract"
	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/instance"
	"chela/internal/library"
	"chela/internal/run"
)

// Workflows are the library's versions, and the instances with their steps.
type Workflows struct{ base }

var (
	_ library.Store     = Workflows{}
	_ instance.Versions = Workflows{}
	_ library.Tx        = (*Tx)(nil)
)

// projectWorkflow writes the library.
func (tx *Tx) projectWorkflow(e event.Event) error {
	at, from := micros(e.At), e.Message.From
	if e.Message.Type == library.DeployedKind.Name || e.Message.Type == library.RetiredKind.Name {
		tx.topics[event.WorkflowsMoved] = true
	}
	switch e.Message.Type {
	case library.SavedKind.Name:
		return open(e, library.SavedKind, func(p library.Saved) error {
			layout, err := layoutText(p.Layout)
			if err != nil {
				return err
			}
			files, err := filesText(p.Files)
			if err != nil {
				return err
			}
			if err := tx.do(`INSERT INTO workflow_versions (slug, version, state, name, digest, note, source, layout, files, saved_by, saved_role, deployed_by, deployed_role, seq, saved_at, deployed_at)
				VALUES (?,?,?,?,?,?,?,?,?,?,?,'','',?,?,0)`, p.Slug, p.Version, string(library.Draft), p.Name, p.Digest, p.Note, p.Source, layout, files, from.AgentID, from.Role, int64(e.Seq), at); err != nil {
				return err
			}
			return tx.draftSaved(p, layout, files)
		})
	case library.DeployedKind.Name:
		return open(e, library.DeployedKind, func(p library.Moved) error {
			if err := tx.do("UPDATE workflow_versions SET state = ? WHERE slug = ? AND state = ?", string(library.Retired), p.Slug, string(library.Deployed)); err != nil {
				return err
			}
			return tx.do("UPDATE workflow_versions SET state = ?, deployed_by = ?, deployed_role = ?, deployed_at = ? WHERE slug = ? AND version = ?",
				string(library.Deployed), from.AgentID, from.Role, at, p.Slug, p.Version)
		})
	case library.RetiredKind.Name:
		return open(e, library.RetiredKind, func(p library.Moved) error {
			return tx.do("UPDATE workflow_versions SET state = ? WHERE slug = ? AND version = ?", string(library.Retired), p.Slug, p.Version)
		})
	case library.StartedKind.Name:
		return open(e, library.StartedKind, func(p library.Started) error {
			return tx.do("INSERT INTO workflow_instances (run_id, slug, version, retry_of, seq) VALUES (?,?,?,?,?)", e.Message.RunID, p.Slug, p.Version, string(p.RetryOf), int64(e.Seq))
		})
	case contract.EvidenceKind.Name:
		return open(e, contract.EvidenceKind, func(p contract.Evidence) error { return tx.projectEvidence(p, e) })
	case instance.ReviewedKind.Name:
		return open(e, instance.ReviewedKind, func(p instance.Reviewed) error {
			return tx.do(`INSERT INTO workflow_reviews (run_id, path, state, author, reworks, body, seq, at) VALUES (?,?,?,?,?,?,?,?) ON CONFLICT (run_id, path) DO UPDATE SET
				state = excluded.state, author = excluded.author, reworks = excluded.reworks, body = excluded.body, seq = excluded.seq, at = excluded.at`,
				e.Message.RunID, p.Path, string(p.To), p.Author, p.Reworks, string(e.Message.Payload), int64(e.Seq), at)
		})
	case instance.StepKind.Name:
		return open(e, instance.StepKind, func(p instance.Step) error { return tx.projectStanding(p, e) })
	}
	return nil
}

// projectStanding writes where a step of an instance stands.
func (tx *Tx) projectStanding(p instance.Step, e event.Event) error {
	started, ended := int64(0), int64(0)
	if p.State == instance.Started {
		started = micros(e.At)
	}
	if p.State.Ended() || p.State == instance.Undone {
		ended = micros(e.At)
	}
	switch {
	case p.Event != "":
		tx.topics[event.EventsAwaited] = true
		if err := tx.do("INSERT INTO workflow_waits (run_id, path, step, type, seq) VALUES (?,?,?,?,?) ON CONFLICT (run_id, path) DO UPDATE SET step = excluded.step, type = excluded.type, seq = excluded.seq",
			e.Message.RunID, p.Path, p.Reason, p.Event, int64(e.Seq)); err != nil {
			return err
		}
	case p.State.Ended():
		if err := tx.do("DELETE FROM workflow_waits WHERE run_id = ? AND path = ?", e.Message.RunID, p.Path); err != nil {
			return err
		}
	}
	return tx.do(`INSERT INTO workflow_steps (run_id, path, state, unproven, body, seq, started_at, ended_at) VALUES (?,?,?,?,?,?,?,?)
		ON CONFLICT (run_id, path) DO UPDATE SET state = excluded.state, unproven = excluded.unproven, body = excluded.body, ended_at = excluded.ended_at,
		started_at = CASE WHEN workflow_steps.started_at = 0 THEN excluded.started_at ELSE workflow_steps.started_at END`,
		e.Message.RunID, p.Path, string(p.State), flag(p.Unproven), string(e.Message.Payload), int64(e.Seq), started, ended)
}

// Evidence returns what was found of the contracts of an instance, in order.
func (w Workflows) Evidence(ctx context.Context, id run.ID) ([]contract.Evidence, error) {
	rows, err := w.db.Query(ctx, "SELECT body FROM workflow_evidence WHERE run_id = ? AND ticket = '' ORDER BY seq", string(id))
	if err != nil {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	return all(rows, scanBody[contract.Evidence])
}

// Reviews returns where the reviews of an instance stand, as their last moves say.
func (w Workflows) Reviews(ctx context.Context, id run.ID) ([]instance.Reviewed, error) {
	rows, err := w.db.Query(ctx, "SELECT body FROM workflow_reviews WHERE run_id = ? ORDER BY seq", string(id))
	if err != nil {
		return nil, fmt.Errorf("read reviews: %w", err)
	}
	return all(rows, scanBody[instance.Reviewed])
}

func scanBody[T any](scan func(...any) error) (v T, err error) {
	var body string
	if err := scan(&body); err != nil {
		return v, err
	}
	return v, json.Unmarshal([]byte(body), &v)
}

const versionFields = "v.slug, v.version, v.state, v.name, v.digest, v.note, v.saved_by, v.saved_role, v.deployed_by, v.deployed_role, v.saved_at, v.deployed_at"

func scanVersion(scan func(...any) error) (library.Version, error) { return scanVersionAnd(scan) }

// scanVersionAnd scans a version and what follows it into more.
func scanVersionAnd(scan func(...any) error, more ...any) (v library.Version, err error) {
	var saved, deployed int64
	err = scan(append([]any{
		&v.Slug, &v.Number, &v.State, &v.Name, &v.Digest, &v.Note, &v.SavedBy.AgentID, &v.SavedBy.Role, &v.DeployedBy.AgentID, &v.DeployedBy.Role, &saved, &deployed,
	}, more...)...)
	v.SavedAt, v.DeployedAt = fromMicros(saved), fromMicros(deployed)
	return v, err
}

func scanSource(scan func(...any) error) (library.Version, error) {
	source, layout, files := "", "", ""
	v, err := scanVersionAnd(scan, &source, &layout, &files)
	if err != nil {
		return v, err
	}
	v.Source = source
	if v.Layout, err = layoutOf(layout); err != nil {
		return v, err
	}
	v.Files, err = filesOf(files)
	return v, err
}

// Workflows implements [library.Store].
func (w Workflows) Workflows(ctx context.Context) ([]library.Version, error) {
	rows, err := w.db.Query(ctx, "SELECT "+versionFields+`, v.source, v.layout, v.files FROM workflow_versions v WHERE v.state = 'deployed' OR v.version = (
		SELECT max(n.version) FROM workflow_versions n WHERE n.slug = v.slug) AND NOT EXISTS (
		SELECT 1 FROM workflow_versions d WHERE d.slug = v.slug AND d.state = 'deployed') ORDER BY v.slug`)
	if err != nil {
		return nil, fmt.Errorf("list workflows: %w", err)
	}
	out, err := all(rows, scanSource)
	for i := range out {
		out[i].Types = w.Types(ctx)
	}
	return out, err
}

// Versions implements [library.Store].
func (w Workflows) Versions(ctx context.Context, slug string) ([]library.Version, error) {
	rows, err := w.db.Query(ctx, "SELECT "+versionFields+" FROM workflow_versions v WHERE v.slug = ? ORDER BY v.version DESC", slug)
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	return all(rows, scanVersion)
}

func (l look) version(slug string, number int) (library.Version, error) {
	where, args := "v.version = ?", []any{slug, number}
	switch number {
	case 0:
		where, args = "v.state = 'deployed'", args[:1]
	case newestVersion:
		where, args = "v.version = (SELECT max(n.version) FROM workflow_versions n WHERE n.slug = v.slug)", args[:1]
	}
	rows, err := l("SELECT "+versionFields+", v.source, v.layout, v.files FROM workflow_versions v WHERE v.slug = ? AND "+where, args...)
	if err != nil {
		return library.Version{}, fmt.Errorf("read version: %w", err)
	}
	return first(rows, scanSource)
}

const newestVersion = -1

// Version implements [library.Store].
func (w Workflows) Version(ctx context.Context, slug string, number int) (library.Version, error) {
	v, err := w.db.look(ctx).version(slug, number)
	if !errors.Is(err, sql.ErrNoRows) {
		v.Types = w.Types(ctx)
		return v, err
	}
	if all, err := w.Versions(ctx, slug); err != nil || len(all) == 0 {
		return v, cmp.Or(err, error(fault.New(fault.NotFound, "There is no workflow %s.", slug)))
	}
	if number == 0 {
		return v, fault.New(fault.NotFound, "No version of the workflow %s is deployed. Deploy one with `chela workflow deploy %s`.", slug, slug)
	}
	return v, fault.New(fault.NotFound, "The workflow %s has no version %d.", slug, number)
}

// Source implements [instance.Versions].
func (w Workflows) Source(ctx context.Context, slug string, number int) ([]byte, definition.OwnTypes, error) {
	v, err := w.Version(ctx, slug, number)
	return []byte(v.Source), v.Types, err
}

// Newest implements [library.Tx].
func (tx *Tx) Newest(slug string) (library.Version, bool, error) {
	return tx.Numbered(slug, newestVersion)
}

// Numbered implements [library.Tx].
func (tx *Tx) Numbered(slug string, number int) (v library.Version, ok bool, err error) {
	v, err = look(tx.query).version(slug, number)
	if errors.Is(err, sql.ErrNoRows) {
		return v, false, nil
	}
	return v, err == nil, err
}

// Steps implements [library.Store]: the steps of an instance, in the order in which they began.
func (w Workflows) Steps(ctx context.Context, id run.ID) ([]library.Standing, error) {
	rows, err := w.db.Query(ctx, "SELECT body, seq, started_at, ended_at FROM workflow_steps WHERE run_id = ? ORDER BY seq", string(id))
	if err != nil {
		return nil, fmt.Errorf("read the steps of an instance: %w", err)
	}
	return all(rows, func(scan func(...any) error) (s library.Standing, err error) {
		var body string
		var seq, started, ended int64
		if err := scan(&body, &seq, &started, &ended); err != nil {
			return s, err
		}
		s.Order, s.StartedAt, s.EndedAt = event.Seq(seq), fromMicros(started), fromMicros(ended)
		return s, json.Unmarshal([]byte(body), &s.Step)
	})
}

const instanceFields = `i.slug, i.version, i.retry_of, coalesce(v.name, i.slug), CASE WHEN r.state = 'failed' AND EXISTS (
	SELECT 1 FROM workflow_steps s WHERE s.run_id = i.run_id AND s.unproven = 1) THEN 1 ELSE 0 END`

func (w Workflows) instances(ctx context.Context, where string, limit int, args ...any) ([]library.Instance, error) {
	rows, err := w.db.Query(ctx, "SELECT "+instanceFields+", "+prefixed("r", runFields)+` FROM workflow_instances i JOIN runs r ON r.id = i.run_id
		LEFT JOIN workflow_versions v ON v.slug = i.slug AND v.version = i.version WHERE `+where+" ORDER BY i.seq DESC"+limited(limit), args...)
	if err != nil {
		return nil, fmt.Errorf("list instances: %w", err)
	}
	return all(rows, func(scan func(...any) error) (in library.Instance, err error) {
		unproven := 0
		in.Run, err = scanRun(func(into ...any) error {
			return scan(append([]any{&in.Slug, &in.Version, &in.RetryOf, &in.Name, &unproven}, into...)...)
		})
		if err != nil {
			return in, err
		}
		in.Unproven = unproven == 1
		return in, json.Unmarshal(in.Run.Input, &in.Input)
	})
}

// Instance implements [library.Store].
func (w Workflows) Instance(ctx context.Context, id run.ID) (library.Instance, error) {
	found, err := w.instances(ctx, "i.run_id = ?", 1, string(id))
	if err == nil && len(found) == 0 {
		err = fault.New(fault.NotFound, "The run %s plays no workflow.", id)
	}
	if err != nil {
		return library.Instance{}, err
	}
	return found[0], nil
}

// Instances returns instances, newest first; an empty slug means of all workflows.
func (w Workflows) Instances(ctx context.Context, slug string, open bool, limit int) ([]library.Instance, error) {
	where := "(i.slug = ? OR ? = '')"
	if open {
		where += " AND r.ended_at = 0"
	}
	return w.instances(ctx, where, limit, slug, slug)
}

// Waits implements [library.Store].
func (w Workflows) Waits(ctx context.Context) ([]library.EventWait, error) {
	rows, err := w.db.Query(ctx, "SELECT w.run_id, w.step, w.type, w.seq FROM workflow_waits w JOIN runs r ON r.id = w.run_id WHERE r.ended_at = 0 ORDER BY w.seq")
	if err != nil {
		return nil, fmt.Errorf("read what instances wait for: %w", err)
	}
	return all(rows, func(scan func(...any) error) (e library.EventWait, err error) {
		var seq int64
		err = scan(&e.Run, &e.Step, &e.Type, &seq)
		e.Since = event.Seq(seq)
		return e, err
	})
}

// Author is who answers for what a workflow does that begins by itself: who deployed it, nobody when it is gone.
func (w Workflows) Author(ctx context.Context, slug string) (event.Party, error) {
	rows, err := w.db.Query(ctx, "SELECT "+versionFields+", v.source, v.layout, v.files FROM workflow_versions v WHERE v.slug = ? ORDER BY v.deployed_at DESC LIMIT 1", slug)
	if err != nil {
		return event.Party{}, fmt.Errorf("read who deployed %s: %w", slug, err)
	}
	v, err := first(rows, scanSource)
	if errors.Is(err, sql.ErrNoRows) {
		return event.Party{}, nil
	}
	return v.DeployedBy, err
}
