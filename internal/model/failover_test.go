package model_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chela/internal/fault"
	"chela/internal/model"
)

// A clock is moved by the test alone.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

// A ward is a rotation, its models, how each of them fails now, and who was called.
type ward struct {
	*clock
	*model.Rotation
	names  []string
	fails  map[string]*model.Error
	called []string
	heard  []model.Rotated
}

func newWard(names ...string) *ward {
	w := &ward{clock: newClock(), names: names, fails: make(map[string]*model.Error)}
	w.Rotation = model.NewRotation(w.now, func(_ context.Context, r model.Rotated) { w.heard = append(w.heard, r) })
	return w
}

func (w *ward) ask(ctx context.Context) (model.Answer, error) {
	w.called = nil
	return w.Try(ctx, w.names, func(name string) (model.Answer, error) {
		w.called = append(w.called, name)
		if e := w.fails[name]; e != nil {
			return model.Answer{Attempts: 1}, e
		}
		return model.Answer{Text: name, Attempts: 1}, nil
	})
}

func because(r model.Reason) *model.Error { return &model.Error{Reason: r, Provider: "p", Model: "m"} }

func TestFailover_HowLongAModelCoolsDown(t *testing.T) {
	t.Parallel()
	minutes := func(list ...int) (out []time.Duration) {
		for _, n := range list {
			out = append(out, time.Duration(n)*time.Minute)
		}
		return out
	}
	for reason, want := range map[model.Reason][]time.Duration{
		model.Billing:       minutes(300, 600, 1200, 1440, 1440),
		model.RateLimit:     minutes(1, 5, 25, 60, 60),
		model.Auth:          minutes(60, 60),
		model.TimedOut:      minutes(1, 2, 4, 8, 16, 30, 30),
		model.Server:        minutes(1, 2, 4, 8, 16, 30, 30),
		model.Format:        minutes(1, 1),
		model.ModelNotFound: minutes(48*60, 48*60),
	} {
		w := newWard("a/1", "b/2")
		w.fails["a/1"] = because(reason)
		for i, d := range want {
			a, err := w.ask(t.Context())
			c := w.Cooling()
			if err != nil || a.Text != "b/2" || a.Attempts != 2 || len(c) != 1 || c[0].Model != "a/1" || c[0].Reason != reason || c[0].Error == "" || c[0].Until.Sub(w.at) != d {
				t.Fatalf("%s, failure %d: %+v %v %+v", reason, i+1, a, err, c)
			}
			if r := w.heard[i]; len(w.heard) != i+1 || r.From != "a/1" || r.To != "b/2" || r.Reason != reason || !r.Until.Equal(c[0].Until) || r.Error != c[0].Error {
				t.Errorf("%s: it is told %+v", reason, w.heard)
			}
			w.at = c[0].Until
		}
		w.at = w.at.Add(25 * time.Hour) // long forgotten
		if _, err := w.ask(t.Context()); err != nil || w.Cooling()[0].Until.Sub(w.at) != want[0] {
			t.Errorf("%s, a day later: %v %+v", reason, err, w.Cooling())
		}
	}
}

func TestFailover_WhatDoesNotRotate(t *testing.T) {
	t.Parallel()
	for _, reason := range []model.Reason{model.ContextOverflow, model.Canceled, model.NoneConfigured} {
		w := newWard("a/1", "b/2")
		w.fails["a/1"] = because(reason)
		var e *model.Error
		if _, err := w.ask(t.Context()); !errors.As(err, &e) || e.Reason != reason || len(w.called) != 1 || len(w.Cooling()) != 0 || len(w.heard) != 0 {
			t.Errorf("%s: %v, called %v", reason, err, w.called)
		}
	}
	w := newWard("a/1", "b/2")
	shown := because(model.Server)
	shown.Shown = "Half"
	w.fails["a/1"] = shown
	if _, err := w.ask(t.Context()); !errors.Is(err, error(shown)) || len(w.called) != 1 || len(w.Cooling()) != 1 {
		t.Errorf("after text was shown: %v, called %v", err, w.called)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	w = newWard("a/1", "b/2")
	w.fails["a/1"] = because(model.TimedOut)
	if _, err := w.ask(over); err == nil || len(w.called) != 1 || len(w.Cooling()) != 1 {
		t.Errorf("without time left: %v, called %v", err, w.called)
	}
}

func TestFailover_AProviderThatSaysWhenIsLeftAloneTillThen(t *testing.T) {
	t.Parallel()
	w := newWard("a/1", "b/2")
	w.fails["a/1"] = &model.Error{Reason: model.RateLimit, RetryAfter: 40 * time.Minute}
	if _, err := w.ask(t.Context()); err != nil || w.Cooling()[0].Until.Sub(w.at) != 40*time.Minute {
		t.Errorf("%v %+v", err, w.Cooling())
	}
}

func TestFailover_OneProbeNearTheEnd(t *testing.T) {
	t.Parallel()
	w := newWard("a/1", "b/2")
	w.fails["a/1"] = because(model.Auth)
	asked := func(what string, want ...string) {
		t.Helper()
		if _, err := w.ask(t.Context()); err != nil || !slices.Equal(w.called, want) {
			t.Errorf("%s: %v, called %v", what, err, w.called)
		}
	}
	asked("first", "a/1", "b/2")
	asked("at once", "b/2")
	w.at = w.at.Add(57 * time.Minute)
	asked("before the window", "b/2")
	w.at = w.at.Add(90 * time.Second)
	asked("the probe fails", "a/1", "b/2")
	asked("after it", "b/2")
	w.at = w.at.Add(59 * time.Minute)
	w.fails["a/1"] = nil
	w.called = nil
	_, err := w.Try(t.Context(), w.names, func(name string) (model.Answer, error) {
		if name == "a/1" {
			asked("while the probe is out", "b/2")
		}
		return model.Answer{Text: name}, nil
	})
	if err != nil || len(w.Cooling()) != 0 {
		t.Errorf("the probe is well: %v %+v", err, w.Cooling())
	}
	asked("then", "a/1")

	w.fails["a/1"] = because(model.Auth)
	asked("again", "a/1", "b/2")
	w.at = w.at.Add(59 * time.Minute)
	w.fails["a/1"] = because(model.ContextOverflow)
	for range 2 { // it says nothing of the model: the next call is the probe
		if _, err := w.ask(t.Context()); err == nil || len(w.called) != 1 {
			t.Errorf("a probe that is too long: %v, called %v", err, w.called)
		}
	}
}

func TestFailover_WhenAllCoolDown(t *testing.T) {
	t.Parallel()
	w := newWard("a/1", "b/2")
	w.fails["a/1"], w.fails["b/2"] = because(model.Billing), because(model.Auth)
	var e *model.Error
	if _, err := w.ask(t.Context()); !errors.As(err, &e) || e.Reason != model.Auth || len(w.heard) != 1 {
		t.Errorf("the last error: %v", err)
	}
	_, err := w.ask(t.Context())
	if !errors.As(err, &e) || e.Reason != model.AllCooling || len(w.called) != 0 || e.Reason.Retryable() {
		t.Fatalf("%v, called %v", err, w.called)
	}
	if text := fault.TextOf(err); !strings.Contains(text, "b/2, at 04:04 UTC on 2026-01-02") || !strings.Contains(text, "does not accept the key") {
		t.Errorf("it says %q", text)
	}
	w.Reset()
	if w.fails["a/1"] = nil; len(w.Cooling()) != 0 {
		t.Error("a reset does not make them well")
	}
	if a, err := w.ask(t.Context()); err != nil || a.Text != "a/1" {
		t.Errorf("%+v %v", a, err)
	}
}

// TestFailover_RotationHolds plays many random histories and holds the promises at each call.
func TestFailover_RotationHolds(t *testing.T) {
	t.Parallel()
	reasons := []model.Reason{"", "", model.Billing, model.RateLimit, model.Auth, model.TimedOut, model.Server, model.Format, model.ModelNotFound, model.ContextOverflow, model.Canceled}
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test's
		w := newWard("a/1", "b/2", "c/3")
		probed := make(map[string]time.Time) // the cool-down that was probed, by its end
		for step := range 200 {
			if rnd.IntN(3) == 0 {
				name := w.names[rnd.IntN(len(w.names))]
				w.fails[name] = nil
				if r := reasons[rnd.IntN(len(reasons))]; r != "" {
					w.fails[name] = because(r)
				}
			}
			w.at = w.at.Add(time.Duration(rnd.Int64N(int64([]time.Duration{time.Minute, 20 * time.Minute, 10 * time.Hour}[rnd.IntN(3)]))))
			before := make(map[string]model.Cooling)
			for _, c := range w.Cooling() {
				before[c.Model] = c
			}
			_, err := w.ask(t.Context())
			where := fmt.Sprintf("seed %d, step %d: called %v, cooling %v, %v", seed, step, w.called, before, err)
			for i, name := range w.called {
				if c, cooling := before[name]; cooling {
					if left := c.Until.Sub(w.at); left > 2*time.Minute {
						t.Fatalf("%s cools down for %s more; %s", name, left, where)
					}
					if e := w.fails[name]; probed[name].Equal(c.Until) && (e == nil || e.Reason != model.ContextOverflow && e.Reason != model.Canceled) {
						t.Fatalf("%s is probed twice; %s", name, where)
					}
					if e := w.fails[name]; e == nil || e.Reason != model.ContextOverflow && e.Reason != model.Canceled {
						probed[name] = c.Until
					}
				}
				if e := w.fails[name]; i < len(w.called)-1 && (e == nil || e.Reason == model.ContextOverflow || e.Reason == model.Canceled) {
					t.Fatalf("%s rotates; %s", name, where)
				}
			}
			if _, cooling := before[w.names[0]]; !cooling && w.called[0] != w.names[0] {
				t.Fatalf("the first is well and is passed over; %s", where)
			}
		}
		clear(w.fails)
		w.at = w.at.Add(48 * time.Hour)
		if a, err := w.ask(t.Context()); err != nil || a.Text != w.names[0] {
			t.Fatalf("seed %d: it does not return to the first: %+v %v", seed, a, err)
		}
	}
}

// chained returns providers a and b, of which a fails in turn, with b behind it.
func chained(t *testing.T, c *clock, turns ...turn) (*model.Providers, map[string]*fake) {
	t.Helper()
	made := map[string]*fake{"a": {turns: turns}, "b": {turns: []turn{{text: "B"}}}}
	p := model.NewProviders(map[model.Kind]model.Opener{model.KindOpenAI: func(p model.Provider, _ *http.Client) (model.Model, error) { return made[p.Name], nil }}, nil, model.Prices(), model.Options{Failover: []string{"a/m", "b/gpt-4o"}, Now: c.now})
	if err := p.Set([]model.Provider{compatible("a", "m"), compatible("b", "n")}); err != nil {
		t.Fatal(err)
	}
	return p, made
}

func TestFailover_ProvidersFailOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClock()
		p, made := chained(t, c, turn{err: &model.Error{Reason: model.RateLimit, RetryAfter: time.Minute, Provider: "a", Model: "m"}}, turn{text: "A"})
		shown := ""
		begin := time.Now()
		a, err := p.Generate(t.Context(), model.Request{}, func(d model.Delta) { shown += d.Text })
		if err != nil || a.Text != "B" || shown != "B" || a.Provider != "b" || a.Model != "gpt-4o" || a.Attempts != 2 || made["b"].last.Model != "gpt-4o" || time.Since(begin) != 0 {
			t.Fatalf("%+v %v after %s", a, err, time.Since(begin))
		}
		states := p.States()
		if len(states) != 2 || len(states[0].Cooling) != 1 || states[0].Cooling[0].Model != "a/m" || len(states[1].Cooling) != 0 || states[0].Key != "" {
			t.Errorf("%+v", states)
		}
		if a, err := p.Generate(t.Context(), model.Request{Model: "b/other"}, nil); err != nil || a.Model != "other" {
			t.Errorf("the model that is named goes first: %+v %v", a, err)
		}
		c.at = c.at.Add(time.Minute)
		if a, err := p.Generate(t.Context(), model.Request{}, nil); err != nil || a.Text != "A" || len(p.States()[0].Cooling) != 0 {
			t.Errorf("then it is asked again: %+v %v", a, err)
		}
	})
}

func TestFailover_AStreamThatBrokeStaysWithItsModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, made := chained(t, newClock(), turn{show: "Half", err: &model.Error{Reason: model.Server}})
		a, err := p.Generate(t.Context(), model.Request{}, func(model.Delta) {})
		if err != nil || a.Stop != model.StopBroken || a.Provider == "b" || len(made["b"].asked) != 0 {
			t.Errorf("%+v %v", a, err)
		}
	})
}

func TestFailover_TheChainNamesConfiguredModels(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"b/n", "a", "a/", "/n", ""} {
		p := model.NewProviders(map[model.Kind]model.Opener{model.KindOpenAI: func(model.Provider, *http.Client) (model.Model, error) { return &fake{}, nil }}, nil, model.Prices(), model.Options{Failover: []string{"a/m", name}})
		if err := p.Set([]model.Provider{compatible("a", "m")}); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), "chela.yaml") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
