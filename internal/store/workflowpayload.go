package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/library"
)

// projectPayload writes the organization's own payload types.
func (tx *Tx) projectPayload(e event.Event) error {
	if e.Message.Type == library.UnregisteredKind.Name {
		return open(e, library.UnregisteredKind, func(p library.Registered) error {
			return tx.do("DELETE FROM workflow_payloads WHERE name = ? AND revision = ?", p.Name, p.Revision)
		})
	}
	return open(e, library.RegisteredKind, func(p library.Registered) error {
		return tx.do("INSERT INTO workflow_payloads (name, revision, schema, note, by_id, seq, at) VALUES (?,?,?,?,?,?,?)", p.Name, p.Revision, string(p.Schema), p.Note, e.Message.From.AgentID, int64(e.Seq), micros(e.At))
	})
}

const payloadFields = "SELECT name, revision, schema, note, by_id, at FROM workflow_payloads p WHERE "

func scanPayload(scan func(...any) error) (p library.Payload, err error) {
	var schema string
	var at int64
	err = scan(&p.Name, &p.Revision, &schema, &p.Note, &p.By, &at)
	p.Schema, p.At = json.RawMessage(schema), fromMicros(at)
	return p, err
}

func (l look) payload(name string) (p library.Payload, ok bool, err error) {
	rows, err := l(payloadFields+"name = ? ORDER BY revision DESC LIMIT 1", name)
	if err != nil {
		return p, false, fmt.Errorf("read payload type: %w", err)
	}
	p, err = first(rows, scanPayload)
	if errors.Is(err, sql.ErrNoRows) {
		return p, false, nil
	}
	return p, err == nil, err
}

// Payload implements [library.Tx].
func (tx *Tx) Payload(name string) (library.Payload, bool, error) {
	return look(tx.query).payload(name)
}

// Types implements [library.Payloads].
func (w Workflows) Types(ctx context.Context) definition.OwnTypes {
	return func(name string) (map[string]any, bool) {
		p, ok, err := w.db.look(ctx).payload(name)
		if err != nil || !ok {
			return nil, false
		}
		v, err := definition.Read(p.Schema)
		m, _ := v.(map[string]any)
		return m, err == nil && m != nil
	}
}

// Payloads implements [library.Payloads].
func (w Workflows) Payloads(ctx context.Context) ([]library.Payload, error) {
	rows, err := w.db.Query(ctx, payloadFields+"revision = (SELECT max(n.revision) FROM workflow_payloads n WHERE n.name = p.name) ORDER BY name")
	if err != nil {
		return nil, fmt.Errorf("list payload types: %w", err)
	}
	return all(rows, scanPayload)
}

// Revisions implements [library.Payloads].
func (w Workflows) Revisions(ctx context.Context, name string) ([]library.Payload, error) {
	rows, err := w.db.Query(ctx, payloadFields+"name = ? ORDER BY revision DESC", name)
	if err != nil {
		return nil, fmt.Errorf("list revisions: %w", err)
	}
	return all(rows, scanPayload)
}

// mostPlaying bounds the instances whose versions are looked at.
const mostPlaying = 100_000

// Playing implements [library.Payloads].
func (w Workflows) Playing(ctx context.Context) ([]library.Version, error) {
	rows, err := w.db.Query(ctx, "SELECT "+versionFields+", v.source, v.layout, v.files FROM workflow_versions v WHERE v.state = 'deployed' ORDER BY v.slug")
	if err != nil {
		return nil, fmt.Errorf("list deployed versions: %w", err)
	}
	out, err := all(rows, scanSource)
	if err != nil {
		return nil, err
	}
	open, err := w.Instances(ctx, "", true, mostPlaying)
	if err != nil {
		return nil, err
	}
	more := make(map[string]map[int]bool)
	plays := func(slug string, number int) {
		if more[slug] == nil {
			more[slug] = make(map[int]bool)
		}
		more[slug][number] = true
	}
	for _, in := range open {
		plays(in.Slug, in.Version)
		for slug, number := range in.Input.Uses {
			plays(slug, number)
		}
	}
	for _, slug := range slices.Sorted(maps.Keys(more)) {
		for _, number := range slices.Sorted(maps.Keys(more[slug])) {
			if slices.ContainsFunc(out, func(v library.Version) bool { return v.Slug == slug && v.Number == number }) {
				continue
			}
			v, err := w.Version(ctx, slug, number)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
	}
	return out, nil
}
