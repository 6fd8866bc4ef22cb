package agent

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/model"
)

// TestGauge_Learns: after some calls estimates follow what the provider counts, cached tokens too.
func TestGauge_Learns(t *testing.T) {
	t.Parallel()
	var g gauge
	key := rateKey("m", model.Specializing)
	if got := g.tokens(key, 4000); got != 1000 {
		t.Errorf("of a model that nobody asked: %d, want 1000", got)
	}
	for i := range 10 {
		g.observe(key, 4000+i, model.Usage{InputTokens: 400, CacheReadTokens: 1100})
	}
	g.observe(key, 10, model.Usage{InputTokens: 900}) // too little to tell
	if got := g.tokens(key, 4000); got < 1480 || got > 1520 {
		t.Errorf("of a model with 2.7 bytes a token: %d, want 1500", got)
	}
	if r := g.known(key); r.calls != 10 || r.off > 0.2 || r.off < 0.01 {
		t.Errorf("%+v", r)
	}
	if got := g.tokens(rateKey("other", model.Specializing), 4000); got != 1000 {
		t.Errorf("of another model: %d", got)
	}
}

// TestGauge_StaysWithinBounds holds that whatever a provider counts, estimates stay finite, above 0, and grow with the bytes.
func TestGauge_StaysWithinBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var g gauge
		for range rapid.IntRange(0, 20).Draw(t, "calls") {
			g.observe("k", rapid.IntRange(0, 1<<20).Draw(t, "bytes"), model.Usage{InputTokens: rapid.IntRange(-5, 1<<20).Draw(t, "tokens")})
		}
		n := rapid.IntRange(1, 1<<20).Draw(t, "n")
		got := g.tokens("k", n)
		if got < n/9 || got > n || g.tokens("k", n+100) < got || math.IsNaN(g.known("k").off) {
			t.Errorf("%d bytes are %d tokens, %+v", n, got, g.known("k"))
		}
	})
}
