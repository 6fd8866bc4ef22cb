package session

import (
	"slices"
	"time"

	"chela/internal/event"
)

// A Mode says what becomes of a message that comes while an agent works in its conversation.
type Mode string

// The modes. Empty is Steer.
const (
	Steer     Mode = "steer"     // the agent sees it before its next call
	Collect   Mode = "collect"   // it waits; all that wait are answered together
	Followup  Mode = "followup"  // it waits, and is answered by itself when its turn comes
	Interrupt Mode = "interrupt" // it stops the work, and is answered at once
)

// Modes lists them.
func Modes() []Mode { return []Mode{Steer, Collect, Followup, Interrupt} }

// Valid reports whether m is one of the modes.
func (m Mode) Valid() bool { return slices.Contains(Modes(), m) }

// MostHeld is how many messages wait in one conversation; then the oldest is dropped.
const MostHeld = 20

// The facts about messages that wait. A held message that has its turn is said, with its own
// sender and in its own words.
var (
	HeldKind    = event.Kind[Held]{Name: "session.held", PayloadType: "session.held.v1"}
	DroppedKind = event.Kind[Dropped]{Name: "session.dropped", PayloadType: "session.dropped.v1"}
)

// Held is a message that waits.
type Held struct {
	Message    string    `json:"message"`
	Images     []string  `json:"images,omitempty"`
	Audio      []Audio   `json:"audio,omitempty"`
	Transcript string    `json:"transcript,omitempty"` // as in [Said]
	Via        *Via      `json:"via,omitempty"`
	Mode       Mode      `json:"mode"`
	Due        time.Time `json:"due,omitzero"` // until then it is waited for what is in the audio files or, when nothing works, for more of the same
	Timeout    int       `json:"timeout,omitempty"`
	Lane       string    `json:"lane,omitempty"`
	// Client are the tools of the program that said it.
	Client *ClientTools `json:"client,omitempty"`
	// Background says that who said it does not wait for the answer.
	Background bool `json:"background,omitempty"`
	// Origins are as in [Said].
	Origins []string `json:"origins,omitempty"`
	// About is as in [Said].
	About string `json:"about,omitempty"`
}

// Dropped is a message that waited and will not be said.
type Dropped struct {
	ID  string `json:"id"` // of the event that held it
	Why string `json:"why"`
}

// HeldKey is the key under which a held message is said.
func HeldKey(id string) string { return "held:" + id }

// Waiting is a held message as it waits.
type Waiting struct {
	ID     string    `json:"id"`
	Thread string    `json:"-"`
	Actor  string    `json:"actor"`
	At     time.Time `json:"at"`
	Held
}

// A Queue is a conversation in which messages wait.
type Queue struct {
	Thread string
	Due    time.Time // when the first of them may be said
	Busy   bool      // an agent works in it
}

// Turn returns which of the messages that wait in a conversation are said now: the oldest, with
// those that are answered with it. busy says that an agent works in the conversation.
func Turn(held []Waiting, busy bool, now time.Time) []Waiting {
	if len(held) == 0 || held[0].Due.After(now) {
		return nil
	}
	first := held[0]
	debounced := func(w Waiting) bool { return !first.Due.IsZero() && !w.Due.IsZero() }
	with := debounced
	switch {
	case first.Mode == Steer:
		with = func(w Waiting) bool { return w.Mode == Steer }
	case busy && first.Mode != Interrupt:
		return nil
	case first.Mode == Collect:
		with = func(w Waiting) bool { return w.Mode == Collect || debounced(w) }
	}
	n := 1
	for n < len(held) && with(held[n]) {
		n++
	}
	return held[:n]
}

// How long it is waited for more of what one person says in several messages: from the last, and
// from the first at most.
const (
	debounce        = 200 * time.Millisecond
	longestDebounce = 500 * time.Millisecond
)

// Debounce is until when a message that comes now waits for more, after those that wait already. While
// one of them waits for its audio files to be heard, it waits with it.
func Debounce(held []Waiting, now time.Time) time.Time {
	due := now.Add(debounce)
	if len(held) > 0 && !held[0].Due.IsZero() {
		if last := held[0].At.Add(longestDebounce); last.Before(due) {
			due = last
		}
	}
	for _, w := range held {
		if w.Due.After(due) && AwaitsTranscript(w.Message, w.Audio) {
			due = w.Due
		}
	}
	return due
}
