package model_test

import (
	"net/http"
	"testing"

	"chela/internal/fault"
	"chela/internal/model"
)

func TestChoices_NameEachJobsModel(t *testing.T) {
	t.Parallel()
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

func TestChoices_ModelsAreChosenWhileRunning(t *testing.T) {
	t.Parallel()
	open := func(model.Provider, *http.Client) (model.Model, error) { return nil, nil } //nolint:nilnil // nothing is asked
	p := model.NewProviders(map[model.Kind]model.Opener{model.KindOpenAI: open}, http.DefaultClient, model.Prices(), model.Options{Jobs: model.Jobs{Checker: "a/file"}})
	if err := p.Set([]model.Provider{{Name: "a", Kind: model.KindOpenAI, Model: "m"}, {Name: "b", Kind: model.KindOpenAI, Model: "n"}}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []model.Chosen{
		{Failover: []string{"c/m"}}, {Failover: []string{"m"}}, {Failover: []string{"b/n", "b/n"}}, {Jobs: model.Jobs{Checker: "two words"}}, {Failover: make([]string, 11)},
	} {
		if err := p.Choose(bad); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if jobs, _ := p.Choices(); jobs[2].Model != "file" {
		t.Errorf("what was refused holds: %+v", jobs)
	}
	if err := p.Choose(model.Chosen{Jobs: model.Jobs{Checker: "b/other"}, Failover: []string{"b/n"}, Settings: true}); err != nil {
		t.Fatal(err)
	}
	jobs, next := p.Choices()
	if jobs[2].Provider != "b" || jobs[2].Model != "other" || jobs[0].Model != "m" || len(next) != 1 || next[0].Model != "n" || !p.Chosen().Settings {
		t.Errorf("%+v, then %+v", jobs, next)
	}
	if err := p.Set([]model.Provider{{Name: "a", Kind: model.KindOpenAI, Model: "m"}}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a provider that is still on the list is removed: %v", err)
	}
}
