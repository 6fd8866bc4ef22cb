package intake

import (
	"chela/internal/desk"
	"chela/internal/extract"
)

// A gone is what the document says of somebody who is away. People decide whether it is so.
type gone struct {
	topic int
	desk.SaidAway
}

// absences are those of people who are known.
func (r *recorder) absences() (out []gone, err error) {
	for _, a := range r.m.Absences {
		who, known, err := r.w.KnownPerson(a.Who)
		if err != nil {
			return nil, err
		}
		if known {
			out = append(out, r.gone(who.ID, a))
		}
	}
	return out, nil
}

func (r *recorder) gone(id string, a extract.Absence) gone {
	return gone{a.Topic, desk.SaidAway{ResourceID: id, Days: desk.AwaySpan(a.From, a.To), Sources: r.source("absences", a.Span)}}
}
