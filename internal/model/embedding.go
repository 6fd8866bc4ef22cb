package model

import (
	"context"
	"slices"
	"strings"

	"chela/internal/fault"
)

// StaticProvider is the first part of the names of models that are files: static/NAME.
const StaticProvider = "static"

// An Embedder is a [Model], or a file, that also gives vectors of texts: of texts that mean about the same they point about the
// same way. The vectors of one call have one length, and there is one for each text; one without a number other than 0 says
// nothing of its text. Errors are of type *[Error].
type Embedder interface {
	Embed(ctx context.Context, name string, texts []string) ([][]float32, Answer, error)
}

// Embeds returns nil when texts get vectors; a fault.NotFound says that no model is named for it, and a
// fault.Invalid that the one that is named cannot be asked.
func (p *Providers) Embeds() error {
	_, _, _, err := p.embedder()
	return err
}

// EmbeddingModel is the name of the model that gives vectors, as provider/model; "" for none.
func (p *Providers) EmbeddingModel() string { return p.chosen.Load().Jobs.Embedding }

// embedder is who gives vectors, the provider, and the name of its model.
func (p *Providers) embedder() (Embedder, opened, string, error) {
	full := p.EmbeddingModel()
	if full == "" {
		return nil, opened{}, "", fault.New(fault.NotFound, "No model is named that gives vectors: set models.embedding in chela.yaml, or choose one on the Models page.")
	}
	list := *p.now.Load()
	name, rest, _ := strings.Cut(full, "/")
	if name == StaticProvider && p.opts.Static != nil {
		e, err := p.opts.Static(rest)
		return e, opened{Provider: Provider{Name: StaticProvider}}, rest, err
	}
	i := slices.IndexFunc(list, func(o opened) bool { return o.Name == name })
	if i < 0 || rest == "" {
		return nil, opened{}, "", fault.New(fault.Invalid, "The model %s, which is to give vectors, cannot be asked: name it as provider/model, and configure a provider of that name, or as static/NAME for a file.", full)
	}
	e, ok := list[i].model.(Embedder)
	if !ok {
		return nil, opened{}, "", fault.New(fault.Invalid, "The model %s cannot give vectors: the provider %s is of the kind %s. Name one of a provider of the kind openai, or a file as static/NAME.", full, name, list[i].Kind)
	}
	return e, list[i], rest, nil
}

// EmbeddingPrice returns what is known of the model that gives vectors. Files cost nothing.
func (p *Providers) EmbeddingPrice() (Price, bool) {
	_, o, name, err := p.embedder()
	if err != nil || o.Name == StaticProvider {
		return Price{}, err == nil
	}
	return p.known(name)
}

// Embed has the model that gives vectors give one for each text. Of a call that may succeed later more attempts are made; no
// other model is asked, since vectors of two models say nothing of one another.
func (p *Providers) Embed(ctx context.Context, texts []string) ([][]float32, Answer, error) {
	e, o, name, err := p.embedder()
	if err != nil {
		return nil, Answer{}, err
	}
	call := &embeddingCall{Embedder: e, texts: texts}
	a, err := retrying{call, 0, p.opts.Now}.Generate(ctx, Request{Model: name}, nil)
	named(&a, o, name)
	if o.Name == StaticProvider {
		a.CostKnown = true
		return call.vectors, a, err
	}
	price, known := p.known(name)
	price.charge(&a, known)
	return call.vectors, a, err
}

// embeddingCall are texts that get vectors, as a model to ask.
type embeddingCall struct {
	Embedder
	texts   []string
	vectors [][]float32
}

func (c *embeddingCall) Generate(ctx context.Context, r Request, _ func(Delta)) (a Answer, err error) {
	c.vectors, a, err = c.Embed(ctx, r.Model, c.texts)
	return a, err
}
