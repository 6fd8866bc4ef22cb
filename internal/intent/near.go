package intent

import (
	"cmp"
	"slices"
)

// near compares a text with the phrases, and with the middle of those of each intent.
type near struct {
	phrases []phrase
	intents int
	byID    [][]posting // by feature: the phrases that have it
	middle  [][]posting // by feature: the intents whose middle has it
}

type posting struct {
	n int32
	v float32
}

func newNear(phrases []phrase, intents int, words *lexicon) *near {
	n := &near{phrases: phrases, intents: intents, byID: make([][]posting, len(words.rare)), middle: make([][]posting, len(words.rare))}
	sums := make([]map[int32]float64, intents)
	for i, p := range phrases {
		for _, w := range p.vec {
			n.byID[w.id] = append(n.byID[w.id], posting{int32(i), w.v}) //nolint:gosec // there are fewer
		}
		if p.intent == none {
			continue
		}
		if sums[p.intent] == nil {
			sums[p.intent] = make(map[int32]float64)
		}
		for _, w := range p.vec {
			sums[p.intent][w.id] += float64(w.v) * p.weight
		}
	}
	for c, sum := range sums {
		ids := make([]int32, 0, len(sum))
		for id := range sum {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		length := 0.0
		for _, id := range ids {
			length += sum[id] * sum[id]
		}
		for _, id := range ids {
			n.middle[id] = append(n.middle[id], posting{int32(c), float32(sum[id] / root(length))}) //nolint:gosec // there are fewer
		}
	}
	return n
}

// has reports whether a phrase of an intent has a feature.
func (n *near) has(c int) func(id int32) bool {
	return func(id int32) bool {
		_, ok := slices.BinarySearchFunc(n.middle[id], int32(c), func(p posting, c int32) int { return int(p.n) - int(c) }) //nolint:gosec // there are fewer
		return ok
	}
}

const (
	neighbours  = 12   // phrases that speak for an intent
	bestShare   = 0.5  // of the nearest phrase in an intent's score
	someShare   = 0.25 // of its phrases among the neighbours
	middleShare = 0.25
)

// scores compares a vector with each intent; spoken is how like it those of its phrases are that speak as it does.
func (n *near) scores(v vector, m mood) (scores, like []float64, nearest []int, spoken []float64, other float64) {
	scores, like, nearest, spoken = make([]float64, n.intents), make([]float64, n.intents), make([]int, n.intents), make([]float64, n.intents)
	for i := range nearest {
		nearest[i] = -1
	}
	alike := make([]float32, len(n.phrases))
	var touched []int32
	middles := make([]float64, n.intents)
	for _, w := range v {
		for _, p := range n.byID[w.id] {
			if alike[p.n] == 0 {
				touched = append(touched, p.n)
			}
			alike[p.n] += w.v * p.v
		}
		for _, p := range n.middle[w.id] {
			middles[p.n] += float64(w.v) * float64(p.v)
		}
	}
	for _, i := range touched {
		p := &n.phrases[i]
		a := float64(alike[i]) * min(p.weight, 1)
		if p.intent == none {
			other = max(other, a)
			continue
		}
		if p.mood == m {
			spoken[p.intent] = max(spoken[p.intent], a)
		}
		if a > like[p.intent] || a == like[p.intent] && int(i) < nearest[p.intent] {
			like[p.intent], nearest[p.intent] = a, int(i)
		}
	}
	slices.SortFunc(touched, func(a, b int32) int { return cmp.Or(cmp.Compare(alike[b], alike[a]), cmp.Compare(a, b)) })
	votes, all := make([]float64, n.intents), 0.0
	for _, i := range touched[:min(len(touched), neighbours)] {
		p := &n.phrases[i]
		a := float64(alike[i]) * min(p.weight, 1)
		all += a * a
		if p.intent != none {
			votes[p.intent] += a * a
		}
	}
	for c := range scores {
		scores[c] = bestShare*like[c] + middleShare*middles[c]
		if all > 0 {
			scores[c] += someShare * votes[c] / all * like[c]
		}
	}
	return scores, like, nearest, spoken, other
}
