package model_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"chela/internal/fault"
	"chela/internal/model"
)

func TestProviders_FromTheEnvironment(t *testing.T) {
	t.Parallel()
	claude := model.Provider{Name: "anthropic", Kind: model.KindAnthropic, Key: "k", Model: "claude-sonnet-4-5", From: "environment"}
	gpt := model.Provider{Name: "openai", Kind: model.KindOpenAI, Key: "k", Model: "gpt-4o", From: "environment"}
	ollama := func(base, name string) model.Provider {
		return model.Provider{Name: "ollama", Kind: model.KindOpenAI, BaseURL: base, Model: name, From: "environment"}
	}
	flash := model.Provider{Name: "gemini", Kind: model.KindGemini, Key: "k", Model: "gemini-2.5-flash", From: "environment"}
	pro := flash
	pro.BaseURL, pro.Model = "http://proxy", "gemini-2.5-pro"
	zai := func(kind model.Kind, base, name string) model.Provider {
		return model.Provider{Name: "zai", Kind: kind, Key: "k", BaseURL: base, Model: name, From: "environment"}
	}
	own := claude
	own.BaseURL, own.Model = "http://proxy", "claude-opus-4-5"
	local := gpt
	local.Key, local.BaseURL, local.Model = "", "http://127.0.0.1:8000/v1", "qwen3"
	for env, want := range map[string][]model.Provider{
		"":                    nil,
		"ANTHROPIC_API_KEY=k": {claude},
		"ANTHROPIC_API_KEY=k ANTHROPIC_BASE_URL=http://proxy ANTHROPIC_MODEL=claude-opus-4-5": {own},
		"ANTHROPIC_BASE_URL=http://proxy ANTHROPIC_MODEL=claude-opus-4-5":                     nil,
		"OPENAI_API_KEY=k": {gpt},
		"OPENAI_BASE_URL=http://127.0.0.1:8000/v1 OPENAI_MODEL=qwen3": {local},
		"OPENAI_MODEL=gpt-4o": nil,
		"GOOGLE_API_KEY=k":    {flash},
		"GEMINI_API_KEY=k GOOGLE_API_KEY=other GEMINI_BASE_URL=http://proxy GEMINI_MODEL=gemini-2.5-pro": {pro},
		"ZAI_API_KEY=k": {zai(model.KindOpenAI, "https://api.z.ai/api/paas/v4", "glm-4.6")},
		"ZAI_API_KEY=k ZAI_BASE_URL=https://api.z.ai/api/coding/paas/v4 ZAI_MODEL=glm-4.5-air": {zai(model.KindOpenAI, "https://api.z.ai/api/coding/paas/v4", "glm-4.5-air")},
		"ZAI_API_KEY=k ZAI_BASE_URL=https://api.z.ai/api/anthropic":                            {zai(model.KindAnthropic, "https://api.z.ai/api/anthropic", "glm-4.6")},
		"ZAI_API_KEY=k ZAI_BASE_URL=http://127.0.0.1:9/v4":                                     {zai(model.KindOpenAI, "http://127.0.0.1:9/v4", "glm-4.6")},
		"OLLAMA_HOST=127.0.0.1:11500":                                                          {ollama("http://127.0.0.1:11500/v1", "llama3.1")},
		"OLLAMA_HOST=box":                                                                      {ollama("http://box:11434/v1", "llama3.1")},
		"OLLAMA_HOST=[::1]":                                                                    {ollama("http://[::1]:11434/v1", "llama3.1")},
		"OLLAMA_HOST=https://box/ OLLAMA_MODEL=qwen3":                                          {ollama("https://box/v1", "qwen3")},
		"OLLAMA_HOST=box:1 OPENAI_API_KEY=k ANTHROPIC_API_KEY=k":                               {claude, gpt, ollama("http://box:1/v1", "llama3.1")},
	} {
		vars := make(map[string]string)
		for _, pair := range strings.Fields(env) {
			name, value, _ := strings.Cut(pair, "=")
			vars[name] = value
		}
		got := model.FromEnvironment(func(name string) string { return vars[name] })
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v\n%+v", env, got, want)
		}
		for _, p := range got {
			if err := p.Check(); err != nil {
				t.Errorf("%s: %v", env, err)
			}
		}
	}
}

// An echo answers with the name of its provider and remembers what it was asked.
type echo struct {
	name string
	mu   sync.Mutex // guards last
	last model.Request
	// until, when not nil, is what an answer waits for.
	until chan struct{}
}

func (e *echo) Generate(_ context.Context, r model.Request, _ func(model.Delta)) (model.Answer, error) {
	e.mu.Lock()
	e.last = r
	e.mu.Unlock()
	if e.until != nil {
		<-e.until
	}
	a := model.Answer{Stop: model.StopEnd, Parts: []model.Part{{Text: e.name}}, Usage: model.Usage{InputTokens: 1_000_000}}
	a.Finish()
	return a, nil
}

// echoes returns an empty set, and the models it opens by the names of their providers.
func echoes(prices ...model.Price) (*model.Providers, map[string]*echo) {
	made := make(map[string]*echo)
	return model.NewProviders(map[model.Kind]model.Opener{model.KindOpenAI: func(p model.Provider, _ *http.Client) (model.Model, error) {
		if p.Key == "refused" {
			return nil, fault.New(fault.Invalid, "The key is refused.")
		}
		made[p.Name] = &echo{name: p.Name}
		return made[p.Name], nil
	}}, nil, model.Prices(prices...), model.Options{}), made
}

func compatible(name, def string) model.Provider {
	return model.Provider{Name: name, Kind: model.KindOpenAI, Model: def, Key: "k", From: "file"}
}

func TestProviders_WithoutAProvider(t *testing.T) {
	t.Parallel()
	p, _ := echoes()
	_, err := p.Generate(t.Context(), model.Request{Model: "gpt-4o"}, nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Reason != model.NoneConfigured || !strings.Contains(fault.TextOf(err), "chela setup") || p.Ready() || len(p.List()) != 0 {
		t.Errorf("%v", err)
	}
	if _, ok := p.Price("gpt-4o", ""); ok {
		t.Error("there is a price")
	}
}

func TestProviders_AModelIsFoundByItsName(t *testing.T) {
	t.Parallel()
	p, made := echoes(model.Price{Match: "short", Output: 100, In: 1}, model.Price{Match: "unlimited", In: 2})
	if err := p.Set([]model.Provider{compatible("first", "short-1"), compatible("second", "gpt-4o")}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		provider, model string
		tokens          int
		usd             float64
	}{
		"":                     {"first", "short-1", 100, 1},
		"short-2":              {"first", "short-2", 100, 1},
		"unlimited":            {"first", "unlimited", 8192, 2},
		"second/gpt-4o-mini":   {"second", "gpt-4o-mini", 8192, 0.15},
		"second/meta/llama":    {"second", "meta/llama", 8192, 0},
		"meta/llama":           {"first", "meta/llama", 8192, 0}, // no provider of that name
		"openrouter/short/x":   {"first", "openrouter/short/x", 8192, 0},
		"second/vendor/gpt-4o": {"second", "vendor/gpt-4o", 8192, 2.5},
	} {
		a, err := p.Generate(t.Context(), model.Request{Model: name}, nil)
		if err != nil || a.Text != want.provider || a.Provider != want.provider || a.Model != want.model || a.CostUSD != want.usd || a.CostKnown != (want.usd > 0) {
			t.Errorf("%q: %+v %v", name, a, err)
		}
		if got := made[want.provider].last; got.Model != want.model || got.MaxTokens != want.tokens {
			t.Errorf("%q is asked as %q with %d tokens", name, got.Model, got.MaxTokens)
		}
		if price, ok := p.Price(name, ""); ok != (want.usd > 0) || price.In != want.usd {
			t.Errorf("%q: the price is %+v", name, price)
		}
	}
	if _, err := p.Generate(t.Context(), model.Request{MaxTokens: 5000}, nil); err != nil || made["first"].last.MaxTokens != 5000 {
		t.Errorf("asked for 5000 tokens it asks for %d, %v", made["first"].last.MaxTokens, err)
	}
}

func TestProviders_AReservedOneIsAskedByNameAlone(t *testing.T) {
	t.Parallel()
	p, _ := echoes()
	kept := compatible("kept", "m")
	kept.Reserved = true
	if err := p.Set([]model.Provider{kept}); err != nil {
		t.Fatal(err)
	}
	var e *model.Error
	if _, err := p.Generate(t.Context(), model.Request{}, nil); !errors.As(err, &e) || e.Reason != model.NoneConfigured || p.Ready() {
		t.Errorf("alone: got %v and ready %v, want that none is configured", err, p.Ready())
	}
	if a, err := p.Generate(t.Context(), model.Request{Model: "kept/m"}, nil); err != nil || a.Provider != "kept" {
		t.Errorf("by its name: got %q %v, want kept", a.Provider, err)
	}
	if err := p.Set([]model.Provider{kept, compatible("second", "n")}); err != nil {
		t.Fatal(err)
	}
	if a, err := p.Generate(t.Context(), model.Request{}, nil); err != nil || a.Provider != "second" || !p.Ready() {
		t.Errorf("beside another: got %q %v, want second", a.Provider, err)
	}
}

func TestProviders_ASetThatIsNotGoodChangesNothing(t *testing.T) {
	t.Parallel()
	p, _ := echoes()
	good := []model.Provider{compatible("first", "m")}
	if err := p.Set(good); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*model.Provider)
		says   string
	}{
		"no name":          {func(p *model.Provider) { p.Name = "" }, "name: "},
		"a slash":          {func(p *model.Provider) { p.Name = "a/b" }, "name: "},
		"a blank":          {func(p *model.Provider) { p.Name = "a b" }, "name: "},
		"an unknown kind":  {func(p *model.Provider) { p.Kind = "mistral" }, "Allowed: anthropic, openai, gemini, scripted."},
		"not Z.AI's wire":  {func(p *model.Provider) { p.BaseURL = "https://api.z.ai/api/anthropic" }, "Allowed: anthropic."},
		"no opener":        {func(p *model.Provider) { p.Kind = model.KindScripted }, "no scripted provider"},
		"no model":         {func(p *model.Provider) { p.Model = "" }, "model: "},
		"no Claude":        {func(p *model.Provider) { p.Kind, p.Model = model.KindAnthropic, "" }, "model: "},
		"it does not open": {func(p *model.Provider) { p.Key = "refused" }, "The key is refused."},
	} {
		t.Run(name, func(t *testing.T) {
			bad := compatible("second", "m")
			c.change(&bad)
			err := p.Set([]model.Provider{compatible("third", "m"), bad})
			if fault.KindOf(err) != fault.Invalid || err == nil || !strings.Contains(fault.TextOf(err), c.says) {
				t.Errorf("%v", err)
			}
			if list := p.List(); len(list) != 1 || list[0].Name != "first" {
				t.Errorf("it is now %+v", list)
			}
		})
	}
}

func TestProviders_KeysAreNotShown(t *testing.T) {
	t.Parallel()
	p, _ := echoes()
	open := compatible("second", "m")
	open.Key = ""
	if err := p.Set([]model.Provider{compatible("first", "m"), open}); err != nil {
		t.Fatal(err)
	}
	list := p.List()
	if !p.Ready() || len(list) != 2 || !list[0].HasKey || list[1].HasKey || list[0].Key != "" || list[0].From != "file" {
		t.Errorf("%+v", list)
	}
	if p.List()[0].Name = "changed"; p.List()[0].Name != "first" {
		t.Error("who reads the list can change it")
	}
}

func TestProviders_ChangeWhileCallsRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, made := echoes()
		if err := p.Set([]model.Provider{compatible("old", "m")}); err != nil {
			t.Fatal(err)
		}
		until := make(chan struct{})
		made["old"].until = until
		answers := make(chan string, 1)
		go func() {
			a, err := p.Generate(t.Context(), model.Request{}, nil)
			answers <- a.Text
			if err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		if err := p.Set([]model.Provider{compatible("new", "m")}); err != nil {
			t.Fatal(err)
		}
		if a, err := p.Generate(t.Context(), model.Request{}, nil); err != nil || a.Text != "new" {
			t.Errorf("the next call: %+v %v", a, err)
		}
		close(until)
		if got := <-answers; got != "old" {
			t.Errorf("the call that ran is answered by %q", got)
		}
		if err := p.Set(nil); err != nil || p.Ready() {
			t.Errorf("nothing is configured: %v", err)
		}
	})
}

func TestProviders_ManyAskWhileProvidersChange(t *testing.T) {
	t.Parallel()
	p, _ := echoes()
	sets := [][]model.Provider{{compatible("a", "a-1")}, {compatible("b", "b-1"), compatible("a", "a-1")}}
	if err := p.Set(sets[0]); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				a, err := p.Generate(t.Context(), model.Request{}, nil)
				if err != nil || a.Model != a.Provider+"-1" || a.Text != a.Provider {
					t.Errorf("%+v %v", a, err)
					return
				}
				p.List()
			}
		})
	}
	for i := range 500 {
		if err := p.Set(sets[i%2]); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wait.Wait()
}

// flaky answers as it is told to.
type flaky struct{ err error }

// Generate implements [model.Model].
func (f *flaky) Generate(context.Context, model.Request, func(model.Delta)) (model.Answer, error) {
	return model.Answer{Stop: model.StopEnd, Parts: []model.Part{{Text: "ok"}}}, f.err
}

// TestProviders_Test asks a provider and tells how that went.
func TestProviders_Test(t *testing.T) {
	t.Parallel()
	f := new(flaky)
	p := model.NewProviders(map[model.Kind]model.Opener{model.KindOpenAI: func(model.Provider, *http.Client) (model.Model, error) { return f, nil }}, nil, nil, model.Options{})
	if err := p.Set([]model.Provider{{Name: "mine", Kind: model.KindOpenAI, Model: "qwen3"}}); err != nil {
		t.Fatal(err)
	}
	if s := p.States(); s[0].Last != nil {
		t.Errorf("before it was asked: %+v, want nothing", s[0].Last)
	}
	s, a, err := p.Test(t.Context(), "mine")
	if err != nil || a == nil || s.Last == nil || s.Last.Error != "" || s.Last.Model != "qwen3" || s.Last.At.IsZero() {
		t.Errorf("one that answers: %+v %v", s.Last, err)
	}
	f.err = &model.Error{Reason: model.Auth, Provider: "mine", Model: "qwen3"}
	if s, a, err = p.Test(t.Context(), "mine"); err != nil || a != nil || s.Last == nil || !strings.Contains(s.Last.Error, "does not accept the key") {
		t.Errorf("one that refuses the key: %+v %v", s.Last, err)
	}
	if _, _, err := p.Test(t.Context(), "other"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("one that is not there: %v", err)
	}
}
