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
// how much of the text is known, how like what asks for nothing is, the line's value and lead, and how much of the text the
// intent itself knows.
const signs = 10

func signsOf(r ranking, k int) [signs]float64 {
	c := r.order[k]
	lead := r.scores[c]
	for i, o := range r.order[:min(len(r.order), 2)] {
		if i != k {
			lead = r.scores[c] - r.scores[o]
			break
		}
	}
	line, second, covers := 0.0, 0.0, r.covers(c)
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
	return [signs]float64{1, lead, r.scores[c], r.like[c], r.known, max(0, r.other-r.like[c]*0.6), line, second, covers, covers * covers}
}

// fewWeights are used where no trial can be made. They were fitted on 5 to 150 of the made intents of routertest with three to six
// phrases each, with its wording for tuning; that of what asks for nothing was chosen.
func fewWeights() [signs]float64 {
	return [signs]float64{-5.21, 5.93, 13.7, -7.91, 1.97, -10, 0, 0, 10.28, -4.73}
}

// confidence is how sure the k-th of a ranking is.
func (j judge) confidence(r ranking, k int) float64 {
	s := signsOf(r, k)
	if j.tried {
		return logistic(j.weights, s)
	}
	w := j.weights
	doubtful := r.mood == inquiry && r.odd(r.order[k])
	if doubtful {
		w[0] -= oddly
	}
	p := logistic(w, s)
	if doubtful || s[3] < alikeEnough { // few phrases say little of how else it may be said
		p = min(p, unlikeMost)
	}
	return p
}

// Where no trial can be made: by how much a question weighs less, in logarithms of odds, when no phrase of the intent asks like that; and
// how sure a text can be that is such a question, or is not much like any phrase.
const (
	oddly       = 3.5
	alikeEnough = 0.7
	unlikeMost  = 0.85
)

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
	leastPhrases = 60
	// outside is the share of messages that ask for nothing known, as the trial takes it.
	outside = 0.1
)

// easier is by how much, in logarithms of odds, life is easier than the trial: its strangers are of the same world as the
// intents, and its phrases are left out with all that are much like them.
const easier = 1.4

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
		all = append(all, x.tried(intents, others, uint32(fold))...)
	}
	w := learned(all)
	w[0] += easier
	return judge{weights: w, tried: true}
}

// alike names for each phrase of an intent the first of those that say about the same: what is left out of a trial is left out
// with all that say it in nearly the same words, as the next message will not.
func (x *Index) alike(n int) []string {
	var out []string
	var firsts []phrase
	for _, p := range x.phrases {
		if p.intent != n {
			continue
		}
		at := slices.IndexFunc(firsts, func(f phrase) bool { return f.vec.times(p.vec) > similar })
		if at < 0 {
			at = len(firsts)
			firsts = append(firsts, p)
		}
		out = append(out, firsts[at].text)
	}
	return out
}

// similar is from where two phrases say about the same.
const similar = 0.8

// times is how alike two vectors are.
func (v vector) times(o vector) float64 {
	sum := 0.0
	for i, j := 0, 0; i < len(v) && j < len(o); {
		switch {
		case v[i].id == o[j].id:
			sum += float64(v[i].v) * float64(o[j].v)
			i++
			j++
		case v[i].id < o[j].id:
			i++
		default:
			j++
		}
	}
	return sum
}

// tried leaves out a quarter of the intents and of what the rest say, and ranks that.
func (x *Index) tried(intents []Intent, others []string, fold uint32) []trial {
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
		groups := x.alike(n)
		for i, p := range in.Phrases {
			if p.Weight == 0 && len(groups) > 1 && hashed(groups[i])%4 == fold {
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
	less := train(kept, keptOthers)
	out := make([]trial, 0, len(left))
	in := 0
	for _, a := range left {
		r := less.rank(a.text, wish)
		if len(r.order) == 0 {
			continue
		}
		t := trial{signs: signsOf(r, 0), right: less.ids[r.order[0]] == a.id, weight: 1}
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
