package intent

import (
	"hash/fnv"
	"math"
	"slices"
)

// A judge says how sure a ranking is. It is a logistic function of signs, whose weights come from a trial: some
// intents are left out altogether, so that their phrases ask for nothing that is known, and some phrases of the
// others. With too few phrases for a trial the weights are those that many small sets gave.
type judge struct {
	weights [signs]float64
	tried   bool
}

// The signs of a ranking: a constant, how far its best is ahead, how high it is, how like the nearest phrase is,
// how much of the text is known, how like what asks for nothing is, and the line's value.
const signs = 8

func signsOf(r ranking, k int) [signs]float64 {
	c := r.order[k]
	lead := r.scores[c]
	for i, o := range r.order[:min(len(r.order), 2)] {
		if i != k {
			lead = r.scores[c] - r.scores[o]
			break
		}
	}
	line, second := 0.0, 0.0
	if r.lines != nil {
		line = r.lines[c]
		second = math.Inf(-1)
		for i, v := range r.lines {
			if i != c {
				second = max(second, v)
			}
		}
		if math.IsInf(second, -1) {
			second = -1
		}
		second = line - second
	}
	return [signs]float64{1, lead, r.scores[c], r.like[c], r.known, max(0, r.other-r.like[c]*0.6), line, second}
}

// fewWeights are used where no trial can be made. script/routerbench gave them, on sets with three to six phrases for each
// intent; see docs/workflows.md.
func fewWeights() [signs]float64 { return [signs]float64{-5.2, 4, 1.5, 5, 2.5, -12, 0, 0} }

// confidence is how sure the k-th of a ranking is.
func (j judge) confidence(r ranking, k int) float64 {
	return logistic(j.weights, signsOf(r, k))
}

func logistic(w, s [signs]float64) float64 {
	sum := 0.0
	for i := range w {
		sum += w[i] * s[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

// From how many intents, and phrases in all, a trial is made.
const (
	leastIntents = 8
	leastPhrases = 80
	// outside is the share of messages that ask for nothing known, as the trial takes it.
	outside = 0.2
)

// trial is a phrase that the trial's index did not learn from.
type trial struct {
	signs  [signs]float64
	right  bool
	weight float64
}

// judged is the judge of an index.
func judged(intents []Intent, others []string, x *Index) judge {
	if x.line == nil || len(intents) < leastIntents || len(x.phrases) < leastPhrases {
		return judge{weights: fewWeights()}
	}
	var all []trial
	const folds = 2
	for fold := range folds {
		all = append(all, tried(intents, others, uint32(fold))...)
	}
	return judge{weights: learned(all), tried: true}
}

// tried leaves out a quarter of the intents and a fifth of the phrases of the rest, and ranks them.
func tried(intents []Intent, others []string, fold uint32) []trial {
	var kept []Intent
	type asked struct {
		text string
		id   string // empty: nothing that is known
	}
	var left []asked
	var keptOthers []string
	for n, in := range intents {
		if uint32(n)%4 == fold { //nolint:gosec // small
			for _, p := range in.Phrases {
				left = append(left, asked{p.Text, ""})
			}
			continue
		}
		k := Intent{ID: in.ID}
		for _, p := range in.Phrases {
			if hashed(p.Text)%5 == fold {
				left = append(left, asked{p.Text, in.ID})
			} else {
				k.Phrases = append(k.Phrases, p)
			}
		}
		kept = append(kept, k)
	}
	for _, o := range others {
		if hashed(o)%2 == fold%2 {
			left = append(left, asked{o, ""})
		} else {
			keptOthers = append(keptOthers, o)
		}
	}
	x := train(kept, keptOthers)
	out := make([]trial, 0, len(left))
	in := 0
	for _, a := range left {
		r := x.rank(a.text)
		if len(r.order) == 0 {
			continue
		}
		t := trial{signs: signsOf(r, 0), right: x.ids[r.order[0]] == a.id, weight: 1}
		if a.id == "" {
			t.weight = -1
		} else {
			in++
		}
		out = append(out, t)
	}
	strangers := len(out) - in
	for i := range out { // so that strangers are the share that they are taken to be
		if out[i].weight < 0 {
			out[i].weight = outside / (1 - outside) * float64(in) / float64(max(strangers, 1))
		}
	}
	return out
}

func hashed(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return h.Sum32() >> 7
}

// learned fits the weights of the signs by Newton's method, with a weak pull to 0.
func learned(all []trial) [signs]float64 {
	var w [signs]float64
	for range 30 {
		var gradient [signs]float64
		var hessian [signs][signs]float64
		for i := range signs {
			hessian[i][i] = 0.5
			gradient[i] = 0.5 * w[i]
		}
		for _, t := range all {
			p := logistic(w, t.signs)
			y := 0.0
			if t.right {
				y = 1
			}
			for i := range signs {
				gradient[i] += t.weight * (p - y) * t.signs[i]
				for j := range signs {
					hessian[i][j] += t.weight * p * (1 - p) * t.signs[i] * t.signs[j]
				}
			}
		}
		step := solved(hessian, gradient)
		moved := 0.0
		for i := range w {
			w[i] -= step[i]
			moved = max(moved, math.Abs(step[i]))
		}
		if moved < 1e-6 {
			break
		}
	}
	return w
}

// solved solves a small system of equations whose matrix is positive.
func solved(a [signs][signs]float64, b [signs]float64) [signs]float64 {
	rows := make([]int, signs)
	for i := range rows {
		rows[i] = i
	}
	for i := range signs {
		best := slices.MaxFunc(rows[i:], func(p, q int) int {
			return int(math.Copysign(1, math.Abs(a[p][i])-math.Abs(a[q][i])))
		})
		at := slices.Index(rows, best)
		rows[i], rows[at] = rows[at], rows[i]
		r := rows[i]
		if a[r][i] == 0 {
			continue
		}
		for _, o := range rows[i+1:] {
			f := a[o][i] / a[r][i]
			for j := i; j < signs; j++ {
				a[o][j] -= f * a[r][j]
			}
			b[o] -= f * b[r]
		}
	}
	var x [signs]float64
	for i := signs - 1; i >= 0; i-- {
		r := rows[i]
		sum := b[r]
		for j := i + 1; j < signs; j++ {
			sum -= a[r][j] * x[j]
		}
		if a[r][i] != 0 {
			x[i] = sum / a[r][i]
		}
	}
	return x
}
