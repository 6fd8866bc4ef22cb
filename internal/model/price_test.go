package model_test

import (
	"math"
	"testing"

	"chela/internal/model"
)

func TestPrice_TheTable(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for i, p := range model.Prices() {
		if p.Match == "" || seen[p.Match] || p.Context < p.Output || p.Output <= 0 && p.Minute == 0 || p.In < 0 || p.Out < p.In || p.CacheRead > p.In {
			t.Errorf("%+v", p)
		}
		seen[p.Match] = true
		if got, ok := model.Prices().Of(p.Match); !ok || got != p {
			t.Errorf("line %d, %s, is hidden by %s", i+1, p.Match, got.Match)
		}
	}
	for name, in := range map[string]float64{
		"claude-opus-4-20250514": 15, "claude-opus-4-1-20250805": 15, "claude-opus-4-5-20251101": 5, "claude-sonnet-4-5": 3,
		"anthropic/claude-haiku-4-5": 1, "gpt-4o-2024-11-20": 2.5, "gpt-4o-mini": 0.15, "openai/gpt-4.1-nano": 0.1, "gpt-4.1-mini-2025-04-14": 0.4, "gpt-4.1": 2, "gpt-4o-mini-transcribe": 3,
	} {
		if p, ok := model.Prices().Of(name); !ok || p.In != in {
			t.Errorf("%s is %+v", name, p)
		}
	}
	for _, name := range []string{"", "llama3.1", "gpt-3", "claude", "my-gpt-4o", "gpt-4o/tuned"} {
		if p, ok := model.Prices().Of(name); ok {
			t.Errorf("%s is %+v", name, p)
		}
	}
}

func TestPrice_Charge(t *testing.T) {
	t.Parallel()
	prices := model.Prices(model.Price{Match: "acme-free"}, model.Price{Match: "acme", In: 1, Out: 10, CacheRead: 0.1, CacheWrite: 2}, model.Price{Match: "gpt-4o", In: 7})
	for name, c := range map[string]struct {
		answer model.Answer
		usd    float64
		known  bool
	}{
		"in":                   {model.Answer{Model: "acme-1", Usage: model.Usage{InputTokens: 1_000_000}}, 1, true},
		"out":                  {model.Answer{Model: "acme-1", Usage: model.Usage{OutputTokens: 1_000_000}}, 10, true},
		"read from cache":      {model.Answer{Model: "acme-1", Usage: model.Usage{CacheReadTokens: 1_000_000}}, 0.1, true},
		"written to cache":     {model.Answer{Model: "acme-1", Usage: model.Usage{CacheWriteTokens: 1_000_000}}, 2, true},
		"all":                  {model.Answer{Model: "acme-1", Usage: model.Usage{InputTokens: 10, OutputTokens: 20, CacheReadTokens: 30, CacheWriteTokens: 40}}, 0.000293, true},
		"no usage":             {model.Answer{Model: "acme-1"}, 0, false},
		"free":                 {model.Answer{Model: "acme-free"}, 0, true},
		"broken":               {model.Answer{Model: "acme-1", Stop: model.StopBroken, Parts: []model.Part{{Text: "Half"}}}, 0, false},
		"resumed":              {model.Answer{Model: "acme-1", Resumed: true, Usage: model.Usage{InputTokens: 1_000_000}}, 1, false},
		"audio":                {model.Answer{Model: "whisper-1", Usage: model.Usage{Seconds: 90}}, 0.009, true},
		"audio file, no usage": {model.Answer{Model: "whisper-1"}, 0, false},
		"unknown":              {model.Answer{Model: "other", Usage: model.Usage{InputTokens: 1_000_000}}, 0, false},
		"ours is replaced":     {model.Answer{Model: "gpt-4o", Usage: model.Usage{InputTokens: 1_000_000}}, 7, true},
	} {
		a := c.answer
		if prices.Charge(&a); math.Abs(a.CostUSD-c.usd) > 1e-12 || a.CostKnown != c.known {
			t.Errorf("%s: %f USD, known %v", name, a.CostUSD, a.CostKnown)
		}
	}
}
