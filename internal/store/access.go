package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// Credentials are the tokens that open the gateway.
type Credentials struct{ base }

func tokenHash(token string) string {
	sum := sha256.Sum256([]byte("chela token " + token))
	return hex.EncodeToString(sum[:])
}

// tokenID is how many letters of a token's hash are its id.
const tokenID = 16

// Grant keeps a token.
func (c Credentials) Grant(ctx context.Context, token string, a org.Access) error {
	return c.db.Write(ctx, func(tx *Tx) error { return tx.grant(token, a) })
}

func (tx *Tx) grant(token string, a org.Access) error {
	return tx.do(`INSERT INTO access_tokens (hash, person, purpose, role, by_person, label, created_at, expires_at, used_at) VALUES (?,?,?,?,?,?,?,?,0)`,
		tokenHash(token), a.Person, string(a.Purpose), a.Role, a.By, a.Label, micros(tx.db.mint.Now()), micros(a.ExpiresAt))
}

// Guest returns who a token opens for, and what the token is; fault.Unauthenticated
// when it opens nothing. Both may be up to keptFor old.
func (c Credentials) Guest(ctx context.Context, token string) (org.Person, org.Access, error) {
	a, err := c.db.tokens.of(c.db, tokenHash(token), true, func() (org.Access, error) { return c.Access(ctx, token) })
	if err != nil {
		return org.Person{}, a, err
	}
	if err := c.expired(a); err != nil {
		return org.Person{}, a, err
	}
	p, err := c.db.People.keptPerson(ctx, a.Person)
	return p, a, err
}

// Access returns what a token opens, or fault.Unauthenticated.
func (c Credentials) Access(ctx context.Context, token string) (org.Access, error) {
	var a org.Access
	var created, expires, used int64
	err := c.db.one(ctx, "SELECT person, purpose, role, by_person, label, created_at, expires_at, used_at FROM access_tokens WHERE hash = ?", []any{tokenHash(token)},
		&a.Person, &a.Purpose, &a.Role, &a.By, &a.Label, &created, &expires, &used)
	if errors.Is(err, sql.ErrNoRows) {
		return a, fault.New(fault.Unauthenticated, "The token is not known. `chela status` shows where the owner's token lies.")
	}
	if err != nil {
		return a, fmt.Errorf("read token: %w", err)
	}
	a.ID, a.CreatedAt, a.ExpiresAt, a.UsedAt = tokenHash(token)[:tokenID], fromMicros(created), fromMicros(expires), fromMicros(used)
	if err := c.expired(a); err != nil {
		return a, err
	}
	if used > 0 && (a.Purpose == org.LoginToken || a.Purpose == org.InviteToken) {
		return a, fault.New(fault.Unauthenticated, "The link was used already; ask for a new one.")
	}
	if a.Purpose == org.APIToken {
		a.Key, err = c.keyOf(ctx, a.ID)
	}
	return a, err
}

func (c Credentials) expired(a org.Access) error {
	if !a.ExpiresAt.IsZero() && c.db.mint.Now().After(a.ExpiresAt) {
		return fault.New(fault.Unauthenticated, "The %s has expired; ask for a new one.", a.Purpose)
	}
	return nil
}

// redeem marks a one-time token as used; only the first caller succeeds.
func (tx *Tx) redeem(token string) error {
	tx.members = true
	n, err := tx.Exec(tx.ctx, "UPDATE access_tokens SET used_at = ? WHERE hash = ? AND used_at = 0", micros(tx.db.mint.Now()), tokenHash(token))
	if err == nil && n == 0 {
		return fault.New(fault.Unauthenticated, "The link was used already; ask for a new one.")
	}
	return err
}

// LogIn opens a link, which it does once: it keeps the token of a login, and records what made says of it, by the token's id, all in
// one transaction.
func (c Credentials) LogIn(ctx context.Context, link, token string, a org.Access, made func(id string) []event.Draft) error {
	return c.db.Write(ctx, func(tx *Tx) error {
		if err := tx.redeem(link); err != nil {
			return err
		}
		if err := tx.grant(token, a); err != nil {
			return err
		}
		_, err := tx.Append(made(tokenHash(token)[:tokenID])...)
		return err
	})
}

// Record records facts about those who call.
func (c Credentials) Record(ctx context.Context, drafts ...event.Draft) error {
	return c.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.Append(drafts...)
		return err
	})
}

// Use keeps that a token opened something now. Links that open once are [Credentials.LogIn]'s.
func (c Credentials) Use(ctx context.Context, token string) error {
	return c.db.Write(ctx, func(tx *Tx) error {
		return tx.do("UPDATE access_tokens SET used_at = ? WHERE hash = ? AND purpose NOT IN ('login', 'invite')", micros(tx.db.mint.Now()), tokenHash(token))
	})
}

// Tokens returns every token that opens something, the newest first.
func (c Credentials) Tokens(ctx context.Context) ([]org.Access, error) {
	rows, err := c.db.Query(ctx, `SELECT hash, person, purpose, role, label, created_at, expires_at, used_at FROM access_tokens
		WHERE (expires_at = 0 OR expires_at > ?) AND (used_at = 0 OR purpose NOT IN ('login', 'invite')) ORDER BY created_at DESC, hash`, micros(c.db.mint.Now()))
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	var out []org.Access
	return out, each(rows, func(scan func(...any) error) error {
		var a org.Access
		var created, expires, used int64
		err := scan(&a.ID, &a.Person, &a.Purpose, &a.Role, &a.Label, &created, &expires, &used)
		if err == nil {
			a.ID, a.CreatedAt, a.ExpiresAt, a.UsedAt = a.ID[:tokenID], fromMicros(created), fromMicros(expires), fromMicros(used)
			out = append(out, a)
		}
		return err
	})
}

// Revoke removes a token, in one transaction with the events of it.
func (c Credentials) Revoke(ctx context.Context, id string, drafts ...event.Draft) error {
	return c.db.Write(ctx, func(tx *Tx) error {
		tx.members = true
		n, err := tx.Exec(tx.ctx, "DELETE FROM access_tokens WHERE substr(hash, 1, 16) = ?", id)
		if err != nil {
			return fmt.Errorf("remove the token %s: %w", id, err)
		}
		if n == 0 {
			return fault.New(fault.NotFound, "There is no token %s.", id)
		}
		_, err = tx.Append(drafts...)
		return err
	})
}
