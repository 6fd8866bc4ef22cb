package agent

import (
	"math"
	"sync"

	"chela/internal/model"
	"chela/internal/prompt"
)

// A gauge learns how many bytes a token of a model has, from what its provider has counted. Until it knows, a token is
// four bytes, see [prompt.EstimateSize]. Safe for concurrent use.
type gauge struct {
	mu    sync.Mutex // guards rates
	rates map[string]rate
}

// A rate is what was counted of one model; older calls count less.
type rate struct {
	bytes, tokens float64
	calls         int
	off           float64 // how far the estimates before the calls were off, as a share of what was counted
}

// How a rate is learnt: from so many calls on it is believed, a call counts as much as so many before it, and bytes of a token
// are within bounds, so that a provider that counts oddly makes no prompt endless.
const (
	knownCalls = 3
	forgets    = 0.9
	leastBytes = 1.5
	mostBytes  = 8.0
)

// rateKey names the model that a call asks for.
func rateKey(name string, job model.Job) string { return name + "\x00" + string(job) }

// observe takes in that a call of so many bytes was counted as so many tokens.
func (g *gauge) observe(key string, bytes int, u model.Usage) {
	counted := float64(u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens)
	if bytes < 400 || counted < 20 { // too little to tell
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rates == nil {
		g.rates = make(map[string]rate)
	}
	r := g.rates[key]
	off := math.Abs(float64(r.size(bytes))-counted) / counted
	r.bytes, r.tokens = r.bytes*forgets+float64(bytes), r.tokens*forgets+counted
	if r.calls++; r.calls == 1 {
		r.off = off
	} else {
		r.off = r.off*forgets + off*(1-forgets)
	}
	g.rates[key] = r
}

// tokens estimates the tokens of so many bytes.
func (g *gauge) tokens(key string, bytes int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rates[key].size(bytes)
}

// known is what is known of a model.
func (g *gauge) known(key string) rate {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rates[key]
}

func (r rate) size(bytes int) int {
	if r.calls < knownCalls {
		return prompt.EstimateSize(bytes)
	}
	return int(math.Ceil(float64(bytes) / r.each()))
}

// each is how many bytes a token has.
func (r rate) each() float64 {
	if r.calls < knownCalls {
		return 4
	}
	return min(max(r.bytes/r.tokens, leastBytes), mostBytes)
}
