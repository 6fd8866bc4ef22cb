// Package flow does the arithmetic of progress: how much of an objective its tickets
// cover.
package flow

import (
	"math"

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

// Cover computes an objective's coverage: (done + in progress) / all × 100, to one
// decimal; 0 without tickets. Its tickets are those it names and those that name it, each once.
func Cover(o Objective, all []Ticket) Coverage {
	out, _ := Coverages([]Objective{o}, all)
	return out[0]
}

// Unmapped returns the ids of tickets that serve no objective.
func Unmapped(objectives []Objective, all []Ticket) []string {
	_, out := Coverages(objectives, all)
	return out
}

// Coverages computes the coverage of objectives, and the ids of the tickets that serve none of them. It goes through the
// tickets once.
func Coverages(objectives []Objective, all []Ticket) (covers []Coverage, unmapped []string) {
	places := make(map[string]int) // of tickets that an objective names, one more than their number
	serving := make(map[string][]int, len(objectives))
	for _, o := range objectives {
		serving[o.ID] = nil
		for _, id := range o.TicketIDs {
			places[id] = 0
		}
	}
	mapped, left := make([]bool, len(all)), len(all)
	serves := func(i int) {
		if !mapped[i] {
			mapped[i] = true
			left--
		}
	}
	for i, t := range all {
		for _, id := range t.ObjectiveIDs {
			if have, wanted := serving[id]; wanted && (len(have) == 0 || have[len(have)-1] != i) {
				serving[id] = append(have, i)
				serves(i)
			}
		}
		if len(places) == 0 {
			continue
		}
		if n, named := places[t.ID]; named {
			serves(i)
			if n == 0 {
				places[t.ID] = i + 1
			}
		}
	}
	covers = make([]Coverage, 0, len(objectives))
	for _, o := range objectives {
		covers = append(covers, cover(o, all, places, serving[o.ID]))
	}
	unmapped = make([]string, 0, left)
	for i, t := range all {
		if !mapped[i] {
			unmapped = append(unmapped, t.ID)
		}
	}
	return covers, unmapped
}

// cover is the coverage of an objective by the tickets that it names, whose places are known, and those that name it.
func cover(o Objective, all []Ticket, places map[string]int, serving []int) Coverage {
	c := Coverage{ObjectiveID: o.ID, Outcome: o.Outcome, Sprint: o.SprintName, TicketIDs: make([]string, 0, len(o.TicketIDs)+len(serving))}
	seen := make(map[string]bool, len(o.TicketIDs))
	for _, id := range o.TicketIDs {
		if seen[id] {
			continue
		}
		seen[id] = true
		if n := places[id]; n > 0 {
			c.add(id, all[n-1].Status)
		} else {
			c.add(id, desk.Todo)
		}
	}
	for _, i := range serving {
		if t := all[i]; !seen[t.ID] {
			c.add(t.ID, t.Status)
		}
	}
	if n := len(c.TicketIDs) - c.Closed; n > 0 {
		c.Percent = math.Round(float64(c.Done+c.InProgress)/float64(n)*1000) / 10
	}
	return c
}

// add counts a ticket; one that is not there any more is open.
func (c *Coverage) add(id string, status desk.TicketStatus) {
	c.TicketIDs = append(c.TicketIDs, id)
	switch status {
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
