package org

import (
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Role says what a person may do; each includes those below it.
type Role string

// The roles, greatest first.
const (
	Owner  Role = "owner"
	Admin  Role = "admin"
	Editor Role = "editor"
	Viewer Role = "viewer"
)

// Roles lists all roles, greatest first.
func Roles() []string {
	return []string{string(Owner), string(Admin), string(Editor), string(Viewer)}
}

// AtLeast reports whether r includes least. Nobody's role includes nothing.
func (r Role) AtLeast(least Role) bool {
	have, need := slices.Index(Roles(), string(r)), slices.Index(Roles(), string(least))
	return have >= 0 && need >= 0 && have <= need
}

// Check reports whether r is a role.
func (r Role) Check() error {
	if !slices.Contains(Roles(), string(r)) {
		return fault.BadField("role", "The role is not known.", Roles()...)
	}
	return nil
}

// A Person is a human member.
type Person struct {
	ID         string    `json:"id"` // "per_…"
	Name       string    `json:"name"`
	Role       Role      `json:"role"`
	Enabled    bool      `json:"enabled"`
	Identities []string  `json:"identities"`
	CreatedAt  time.Time `json:"created_at"`
}

// The facts about persons.
var (
	PersonAddedKind   = event.Kind[PersonAdded]{Name: "org.person.added", PayloadType: "org.person.v1"}
	PersonChangedKind = event.Kind[PersonChanged]{Name: "org.person.changed", PayloadType: "org.person.v1"}
	LinkedKind        = event.Kind[Identity]{Name: "org.identity.linked", PayloadType: "org.identity.v1"}
)

// PersonAdded records a new member.
type PersonAdded struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role Role   `json:"role"`
}

// PersonChanged records what is different from now on; nil fields stay.
type PersonChanged struct {
	ID      string  `json:"id"`
	Name    *string `json:"name,omitempty"`
	Role    *Role   `json:"role,omitempty"`
	Enabled *bool   `json:"enabled,omitempty"`
}

// An Identity ties a name on some channel to a person.
type Identity struct {
	Person   string `json:"person"`
	Identity string `json:"identity"` // "email:x@y", "slack:T1/U2", …
}

const personPrefix = "agent:person/"

// Party is the person as a sender: the protocol knows only agents.
func (p Person) Party() event.Party { return event.Party{AgentID: personPrefix + p.ID, Role: "person"} }

// PersonOf returns the id of the person behind a sender, "" when it is none.
func PersonOf(from event.Party) string {
	id, ok := strings.CutPrefix(from.AgentID, personPrefix)
	if !ok {
		return ""
	}
	return id
}

// CheckChange refuses what would leave the organization without an owner.
func CheckChange(all []Person, c PersonChanged) error {
	if c.Role != nil {
		if err := c.Role.Check(); err != nil {
			return err
		}
	}
	owners := 0
	found := false
	for _, p := range all {
		if p.ID == c.ID {
			found = true
			if c.Role != nil {
				p.Role = *c.Role
			}
			if c.Enabled != nil {
				p.Enabled = *c.Enabled
			}
		}
		if p.Role == Owner && p.Enabled {
			owners++
		}
	}
	switch {
	case !found:
		return fault.New(fault.NotFound, "The person %s does not exist.", c.ID)
	case owners == 0:
		return fault.New(fault.Conflict, "That would leave nobody as owner; make somebody else an owner first.")
	}
	return nil
}
