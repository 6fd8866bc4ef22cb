package intent

import (
	"math"
	"runtime"
	"sync"
)

// linear is a line between each intent and all others, as a support vector machine draws it.
type linear struct {
	intents int
	weights []float32 // by feature, then intent
	bias    []float64
}

const (
	rounds  = 12
	cost    = 3
	settled = 0.02 // a round that changes less is the last
)

// newLinear draws the lines by dual coordinate descent, the intents beside each other.
func newLinear(phrases []phrase, intents int, words *lexicon) *linear {
	l := &linear{intents: intents, weights: make([]float32, len(words.rare)*intents), bias: make([]float64, intents)}
	norms := make([]float64, len(phrases))
	for i, p := range phrases {
		norms[i] = 1 // of the bias
		for _, w := range p.vec {
			norms[i] += float64(w.v) * float64(w.v)
		}
	}
	order := shuffled(len(phrases))
	var wait sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			w := make([]float64, len(words.rare))
			for c := range next {
				l.bias[c] = fit(w, phrases, norms, order, c)
				for f, v := range w {
					l.weights[f*intents+c] = float32(v)
					w[f] = 0
				}
			}
		})
	}
	for c := range intents {
		next <- c
	}
	close(next)
	wait.Wait()
	return l
}

// fit draws the line of an intent into w and returns its bias.
func fit(w []float64, phrases []phrase, norms []float64, order []int, c int) (bias float64) {
	alphas := make([]float64, len(phrases))
	for range rounds {
		moved := 0.0
		for _, i := range order {
			p := &phrases[i]
			y, top := -1.0, cost*p.weight
			if p.intent == c {
				y = 1
			}
			dot := bias
			for _, f := range p.vec {
				dot += w[f.id] * float64(f.v)
			}
			// The loss is squared, so that the dual has a diagonal.
			diagonal := 0.5 / top
			gradient := y*dot - 1 + diagonal*alphas[i]
			if alphas[i] == 0 && gradient >= 0 {
				continue
			}
			was := alphas[i]
			alphas[i] = max(0, was-gradient/(norms[i]+diagonal))
			d := (alphas[i] - was) * y
			if d == 0 {
				continue
			}
			moved = max(moved, math.Abs(d))
			bias += d
			for _, f := range p.vec {
				w[f.id] += d * float64(f.v)
			}
		}
		if moved < settled {
			break
		}
	}
	return bias
}

// scores are the values of the lines at a vector.
func (l *linear) scores(v vector) []float64 {
	out := make([]float64, l.intents)
	copy(out, l.bias)
	for _, f := range v {
		row := l.weights[int(f.id)*l.intents : (int(f.id)+1)*l.intents]
		for c, w := range row {
			out[c] += float64(w) * float64(f.v)
		}
	}
	return out
}

func root(x float64) float64 {
	if x <= 0 {
		return 1
	}
	return math.Sqrt(x)
}

// shuffled are the numbers below n in an order without a pattern that is always the same.
func shuffled(n int) []int {
	out := make([]int, n)
	seed := uint64(0x9E3779B97F4A7C15)
	for i := range out {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		j := int(seed % uint64(i+1)) //nolint:gosec // below i+1
		out[i], out[j] = out[j], i
	}
	return out
}
