package memory

import "chela/internal/event"

// ErasedKind records that the payloads of what a person said and noted were taken out of the log.
var ErasedKind = event.Kind[Erased]{Name: "log.erased", PayloadType: "log.erased.v1"}

// An Erased is whose payloads were taken out, and how many.
type Erased struct {
	Person string `json:"person"`
	Events int64  `json:"events" doc:"whose payloads were taken out; their envelopes and the chain stand"`
	Reason string `json:"reason,omitempty"`
}
