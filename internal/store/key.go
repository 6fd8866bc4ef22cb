package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

func (tx *Tx) projectKey(e event.Event) error {
	tx.members = true
	if err := open(e, org.KeyMadeKind, func(k org.Key) error {
		var expires int64
		if k.Expires != nil {
			expires = micros(*k.Expires)
		}
		return tx.do("INSERT INTO program_keys (id, person, body, expires_at, revoked_at, seq) VALUES (?, ?, ?, ?, 0, ?)", k.ID, k.Person, string(e.Message.Payload), expires, int64(e.Seq))
	}); err != nil {
		return err
	}
	return open(e, org.TokenRevokedKind, func(p org.TokenRevoked) error {
		return tx.do("UPDATE program_keys SET revoked_at = ? WHERE id = ?", micros(e.At), p.ID)
	})
}

// MakeKey keeps the token of a key, in one transaction with the events of it. made returns them for
// the key with its id.
func (c Credentials) MakeKey(ctx context.Context, token string, k org.Key, made func(org.Key) []event.Draft) (org.Key, error) {
	k.ID = tokenHash(token)[:tokenID]
	a := org.Access{Person: k.Person, Purpose: org.APIToken, Label: k.Name}
	if k.Expires != nil {
		a.ExpiresAt = *k.Expires
	}
	return k, c.db.Write(ctx, func(tx *Tx) error {
		if err := tx.grant(token, a); err != nil {
			return err
		}
		_, err := tx.Append(made(k)...)
		return err
	})
}

// Key returns what a key may do. A fault.Unauthenticated says that it may do nothing: it is not
// known, was revoked or has ended. What it returns may be up to keptFor old.
func (c Credentials) Key(ctx context.Context, id string) (org.Key, error) {
	all, err := c.db.keys.get(c.db, func() (map[string]org.Key, error) { return c.keys(ctx) })
	if err != nil {
		return org.Key{}, err
	}
	k, ok := all[id]
	if !ok {
		return k, fault.New(fault.Unauthenticated, "There is no key %s any more; make another with `chela key make`.", id)
	}
	if k.Expires != nil && c.db.mint.Now().After(*k.Expires) {
		return k, fault.New(fault.Unauthenticated, "The key %q has ended; make another with `chela key make`.", k.Name)
	}
	return k, nil
}

// Keys returns the keys that open something, the newest first.
func (c Credentials) Keys(ctx context.Context) ([]org.Key, error) {
	rows, err := c.db.Query(ctx, `SELECT k.body, coalesce(t.used_at, 0) FROM program_keys k LEFT JOIN access_tokens t ON substr(t.hash, 1, 16) = k.id
		WHERE k.revoked_at = 0 AND (k.expires_at = 0 OR k.expires_at > ?) ORDER BY k.seq DESC`, micros(c.db.mint.Now()))
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return all(rows, scanKey)
}

func (c Credentials) keys(ctx context.Context) (map[string]org.Key, error) {
	list, err := c.Keys(ctx)
	out := make(map[string]org.Key, len(list))
	for _, k := range list {
		out[k.ID] = k
	}
	return out, err
}

func scanKey(scan func(...any) error) (k org.Key, err error) {
	var body string
	var used int64
	if err := scan(&body, &used); err != nil {
		return k, err
	}
	if err := json.Unmarshal([]byte(body), &k); err != nil {
		return k, fmt.Errorf("decode a key: %w", err)
	}
	if used > 0 {
		at := fromMicros(used)
		k.Used = &at
	}
	return k, nil
}

// keyOf is the key whose token has an id; nil when the token is no key's.
func (c Credentials) keyOf(ctx context.Context, id string) (*org.Key, error) {
	rows, err := c.db.Query(ctx, "SELECT body, 0 FROM program_keys WHERE id = ?", id)
	if err != nil {
		return nil, fmt.Errorf("read the key %s: %w", id, err)
	}
	k, err := first(rows, scanKey)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil //nolint:nilnil // most tokens are no keys
	}
	return &k, err
}
