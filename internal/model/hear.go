package model

import (
	"context"
	"errors"
	"slices"
	"strings"

	"chela/internal/fault"
)

// MaxSound is how large a sound may be that a model hears, in bytes.
const MaxSound = 25 << 20

// A Sound is something to hear.
type Sound struct {
	Name string // of the file, by whose ending some servers go
	Type string // media type
	Data []byte
}

// A Hearer is a [Model] that writes down what is said in a sound: the answer's text. Errors are
// of type *[Error].
type Hearer interface {
	Hear(ctx context.Context, name string, s Sound) (Answer, error)
}

// Hears returns nil when sounds are transcribed; a fault.NotFound says that no model is named for
// it, and a fault.Invalid that the one that is named cannot be asked.
func (p *Providers) Hears() error {
	_, _, err := p.hearer()
	return err
}

// hearer is who hears, and the name of its model.
func (p *Providers) hearer() (opened, string, error) {
	full := p.chosen.Load().Jobs.Transcription
	if full == "" {
		return opened{}, "", fault.New(fault.NotFound, "No model is named that hears: set models.transcription in chela.yaml, or choose one on the Models page.")
	}
	list := *p.now.Load()
	name, rest, _ := strings.Cut(full, "/")
	i := slices.IndexFunc(list, func(o opened) bool { return o.Name == name })
	switch {
	case i < 0 || rest == "":
		return opened{}, "", fault.New(fault.Invalid, "The model %s, which is to hear, cannot be asked: name it as provider/model, and configure a provider of that name.", full)
	case !list[i].hears():
		return opened{}, "", fault.New(fault.Invalid, "The model %s cannot hear: the provider %s is of the kind %s. Name one of a provider of the kind openai or gemini.", full, name, list[i].Kind)
	}
	return list[i], rest, nil
}

func (o opened) hears() bool {
	_, ok := o.model.(Hearer)
	return ok
}

// HearPrice returns what is known of the model that hears; its In is the price of sound.
func (p *Providers) HearPrice() (Price, bool) {
	_, name, err := p.hearer()
	if err != nil {
		return Price{}, false
	}
	price, ok := p.known(name)
	return price.ofSound(), ok
}

// Hear has the model that hears write down what is said in a sound. Of a call that may succeed
// later more attempts are made; no other model is asked.
func (p *Providers) Hear(ctx context.Context, s Sound) (Answer, error) {
	o, name, err := p.hearer()
	if err != nil {
		return Answer{}, err
	}
	a, err := retrying{hearing{o.model.(Hearer), s}, 0, p.opts.Now}.Generate(ctx, Request{Model: name}, nil) //nolint:forcetypeassert // hearer looked
	price, known := p.known(name)
	named(&a, o, name)
	price.ofSound().charge(&a, known)
	var me *Error
	if errors.As(err, &me) && me.Reason == ContextOverflow {
		me.Reason = TooLong
	}
	return a, err
}

// hearing is a sound being heard, as a model to ask.
type hearing struct {
	Hearer
	sound Sound
}

func (h hearing) Generate(ctx context.Context, r Request, _ func(Delta)) (Answer, error) {
	return h.Hear(ctx, r.Model, h.sound)
}
