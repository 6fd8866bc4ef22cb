package session

import (
	"encoding/json"
	"time"

	"chela/internal/event"
)

// ClientTools are the tools that a program brings with what it says. An agent calls them beside its own; the program makes
// the calls, and brings their results with its next request.
type ClientTools struct {
	Tools []ClientTool `json:"tools"`
	// Single has the program make one call at a time.
	Single bool `json:"single,omitempty"`
}

// A ClientTool is one of them.
type ClientTool struct {
	Name   string          `json:"name"` // by which the agent calls it
	As     string          `json:"as"`   // by which the program knows it
	Help   string          `json:"help,omitempty"`
	Schema json.RawMessage `json:"schema"` // of its arguments
}

// ClientCallsKind records that a run waits for a program to make calls.
var ClientCallsKind = event.Kind[ClientCalls]{Name: "session.client_calls", PayloadType: "session.client_calls.v1"}

// ClientCalls are what a run waits for: it goes on when the program brings all their results.
type ClientCalls struct {
	ID    string       `json:"id"`
	Text  string       `json:"text,omitempty"` // what the agent said with them
	Calls []ClientCall `json:"calls"`
	Until time.Time    `json:"until"` // then the run ends without them
}

// A ClientCall is one call that a program is to make.
type ClientCall struct {
	ID   string          `json:"id"`   // by which the program names it
	Step string          `json:"step"` // of the run, that its result ends
	Call string          `json:"call"` // the model's id of it
	Tool string          `json:"tool"` // as the agent calls it
	As   string          `json:"as"`   // as the program knows it
	Args json.RawMessage `json:"args"`
	Task string          `json:"task"`
	By   string          `json:"by"` // the agent
}
