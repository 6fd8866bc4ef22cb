package store

import (
	"context"
	"encoding/json"
	"fmt"

	"chela/internal/event"
	"chela/internal/skill"
)

// A Skills is what agents were taught.
type Skills struct{ base }

// projectSkill writes what was installed, and what was set of it.
func (tx *Tx) projectSkill(e event.Event) error {
	tx.topics[event.SkillsChanged] = true
	if err := open(e, skill.InstalledKind, func(s skill.Installed) error {
		return tx.do("INSERT INTO skills (name, installed, settings, seq) VALUES (?, ?, '{}', ?) ON CONFLICT (name) DO UPDATE SET installed = excluded.installed, seq = excluded.seq",
			s.Name, string(e.Message.Payload), int64(e.Seq))
	}); err != nil {
		return err
	}
	if err := open(e, skill.SetKind, func(s skill.Settings) error {
		return tx.do("INSERT INTO skills (name, installed, settings, seq) VALUES (?, '', ?, ?) ON CONFLICT (name) DO UPDATE SET settings = excluded.settings, seq = excluded.seq",
			s.Name, string(e.Message.Payload), int64(e.Seq))
	}); err != nil {
		return err
	}
	return open(e, skill.RemovedKind, func(r skill.Removed) error { return tx.do("DELETE FROM skills WHERE name = ?", r.Name) })
}

// Skills returns what is known of skills, by name.
func (s Skills) Skills(ctx context.Context) ([]skill.Kept, error) {
	return s.read(func(query string, args ...any) (Rows, error) { return s.db.Query(ctx, query, args...) }, "ORDER BY name")
}

func (s Skills) read(query func(string, ...any) (Rows, error), rest string, args ...any) ([]skill.Kept, error) {
	rows, err := query("SELECT name, installed, settings FROM skills "+rest, args...)
	if err != nil {
		return nil, fmt.Errorf("read skills: %w", err)
	}
	return all(rows, func(scan func(...any) error) (k skill.Kept, err error) {
		var installed, settings string
		if err := scan(&k.Name, &installed, &settings); err != nil {
			return k, err
		}
		if installed != "" {
			k.Installed = new(skill.Installed)
			if err := json.Unmarshal([]byte(installed), k.Installed); err != nil {
				return k, fmt.Errorf("decode a skill: %w", err)
			}
		}
		if err := json.Unmarshal([]byte(settings), &k.Settings); err != nil {
			return k, fmt.Errorf("decode the settings of a skill: %w", err)
		}
		return k, nil
	})
}

// Change records what fn drafts of a skill as it is; of one that is not known there is only the name.
func (s Skills) Change(ctx context.Context, name string, fn func(skill.Kept) ([]event.Draft, error)) error {
	return changeOne(ctx, s.db, func(tx *Tx) ([]skill.Kept, error) { return s.read(tx.query, "WHERE name = ?", name) }, skill.Kept{Name: name}, fn)
}
