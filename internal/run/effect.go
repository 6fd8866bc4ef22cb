package run

import (
	"context"

	"chela/internal/event"
)

// An Effect says what a step does to the world. When the step is recorded, and what becomes of one
// that was under way in a crash, follow from it.
type Effect int

// The effects, least first.
const (
	// Pure steps only read. Their results are recorded with what comes next, or soon; a crash
	// before that has them done again.
	Pure Effect = iota
	// Ours change our own records, or nothing when they are done twice. Their intention is recorded
	// before them, and their result in one transaction with what they change; a crash in between has
	// them done again.
	Ours
	// World steps change the world. Their intention is recorded before them and their result after
	// them; after a crash in between a person has to say whether they happened.
	World
)

// Unknown reports whether nobody but a person can say what became of a step of this effect, of
// which r is recorded.
func (e Effect) Unknown(r Recorded) bool { return e == World && r.Begun && !r.Done }

// Intends reports whether the intention of a step of this effect is still to be recorded.
func (e Effect) Intends(r Recorded) bool { return e != Pure && !r.Begun }

// Record records drafts that belong to steps of an effect: at once, or, when they are pure, as
// [Segment.Hold] does.
func (s *Segment) Record(ctx context.Context, e Effect, drafts ...event.Draft) error {
	if e == Pure {
		s.Hold(drafts...)
		return nil
	}
	_, err := s.Append(ctx, drafts...)
	return err
}
