package extracttest

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"chela/internal/extract"
)

// A Choice is of who is to do what a labelled action says: those who may be, of whom some are right.
type Choice struct {
	Of    []Option
	Ruled bool // rules were written from its text
}

// An Option is one of whom one is chosen.
type Option struct {
	Traits []uint32
	Right  bool
}

// choices are those of the actions of a passage; of whom nobody marked who acts, and those whose owner is no candidate, teach nothing.
func (p Passage) choices(all []extract.Sentence) []Choice {
	if Author(p) == 0 {
		return nil
	}
	var there []string
	for _, l := range p.Labels {
		if l.Kind == "attendee" || l.Kind == "absent" {
			there = append(there, l.Text)
		}
	}
	var out []Choice
	for _, l := range p.Labels {
		at := sentenceOf(all, l.Text)
		if l.Kind != "action" || at < 0 {
			continue
		}
		candidates := all[at].Candidates(there)
		right := func(c extract.Candidate) bool { return p.sameOwner(c.Name, l.Owner) }
		if !slices.ContainsFunc(candidates, right) { // "Ann", where the label has "Ann Lee"
			right = func(c extract.Candidate) bool {
				return !joint.MatchString(l.Owner) && !joint.MatchString(c.Name) && partOf(c.Name, l.Owner)
			}
		}
		if !slices.ContainsFunc(candidates, right) {
			continue
		}
		c := Choice{Ruled: !unmet(p)}
		for _, one := range candidates {
			c.Of = append(c.Of, Option{Traits: one.Traits, Right: right(one)})
		}
		out = append(out, c)
	}
	return out
}

// How choices are learnt: faster than sentences, of which there are more.
const (
	roundsOfChoices    = 15
	paceOfChoices      = 0.03
	shrinkingOfChoices = 0.003
	seldomOfChoices    = 2
)

// preferred are the traits of options, each with its weight, without those that are seldom or weigh nothing.
func preferred(from []Choice) []byte {
	count := make(map[uint32]int)
	for _, c := range from {
		for _, o := range c.Of {
			for _, t := range o.Traits {
				count[t]++
			}
		}
	}
	var out []byte
	weights := prefer(from)
	for _, t := range slices.Sorted(maps.Keys(count)) {
		if n := rounded(weights[t]); n != 0 && count[t] >= seldomOfChoices {
			out = append(binary.LittleEndian.AppendUint32(out, t), byte(n))
		}
	}
	return out
}

// prefer is a logistic regression over the options of each choice: of all of a choice one is taken. Products are converted as in
// [regress].
func prefer(from []Choice) map[uint32]float64 {
	at := make(map[uint32]int)
	rows := make([][][]int, len(from))
	for i, c := range from {
		rows[i] = make([][]int, len(c.Of))
		for j, o := range c.Of {
			for _, t := range o.Traits {
				n, ok := at[t]
				if !ok {
					n = len(at)
					at[t] = n
				}
				rows[i][j] = append(rows[i][j], n)
			}
		}
	}
	weights, squares := make([]float64, len(at)), make([]float64, len(at))
	draw := drawing(len(from))
	for range roundsOfChoices {
		for _, i := range draw() {
			missed := from[i].missed(rows[i], weights)
			for j, of := range rows[i] {
				for _, n := range of {
					g := missed[j] + float64(shrinkingOfChoices*weights[n])
					squares[n] += float64(g * g)
					weights[n] -= float64(paceOfChoices*g) / math.Sqrt(squares[n]+1e-8)
				}
			}
		}
	}
	out := make(map[uint32]float64, len(at))
	for t, n := range at {
		out[t] = weights[n]
	}
	return out
}

// missed is by how much each option of a choice is too likely.
func (c Choice) missed(rows [][]int, weights []float64) []float64 {
	out := make([]float64, len(c.Of))
	right, all := 0.0, 0.0
	for j, of := range rows {
		sum := 0.0
		for _, n := range of {
			sum += weights[n]
		}
		out[j] = math.Exp(sum)
		all += out[j]
		if c.Of[j].Right {
			right += out[j]
		}
	}
	for j, e := range out {
		out[j] = e / all
		if c.Of[j].Right {
			out[j] -= e / right
		}
		if c.Ruled {
			out[j] = float64(out[j] * ruledCounts)
		}
	}
	return out
}
