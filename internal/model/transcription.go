package model

import (
	"context"
	"errors"
	"slices"
	"strings"

	"chela/internal/fault"
)

// MaxAudio is how large an audio file may be that a model transcribes, in bytes.
const MaxAudio = 25 << 20

// An Audio is what is to be transcribed.
type Audio struct {
	Name string // of the file, by whose ending some servers go
	Type string // media type
	Data []byte
}

// A Transcriber is a [Model] that also writes down what is said in an audio file: the answer's text. Errors are
// of type *[Error].
type Transcriber interface {
	Transcribe(ctx context.Context, name string, s Audio) (Answer, error)
}

// Transcribes returns nil when audio files are transcribed; a fault.NotFound says that no model is named for
// it, and a fault.Invalid that the one that is named cannot be asked.
func (p *Providers) Transcribes() error {
	_, _, err := p.transcriber()
	return err
}

// transcriber is the provider that transcribes, and the name of its model.
func (p *Providers) transcriber() (opened, string, error) {
	full := p.chosen.Load().Jobs.Transcription
	if full == "" {
		return opened{}, "", fault.New(fault.NotFound, "No model is named that transcribes: set models.transcription in chela.yaml, or choose one on the Models page.")
	}
	list := *p.now.Load()
	name, rest, _ := strings.Cut(full, "/")
	i := slices.IndexFunc(list, func(o opened) bool { return o.Name == name })
	switch {
	case i < 0 || rest == "":
		return opened{}, "", fault.New(fault.Invalid, "The model %s, which is to transcribe, cannot be asked: name it as provider/model, and configure a provider of that name.", full)
	case !list[i].transcribes():
		return opened{}, "", fault.New(fault.Invalid, "The model %s cannot transcribe: the provider %s is of the kind %s. Name one of a provider of the kind openai or gemini.", full, name, list[i].Kind)
	}
	return list[i], rest, nil
}

func (o opened) transcribes() bool {
	_, ok := o.model.(Transcriber)
	return ok
}

// TranscriptionPrice returns what is known of the model that transcribes; its In is the price of audio.
func (p *Providers) TranscriptionPrice() (Price, bool) {
	_, name, err := p.transcriber()
	if err != nil {
		return Price{}, false
	}
	price, ok := p.known(name)
	return price.ofAudio(), ok
}

// Transcribe has the model that transcribes write down what is said in an audio file. Of a call that may succeed
// later more attempts are made; no other model is asked.
func (p *Providers) Transcribe(ctx context.Context, s Audio) (Answer, error) {
	o, name, err := p.transcriber()
	if err != nil {
		return Answer{}, err
	}
	a, err := retrying{audioCall{o.model.(Transcriber), s}, 0, p.opts.Now}.Generate(ctx, Request{Model: name}, nil) //nolint:forcetypeassert // transcriber looked
	price, known := p.known(name)
	named(&a, o, name)
	price.ofAudio().charge(&a, known)
	var me *Error
	if errors.As(err, &me) && me.Reason == ContextOverflow {
		me.Reason = TooLong
	}
	return a, err
}

// audioCall is an audio file being transcribed, as a model to ask.
type audioCall struct {
	Transcriber
	audio Audio
}

func (c audioCall) Generate(ctx context.Context, r Request, _ func(Delta)) (Answer, error) {
	return c.Transcribe(ctx, r.Model, c.audio)
}
