package org

import (
	"time"

	"chela/internal/event"
)

// A Purpose says what a token opens.
type Purpose string

// The purposes of tokens. Login and invite tokens open once.
const (
	APIToken    Purpose = "token"
	CookieToken Purpose = "cookie"
	LoginToken  Purpose = "login"
	InviteToken Purpose = "invite"
)

// An Access is what a token opens, as the store keeps it beside the token's hash.
type Access struct {
	ID        string // names the token and does not open anything
	Person    string // whose; empty for an invitation
	Purpose   Purpose
	Role      string // of the person to be made, for an invitation
	By        string // who made an invitation; empty for other tokens, and for an older daemon's
	Label     string
	CreatedAt time.Time
	ExpiresAt time.Time // zero means never
	UsedAt    time.Time // when it last opened something, to the hour; zero means never
	Key       *Key      // the bounds of a program's key; nil for other tokens
}

// TokenRevokedKind is the fact that a token opens nothing any more.
var TokenRevokedKind = event.Kind[TokenRevoked]{Name: "org.token.revoked", PayloadType: "org.token.v1"}

// TokenRevoked records which token opens nothing from now on.
type TokenRevoked struct {
	ID      string  `json:"id"`
	Person  string  `json:"person,omitempty"` // whose it was; nobody's for an invitation
	Purpose Purpose `json:"purpose"`
	Label   string  `json:"label,omitempty"`
}
