package desk

import (
	"iter"
	"slices"

	"chela/internal/event"
)

// A Revision is what one event made of a record. Before is the zero Record when it made it.
type Revision struct {
	Event         event.Event
	Before, After Record
}

// Replay yields the revisions that the events of a project's stream, oldest first, make of
// the records of these kinds, or of all kinds when none is named. An error is the last.
func Replay(events iter.Seq2[event.Event, error], kinds ...Kind) iter.Seq2[Revision, error] {
	return func(yield func(Revision, error) bool) {
		now := make(map[string]Record)
		for e, err := range events {
			r, ok, err := revise(now, e, err, kinds)
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
func revise(now map[string]Record, e event.Event, err error, kinds []Kind) (Revision, bool, error) {
	if err != nil {
		return Revision{}, false, err
	}
	c, ok, err := ChangeOf(e)
	if err != nil || !ok || len(kinds) > 0 && !slices.Contains(kinds, c.Kind) {
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
	Diff
}

// History returns what became of one record, oldest first, from the events of its project's
// stream.
func History(events iter.Seq2[event.Event, error], id string) ([]Revised, error) {
	out := []Revised{}
	for r, err := range Replay(only(events, id)) {
		if err != nil {
			return nil, err
		}
		d := Diff{ID: id, Kind: r.After.Kind, Changes: 1, By: []string{r.Event.Message.From.AgentID}, At: r.Event.At}
		ok, err := d.compare(r.Before, r.After)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, Revised{r.Event.Seq, r.Event.Message.ID, d})
		}
	}
	return out, nil
}

// only yields the changes of one record.
func only(events iter.Seq2[event.Event, error], id string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range events {
			if err == nil {
				c, _, bad := ChangeOf(e)
				if err = bad; err == nil && c.ID != id {
					continue
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
