package channel

import (
	"time"

	"chela/internal/event"
)

// The facts of this package. What is said and sent lies in the conversation's stream.
var (
	ConfiguredKind       = event.Kind[Options]{Name: "channel.configured", PayloadType: "channel.configured.v1"}
	RemovedKind          = event.Kind[Removed]{Name: "channel.removed", PayloadType: "channel.removed.v1"}
	PairingRequestedKind = event.Kind[PairingRequest]{Name: "channel.pairing.requested", PayloadType: "channel.pairing.requested.v1"}

	// TriedKind records that a part is about to be handed to the platform. When nothing
	// follows, nobody knows whether it was.
	TriedKind   = event.Kind[Tried]{Name: "channel.tried", PayloadType: "channel.tried.v1"}
	SentKind    = event.Kind[Sent]{Name: "channel.sent", PayloadType: "channel.sent.v1"}
	RefusedKind = event.Kind[Refused]{Name: "channel.refused", PayloadType: "channel.refused.v1"}
	// ReceivedKind records what became of a part that the platform had taken.
	ReceivedKind = event.Kind[Received]{Name: "channel.received", PayloadType: "channel.received.v1"}
	// DraftedKind records a part that was sent before its text was whole.
	DraftedKind = event.Kind[Drafted]{Name: "channel.drafted", PayloadType: "channel.drafted.v1"}
	// AgainKind records that a person wants a delivery that failed to be tried again.
	AgainKind = event.Kind[Again]{Name: "channel.again", PayloadType: "channel.again.v1"}
)

// Removed names a channel that is no more.
type Removed struct {
	Name string `json:"name"`
}

// A PairingRequest is a stranger who wrote to us, and the code by which a member can let them in.
type PairingRequest struct {
	Channel string `json:"channel"`
	Sender  string `json:"sender"` // the platform's id
	Name    string `json:"name"`   // as the platform shows it; anybody may take it
	Address
	Code  string    `json:"code"`
	Until time.Time `json:"until"`
}

// Identity is by what the channel will know whoever asked.
func (k PairingRequest) Identity() string { return Identity(k.Channel, k.Sender) }

// Identity is by what a channel knows a sender; see org.Identity.
func Identity(channel, sender string) string { return channel + ":" + sender }

// Tried is the intention to send a part.
type Tried struct {
	Delivery string `json:"delivery"`
	Part     int    `json:"part"`            // from 0
	Attempt  int    `json:"attempt"`         // at this delivery, from 1
	Node     string `json:"node"`            // that tries
	Draft    string `json:"draft,omitempty"` // the key of the draft as which the part may be there, and under which it is sent
}

// Sent is a part that the platform has.
type Sent struct {
	Delivery string `json:"delivery"`
	Part     int    `json:"part"`
	Parts    int    `json:"parts"` // of the whole text
	ID       string `json:"id"`    // the platform's
}

// Refused is an attempt that brought nothing, or of which nobody knows what it brought.
type Refused struct {
	Delivery string    `json:"delivery"`
	Part     int       `json:"part"`
	Why      string    `json:"why"`
	Again    time.Time `json:"again,omitzero"` // when it is tried again; zero means never
	Unknown  bool      `json:"unknown,omitempty"`
}

// Received says what became of a part.
type Received struct {
	Delivery string `json:"delivery"`
	Part     int    `json:"part"`
	Fate     Fate   `json:"fate"`
	Why      string `json:"why,omitempty"` // the platform's words
}

// Again names a delivery.
type Again struct {
	Delivery string `json:"delivery"`
}

// A State is where a delivery stands.
type State string

// The states. Sending may also be what a daemon left that died.
const (
	Queued    State = "queued"
	Sending   State = "sending"
	Done      State = "sent"
	Delivered State = "delivered" // the platform says that it arrived, or was read
	Failed    State = "failed"
)

// States lists them.
func States() []State { return []State{Queued, Sending, Done, Delivered, Failed} }

// CanBecome reports whether a delivery of state s may next be of state to. What a daemon
// that died was sending is sent again; a part that was sent, or refused for now, leaves the
// rest queued; what has nothing to say is sent at once.
func (s State) CanBecome(to State) bool {
	switch s {
	case Queued:
		return to == Sending || to == Done
	case Sending:
		return to != Delivered
	case Failed:
		return to == Queued
	case Done:
		return to == Delivered || to == Failed
	case Delivered:
	}
	return false
}

// A Delivery is a text of ours on its way to a chat.
type Delivery struct {
	ID       string `json:"id"` // of the event that is delivered
	Channel  string `json:"channel"`
	Address         // where
	Thread   string `json:"thread,omitempty"`
	Stream   string `json:"-"` // in which its facts lie
	Run      string `json:"run,omitempty"`
	State    State  `json:"state"`
	Part     int    `json:"part"` // the next to send
	Parts    int    `json:"parts,omitempty" doc:"of the text; 0 until the first was sent"`
	Attempts int    `json:"attempts"`
	Node     string `json:"-"` // that tried last
	// Unknown says that it is not known whether an attempt at the part arrived.
	Unknown   bool      `json:"unknown,omitempty"`
	Sent      []string  `json:"sent" doc:"the platform's ids of the parts"`
	Seen      time.Time `json:"seen,omitzero" doc:"when the platform said that it was read"`
	Why       string    `json:"why,omitempty" doc:"the last refusal, in the platform's words"`
	Next      time.Time `json:"next,omitzero" doc:"when it is tried again"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// A Place is a chat that may be written to: people spoke with us there, or the channel names it.
type Place struct {
	Channel string `json:"channel"`
	Kind    Kind   `json:"kind"`
	Address
	Title  string `json:"title,omitempty" doc:"of the newest conversation there"`
	Thread string `json:"conversation,omitempty" doc:"the newest open one there"`
}

// A Filter narrows a list of deliveries.
type Filter struct {
	Channel string
	Thread  string
	State   State
	Open    bool // queued or sending
	Limit   int  // 0 means 100
}
