package library

import (
	"time"

	"chela/internal/agent"
	"chela/internal/contract"
	"chela/internal/event"
	"chela/internal/run"
)

// Contracts counts how often an agent said that something was done, a step or a ticket, and how often its contract
// said no: the rate is that of false ends. It counts, too, what the agent changed that it was not asked for.
type Contracts struct {
	Agent   string  `json:"agent"`
	Said    int     `json:"said" doc:"how often it said that something was done"`
	Unmet   int     `json:"unmet" doc:"how often the contract said no"`
	Rate    float64 `json:"rate" doc:"unmet of said, 0 to 1"`
	Outside int     `json:"outside" doc:"records and files that it changed, and neither its request nor the ticket that this names does"`
	Tasks   int     `json:"outsideTasks" doc:"in how many tasks it did so"`
}

// A Proof is what was found of a ticket's contract when an agent said that it was done.
type Proof struct {
	contract.Evidence

	Seq event.Seq `json:"seq"`
	Run run.ID    `json:"run"`
	At  time.Time `json:"at"`
}

// An Outside is work outside of what was asked.
type Outside struct {
	agent.Outside

	Seq event.Seq `json:"seq"`
	Run run.ID    `json:"run"`
	At  time.Time `json:"at"`
}
