package api

import (
	"context"
	"io"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/event"
	"chela/internal/gateway"
)

// How much memory the decoding of a body takes, as a multiple of its size.
const (
	weightOf      = 4 // huma decodes it
	weightOfLarge = 2 // a [Large] decodes it
)

// bodyKey is where an operation's metadata has what its body may be.
const bodyKey = "body"

// A bodyKind says what the body of an operation may be. The zero value takes none.
type bodyKind struct {
	json  bool
	form  bool         // multipart, files as they are
	large bool         // decoded by a [Large], without the copies that huma makes
	keys  reflect.Type // of the JSON; nil where the domain decodes it strictly
}

// bodyKindOf reads it off the input of an operation.
func bodyKindOf(in reflect.Type) bodyKind {
	if f, ok := in.FieldByName("RawBody"); ok {
		form := strings.HasPrefix(f.Type.Name(), "MultipartFormFiles")
		return bodyKind{json: !form, form: form}
	}
	if f, ok := in.FieldByName("Body"); ok {
		return bodyKind{json: true, keys: f.Type}
	}
	return bodyKind{}
}

type bodyInHand struct{}

// decoded gives back what the body of a request holds, now that huma has decoded it: what the
// operation waits for may take minutes.
func decoded(ctx context.Context) {
	if b, ok := ctx.Value(bodyInHand{}).(*gateway.Body); ok {
		b.Close()
	}
}

// operationContext has a name that no method of it has.
type operationContext = huma.Context

// withBody gives an operation the body that has come.
type withBody struct {
	operationContext
	body *gateway.Body
}

// BodyReader implements [huma.Context].
func (c withBody) BodyReader() io.Reader { return c.body }

// takeBody lets an operation begin when its body has come, and is one that it takes: the one
// place where bodies of the API are read.
func (a *api) takeBody(c huma.Context, next func(huma.Context)) {
	kind, _ := c.Operation().Metadata[bodyKey].(bodyKind) // set by register
	sent, ok := c.BodyReader().(*gateway.Paced)
	if !ok || !kind.json && !kind.form {
		next(c)
		return
	}
	if err := gateway.CheckMedia(c.Header("Content-Type"), kind.form); err != nil {
		a.refuse(c, err)
		return
	}
	most := c.Operation().MaxBodyBytes
	if kind.form {
		a.takeForm(c, sent, most, next)
		return
	}
	b, err := a.hall.Receive(sent, c.Operation().Path, most)
	if err == nil {
		defer b.Close()
		err = a.admit(c, b, kind)
	}
	if err != nil {
		a.refuse(c, err)
		return
	}
	c = withBody{c, b}
	if !kind.large { // which its operation decodes itself
		c = huma.WithValue(c, bodyInHand{}, b)
	}
	next(c)
}

// takeForm lets a form with files be read, which go to the disk as they come.
func (a *api) takeForm(c huma.Context, sent *gateway.Paced, most int64, next func(huma.Context)) {
	leave, err := a.hall.Reserve(sent, c.Operation().Path, most)
	if err != nil {
		a.refuse(c, err)
		return
	}
	defer leave()
	next(c)
}

// admit refuses a body that two readers may take for two things, by the keys of its JSON.
func (a *api) admit(c huma.Context, b *gateway.Body, kind bodyKind) error {
	weight := int64(weightOf)
	if kind.large {
		weight = weightOfLarge
	}
	if err := a.hall.Hold(c.Context(), b, weight); err != nil {
		return err
	}
	if kind.large || b.Size == 0 {
		return nil // it is checked where it is decoded
	}
	raw, err := b.Bytes()
	if err != nil {
		return err
	}
	return event.CheckKeys(raw, kind.keys)
}
