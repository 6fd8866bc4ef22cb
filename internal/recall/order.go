package recall

import (
	"cmp"
	"slices"
)

func (r *ranker) rankedSessions(limit int) []Hit {
	hits := []Hit{}
	for g, s := range r.sessions {
		if s > 0 {
			hits = append(hits, Hit{ID: r.Index.sessions[g].id, Score: s})
		}
	}
	return best(hits, limit)
}

// rankedPassages orders the passages with their sessions' share, and what repeats another behind it.
func (r *ranker) rankedPassages(limit int) []Hit {
	top, whole := 0.0, slices.Max(append(slices.Clone(r.sessions), 1e-9))
	for _, m := range r.matches {
		top = max(top, m.score)
	}
	hits, at := []Hit{}, make(map[string]int)
	for e, m := range r.matches {
		if m.score <= 0 || r.options.on(Gates) && m.score < least*top {
			continue
		}
		score, reasons := m.score/top, m.reasons
		if r.options.on(Stages) {
			share := sessionPart * r.sessions[r.entries[e].session] / whole
			score += share
			reasons = append(reasons, Reason{"session", r.Index.sessions[r.entries[e].session].id, share})
		}
		hits = append(hits, Hit{ID: r.entries[e].ID, Score: score, Weak: m.weak, Reasons: reasons})
		at[r.entries[e].ID] = e
	}
	if !r.options.on(Diversity) {
		return best(hits, limit)
	}
	hits = best(hits, 3*limit)
	return best(r.diverse(hits, at), limit)
}

// best returns the first hits by their scores, between 0 and 1.
func best(hits []Hit, limit int) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	hits = hits[:min(len(hits), limit)]
	if len(hits) > 0 && hits[0].Score > 0 {
		top := hits[0].Score
		for i := range hits {
			hits[i].Score /= top
			slices.SortStableFunc(hits[i].Reasons, func(a, b Reason) int { return cmp.Compare(b.Gain, a.Gain) })
		}
	}
	return hits
}

// diverse lowers what says about the same as a better hit.
func (r *ranker) diverse(hits []Hit, at map[string]int) []Hit {
	sets := make([]map[string]bool, len(hits))
	for i, h := range hits {
		sets[i] = make(map[string]bool)
		for _, t := range r.entries[at[h.ID]].Terms {
			sets[i][t] = true
		}
	}
	for i := range hits {
		for j := range i {
			if s := overlap(sets[i], sets[j]); s > similar {
				hits[i].Score *= 1 - repeats*s*s
				break
			}
		}
	}
	return hits
}

// overlap is the share of the terms of both that both have.
func overlap(a, b map[string]bool) float64 {
	both := 0
	for t := range a {
		if b[t] {
			both++
		}
	}
	if len(a)+len(b) == both {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
