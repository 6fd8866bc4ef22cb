package store

import (
	"context"
	"fmt"
	"strings"

	"chela/internal/event"
)

// A Vault is what is sealed.
type Vault struct{ base }

// Sealed returns what the vault keeps, by name: text that means nothing without its key.
func (v Vault) Sealed(ctx context.Context) (map[string]string, error) {
	return v.pairs(ctx, "SELECT name, value FROM vault")
}

// Seal changes what the vault keeps, in one transaction with the events of it. fn is told
// what is kept and returns what changes; an empty value removes. One call at a time gets so
// far, among all that share the database, and fn may be run again.
func (v Vault) Seal(ctx context.Context, fn func(have map[string]string) (map[string]string, []event.Draft, error)) error {
	return v.db.Write(ctx, func(tx *Tx) error {
		tx.Hold(event.OrgStream)
		rows, err := tx.query("SELECT name, value FROM vault")
		if err != nil {
			return fmt.Errorf("read the vault: %w", err)
		}
		have, err := pairsOf(rows)
		if err != nil {
			return err
		}
		changes, drafts, err := fn(have)
		if err != nil {
			return err
		}
		for name, value := range changes {
			if value == "" {
				err = tx.do("DELETE FROM vault WHERE name = ?", name)
			} else {
				err = tx.do("INSERT INTO vault (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
			}
			if err != nil {
				return fmt.Errorf("write the vault: %w", err)
			}
		}
		if len(drafts) == 0 {
			return nil
		}
		_, err = tx.Append(drafts...)
		return err
	})
}

// Unsealed returns what was kept in clear before there was a vault.
func (v Vault) Unsealed(ctx context.Context) (map[string]string, error) {
	return v.pairs(ctx, "SELECT name, value FROM secrets")
}

// DropUnsealed forgets what was kept in clear, and writes over it first, so that it does
// not stay in the database's file.
func (v Vault) DropUnsealed(ctx context.Context) error {
	plain, err := v.Unsealed(ctx)
	if err != nil || len(plain) == 0 {
		return err
	}
	return v.db.Write(ctx, func(tx *Tx) error {
		for name, value := range plain {
			if err := tx.do("UPDATE secrets SET value = ? WHERE name = ?", strings.Repeat("0", len(value)), name); err != nil {
				return err
			}
		}
		return tx.do("DELETE FROM secrets")
	})
}

func (v Vault) pairs(ctx context.Context, query string) (map[string]string, error) {
	rows, err := v.db.Query(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read the vault: %w", err)
	}
	return pairsOf(rows)
}

func pairsOf(rows Rows) (map[string]string, error) {
	out := make(map[string]string)
	return out, each(rows, func(scan func(...any) error) error {
		var name, value string
		if err := scan(&name, &value); err != nil {
			return err
		}
		out[name] = value
		return nil
	})
}
