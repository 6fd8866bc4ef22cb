package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/mcp"
)

// clientFor is as which client a shared server knows the client of a caller: it can do what that client can, as far as the owner
// allows it. What the server sends is passed on once ready is closed.
func (s *Server) clientFor(l *relay, ready <-chan struct{}, sharing mcp.Sharing, can can, version string) *sdk.ClientOptions {
	as := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
	open := func() bool {
		select {
		case <-ready:
			return true
		default:
			return false
		}
	}
	as.ProgressNotificationHandler = func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		if h := l.newest(); h != nil {
			s.told(h, h.with.NotifyProgress(h.ctx, r.Params))
		}
	}
	as.LoggingMessageHandler = func(_ context.Context, r *sdk.LoggingMessageRequest) { //nolint:staticcheck // of the specifications that have log messages
		if h := l.newest(); h != nil {
			s.told(h, h.with.Log(h.ctx, r.Params)) //nolint:staticcheck // as above
		}
	}
	as.ResourceUpdatedHandler = func(ctx context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
		if open() {
			_ = l.server.ResourceUpdated(ctx, r.Params) // who is gone does not hear it
		}
	}
	as.ToolListChangedHandler = func(ctx context.Context, _ *sdk.ToolListChangedRequest) {
		if open() {
			go s.lookAgain(context.WithoutCancel(ctx), l)
		}
	}
	if version >= stateless && !l.listens {
		as.MultiRoundTrip = &sdk.MultiRoundTripOptions{Disabled: true} // the client is asked by the result
		return as
	}
	as.PromptListChangedHandler = func(context.Context, *sdk.PromptListChangedRequest) {
		if open() {
			l.server.AddPrompt(&sdk.Prompt{Name: changed}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) { return nil, errNone }) // the lists are the server's; this tells that they changed
			l.server.RemovePrompts(changed)
		}
	}
	as.ResourceListChangedHandler = func(context.Context, *sdk.ResourceListChangedRequest) {
		if open() {
			l.server.AddResource(&sdk.Resource{Name: changed, URI: "chela:" + changed}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) { return nil, errNone })
			l.server.RemoveResources("chela:" + changed)
		}
	}
	if sharing.Roots && can.Roots != nil {
		as.Capabilities.RootsV2 = &sdk.RootCapabilities{} //nolint:staticcheck // of the specifications that have it
	}
	if sharing.Questions && can.Elicitation != nil {
		as.Capabilities.Elicitation = can.Elicitation
		as.ElicitationHandler = l.elicit
	}
	if sharing.Models && can.Sampling != nil {
		as.Capabilities.Sampling = can.Sampling //nolint:staticcheck // of the specifications that have it
		if can.Sampling.Tools != nil {
			as.CreateMessageWithToolsHandler = l.sampleWithTools //nolint:staticcheck // as above
		} else {
			as.CreateMessageHandler = l.sample //nolint:staticcheck // as above
		}
	}
	return as
}

// answering has the client of a caller answer what a server asks for as it asks: questions whose form the SDK would refuse, and
// the client's folders.
func (l *relay) answering(sharing mcp.Sharing, can can) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			switch r := r.(type) {
			case *sdk.ElicitRequest:
				if sharing.Questions && can.Elicitation != nil {
					return l.elicit(ctx, r)
				}
			case *sdk.ListRootsRequest: //nolint:staticcheck // of the specifications that have it
				if sharing.Roots && can.Roots != nil {
					return with(ctx, l, func(ctx context.Context, c *sdk.ServerSession) (sdk.Result, error) { return c.ListRoots(ctx, r.Params) }) //nolint:staticcheck // as above
				}
			}
			return next(ctx, method, r)
		}
	}
}

// changed is the name of what is added and removed at once.
const changed = "changed"

// told notes that a client did not hear something.
func (s *Server) told(h *inFlight, err error) {
	if err != nil && h.ctx.Err() == nil {
		s.Log.DebugContext(h.ctx, "a client does not hear what a shared server says", "err", err)
	}
}

// lookTime is how long a server may take to say which tools it has now.
const lookTime = 30 * time.Second

// lookAgain looks at the tools of a server that says that they changed.
func (s *Server) lookAgain(ctx context.Context, l *relay) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if err := s.Servers.Look(ctx, l.own.server, l.session); err != nil && !l.over() {
		s.Log.WarnContext(ctx, "look at the changed tools of a shared MCP server", "server", l.own.server, "err", err)
	}
	s.refreshAll()
	none := func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return nil, errNone }
	l.server.AddTool(&sdk.Tool{Name: changed, InputSchema: json.RawMessage(`{"type":"object"}`)}, none) // it is no tool that is shared, so it is not listed
	l.server.RemoveTools(changed)
}

// errNone answers who asks for what is there only to tell of a change.
var errNone = errors.New("there is nothing of that name")

// errNobody says that a server asks when its client waits for nothing.
var errNobody = errors.New("no request of the client is in hand")

// with has the client that waits for the newest request in hand answer a server, until ctx ends.
func with[R any](ctx context.Context, l *relay, ask func(context.Context, *sdk.ServerSession) (R, error)) (R, error) {
	h := l.newest()
	if h == nil {
		var none R
		return none, errNobody
	}
	of, cancel := context.WithCancel(h.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return ask(of, h.with)
}

func (l *relay) elicit(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	return with(ctx, l, func(ctx context.Context, c *sdk.ServerSession) (*sdk.ElicitResult, error) {
		return c.Elicit(ctx, r.Params)
	})
}

func (l *relay) sample(ctx context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) { //nolint:staticcheck // of the specifications that have it
	return with(ctx, l, func(ctx context.Context, c *sdk.ServerSession) (*sdk.CreateMessageResult, error) { //nolint:staticcheck // as above
		return c.CreateMessage(ctx, r.Params) //nolint:staticcheck // as above
	})
}

func (l *relay) sampleWithTools(ctx context.Context, r *sdk.CreateMessageWithToolsRequest) (*sdk.CreateMessageWithToolsResult, error) { //nolint:staticcheck // as above
	return with(ctx, l, func(ctx context.Context, c *sdk.ServerSession) (*sdk.CreateMessageWithToolsResult, error) { //nolint:staticcheck // as above
		return c.CreateMessageWithTools(ctx, r.Params) //nolint:staticcheck // as above
	})
}

// protocolMeta is what the names of the protocol's own metadata begin with.
const protocolMeta = "io.modelcontextprotocol/"

// logLevel is the metadata by which a request asks for log messages.
const logLevel = protocolMeta + "logLevel"

// metaFor is the metadata of a client's request for a shared server: what the client can do is no more than the owner allows.
func (l *relay) metaFor(sharing mcp.Sharing, m sdk.Meta) sdk.Meta {
	out := make(sdk.Meta)
	maps.Copy(out, m)
	maps.DeleteFunc(out, func(name string, _ any) bool { return strings.HasPrefix(name, protocolMeta) })
	if of := l.session.InitializeResult(); of == nil || of.ProtocolVersion < stateless {
		return out
	}
	if level, ok := m[logLevel]; ok {
		out[logLevel] = level
	}
	able := make(map[string]any)
	said, _ := m[sdk.MetaKeyClientCapabilities].(map[string]any) // else it can do nothing
	for name, may := range map[string]bool{"elicitation": sharing.Questions, "sampling": sharing.Models, "roots": sharing.Roots} {
		if said[name] != nil && may {
			able[name] = said[name]
		}
	}
	out[sdk.MetaKeyClientCapabilities] = able
	return out
}
