package model_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chela/internal/fault"
	"chela/internal/model"
)

// A turn is one answer of a fake provider.
type turn struct {
	show string
	err  *model.Error
	text string
}

// fake answers in turn and remembers when it was asked, and what.
type fake struct {
	turns []turn
	asked []time.Time
	last  model.Request
}

func (f *fake) Generate(_ context.Context, r model.Request, show func(model.Delta)) (model.Answer, error) {
	t := f.turns[min(len(f.asked), len(f.turns)-1)]
	f.asked, f.last = append(f.asked, time.Now()), r
	if t.show != "" && show != nil {
		show(model.Delta{Text: t.show})
	}
	if t.err != nil {
		e := *t.err
		e.Shown = t.show
		return model.Answer{}, &e
	}
	if show != nil {
		show(model.Delta{Text: t.text})
	}
	a := model.Answer{Stop: model.StopEnd, Parts: []model.Part{{Text: t.text}}}
	a.Finish()
	return a, nil
}

func failed(r model.Reason) turn { return turn{err: &model.Error{Reason: r}} }

// TestRetry_WaitsForNothing: what the provider asks to wait beyond the time of the call is said at once.
func TestRetry_WaitsForNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithTimeout(t.Context(), 5*time.Minute)
		defer end()
		f := &fake{turns: []turn{{err: &model.Error{Provider: "openai", Reason: model.RateLimit, RetryAfter: time.Hour}}}}
		began := time.Now()
		_, err := model.Retry(f).Generate(ctx, model.Request{}, nil)
		if took := time.Since(began); took != 0 || len(f.asked) != 1 {
			t.Errorf("it took %s and %d attempts, want one at once", took, len(f.asked))
		}
		if got, want := fault.TextOf(err), "openai is limiting our calls; try again in 60 minutes."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestRetry(t *testing.T) {
	t.Parallel()
	limited := turn{err: &model.Error{Reason: model.RateLimit, RetryAfter: 30 * time.Second}}
	for name, c := range map[string]struct {
		turns []turn
		waits []time.Duration // in between, give or take a quarter
		ok    bool
	}{
		"at once":                 {[]turn{{text: "x"}}, nil, true},
		"after a failure":         {[]turn{failed(model.Server), {text: "x"}}, []time.Duration{2 * time.Second}, true},
		"at the last":             {[]turn{failed(model.Server), failed(model.TimedOut), failed(model.RateLimit), {text: "x"}}, []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}, true},
		"never":                   {[]turn{failed(model.Server)}, []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}, false},
		"when the provider says":  {[]turn{limited, {text: "x"}}, []time.Duration{30 * time.Second}, true},
		"a key that is not good":  {[]turn{failed(model.Auth)}, nil, false},
		"a bill that is not paid": {[]turn{failed(model.Billing)}, nil, false},
		"a call it cannot read":   {[]turn{failed(model.Format)}, nil, false},
		"too long":                {[]turn{failed(model.ContextOverflow)}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{turns: c.turns}
				a, err := model.Retry(f).Generate(t.Context(), model.Request{}, nil)
				if (err == nil) != c.ok || a.Attempts != len(c.waits)+1 || len(f.asked) != len(c.waits)+1 {
					t.Fatalf("%+v %v after %d attempts", a, err, len(f.asked))
				}
				for i, want := range c.waits {
					if got := f.asked[i+1].Sub(f.asked[i]); got < want*3/4 || got > want*5/4 {
						t.Errorf("wait %d is %s, want about %s", i, got, want)
					}
				}
			})
		})
	}
}

func TestRetry_ACancelledCallIsNotRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f := &fake{turns: []turn{failed(model.Server)}}
		begin := time.Now()
		if _, err := model.Retry(f).Generate(ctx, model.Request{}, nil); err == nil || len(f.asked) != 1 || time.Since(begin) != time.Second {
			t.Errorf("%v after %d attempts and %s", err, len(f.asked), time.Since(begin))
		}
	})
}

func TestRetry_ABrokenStreamIsTakenUpAndShownOnce(t *testing.T) {
	t.Parallel()
	broke := turn{show: "The first half", err: &model.Error{Reason: model.Server}}
	f := &fake{turns: []turn{broke, {text: ", and the second."}}}
	var shown strings.Builder
	a, err := model.Retry(f).Generate(t.Context(), model.Request{}, func(d model.Delta) { shown.WriteString(d.Text) })
	if err != nil || a.Text != "The first half, and the second." || shown.String() != a.Text || !a.Resumed || a.Stop != model.StopEnd {
		t.Errorf("%+v %v, shown %q", a, err, shown.String())
	}
	if n := len(f.last.Messages); n != 2 || f.last.Messages[0].Parts[0].Text != "The first half" {
		t.Errorf("it was asked %+v", f.last.Messages)
	}

	again := turn{show: " and a bit", err: &model.Error{Reason: model.Server}}
	f = &fake{turns: []turn{broke, again}}
	shown.Reset()
	a, err = model.Retry(f).Generate(t.Context(), model.Request{}, func(d model.Delta) { shown.WriteString(d.Text) })
	if err != nil || a.Text != "The first half and a bit" || shown.String() != a.Text || a.Stop != model.StopBroken || len(f.asked) != 2 {
		t.Errorf("%+v %v, shown %q after %d calls", a, err, shown.String(), len(f.asked))
	}
}

func TestRetry_Classify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status             int
		kind, code, detail string
		want               model.Reason
		retry              bool
	}{
		{401, "authentication_error", "", "invalid x-api-key", model.Auth, false},
		{403, "", "", "", model.Auth, false},
		{402, "", "", "", model.Billing, false},
		{400, "invalid_request_error", "", "Your credit balance is too low", model.Billing, false},
		{429, "", "insufficient_quota", "You exceeded your current quota", model.Billing, false},
		{429, "rate_limit_error", "", "", model.RateLimit, true},
		{404, "not_found_error", "", "model: x", model.ModelNotFound, false},
		{400, "", "model_not_found", "", model.ModelNotFound, false},
		{400, "", "context_length_exceeded", "", model.ContextOverflow, false},
		{400, "invalid_request_error", "", "prompt is too long: 210000 tokens > 200000 maximum", model.ContextOverflow, false},
		{413, "request_too_large", "", "", model.ContextOverflow, false},
		{408, "", "", "", model.TimedOut, true},
		{504, "", "", "", model.TimedOut, true},
		{500, "api_error", "", "", model.Server, true},
		{529, "overloaded_error", "", "", model.Server, true},
		{400, "invalid_request_error", "", "messages: at least one message is required", model.Format, false},
	} {
		e := model.Classify("p", "m", c.status, c.kind, c.code, c.detail)
		if e.Reason != c.want || e.Reason.Retryable() != c.retry {
			t.Errorf("%d %s %s %s is %s, retryable %v", c.status, c.kind, c.code, c.detail, e.Reason, e.Reason.Retryable())
		}
		if text := fault.TextOf(e); text == "" || strings.Contains(text, "internal") {
			t.Errorf("%s says %q to people", e.Reason, text)
		}
	}
}

func TestRetry_Prices(t *testing.T) {
	t.Parallel()
	a := model.Answer{Model: "anthropic/claude-sonnet-4-20250514", Usage: model.Usage{InputTokens: 1_000_000, OutputTokens: 100_000, CacheReadTokens: 1_000_000, CacheWriteTokens: 100_000}}
	model.Prices().Charge(&a)
	if !a.CostKnown || fmt.Sprintf("%.4f", a.CostUSD) != "5.1750" {
		t.Errorf("%.4f USD, known %v", a.CostUSD, a.CostKnown)
	}
	b := model.Answer{Model: "llama3.1", Usage: model.Usage{InputTokens: 10}}
	if model.Prices().Charge(&b); b.CostKnown || b.CostUSD != 0 {
		t.Errorf("an unknown model costs %f", b.CostUSD)
	}
	model.Prices(model.Price{Match: "llama", In: 1}).Charge(&b)
	if !b.CostKnown || b.CostUSD != 10.0/1e6 {
		t.Errorf("overridden it costs %f", b.CostUSD)
	}
	if p, ok := model.Prices().Of("gpt-4o-mini-2024"); !ok || p.In != 0.15 {
		t.Errorf("the longer name is found first: %+v", p)
	}
}
