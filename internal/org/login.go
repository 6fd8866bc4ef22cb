package org

import (
	"encoding/json"

	"chela/internal/event"
)

// The facts about logins. What names a person lies in that person's stream.
var (
	// LoggedInKind records that somebody got what opens for a person.
	LoggedInKind = event.Kind[Login]{Name: "org.login.made", PayloadType: "org.login.v1"}
	// LoggedOutKind records that a login on the page opens nothing any more.
	LoggedOutKind = event.Kind[Login]{Name: "org.login.ended", PayloadType: "org.login.v1"}
	// LoginRefusedKind records that so many wrong tokens came from an address that answers to it are held back.
	LoginRefusedKind = event.Kind[LoginRefused]{Name: "org.login.refused", PayloadType: "org.login.refused.v1"}
)

// A Way is how somebody got in.
type Way string

// The ways.
const (
	ByLink       Way = "link"       // a login link was opened
	ByInvitation Way = "invitation" // an invitation was accepted
	ByNewKey     Way = "key"        // a key for a program was made
	ByRevoking   Way = "revoked"    // a login was ended, by its person or an admin
)

// A Login is what opens for a person, and from where it was got or ended. What it is made of is not recorded.
type Login struct {
	Person  string `json:"person"`
	How     Way    `json:"how"`
	Token   string `json:"token"`             // names it; it opens nothing
	Address string `json:"address,omitempty"` // of the caller
}

// A LoginRefused says from where wrong tokens came, and how many were counted lately.
type LoginRefused struct {
	Address string `json:"address,omitempty"`
	Wrong   int    `json:"wrong"`
}

// notShown stands where a payload says from where somebody else logged in.
var notShown = json.RawMessage(`{"not_shown":"a login of somebody else"}`)

// Shown is an event as a person may see it: from where others log in is for admins.
func Shown(reader Person, e event.Event) event.Event {
	switch e.Message.Type {
	case LoggedInKind.Name, LoggedOutKind.Name:
		if event.PersonOfStream(e.Stream) != reader.ID && !reader.Role.AtLeast(Admin) {
			e.Message.Payload = notShown
		}
	case LoginRefusedKind.Name:
		if !reader.Role.AtLeast(Admin) {
			e.Message.Payload = notShown
		}
	}
	return e
}
