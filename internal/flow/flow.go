// Package flow does the arithmetic of progress: how much of an objective its tickets
// cover.
package flow

import (
	"math"
	"slices"

	"chela/internal/desk"
)

// An Objective is an objective with its id.
type Objective struct {
	ID string
	desk.ObjectiveBody
}

// A Ticket is a ticket with its id.
type Ticket struct {
	ID string
	*desk.TicketBody
}

// A Coverage is how far an objective's tickets are.
type Coverage struct {
	ObjectiveID string   `json:"objectiveId"`
	Outcome     string   `json:"outcome"`
	Sprint      string   `json:"sprintName,omitempty"`
	Done        int      `json:"done"`
	InProgress  int      `json:"inProgress"` // in work or in review
	Open        int      `json:"open"`       // to do, blocked, or not there any more
	Closed      int      `json:"closed"`     // without being done; no part of the percentage
	Percent     float64  `json:"coveragePercent"`
	TicketIDs   []string `json:"ticketIds"`
}

// Tickets returns the ids of an objective's tickets: those it names and those that
// name it, each once.
func Tickets(o Objective, all []Ticket) []string {
	out := make([]string, 0, len(o.TicketIDs))
	for _, id := range o.TicketIDs {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, t := range all {
		if slices.Contains(t.ObjectiveIDs, o.ID) && !slices.Contains(out, t.ID) {
			out = append(out, t.ID)
		}
	}
	return out
}

// Cover computes an objective's coverage: (done + in progress) / all × 100, to one
// decimal; 0 without tickets.
func Cover(o Objective, all []Ticket) Coverage {
	c := Coverage{ObjectiveID: o.ID, Outcome: o.Outcome, Sprint: o.SprintName, TicketIDs: Tickets(o, all)}
	for _, id := range c.TicketIDs {
		i := slices.IndexFunc(all, func(t Ticket) bool { return t.ID == id })
		if i < 0 {
			c.Open++
			continue
		}
		switch all[i].Status {
		case desk.Done:
			c.Done++
		case desk.InProgress, desk.InReview:
			c.InProgress++
		case desk.Todo, desk.Blocked:
			c.Open++
		case desk.Closed:
			c.Closed++
		}
	}
	if n := len(c.TicketIDs) - c.Closed; n > 0 {
		c.Percent = math.Round(float64(c.Done+c.InProgress)/float64(n)*1000) / 10
	}
	return c
}

// Unmapped returns the ids of tickets that serve no objective.
func Unmapped(objectives []Objective, all []Ticket) []string {
	mapped := make(map[string]bool)
	for _, o := range objectives {
		for _, id := range Tickets(o, all) {
			mapped[id] = true
		}
	}
	out := []string{}
	for _, t := range all {
		if !mapped[t.ID] {
			out = append(out, t.ID)
		}
	}
	return out
}
