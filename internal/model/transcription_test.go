package model_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"chela/internal/fault"
	"chela/internal/model"
)

// transcriber transcribes, after it failed as it is told to.
type transcriber struct {
	model.Model
	asked    []string
	failures []model.Reason
}

func (e *transcriber) Transcribe(_ context.Context, name string, s model.Audio) (model.Answer, error) {
	e.asked = append(e.asked, name+" "+s.Name)
	if len(e.failures) > 0 {
		first := e.failures[0]
		e.failures = e.failures[1:]
		return model.Answer{}, &model.Error{Reason: first, Provider: "audio", Model: name}
	}
	return model.Answer{Text: "Deploy it.", Usage: model.Usage{Seconds: 30}}, nil
}

func asked(t *testing.T, named string, e *transcriber) *model.Providers {
	t.Helper()
	open := map[model.Kind]model.Opener{
		model.KindOpenAI:    func(model.Provider, *http.Client) (model.Model, error) { return e, nil },
		model.KindAnthropic: func(model.Provider, *http.Client) (model.Model, error) { return struct{ model.Model }{}, nil },
	}
	p := model.NewProviders(open, http.DefaultClient, model.Prices(), model.Options{Jobs: model.Jobs{Transcription: named}})
	if err := p.Set([]model.Provider{{Name: "words", Kind: model.KindAnthropic, Model: "claude-sonnet-4-5"}, {Name: "audio", Kind: model.KindOpenAI, Model: "gpt-4o"}}); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTranscription_WhoTranscribes(t *testing.T) {
	t.Parallel()
	for named, want := range map[string]struct {
		kind fault.Kind
		text string
	}{
		"":                     {fault.NotFound, "No model is named that transcribes"},
		"nobody/whisper-1":     {fault.Invalid, "configure a provider of that name"},
		"whisper-1":            {fault.Invalid, "provider/model"},
		"audio/":               {fault.Invalid, "provider/model"},
		"words/claude-3-5-any": {fault.Invalid, "cannot transcribe: the provider words is of the kind anthropic"},
	} {
		p := asked(t, named, new(transcriber))
		err := p.Transcribes()
		if fault.KindOf(err) != want.kind || !strings.Contains(fault.TextOf(err), want.text) {
			t.Errorf("%q: %v", named, err)
		}
		if _, again := p.Transcribe(t.Context(), model.Audio{}); fault.TextOf(again) != fault.TextOf(err) {
			t.Errorf("%q is asked: %v", named, again)
		}
		if jobs, _ := p.Choices(); len(jobs) != 4 {
			t.Errorf("%q: %+v", named, jobs)
		}
	}
	p := asked(t, "audio/whisper-1", new(transcriber))
	if err := p.Transcribes(); err != nil {
		t.Fatal(err)
	}
	jobs, _ := p.Choices()
	if last := jobs[len(jobs)-1]; len(jobs) != 5 || last.Job != model.Transcribing || last.Provider != "audio" || last.Model != "whisper-1" || last.Price == nil {
		t.Errorf("%+v", jobs)
	}
	if price, ok := p.TranscriptionPrice(); !ok || price.Minute != 0.006 {
		t.Errorf("%+v", price)
	}
}

func TestTranscription_Transcribing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // attempts wait
		e := &transcriber{failures: []model.Reason{model.Server, model.RateLimit}}
		a, err := asked(t, "audio/whisper-1", e).Transcribe(t.Context(), model.Audio{Name: "a.ogg"})
		if err != nil || a.Text != "Deploy it." || a.Attempts != 3 || a.Provider != "audio" || a.Model != "whisper-1" || math.Abs(a.CostUSD-0.003) > 1e-12 || !a.CostKnown || a.Duration == 0 {
			t.Errorf("%+v %v", a, err)
		}
		a, err = asked(t, "audio/own-model", new(transcriber)).Transcribe(t.Context(), model.Audio{Name: "a.ogg"})
		if err != nil || a.CostKnown {
			t.Errorf("without a price: %+v %v", a, err)
		}
		var me *model.Error
		_, err = asked(t, "audio/whisper-1", &transcriber{failures: []model.Reason{model.ContextOverflow}}).Transcribe(t.Context(), model.Audio{Name: "a.ogg"})
		if !errors.As(err, &me) || me.Reason != model.TooLong || !strings.Contains(fault.TextOf(err), "The audio file is too long for the model whisper-1") {
			t.Error(err)
		}
	})
}
