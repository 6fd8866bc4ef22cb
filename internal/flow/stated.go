package flow

import (
	"time"

	"chela/internal/desk"
)

// A Stated is a sprint whose plan or objectives say when it is, or whose tracker says where it stands.
type Stated struct {
	Name       string
	Begin, End desk.Date
	State      SprintState
}

// StatedSprints are the sprints that objectives and plans tell at a moment, without those of which only a name is known. Where both say
// a day, the plan counts, as in a [Ledger].
func StatedSprints(objectives []*desk.ObjectiveBody, plans []*desk.SprintPlanBody, now time.Time) (out []Stated) {
	l := &Ledger{spans: make(map[string]*span)}
	for _, o := range objectives {
		l.objective(o)
	}
	for _, p := range plans {
		l.planned(p)
	}
	for _, key := range l.names {
		s := l.spans[key]
		if s.begin.IsZero() && s.end.IsZero() && s.status == "" {
			continue
		}
		out = append(out, Stated{s.name, dateOf(s.begin), dateOf(s.end), s.state(s.begin, dayOf(now))})
	}
	return out
}
