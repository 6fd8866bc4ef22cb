package org

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

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

// rank is 0 for what is no role.
func (r Role) rank() int {
	switch r {
	case Owner:
		return 4
	case Admin:
		return 3
	case Editor:
		return 2
	case Viewer:
		return 1
	}
	return 0
}

// AtLeast reports whether r includes least. What is no role includes nothing and is
// included by nothing.
func (r Role) AtLeast(least Role) bool { return least.rank() > 0 && r.rank() >= least.rank() }

// Check reports whether r is a role.
func (r Role) Check() error {
	if r.rank() == 0 {
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
	UnlinkedKind      = event.Kind[Identity]{Name: "org.identity.unlinked", PayloadType: "org.identity.v1"}
)

// PersonAdded records a new member.
type PersonAdded struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role Role   `json:"role"`
	// InvitedBy is the person whose invitation they accepted; empty for those whom the daemon or org.yaml added.
	InvitedBy string `json:"invited_by,omitempty"`
}

// Check reports the first thing wrong with p.
func (p PersonAdded) Check() error {
	if len(p.ID) <= len("per_") || !strings.HasPrefix(p.ID, "per_") || strings.ContainsFunc(p.ID, unprintable) {
		return fault.BadField("id", "A person's id begins with per_.")
	}
	if err := checkName(p.Name); err != nil {
		return err
	}
	return p.Role.Check()
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

// Check reports the first thing wrong with i.
func (i Identity) Check() error {
	channel, name, ok := strings.Cut(i.Identity, ":")
	if !ok || channel == "" || name == "" || len(i.Identity) > 300 || strings.ContainsFunc(i.Identity, unprintable) {
		return fault.BadField("identity", "An identity is a channel, a colon and a name without blanks, such as email:ann@example.com.")
	}
	return nil
}

func unprintable(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

func checkName(name string) error {
	if strings.TrimSpace(name) == "" || len(name) > 200 || strings.ContainsFunc(name, unicode.IsControl) {
		return fault.BadField("name", "A person has a name of one line and at most 200 bytes.")
	}
	return nil
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

// CheckChange refuses a change that has a bad value, is of nobody, or would leave the
// organization without an owner who can act.
func CheckChange(all []Person, c PersonChanged) error {
	if c.Name != nil {
		if err := checkName(*c.Name); err != nil {
			return err
		}
	}
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
			p = c.apply(p)
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

func (c PersonChanged) apply(p Person) Person {
	if c.Name != nil {
		p.Name = *c.Name
	}
	if c.Role != nil {
		p.Role = *c.Role
	}
	if c.Enabled != nil {
		p.Enabled = *c.Enabled
	}
	return p
}

// CheckLink refuses an identity that is malformed, or somebody else's already: an
// identity is how a channel knows who speaks, so it is never moved silently.
func CheckLink(all []Person, link Identity) error {
	if err := link.Check(); err != nil {
		return err
	}
	found := false
	for _, p := range all {
		found = found || p.ID == link.Person
		if p.ID != link.Person && slices.Contains(p.Identities, link.Identity) {
			return fault.New(fault.Conflict, "%s belongs to %s; unlink it there first.", link.Identity, p.Name)
		}
	}
	if !found {
		return fault.New(fault.NotFound, "The person %s does not exist.", link.Person)
	}
	return nil
}

// ApplyPerson returns the persons after e; all is left as it was. A fact about
// something else changes nothing.
func ApplyPerson(all []Person, e event.Event) ([]Person, error) {
	wrap := func(err error) error { return fmt.Errorf("read %s: %w", e.Message.Type, err) }
	out := slices.Clone(all)
	switch e.Message.Type {
	case PersonAddedKind.Name:
		p, _, err := PersonAddedKind.Open(e)
		if err != nil {
			return all, wrap(err)
		}
		return append(out, Person{ID: p.ID, Name: p.Name, Role: p.Role, Enabled: true, Identities: []string{}, CreatedAt: e.At}), nil
	case PersonChangedKind.Name:
		c, _, err := PersonChangedKind.Open(e)
		if err != nil {
			return all, wrap(err)
		}
		for i := range out {
			if out[i].ID == c.ID {
				out[i] = c.apply(out[i])
			}
		}
	case LinkedKind.Name, UnlinkedKind.Name:
		linked := e.Message.Type == LinkedKind.Name
		kind := UnlinkedKind
		if linked {
			kind = LinkedKind
		}
		link, _, err := kind.Open(e)
		if err != nil {
			return all, wrap(err)
		}
		for i := range out {
			out[i].Identities = relink(out[i], link, linked)
		}
	}
	return out, nil
}

// relink returns p's identities after a link, which takes the identity from everybody
// else, or an unlink, which takes it from its person.
func relink(p Person, link Identity, linked bool) []string {
	mine := p.ID == link.Person
	if !linked && !mine {
		return p.Identities
	}
	out := slices.DeleteFunc(slices.Clone(p.Identities), func(s string) bool { return s == link.Identity })
	if linked && mine {
		out = append(out, link.Identity)
		slices.Sort(out)
	}
	return out
}
