// Package review is the state machine of work that is reviewed: created, assigned, running, in review, in
// rework, and done, failed or cancelled. [Work] is one piece of work; [Work.Move] makes legal moves only,
// and [Count] says what verdicts come to. It is pure; package instance records each move.
package review

import (
	"fmt"
	"slices"
)

// A State is where a piece of work stands.
type State string

// The states. Done, Failed and Cancelled are final.
const (
	Created   State = "created"
	Assigned  State = "assigned"
	Running   State = "running"
	InReview  State = "review"
	Rework    State = "rework"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// States lists the states.
func States() []State {
	return []State{Created, Assigned, Running, InReview, Rework, Done, Failed, Cancelled}
}

var moves = map[State][]State{
	Created:  {Assigned, Cancelled},
	Assigned: {Running, Created, Cancelled},
	Running:  {InReview, Assigned, Failed, Cancelled},
	InReview: {Done, Rework, Failed, Cancelled},
	Rework:   {Running, InReview, Cancelled},
}

// CanBecome reports whether work in state s may go to next.
func (s State) CanBecome(next State) bool { return slices.Contains(moves[s], next) }

// Final reports whether s can no longer change.
func (s State) Final() bool { return len(moves[s]) == 0 }

// Limits of a review.
const (
	MostRework    = 3 // reworks
	EscalateAfter = 2 // reworks, then somebody else reviews
)

// Work is one piece of work with its review.
type Work struct {
	State   State
	Author  string // who does it: an agent, a person, or the model of a step
	Reworks int
	Most    int // reworks; 0 means none
}

// Move makes a move, or says why it may not be made.
func (w Work) Move(next State) (Work, error) {
	if !w.State.CanBecome(next) {
		return w, fmt.Errorf("work that is %s cannot become %s", w.State, next)
	}
	if next == Rework {
		if w.Reworks >= w.Most {
			return w, fmt.Errorf("it was reworked %d times, which is the most", w.Reworks)
		}
		w.Reworks++
	}
	w.State = next
	return w, nil
}

// Escalated reports whether the next review is for who it is escalated to.
func (w Work) Escalated(after int) bool { return after > 0 && w.Reworks >= after }

// A Verdict is what one reviewer says.
type Verdict struct {
	Reviewer string `json:"reviewer"` // an agent or a person
	Pass     bool   `json:"pass"`
	Reasons  string `json:"reasons,omitempty"`
}

// An Outcome is what verdicts come to.
type Outcome int

// The outcomes. Open lacks verdicts.
const (
	Open Outcome = iota
	Passed
	Refused
)

// Count says what the verdicts of so many reviewers come to. A reviewer who is the author does not count,
// and each counts once, with the first verdict. What passes needs a quorum.
func Count(author string, reviewers, quorum int, verdicts []Verdict) Outcome {
	seen := make(map[string]bool)
	pass, refuse := 0, 0
	for _, v := range verdicts {
		if v.Reviewer == author || seen[v.Reviewer] {
			continue
		}
		seen[v.Reviewer] = true
		if v.Pass {
			pass++
		} else {
			refuse++
		}
	}
	quorum = min(max(quorum, 1), max(reviewers, 1))
	switch {
	case pass >= quorum:
		return Passed
	case refuse > reviewers-quorum:
		return Refused
	}
	return Open
}
