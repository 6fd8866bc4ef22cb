package desk

import (
	"iter"

	"chela/internal/event"
)

// A Revision is what one event made of a record. Before is the zero Record when it made it.
type Revision struct {
	Event         event.Event
	Before, After Record
}

// Replay yields the revisions that the events of a project's stream, oldest first, make of
// the records. An error is the last.
func Replay(events iter.Seq2[event.Event, error]) iter.Seq2[Revision, error] {
	return func(yield func(Revision, error) bool) {
		now := make(map[string]Record)
		for e, err := range events {
			r, ok, err := revise(now, e, err)
			if err != nil {
				yield(Revision{}, err)
				return
			}
			if ok && !yield(r, nil) {
				return
			}
		}
	}
}

// revise applies an event to the records as they stand.
func revise(now map[string]Record, e event.Event, err error) (Revision, bool, error) {
	if err != nil {
		return Revision{}, false, err
	}
	c, ok, err := ChangeOf(e)
	if err != nil || !ok {
		return Revision{}, false, err
	}
	r := Revision{Event: e, Before: now[c.ID]}
	r.After, err = Apply(r.Before, c, e.At, e.Message.From.AgentID)
	now[c.ID] = r.After
	return r, err == nil, err
}

// A Revised is what one event changed of a record.
type Revised struct {
	Seq     event.Seq `json:"seq"`
	EventID string    `json:"eventId"`
	RunID   string    `json:"runId"` // the act that the change was part of
	Diff
}

// History returns what became of one record, oldest first, from its events.
func History(events iter.Seq2[event.Event, error]) ([]Revised, error) {
	out := []Revised{}
	for r, err := range Replay(events) {
		if err != nil {
			return nil, err
		}
		d := Diff{ID: r.After.ID, Kind: r.After.Kind, Changes: 1, By: []string{r.Event.Message.From.AgentID}, At: r.Event.At}
		ok, err := d.compare(r.Before, r.After)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, Revised{r.Event.Seq, r.Event.Message.ID, r.Event.Message.RunID, d})
		}
	}
	return out, nil
}
