package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/mcp"
)

// serverFor is what a client sees of a shared server: its name, what it can do as far as that is shared, and its tools.
func (s *Server) serverFor(l *relay, sharing mcp.Sharing) *sdk.Server {
	of := l.session.InitializeResult()
	theirs := of.Capabilities
	if theirs == nil {
		theirs = &sdk.ServerCapabilities{}
	}
	caps := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}}
	opts := &sdk.ServerOptions{
		Instructions: of.Instructions, Capabilities: caps, Logger: quiet(), GetSessionID: func() string { return l.id },
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	}
	caps.Logging = theirs.Logging //nolint:staticcheck // of the specifications that have log messages
	if theirs.Resources != nil && sharing.Reads != "" {
		caps.Resources = &sdk.ResourceCapabilities{ListChanged: true, Subscribe: theirs.Resources.Subscribe}
		if theirs.Resources.Subscribe {
			opts.SubscribeHandler = func(ctx context.Context, r *sdk.SubscribeRequest) error { return s.subscribe(ctx, l, r) }
			opts.UnsubscribeHandler = func(ctx context.Context, r *sdk.UnsubscribeRequest) error {
				return l.session.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: r.Params.URI})
			}
		}
	}
	if theirs.Prompts != nil && sharing.Prompts != "" {
		caps.Prompts = &sdk.PromptCapabilities{ListChanged: true}
	}
	if theirs.Completions != nil && (caps.Resources != nil || caps.Prompts != nil) {
		opts.CompletionHandler = func(ctx context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return s.completeShared(ctx, l, r)
		}
	}
	name := of.ServerInfo
	if name == nil {
		name = &sdk.Implementation{Name: l.own.server}
	}
	out := sdk.NewServer(name, opts)
	out.AddReceivingMiddleware(s.passing(l, caps))
	return out
}

// passing passes what a client asks for on to the server, as far as it is shared.
func (s *Server) passing(l *relay, caps *sdk.ServerCapabilities) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			session, _ := r.GetSession().(*sdk.ServerSession) // always is
			defer l.take(ctx, session)()
			sharing, err := s.Servers.Shared(l.own.server)
			if err != nil {
				return nil, s.fail(ctx, err)
			}
			switch p := r.GetParams().(type) {
			case *sdk.ListToolsParams:
				return s.listShared(ctx, l, sharing, func() (sdk.Result, error) { return next(ctx, method, r) }, r)
			case *sdk.ListResourcesParams:
				if caps.Resources != nil {
					return passed(ctx, s, l.session.ListResources, &sdk.ListResourcesParams{Meta: l.metaFor(sharing, given(p).Meta), Cursor: given(p).Cursor})
				}
			case *sdk.ListResourceTemplatesParams:
				if caps.Resources != nil {
					return passed(ctx, s, l.session.ListResourceTemplates, &sdk.ListResourceTemplatesParams{Meta: l.metaFor(sharing, given(p).Meta), Cursor: given(p).Cursor})
				}
			case *sdk.ListPromptsParams:
				if caps.Prompts != nil {
					return passed(ctx, s, l.session.ListPrompts, &sdk.ListPromptsParams{Meta: l.metaFor(sharing, given(p).Meta), Cursor: given(p).Cursor})
				}
			case *sdk.ReadResourceParams:
				if caps.Resources != nil {
					return s.readShared(ctx, l, sharing, session, r.GetExtra(), p)
				}
			case *sdk.GetPromptParams:
				if caps.Prompts != nil {
					return s.promptShared(ctx, l, sharing, session, r.GetExtra(), p)
				}
			case *sdk.SetLoggingLevelParams: //nolint:staticcheck // of the specifications that have log messages
				res, err := next(ctx, method, r)
				if err == nil && caps.Logging != nil { //nolint:staticcheck // as above
					err = l.session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: p.Level}) //nolint:staticcheck // as above
				}
				return res, err
			}
			return next(ctx, method, r)
		}
	}
}

// given are the parameters of a request that may have none.
func given[P any](p *P) *P {
	if p == nil {
		return new(P)
	}
	return p
}

// passed asks a server for what is no call, and takes our secrets out of the answer.
func passed[P, R any](ctx context.Context, s *Server, ask func(context.Context, P) (*R, error), p P) (sdk.Result, error) {
	got, err := ask(ctx, p)
	if err != nil {
		return nil, s.theirs(ctx, err)
	}
	clean, err := redacted(s, got)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	return any(clean).(sdk.Result), nil //nolint:forcetypeassert // results of the SDK are
}

// redacted is a result without our secrets.
func redacted[R any](s *Server, got *R) (*R, error) {
	raw, err := json.Marshal(got)
	if err != nil {
		return nil, fmt.Errorf("encode what a server answered: %w", err)
	}
	text := s.Redact(string(raw))
	if text == string(raw) {
		return got, nil
	}
	out := new(R)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		return nil, fmt.Errorf("take secrets out of what a server answered: %w", err)
	}
	return out, nil
}

// listShared lists the tools that an agent may call for the caller.
func (s *Server) listShared(ctx context.Context, l *relay, sharing mcp.Sharing, list func() (sdk.Result, error), r sdk.Request) (sdk.Result, error) {
	l.refresh(s, sharing)
	res, err := list()
	tools, ok := res.(*sdk.ListToolsResult)
	if err != nil || !ok {
		return res, err
	}
	c, err := s.caller(ctx, r.GetExtra())
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	members, err := s.Store.Agents.Members(ctx)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	as, _ := ctx.Value(aimKey{}).(aim)
	now := s.Talk.Tools.Now()
	tools.Tools = slices.DeleteFunc(tools.Tools, func(o *sdk.Tool) bool {
		i := slices.IndexFunc(sharing.Tools, func(t mcp.SharedTool) bool { return t.Name == o.Name })
		if i < 0 {
			return true
		}
		ours, ok := now.Find(sharing.Tools[i].Ours)
		return !ok || !mayCall(c, ours, members, as.agent)
	})
	return tools, nil
}

// subscribe has a server tell of a resource.
func (s *Server) subscribe(ctx context.Context, l *relay, r *sdk.SubscribeRequest) error {
	if err := s.asked(ctx, l, r.Extra, "resources/subscribe", r.Params.URI); err != nil {
		return s.fail(ctx, err)
	}
	if err := l.session.Subscribe(ctx, &sdk.SubscribeParams{URI: r.Params.URI}); err != nil {
		return s.theirs(ctx, err)
	}
	return nil
}

// completeShared has a server suggest values of an argument.
func (s *Server) completeShared(ctx context.Context, l *relay, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	if err := s.asked(ctx, l, r.Extra, "completion/complete", r.Params.Argument.Name); err != nil {
		return nil, s.fail(ctx, err)
	}
	got, err := l.session.Complete(ctx, &sdk.CompleteParams{Argument: r.Params.Argument, Context: r.Params.Context, Ref: r.Params.Ref})
	if err != nil {
		return nil, s.theirs(ctx, err)
	}
	got, err = redacted(s, got)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	return got, nil
}

// mostAbout bounds what is recorded of a question to a server.
const mostAbout = 2000

// asked records that a caller asks a server for something that is no call.
func (s *Server) asked(ctx context.Context, l *relay, extra *sdk.RequestExtra, method, about string) error {
	c, err := s.caller(ctx, extra)
	if err != nil {
		return err
	}
	return s.Servers.Asked(ctx, c.Party(), mcp.Asked{Name: l.own.server, Method: method, About: mcp.Line(about[:min(len(about), mostAbout)])})
}
