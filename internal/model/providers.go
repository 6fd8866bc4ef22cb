package model

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Kind says which wire a provider speaks.
type Kind string

// The kinds of providers.
const (
	KindAnthropic Kind = "anthropic"
	KindOpenAI    Kind = "openai" // also every compatible server
	KindGemini    Kind = "gemini"
	KindScripted  Kind = "scripted"
)

// A Provider is one configured place that answers.
type Provider struct {
	Name    string `json:"name" yaml:"name"`
	Kind    Kind   `json:"kind" yaml:"kind"`
	BaseURL string `json:"base_url,omitempty" yaml:"base_url"`
	Key     string `json:"-" yaml:"key"`
	Model   string `json:"model" yaml:"model"`        // its default
	Script  string `json:"-" yaml:"script"`           // of the scripted kind: the scenario file
	HasKey  bool   `json:"has_key" yaml:"-"`          // set when shown to people
	From    string `json:"from" yaml:"-"`             // "environment", "file" or "settings"
	Inside  bool   `json:"inside,omitempty" yaml:"-"` // of settings: an owner has set its address, which may lie inside
	// Reserved says that it is asked by those alone that name it.
	Reserved bool `json:"reserved,omitempty" yaml:"reserved"`
}

// Check reports the first thing wrong with p.
func (p Provider) Check() error {
	spoken, zai := ZAI(p.BaseURL)
	switch {
	case p.Name == "" || strings.ContainsAny(p.Name, "/ "):
		return fault.BadField("name", "A provider has a name without blanks and slashes.")
	case p.Name == StaticProvider:
		return fault.BadField("name", "The name static is that of files that give vectors; take another.")
	case !slices.Contains([]Kind{KindAnthropic, KindOpenAI, KindGemini, KindScripted}, p.Kind):
		return fault.BadField("kind", "The kind is not known.", string(KindAnthropic), string(KindOpenAI), string(KindGemini), string(KindScripted))
	case zai && p.Kind != spoken:
		return fault.BadField("kind", "The address "+p.BaseURL+" does not speak this wire.", string(spoken))
	case p.Kind != KindScripted && p.Model == "":
		return fault.BadField("model", "Name the model to use, such as claude-sonnet-4-5, gpt-4o, gemini-2.5-flash or llama3.1.")
	}
	return nil
}

// An Opener makes the client of one kind of provider.
type Opener func(p Provider, c *http.Client) (Model, error)

// ConfiguredKind records which providers are configured; keys are not in it.
var ConfiguredKind = event.Kind[Configured]{Name: "model.configured", PayloadType: "model.configured.v1"}

// Configured is the payload of model.configured.
type Configured struct {
	Providers []Provider `json:"providers"`
	Default   string     `json:"default,omitempty"`
}

// Providers is the set that is configured now; the first is the default. It is a
// [Model] itself. Safe for concurrent use.
type Providers struct {
	open     map[Kind]Opener
	client   *http.Client
	prices   PriceTable
	opts     Options
	rotation *Rotation
	lasts    lasts
	now      atomic.Pointer[[]opened]
	chosen   atomic.Pointer[Chosen]
}

// Options are how [Providers] may differ from asking one model.
type Options struct {
	// Jobs names the models of calls that name none.
	Jobs Jobs
	// Overrides are laid over the price table; the first match wins.
	Overrides []Override
	// Failover lists the models, as provider/model, that are asked in this order when the
	// one that should answer cannot.
	Failover []string
	// Static opens a file of the name static/NAME that gives vectors; nil means that there are none.
	Static func(name string) (Embedder, error)
	// Rotated hears of every time that another was asked.
	Rotated func(context.Context, Rotated)
	// Now is the clock of the cool-downs, and of how long answers took; nil means [time.Now].
	Now func() time.Time
}

type opened struct {
	Provider
	model Model
}

// NewProviders returns an empty set.
func NewProviders(open map[Kind]Opener, c *http.Client, prices PriceTable, o Options) *Providers {
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &Providers{open: open, client: c, prices: prices, opts: o, rotation: NewRotation(o.Now, o.Rotated)}
	p.now.Store(new([]opened))
	p.chosen.Store(&Chosen{Jobs: o.Jobs, Failover: o.Failover})
	return p
}

// Set replaces the set. When one provider cannot be opened nothing changes.
func (p *Providers) Set(list []Provider) error {
	next := make([]opened, 0, len(list))
	for _, c := range list {
		if err := c.Check(); err != nil {
			return err
		}
		open, ok := p.open[c.Kind]
		if !ok {
			return fault.BadField("kind", "This build of Chela has no "+string(c.Kind)+" provider.")
		}
		m, err := open(c, p.client)
		if err != nil {
			return err
		}
		next = append(next, opened{c, m})
	}
	if err := p.chosen.Load().check(next); err != nil {
		return err
	}
	p.now.Store(&next)
	p.rotation.Reset()
	return nil
}

// Failover returns the models that are asked when another cannot answer, in their order.
func (p *Providers) Failover() []string { return slices.Clone(p.chosen.Load().Failover) }

// A State is a provider, and which of its models are not asked for now.
type State struct {
	Provider
	Cooling []Cooling `json:"cooling,omitempty"`
	Price   *Price    `json:"price,omitempty"` // of its model; nil when it is not known
	Last    *Last     `json:"last,omitempty"`  // how it was asked last; nil when it was not asked since the daemon began
}

// A Last says how a provider was asked last.
type Last struct {
	At    time.Time `json:"at"`
	Model string    `json:"model"`
	Error string    `json:"error,omitempty"` // a sentence; empty when it answered
}

// lasts holds how each provider was asked last.
type lasts struct {
	mu sync.Mutex // guards of
	of map[string]Last
}

func (l *lasts) note(provider string, at Last) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = make(map[string]Last)
	}
	l.of[provider] = at
}

func (l *lasts) last(provider string) *Last {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, ok := l.of[provider]; ok {
		return &at
	}
	return nil
}

// testTime bounds a test of a provider.
const testTime = 20 * time.Second

// Test asks a provider's model for one word, and returns how that went. A fault.NotFound says that there is no
// such provider; that it does not answer is no error.
func (p *Providers) Test(ctx context.Context, provider string) (State, *Answer, error) {
	i := slices.IndexFunc(*p.now.Load(), func(o opened) bool { return o.Name == provider })
	if i < 0 {
		return State{}, nil, fault.New(fault.NotFound, "There is no provider named %q; `GET /api/models` lists them.", provider)
	}
	o := (*p.now.Load())[i]
	ctx, cancel := context.WithTimeoutCause(ctx, testTime, fault.New(fault.Unavailable, "%s did not answer within %s.", provider, testTime))
	defer cancel()
	a, err := p.ask(ctx, o, Request{Model: o.Model, MaxTokens: 16, Messages: []Message{{Role: User, Parts: []Part{{Text: "Answer with the word ok."}}}}}, nil, 0)
	states := p.States()
	state := states[slices.IndexFunc(states, func(s State) bool { return s.Name == provider })]
	if err != nil { // how it went is noted in the state
		return state, nil, nil //nolint:nilerr // as above
	}
	return state, &a, nil
}

// States returns the providers without their keys.
func (p *Providers) States() []State {
	cooling := p.rotation.Cooling()
	out := []State{}
	for _, provider := range p.List() {
		s := State{Provider: provider, Price: p.priced(provider.Name + "/" + provider.Model)}
		s.Last = p.lasts.last(provider.Name)
		for _, c := range cooling {
			if strings.HasPrefix(c.Model, provider.Name+"/") {
				s.Cooling = append(s.Cooling, c)
			}
		}
		out = append(out, s)
	}
	return out
}

// priced returns the price of a model, nil when it is not known.
func (p *Providers) priced(name string) *Price {
	price, ok := p.Price(name, "")
	if !ok || price.Unpriced {
		return nil
	}
	return &price
}

// A Choice is a model that is asked.
type Choice struct {
	Job      Job    `json:"job,omitempty"` // that it is asked for; empty for one that is asked when another cannot answer
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Price    *Price `json:"price,omitempty"` // nil when it is not known
}

// Choices returns which model each job asks when an agent names none, and which are asked
// in turn when one cannot answer. Nothing is chosen where nothing is configured.
func (p *Providers) Choices() (jobs, next []Choice) {
	chosen := func(job Job, name string) []Choice {
		o, m, err := p.find(name)
		if err != nil {
			return nil
		}
		return []Choice{{job, o.Name, m, p.priced(o.Name + "/" + m)}}
	}
	for _, job := range []Job{Controlling, Specializing, Checking, Summing} {
		jobs = append(jobs, chosen(job, p.chosen.Load().Jobs.of(job))...)
	}
	if o, name, err := p.transcriber(); err == nil {
		jobs = append(jobs, Choice{Transcribing, o.Name, name, p.priced(o.Name + "/" + name)})
	}
	if _, o, name, err := p.embedder(); err == nil {
		price := &Price{}
		if o.Name != StaticProvider {
			price = p.priced(o.Name + "/" + name)
		}
		jobs = append(jobs, Choice{Embedding, o.Name, name, price})
	}
	for _, name := range p.chosen.Load().Failover {
		next = append(next, chosen("", name)...)
	}
	return jobs, next
}

// List returns the providers without their keys.
func (p *Providers) List() []Provider {
	out := []Provider{}
	for _, o := range *p.now.Load() {
		shown := o.Provider
		shown.HasKey, shown.Key = shown.Key != "", ""
		out = append(out, shown)
	}
	return out
}

// Names returns what can be asked by name, as provider/model, each once.
func (p *Providers) Names() []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, o := range *p.now.Load() {
		add(o.Name + "/" + o.Model)
	}
	jobs, next := p.Choices()
	for _, c := range slices.Concat(jobs, next) {
		add(c.Provider + "/" + c.Model)
	}
	return names
}

// Ready reports whether any model is configured that is asked by those who name none.
func (p *Providers) Ready() bool { return slices.ContainsFunc(*p.now.Load(), opened.general) }

func (o opened) general() bool { return !o.Reserved }

// Price returns what is known of the model that a request's Model and Job name.
func (p *Providers) Price(name string, job Job) (Price, bool) {
	_, model, err := p.find(cmp.Or(name, p.chosen.Load().Jobs.of(job)))
	if err != nil {
		return Price{}, false
	}
	return p.known(model)
}

// known returns what the table and the overrides say of a model.
func (p *Providers) known(name string) (Price, bool) {
	price, ok := p.prices.Of(name)
	short := name[strings.LastIndexByte(name, '/')+1:]
	for _, o := range p.opts.Overrides {
		if strings.HasPrefix(short, o.Match) {
			return o.over(price, ok), true
		}
	}
	return price, ok
}

func (p *Providers) find(name string) (opened, string, error) {
	list := *p.now.Load()
	if first, rest, ok := strings.Cut(name, "/"); ok {
		if i := slices.IndexFunc(list, func(o opened) bool { return o.Name == first }); i >= 0 {
			return list[i], rest, nil
		}
	}
	i := slices.IndexFunc(list, opened.general)
	if i < 0 {
		return opened{}, "", &Error{Reason: NoneConfigured}
	}
	return list[i], cmp.Or(name, list[i].Model), nil
}

// Generate implements [Model].
func (p *Providers) Generate(ctx context.Context, r Request, show func(Delta)) (Answer, error) {
	o, name, err := p.find(cmp.Or(r.Model, p.chosen.Load().Jobs.of(r.Job)))
	if err != nil {
		return Answer{}, err
	}
	if !p.able(name, r) {
		return Answer{Provider: o.Name, Model: name}, &Error{Reason: NoTools, Provider: o.Name, Model: name}
	}
	if len(p.chosen.Load().Failover) == 0 {
		r.Model = name
		return p.ask(ctx, o, r, show, 0)
	}
	names := []string{o.Name + "/" + name}
	for _, n := range p.chosen.Load().Failover {
		if !slices.Contains(names, n) && p.able(n, r) {
			names = append(names, n)
		}
	}
	a, err := p.rotation.Try(ctx, names, func(full string) (Answer, error) {
		o, name, err := p.find(full)
		if err != nil {
			return Answer{}, err
		}
		next := r
		next.Model = name
		return p.ask(ctx, o, next, show, patience)
	})
	if a.Provider == "" {
		a.Provider, a.Model = o.Name, name
	}
	return a, err
}

// able reports whether a model can do what a call asks for.
func (p *Providers) able(name string, r Request) bool {
	known, _ := p.known(name)
	return r.Tools == nil || !known.NoTools
}

// patience is how long a call waits when a provider says when, and another could be asked.
const patience = 10 * time.Second

// ask calls one model, whose name r has without its provider.
func (p *Providers) ask(ctx context.Context, o opened, r Request, show func(Delta), patience time.Duration) (Answer, error) {
	price, sure := p.known(r.Model)
	if !price.Images {
		r.Messages = withoutPictures(r.Messages)
	}
	if sure && !price.Images {
		r.Messages = unseen(r.Messages, seesNone)
	}
	if r.MaxTokens == 0 {
		r.MaxTokens = 8192
		if price.Output > 0 {
			r.MaxTokens = min(r.MaxTokens, price.Output)
		}
	}
	if r.Temperature == nil {
		r.Temperature = price.Temperature
	}
	r.Idle = cmp.Or(r.Idle, price.Idle, DefaultIdle)
	again := retrying{o.model, patience, p.opts.Now}
	a, err := again.Generate(ctx, r, show)
	if e, ok := errors.AsType[*Error](err); ok && e.Reason == Format && e.Shown == "" && pictured(r.Messages) { // one that it cannot read would end the conversation
		r.Messages = unseen(withoutPictures(r.Messages), refused)
		a, err = again.Generate(ctx, r, show)
	}
	if cause := context.Cause(ctx); cause == nil || fault.KindOf(cause) == fault.Unavailable { // else somebody gave up asking
		last := Last{At: p.opts.Now(), Model: r.Model}
		if err != nil {
			last.Error = fault.TextOf(cmp.Or(cause, err))
		}
		p.lasts.note(o.Name, last)
	}
	named(&a, o, r.Model)
	price, known := p.known(a.Model)
	price.charge(&a, known)
	return a, err
}

// named says whose an answer is that does not say so itself.
func named(a *Answer, o opened, name string) {
	a.Provider, a.Model = cmp.Or(a.Provider, o.Name), cmp.Or(a.Model, name)
}

// FromEnvironment reads the usual variables.
func FromEnvironment(getenv func(string) string) []Provider {
	var out []Provider
	if key := getenv("ANTHROPIC_API_KEY"); key != "" {
		out = append(out, Provider{Name: "anthropic", Kind: KindAnthropic, Key: key, BaseURL: getenv("ANTHROPIC_BASE_URL"), Model: cmp.Or(getenv("ANTHROPIC_MODEL"), "claude-sonnet-4-5"), From: "environment"})
	}
	if key, base := getenv("OPENAI_API_KEY"), getenv("OPENAI_BASE_URL"); key != "" || base != "" {
		out = append(out, Provider{Name: "openai", Kind: KindOpenAI, Key: key, BaseURL: base, Model: cmp.Or(getenv("OPENAI_MODEL"), "gpt-4o"), From: "environment"})
	}
	if key := cmp.Or(getenv("GEMINI_API_KEY"), getenv("GOOGLE_API_KEY")); key != "" {
		out = append(out, Provider{Name: "gemini", Kind: KindGemini, Key: key, BaseURL: getenv("GEMINI_BASE_URL"), Model: cmp.Or(getenv("GEMINI_MODEL"), "gemini-2.5-flash"), From: "environment"})
	}
	if key := getenv("ZAI_API_KEY"); key != "" {
		base := cmp.Or(getenv("ZAI_BASE_URL"), "https://api.z.ai/api/paas/v4")
		kind, ok := ZAI(base)
		if !ok { // a proxy of theirs
			kind = KindOpenAI
		}
		out = append(out, Provider{Name: "zai", Kind: kind, Key: key, BaseURL: base, Model: cmp.Or(getenv("ZAI_MODEL"), "glm-4.6"), From: "environment"})
	}
	if host := getenv("OLLAMA_HOST"); host != "" {
		if !strings.Contains(host, "://") {
			if _, _, err := net.SplitHostPort(host); err != nil { // no port; this is Ollama's own
				host += ":11434"
			}
			host = "http://" + host
		}
		out = append(out, Provider{Name: "ollama", Kind: KindOpenAI, BaseURL: strings.TrimRight(host, "/") + "/v1", Model: cmp.Or(getenv("OLLAMA_MODEL"), "llama3.1"), From: "environment"})
	}
	return out
}
