package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/agent"
	"chela/internal/gateway"
	"chela/internal/org"
	"chela/internal/talk"
	"chela/internal/tool"
)

// lists brings what is offered up to date before it is asked for, and shows each caller what concerns them.
func (s *Server) lists(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		switch method {
		case "tools/list", "tools/call":
			s.offerTools()
		case "resources/list":
			res := &sdk.ListResourcesResult{Cacheable: sdk.Cacheable{CacheScope: "private"}}
			if err := s.listed(ctx, r, res); err != nil {
				return nil, s.fail(ctx, err)
			}
			return res, nil
		case "prompts/list", "prompts/get":
			if err := s.offerPrompts(ctx); err != nil {
				return nil, s.fail(ctx, err)
			}
		}
		res, err := next(ctx, method, r)
		if err != nil {
			return res, err
		}
		if list, ok := res.(*sdk.ListToolsResult); ok {
			if err := s.only(ctx, r.GetExtra(), list); err != nil {
				return nil, s.fail(ctx, err)
			}
		}
		return res, nil
	}
}

// offerTools registers the tools that there are now.
func (s *Server) offerTools() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Talk.Tools.Now()
	if now == s.tools {
		return
	}
	var gone []string
	for _, t := range s.tools.All() {
		if _, ok := now.Find(t.Name); !ok {
			gone = append(gone, t.Name)
		}
	}
	if len(gone) > 0 {
		s.server.RemoveTools(gone...)
	}
	for _, t := range now.All() {
		if have, ok := s.tools.Find(t.Name); !ok || have != t {
			s.add(s.server, offered(t), s.called(t))
		}
	}
	s.tools = now
}

// add registers a tool. One whose schema the SDK does not take, as of a server of others, is left out.
func (s *Server) add(to *sdk.Server, t *sdk.Tool, call sdk.ToolHandler) {
	defer func() {
		if r := recover(); r != nil {
			s.Log.Warn("a tool is not offered to clients: its schema is none of the protocol", "tool", t.Name, "why", r)
		}
	}()
	to.AddTool(t, call)
}

// offered is a tool as clients see it. What its hints say follows from its declared risk.
func offered(t *tool.Tool) *sdk.Tool {
	yes, no := true, false
	h := &sdk.ToolAnnotations{ReadOnlyHint: t.Risk == tool.ReadOnly, IdempotentHint: t.Repeatable, DestructiveHint: &no, OpenWorldHint: &no}
	switch t.Risk {
	case tool.WriteFiles, tool.ExecShell:
		h.DestructiveHint = &yes
	case tool.Send, tool.NetworkCalls:
		h.OpenWorldHint = &yes
	case tool.ReadOnly, tool.WriteRecords: // records come back by undo
	}
	return &sdk.Tool{Name: t.Name, Description: t.Help, InputSchema: withProject(t.Schema), Annotations: h, Meta: sdk.Meta{"chela/risk": t.Risk, "chela/role": t.Role}}
}

// inProject is the argument that says in which project a tool is called that has none of its own.
const inProject = "projectId"

// schema is what is read of a tool's schema; the rest travels along.
type schema map[string]json.RawMessage

// withProject adds the argument that names the project to a schema that has none of that name.
func withProject(raw json.RawMessage) json.RawMessage {
	var s schema
	props := make(map[string]json.RawMessage)
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return raw
	}
	if p := s["properties"]; p != nil && json.Unmarshal(p, &props) != nil {
		return raw
	}
	if props[inProject] != nil {
		return raw
	}
	props[inProject] = json.RawMessage(`{"type":"string","description":"id of the project in which it is called"}`)
	s["type"] = json.RawMessage(`"object"`)
	var err error
	if s["properties"], err = json.Marshal(props); err != nil {
		return raw
	}
	out, err := json.Marshal(s)
	if err != nil {
		return raw
	}
	return out
}

// apart takes the project out of arguments, unless the tool has an argument of that name.
func apart(t *tool.Tool, raw json.RawMessage) (args json.RawMessage, project string) {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(t.Schema, &s) != nil || s.Properties[inProject] != nil || json.Unmarshal(raw, &given) != nil || given[inProject] == nil {
		return raw, "" // what does not fit is said by the tool
	}
	if json.Unmarshal(given[inProject], &project) != nil {
		return raw, ""
	}
	delete(given, inProject)
	args, err := json.Marshal(given)
	if err != nil {
		return raw, ""
	}
	return args, project
}

// only leaves the tools that an agent may call for the caller.
func (s *Server) only(ctx context.Context, extra *sdk.RequestExtra, res *sdk.ListToolsResult) error {
	c, err := s.caller(ctx, extra)
	if err != nil {
		return err
	}
	members, err := s.Store.Agents.Members(ctx)
	if err != nil {
		return err
	}
	as, _ := ctx.Value(aimKey{}).(aim)
	now := s.Talk.Tools.Now()
	res.Tools = slices.DeleteFunc(res.Tools, func(o *sdk.Tool) bool {
		if o.Name == askAgent || o.Name == startWorkflow {
			return !c.Person.Role.AtLeast(org.Editor)
		}
		t, ok := now.Find(o.Name)
		return ok && !mayCall(c, t, members, as.agent)
	})
	return nil
}

// mayCall reports whether a caller's role and an agent's list allow a tool.
func mayCall(c gateway.Caller, t *tool.Tool, members []agent.Member, as string) bool {
	least := t.Role
	for _, u := range t.Uses() {
		if least.AtLeast(u.Role) {
			least = u.Role
		}
	}
	may := talk.MayCall(t, members)
	if c.Key != nil && !c.Key.Calls(t.Name) {
		return false
	}
	if as != "" {
		return c.Person.Role.AtLeast(least) && slices.Contains(may, agentOf(as).Name())
	}
	return c.Person.Role.AtLeast(least) && len(may) > 0
}

// agentOf is the agent of a name or an id.
func agentOf(name string) org.AgentID {
	if id := org.AgentID(name); id.Name() != name {
		return id
	}
	return org.AgentID("agent:" + name)
}

// An offer is a prompt as it is offered.
type offer struct {
	prompt *sdk.Prompt
	digest string // of what it is made of; another is another prompt
	get    sdk.PromptHandler
}

// offerPrompts registers a prompt for each agent that may be spoken to, and for each deployed workflow.
func (s *Server) offerPrompts(ctx context.Context) error {
	members, err := s.Store.Agents.Members(ctx)
	if err != nil {
		return err
	}
	now := make(map[string]offer)
	for _, m := range members {
		if m.Ready() == nil {
			name, desc := m.Card.AgentID.Name(), m.Card.Display.Name+". "+m.Card.Display.Desc
			now[name] = offer{prompt: &sdk.Prompt{Name: name, Description: desc, Arguments: []*sdk.PromptArgument{{Name: "task", Description: "what is to be done", Required: true}}}, digest: desc, get: s.prompt}
		}
	}
	if err := s.workflowPrompts(ctx, now); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if maps.EqualFunc(now, s.prompts, func(a, b offer) bool { return a.digest == b.digest }) {
		return nil
	}
	for name := range s.prompts {
		if _, ok := now[name]; !ok {
			s.server.RemovePrompts(name)
		}
	}
	for name, o := range now {
		if s.prompts[name].digest != o.digest {
			s.server.AddPrompt(o.prompt, o.get)
		}
	}
	s.prompts = now
	return nil
}

// prompt has a client's own model work as an agent of the organization does, with the same tools.
func (s *Server) prompt(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	m, err := s.Store.Agents.Member(ctx, agentOf(r.Params.Name))
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	text := m.Prompt
	for _, rule := range m.Card.Rules {
		text += "\n- " + rule
	}
	text += "\n\nUse the tools of this server. Your task:\n" + r.Params.Arguments["task"]
	return &sdk.GetPromptResult{Description: m.Card.Display.Desc, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
}
