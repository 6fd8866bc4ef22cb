package model_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/model"
)

// withOptions returns providers a (the default) and b, and what they are asked.
func withOptions(t *testing.T, o model.Options) (*model.Providers, map[string]*echo) {
	t.Helper()
	made := make(map[string]*echo)
	p := model.NewProviders(map[model.Kind]model.Opener{model.KindOpenAI: func(p model.Provider, _ *http.Client) (model.Model, error) {
		made[p.Name] = &echo{name: p.Name}
		return made[p.Name], nil
	}}, nil, model.Prices(), o)
	if err := p.Set([]model.Provider{compatible("a", "local-1"), compatible("b", "gpt-4o")}); err != nil {
		t.Fatal(err)
	}
	return p, made
}

func TestDefaults_ACallWithoutAModelGoesToItsJobs(t *testing.T) {
	t.Parallel()
	p, made := withOptions(t, model.Options{Jobs: model.Jobs{Controller: "b/small", Checker: "small", Summary: "b/gpt-4o-mini"}})
	for _, c := range []struct {
		job             model.Job
		name            string
		provider, asked string
	}{
		{model.Controlling, "", "b", "small"},
		{model.Specializing, "", "a", "local-1"},
		{model.Checking, "", "a", "small"},
		{model.Summing, "", "b", "gpt-4o-mini"},
		{model.Summing, "b/gpt-4o", "b", "gpt-4o"}, // the agent's own goes first
		{"", "", "a", "local-1"},
		{"boss", "", "a", "local-1"},
	} {
		a, err := p.Generate(t.Context(), model.Request{Job: c.job, Model: c.name}, nil)
		if err != nil || a.Provider != c.provider || a.Model != c.asked || made[c.provider].last.Model != c.asked {
			t.Errorf("%s %q: %+v %v", c.job, c.name, a, err)
		}
	}
	if price, ok := p.Price("", model.Summing); !ok || price.In != 0.15 {
		t.Errorf("the price is %+v", price)
	}
}

func ref[T any](v T) *T { return &v }

func TestDefaults_OverridesLieOverTheTable(t *testing.T) {
	t.Parallel()
	p, made := withOptions(t, model.Options{Overrides: []model.Override{
		{Match: "gpt-4o", Output: ref(1000), Temperature: ref(0.2)},
		{Match: "local", Context: ref(4096), Output: ref(512)},
		{Match: "paid", In: ref(1.0), Out: ref(2.0)},
	}})
	for name, want := range map[string]struct {
		tokens int
		warm   float64 // -1 is the model's own
		usd    float64
		known  bool
	}{
		"b/gpt-4o":      {1000, 0.2, 2.5, true}, // the price stays
		"b/gpt-4o-mini": {1000, 0.2, 0.15, true},
		"b/gpt-4.1":     {8192, -1, 2, true},
		"local-1":       {512, -1, 0, false}, // limits alone make nothing free
		"x/paid-2":      {8192, -1, 1, true},
	} {
		a, err := p.Generate(t.Context(), model.Request{Model: name}, nil)
		got := made[a.Provider].last
		if err != nil || got.MaxTokens != want.tokens || (got.Temperature == nil) != (want.warm < 0) || got.Temperature != nil && *got.Temperature != want.warm || a.CostUSD != want.usd || a.CostKnown != want.known {
			t.Errorf("%s: %+v, asked %+v, %v", name, a, got, err)
		}
	}
	if _, err := p.Generate(t.Context(), model.Request{Model: "b/gpt-4o", Temperature: ref(1.0), MaxTokens: 7}, nil); err != nil || *made["b"].last.Temperature != 1 || made["b"].last.MaxTokens != 7 {
		t.Errorf("what a call says goes first: %+v %v", made["b"].last, err)
	}
	if price, ok := p.Price("local-1", ""); !ok || price.Context != 4096 {
		t.Errorf("%+v", price)
	}
}

func TestDefaults_AModelWithoutToolsIsNotGivenAny(t *testing.T) {
	t.Parallel()
	tools := model.NewToolset(model.ToolSpec{Name: "look"})
	o := model.Options{Overrides: []model.Override{{Match: "local", Tools: ref(false)}}}
	p, made := withOptions(t, o)
	var e *model.Error
	_, err := p.Generate(t.Context(), model.Request{Tools: tools}, nil)
	if text := fault.TextOf(err); !errors.As(err, &e) || e.Reason != model.NoTools || !strings.Contains(text, "local-1 cannot call tools") || !strings.Contains(text, "chela.yaml") || made["a"].last.Model != "" {
		t.Errorf("%v", err)
	}
	if a, err := p.Generate(t.Context(), model.Request{}, nil); err != nil || a.Text != "a" {
		t.Errorf("without tools it answers: %+v %v", a, err)
	}
	o.Failover = []string{"a/local-2", "b/gpt-4o"}
	p, made = withOptions(t, o)
	if a, err := p.Generate(t.Context(), model.Request{Model: "b/gpt-4o-mini", Tools: tools}, nil); err != nil || a.Text != "b" || made["a"].last.Model != "" {
		t.Errorf("%+v %v", a, err)
	}
}
