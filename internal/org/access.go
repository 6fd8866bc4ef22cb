package org

import "time"

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
	Person    string // whose; empty for an invitation
	Purpose   Purpose
	Role      string // of the person to be made, for an invitation
	Label     string
	CreatedAt time.Time
	ExpiresAt time.Time // zero means never
}
