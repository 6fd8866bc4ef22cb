package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"chela/internal/event"
	"chela/internal/gateway"
	"chela/internal/org"
)

// person returns who asks.
func person(ctx context.Context) org.Person { return gateway.CallerOf(ctx).Person }

func party(ctx context.Context) event.Party { return gateway.CallerOf(ctx).Party() }

// authenticate lets an operation through when its caller has the role it needs.
func (a *api) authenticate(c huma.Context, next func(huma.Context)) {
	need, _ := c.Operation().Metadata["role"].(org.Role) // set by route
	if need == "" {
		next(c)
		return
	}
	r, _ := humachi.Unwrap(c)
	who, err := a.hall.PermitScoped(r, need)
	if err == nil {
		err = a.within(c.Context(), who, c.Method(), c.Operation().Path, c.Param)
	}
	if err != nil {
		a.refuse(c, err)
		return
	}
	next(huma.WithContext(c, who.With(c.Context())))
}

func (a *api) refuse(c huma.Context, err error) {
	p := a.hall.Problem(c.Context(), err)
	if after := p.RetryAfter; after != "" {
		c.SetHeader("Retry-After", after)
	}
	m := modelOf(p)
	details := make([]error, len(m.Errors))
	for i, d := range m.Errors {
		details[i] = d
	}
	_ = huma.WriteErr(a.huma, c, m.Status, m.Detail, details...) // the client is gone
}
