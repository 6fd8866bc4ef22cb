package session

import (
	"slices"

	"chela/internal/event"
)

// The kinds of runs that answer a conversation.
const (
	ChatRun       = "chat"       // what somebody said
	ExtractionRun = "extraction" // what the extractor of threads is asked
)

// TurnKinds lists them.
func TurnKinds() []string { return []string{ChatRun, ExtractionRun} }

// IsTurn reports whether a run of that kind answers a conversation.
func IsTurn(kind string) bool { return slices.Contains(TurnKinds(), kind) }

// A TurnInput is what such a run is started with.
type TurnInput struct {
	Message  string        `json:"message_id"`         // that started it
	Policy   *event.Policy `json:"policy,omitempty"`   // of that message
	Requires []string      `json:"requires,omitempty"` // capabilities that the message asks for
	Prefers  []string      `json:"prefers,omitempty"`
	Client   *ClientTools  `json:"client,omitempty"` // of the program that said it
	// Background says that who said it does not wait for the answer.
	Background bool `json:"background,omitempty"`
	// Row is how many messages that no person said led to it, one after the other.
	Row int `json:"row,omitempty"`
	// About is the record on which it was said, in a comment.
	About string `json:"about,omitempty"`
}
