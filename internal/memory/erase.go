package memory

import "chela/internal/event"

// ErasedKind records that the payloads of what a person said and noted were taken out of the log.
var ErasedKind = event.Kind[Erased]{Name: event.LogErased, PayloadType: "log.erased.v1"}

// ErasedWords is what stands in the place of words that were taken out.
const ErasedWords = "[erased]"

// An Erased is whose payloads were taken out, and how many.
type Erased struct {
	Person string `json:"person"`
	Events int64  `json:"events" doc:"whose payloads were taken out; their envelopes and the chain stand"`
	Reason string `json:"reason,omitempty"`
	// Remains are those of which words were taken out, and the rest stands.
	Remains []event.Remain `json:"remains,omitempty"`
}
