package session

import (
	"time"

	"chela/internal/event"
)

// CompactedKind records that models are shown less of a conversation from now on. What was said stays.
var CompactedKind = event.Kind[Compacted]{Name: "session.compacted", PayloadType: "session.compacted.v1"}

// A Compacted stands for the messages of a conversation that models are shown no more.
type Compacted struct {
	UpTo     event.Seq `json:"up_to"`    // the last message that it stands for
	Messages int       `json:"messages"` // how many it stands for, from the beginning of the conversation
	Since    time.Time `json:"since"`    // when the first was said
	Until    time.Time `json:"until"`    // and the last
	Strategy string    `json:"strategy"` // of the conversation's agent
	Summary  string    `json:"summary,omitempty"`
	By       string    `json:"by,omitempty"`      // who summed it up: a model as model:NAME, or rules
	Origins  []string  `json:"origins,omitempty"` // where what it stands for had data from
}

// An Opening is a conversation as a run that answers it begins.
type Opening struct {
	Thread
	Compacted Compacted // what stood for its older part
	Slot      string    // the agent with whom the run has a slot; "" is none
}
