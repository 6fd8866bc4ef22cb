package recall

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Near is a passage whose vector points about where that of the question does.
type Near struct {
	ID      string
	Session string
	Cosine  float64 // of the angle between the two; 1 is the same way
	Weak    bool    // so near are others by chance, too
}

// The constants of fusion. Ranks count by 1/(fusion+rank), as usual; vectors count less than words, which say why.
const (
	fusion     = 20
	nearWeight = 0.7
)

// Fuse puts the rankings by words and by vectors together by their ranks: a score of one says nothing in the other. near comes
// in its order, the nearest first. A hit is weak when both say so.
func (o Options) Fuse(r Ranking, near []Near, limit int) Ranking {
	if len(near) == 0 || !o.on(Vectors) {
		return Ranking{cutTo(r.Sessions, limit), cutTo(r.Passages, limit)}
	}
	return Ranking{
		Sessions: fused(r.Sessions, bySession(near), limit),
		Passages: fused(r.Passages, near, limit),
	}
}

func cutTo(hits []Hit, limit int) []Hit { return hits[:min(len(hits), limit)] }

// bySession are the sessions by their nearest passage.
func bySession(near []Near) []Near {
	var out []Near
	for _, n := range near {
		if n.Session != "" && !slices.ContainsFunc(out, func(x Near) bool { return x.ID == n.Session }) {
			out = append(out, Near{ID: n.Session, Cosine: n.Cosine, Weak: n.Weak})
		}
	}
	return out
}

func fused(words []Hit, near []Near, limit int) []Hit {
	at := make(map[string]int, len(words))
	out := make([]Hit, 0, len(words)+len(near))
	for i, h := range words {
		at[h.ID] = i
		h.Score, h.Reasons = 1/float64(fusion+i+1), slices.Clone(h.Reasons)
		out = append(out, h)
	}
	for i, n := range near {
		gain := nearWeight / float64(fusion+i+1)
		reason := Reason{"vector", fmt.Sprintf("rank %d, cosine %.2f", i+1, n.Cosine), gain * (fusion + 1)}
		j, known := at[n.ID]
		if !known {
			out = append(out, Hit{ID: n.ID, Score: gain, Weak: n.Weak, Reasons: []Reason{reason}})
			continue
		}
		h := &out[j]
		h.Score, h.Weak, h.Reasons = h.Score+gain, h.Weak && n.Weak, append(h.Reasons, reason)
	}
	return best(out, limit)
}

// StandsOut reports whether a cosine is more than chance brings among n passages of which those of all have this mean and
// spread (a standard deviation): more than the largest of as many draws, with some room.
func StandsOut(cosine, mean, spread float64, n int) bool {
	if n < fewVectors || spread <= 0 {
		return false
	}
	return (cosine-mean)/spread > math.Sqrt(2*math.Log(float64(n)))+chanceRoom
}

// Of fewer passages than fewVectors no spread is known.
const (
	fewVectors = 30
	chanceRoom = 0.5
)

// Nearest orders by cosine, the nearest first, and leaves at most limit.
func Nearest(near []Near, limit int) []Near {
	slices.SortFunc(near, func(a, b Near) int { return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.ID, b.ID)) })
	return near[:min(len(near), limit)]
}
