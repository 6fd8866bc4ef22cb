package org

import (
	"strings"

	"chela/internal/fault"
)

// An Act is something that changes what belongs to a person: who speaks as them, what opens for
// them, what they may do.
type Act string

// The acts.
const (
	RenamePerson   Act = "rename"
	ChangeRole     Act = "change the role of" // what they have; [GiveRole] is what they get
	GiveRole       Act = "give a role to"
	SwitchPerson   Act = "enable or disable"
	InvitePerson   Act = "invite"
	LinkIdentity   Act = "link an identity to"
	UnlinkIdentity Act = "unlink an identity of"
	PairIdentity   Act = "let a stranger in as"
	RevokeToken    Act = "revoke a token of"
	ChangeChannel  Act = "change a channel that knows"
)

// Acts lists all acts.
func Acts() []Act {
	return []Act{RenamePerson, ChangeRole, GiveRole, SwitchPerson, InvitePerson, LinkIdentity, UnlinkIdentity, PairIdentity, RevokeToken, ChangeChannel}
}

// least is the role that an act needs whomever it is about.
func (a Act) least() Role {
	if a == PairIdentity {
		return Owner
	}
	return Admin
}

// LeastFor is the least role that may do an act to a person.
func LeastFor(act Act, about Person) Role {
	if about.Role.AtLeast(act.least()) {
		return about.Role
	}
	return act.least()
}

// MayChange refuses an act of somebody whose role is less than that of the person it is about, so
// that nobody makes a person stronger than themself or speaks as one. Who is invited is a person
// without an id. One's own tokens everybody revokes.
func MayChange(actor Person, act Act, about Person) error {
	switch {
	case !actor.Enabled:
		return Disabled(actor)
	case act == RevokeToken && actor.ID != "" && actor.ID == about.ID:
		return nil
	case !actor.Role.AtLeast(act.least()):
		return fault.New(fault.Denied, "To %s somebody needs the role %s; %s has the role %s.", act, act.least(), actor.Name, actor.Role)
	case !actor.Role.AtLeast(about.Role):
		return fault.New(fault.Denied, "To %s somebody with the role %s needs that role; %s has the role %s.", act, about.Role, actor.Name, actor.Role)
	}
	return nil
}

// Disabled refuses what a disabled person would do, or what would be done for them.
func Disabled(p Person) error {
	return fault.New(fault.Denied, "%s is disabled; an admin can enable them.", p.Name)
}

// Strongest is the person with the greatest role among those who are known by an identity of the
// channel, whether they are enabled or not; false when it knows nobody.
func Strongest(all []Person, channel string) (Person, bool) {
	var out Person
	for _, p := range all {
		for _, i := range p.Identities {
			if strings.HasPrefix(i, channel+":") && p.Role.rank() > out.Role.rank() {
				out = p
			}
		}
	}
	return out, out.ID != ""
}
