package model_test

import (
	"net/http"
	"testing"

	"chela/internal/model"
)

func TestChoicesNameEachJobsModel(t *testing.T) {
	open := func(model.Provider, *http.Client) (model.Model, error) { return nil, nil } //nolint:nilnil // nothing is asked
	p := model.NewProviders(map[model.Kind]model.Opener{model.KindOpenAI: open, model.KindAnthropic: open}, http.DefaultClient, model.Prices(), model.Options{
		Jobs: model.Jobs{Controller: "b/claude-sonnet-4-5", Summary: "made-up"}, Failover: []string{"a/gpt-4o"},
	})
	if jobs, next := p.Choices(); len(jobs) != 0 || len(next) != 0 {
		t.Errorf("without providers: %v %v", jobs, next)
	}
	if err := p.Set([]model.Provider{{Name: "a", Kind: model.KindOpenAI, Model: "gpt-4o"}, {Name: "b", Kind: model.KindAnthropic, Model: "other"}}); err != nil {
		t.Fatal(err)
	}
	jobs, next := p.Choices()
	want := []struct {
		job             model.Job
		provider, model string
		priced          bool
	}{
		{model.Controlling, "b", "claude-sonnet-4-5", true},
		{model.Specializing, "a", "gpt-4o", true},
		{model.Checking, "a", "gpt-4o", true},
		{model.Summing, "a", "made-up", false},
	}
	if len(jobs) != len(want) || len(next) != 1 || next[0].Provider != "a" || next[0].Model != "gpt-4o" || next[0].Price == nil {
		t.Fatalf("%+v, then %+v", jobs, next)
	}
	for i, w := range want {
		if got := jobs[i]; got.Job != w.job || got.Provider != w.provider || got.Model != w.model || (got.Price != nil) != w.priced {
			t.Errorf("%+v, want %+v", got, w)
		}
	}
	if s := p.States(); s[0].Price == nil || s[1].Price != nil {
		t.Errorf("%+v", s)
	}
}
