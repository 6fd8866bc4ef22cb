package model

import (
	"context"
	"net/http"
	"strings"

	"chela/internal/fault"
)

// A Forwarder passes a call in its vendor's own format on as it is. Its answer is the vendor's, whatever
// its status; the caller closes the body.
type Forwarder interface {
	Forward(ctx context.Context, path string, header http.Header, body []byte) (*http.Response, error)
}

// A Forwarded is the answer to a call that was passed on.
type Forwarded struct {
	*http.Response
	Provider, Model string
}

// Forward passes a call on to the model that a name says, as it is but for the model's name and the
// key. write returns the body for the model of that name. A call in another format than the model's
// vendor speaks is a fault.Conflict.
func (p *Providers) Forward(ctx context.Context, name string, kind Kind, path string, header http.Header, write func(model string) ([]byte, error)) (Forwarded, error) {
	o, model, err := p.find(name)
	if err != nil {
		return Forwarded{}, err
	}
	if !strings.HasPrefix(name, o.Name+"/") { // another provider than is named would get what it says
		provider, _, _ := strings.Cut(name, "/")
		return Forwarded{}, fault.New(fault.NotFound, "The model %q does not exist: no provider is named %q. GET /v1/models lists those that are configured.", name, provider)
	}
	to, ok := o.model.(Forwarder)
	if !ok || o.Kind != kind {
		return Forwarded{}, fault.New(fault.Conflict, "The model %s/%s speaks the format of %s. Ask it in that format, or ask an agent.", o.Name, model, o.Kind)
	}
	body, err := write(model)
	if err != nil {
		return Forwarded{}, err
	}
	res, err := to.Forward(ctx, path, header, body) //nolint:bodyclose // the caller closes it
	if err != nil {
		return Forwarded{}, err
	}
	return Forwarded{res, o.Name, model}, nil
}

// Charge fills in what an answer cost, as far as the price of its model is known.
func (p *Providers) Charge(a *Answer) {
	price, known := p.known(a.Model)
	price.charge(a, known)
}

// Send passes one call on and returns the answer, whatever its status.
func Send(ctx context.Context, c *http.Client, p Provider, url string, header http.Header, body []byte) (*http.Response, error) {
	req, err := newPost(ctx, p, "", url, header, body)
	if err != nil {
		return nil, err
	}
	res, err := c.Do(req)
	if err != nil {
		return nil, Transport(ctx, p.Name, "", err)
	}
	return res, nil
}
