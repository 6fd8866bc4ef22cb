package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/mcp"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// What a result holds at most.
const (
	mostText   = 1 << 20 // bytes
	mostImages = 4
	mostImage  = 4 << 20 // bytes
)

// spec is the declaration of what a server does under a name. Its risk is what the server's entry declares, whatever the server
// says.
func (s *Servers) spec(server mcp.Server, name string) tool.Spec {
	spec := tool.Spec{Name: name, Risk: server.RiskOf(name), Role: org.Editor, Untrusted: "network", Timeout: server.Timeout() + connectTime}
	if spec.Risk == tool.ReadOnly {
		spec.Role = org.Viewer
	}
	spec.Alone = server.Elicitation
	spec.Repeatable = server.Agent() && name == mcp.LookTool
	if server.URL == "" && !server.Network && server.Worker == nil {
		spec.Untrusted = tool.FromPrograms
	}
	return spec
}

// tool is a definition as a tool of ours.
func (s *Servers) tool(server mcp.Server, d mcp.Definition) *tool.Tool {
	spec := s.spec(server, d.Name)
	spec.Help = d.Help(server.Name)
	act := func(args json.RawMessage, _ disk.Folders) (tool.Act, error) {
		if _, err := arguments(args); err != nil {
			return tool.Act{}, err
		}
		return tool.Act{URL: where(server), Network: server.Network, Shown: fmt.Sprintf("Call %s of the MCP server %s with %s", mcp.Line(d.Name), server.Name, args)}, nil
	}
	return tool.StandIn(spec, d.Schema, act, func(ctx context.Context, c tool.Call) (tool.Result, error) { return s.call(ctx, server.Name, d, c) })
}

// where is the address that a call goes to. That of a worker names who fetches it.
func where(server mcp.Server) string {
	if server.Worker != nil {
		return "clutch://" + server.Name + ".worker"
	}
	return server.URL
}

// arguments are those of a call: an object.
func arguments(raw json.RawMessage) (out map[string]any, err error) {
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	if err := json.Unmarshal(raw, &out); err != nil || out == nil {
		return nil, fault.New(fault.Invalid, "The arguments are no JSON object.")
	}
	return out, nil
}

// call calls a tool of a server. One whose definition is not the accepted one any more is not called.
func (s *Servers) call(ctx context.Context, name string, d mcp.Definition, c tool.Call) (tool.Result, error) {
	args, err := arguments(c.Args)
	if err != nil {
		return tool.Result{}, err
	}
	beside := sdk.Meta{"chela/key": c.Key}
	if s.isWorker(name) {
		beside[metaPlace] = c.Place
	}
	if c.Begins && d.Name != mcp.LookTool {
		beside[metaOnce] = true
	}
	out, said, err := s.callOf(ctx, name, d, c, args, beside)
	if err != nil {
		return out, err
	}
	return s.following(name, c, args, said, out)
}

// isWorker reports whether a server stands for a worker.
func (s *Servers) isWorker(name string) bool {
	h, err := s.host(name)
	if err != nil {
		return false // the call says why
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return h.known.Worker != nil
}

// callOf calls a tool of a server. said is what the server says beside the result.
func (s *Servers) callOf(ctx context.Context, name string, d mcp.Definition, c tool.Call, args map[string]any, beside sdk.Meta) (out tool.Result, said sdk.Meta, err error) {
	out, err = s.ask(ctx, name, c, &d, func(ctx context.Context, session *sdk.ClientSession) (*sdk.CallToolResult, error) {
		res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: d.Name, Arguments: args, Meta: beside})
		if res != nil {
			said = res.Meta
		}
		return res, err
	})
	return out, said, err
}

// ask asks a server for what do does, on the session that all agents have, or as a caller of a shared server does it on theirs. A
// tool is asked for when d is its definition.
func (s *Servers) ask(ctx context.Context, name string, c tool.Call, d *mcp.Definition, do func(context.Context, *sdk.ClientSession) (*sdk.CallToolResult, error)) (tool.Result, error) {
	h, err := s.host(name)
	if err != nil {
		return tool.Result{}, err
	}
	q, may := &inquiry{server: name, inquire: c.Inquire}, s.mayAsk(h)
	made := s.relayedBy(c.Run.ID)
	var session *sdk.ClientSession // that all agents have
	if made == nil {
		if session, err = s.ready(ctx, h); err != nil {
			return tool.Result{}, away(name, err)
		}
		made = func(ctx context.Context, _ json.RawMessage) (*sdk.CallToolResult, error) {
			if !may {
				return do(ctx, session)
			}
			return s.asking(ctx, h, session, q, do)
		}
	}
	server, done, err := s.begin(h, d)
	if err != nil {
		return tool.Result{}, err
	}
	defer done()
	res, late, err := within(ctx, server, func(ctx context.Context) (*sdk.CallToolResult, error) { return made(ctx, c.Args) })
	switch {
	case ctx.Err() != nil:
		return tool.Result{}, ctx.Err()
	case late:
		s.probe(h, session)
		return tool.Result{}, fault.New(fault.Unavailable, "The MCP server %s did not answer within %s.", name, server.Timeout())
	}
	if said, ok := errors.AsType[*jsonrpc.Error](err); ok {
		res, err = &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: said.Message}}}, nil
	}
	if err != nil {
		return tool.Result{}, away(name, err)
	}
	out, err := s.result(server, res)
	out.Text += q.told()
	return out, err
}

// within makes a call in the time that a server has; late says that this was not enough. A daemon that stops, or whose run another
// has taken over, leaves an agent of others its task: the call ends here alone.
func within(ctx context.Context, server mcp.Server, call func(context.Context) (*sdk.CallToolResult, error)) (res *sdk.CallToolResult, late bool, err error) {
	limited, cancel := context.WithTimeout(ctx, server.Timeout())
	if !server.Agent() {
		defer cancel()
		res, err = call(limited)
		return res, limited.Err() != nil, err
	}
	leaves := func() bool {
		return errors.Is(context.Cause(ctx), run.ErrStopping) || errors.Is(context.Cause(ctx), run.ErrSuperseded)
	}
	kept, end := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(limited, func() {
		if !leaves() {
			end()
		}
	})
	type made struct {
		res  *sdk.CallToolResult
		late bool
		err  error
	}
	done := make(chan made, 1)
	go func() {
		defer cancel()
		res, err := call(kept)
		done <- made{res, limited.Err() != nil, err}
	}()
	select {
	case m := <-done:
		return m.res, m.late, m.err
	case <-ctx.Done():
		if leaves() {
			return nil, true, ctx.Err()
		}
	}
	m := <-done
	return m.res, m.late, m.err
}

// mayAsk reports whether an owner lets a server put questions to people.
func (s *Servers) mayAsk(h *host) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return h.known.Elicitation
}

// begin notes that a server is asked, until done is called. A tool that is not offered as d says is not called.
func (s *Servers) begin(h *host, d *mcp.Definition) (server mcp.Server, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d != nil && !slices.ContainsFunc(h.known.Offered(), func(o mcp.Definition) bool { return o.Name == d.Name && o.Digest == d.Digest }) {
		return server, nil, fault.New(fault.Denied, "%s of the MCP server %s has changed since it was accepted, and is not called. An owner looks at it with `chela mcp inspect %s`.", mcp.Line(d.Name), h.known.Name, h.known.Name)
	}
	h.calls++
	return h.known.Server, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		h.calls--
		h.used = time.Now()
	}, nil
}

// away is why a server cannot be called, for an agent: an error is a sentence of ours, so no word of the server's
// is in it. People are told them.
func away(name string, err error) error {
	if fault.KindOf(err) != fault.Unavailable && fault.KindOf(err) != fault.Internal || errors.Is(err, context.Canceled) {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The MCP server %s cannot be reached now. `chela mcp list` and the view Doors tell people why.", name)
}

// ready returns the session with a server. What one that is new offers is looked at first.
func (s *Servers) ready(ctx context.Context, h *host) (*sdk.ClientSession, error) {
	s.mu.Lock()
	had := h.session
	s.mu.Unlock()
	c, err := s.connected(ctx, h)
	if err != nil || c == had {
		return c, err
	}
	return c, s.look(ctx, h, c)
}

// result is what a server answered, as a tool's result: data from outside.
func (s *Servers) result(server mcp.Server, res *sdk.CallToolResult) (out tool.Result, err error) {
	var parts []string
	if len(res.InputRequests) > 0 {
		parts = append(parts, "The server asks the caller's client first: "+mcp.Line(strings.Join(slices.Sorted(maps.Keys(res.InputRequests)), ", ")))
	}
	for _, c := range res.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			parts = append(parts, c.Text)
		case *sdk.ImageContent:
			text, ref, err := s.image(c)
			if err != nil {
				return out, err
			}
			parts = append(parts, text)
			if ref != "" && len(out.Shows) < mostImages {
				out.Shows = append(out.Shows, ref)
			}
		case *sdk.EmbeddedResource:
			parts = append(parts, embedded(c.Resource))
		case *sdk.ResourceLink:
			parts = append(parts, "A resource: "+c.Name+" "+c.URI)
		default:
			parts = append(parts, "Content of another type is left out.")
		}
	}
	text := strings.Join(parts, "\n")
	if text == "" && res.StructuredContent != nil {
		raw, err := json.Marshal(res.StructuredContent)
		if err != nil {
			return out, fmt.Errorf("encode a result: %w", err)
		}
		text = string(raw)
	}
	text = strings.ToValidUTF8(text, "�")
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + "\n[The rest is left out: it has more than 1 MB.]"
	}
	if out.Text = text; res.IsError { // an error would pass for a sentence of ours
		out.Text, out.Failed = "It failed. The server says: "+text, true
	}
	if host := server.Host(); host != "" {
		out.From = []string{host}
	}
	return out, nil
}

// image keeps a picture, which models that see are shown.
func (s *Servers) image(c *sdk.ImageContent) (text, ref string, err error) {
	switch c.MIMEType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return "A picture of the type " + mcp.Line(c.MIMEType) + " is left out.", "", nil
	}
	if len(c.Data) == 0 || len(c.Data) > mostImage || s.Files == nil {
		return fmt.Sprintf("A picture of %d bytes is left out.", len(c.Data)), "", nil
	}
	at, err := s.Files.Put(c.Data)
	if err != nil {
		return "", "", err
	}
	return "A picture: " + string(at), string(at), nil
}

func embedded(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return ""
	case r.Text != "":
		return r.Text
	}
	return fmt.Sprintf("The resource %s has %d bytes, which are left out.", r.URI, len(r.Blob))
}
