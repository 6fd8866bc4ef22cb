package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/fault"
	"chela/internal/mcp"
)

// An agent is one of another organization that speaks A2A. To our agents it is a server with three tools, which stands in this process: what an
// owner accepts of it, what its calls may do and what its answers are is then as of any other server.
type agent struct {
	client *a2aclient.Client
	card   *a2a.AgentCard
	time   time.Duration   // of a call
	base   context.Context //nolint:containedctx // ends when the daemon stops, which leaves tasks be
}

// How an agent is asked.
const (
	cardPath    = "/.well-known/agent-card.json"
	mostSkills  = 20
	mostCard    = 4000 // characters of what it says of itself
	firstLook   = 200 * time.Millisecond
	longestLook = 3 * time.Second
	cancelTime  = 5 * time.Second
)

// overA2A reads the card of an agent, and returns the way to the server that stands for it. end ends that.
func (s *Servers) overA2A(ctx context.Context, server mcp.Server, secrets map[string]string) (over sdk.Transport, end func(), err error) {
	client := &http.Client{Transport: &only{server: server, secrets: secrets, over: s.dialled(server)}}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	card, err := cardOf(ctx, client, server)
	if err != nil {
		return nil, nil, s.broke(server.Name, err)
	}
	c, err := a2aclient.NewFromCard(ctx, card, a2aclient.WithDefaultsDisabled(), a2aclient.WithJSONRPCTransport(client), a2aclient.WithRESTTransport(client), a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{Client: client}))
	if err != nil {
		return nil, nil, fault.Wrap(err, fault.Unavailable, "The agent %s names no address in its card that is spoken to here: JSON-RPC or HTTP+JSON of A2A 1.0, or JSON-RPC of 0.3.", server.Name)
	}
	a := &agent{client: c, card: card, base: s.base, time: timeWithin(server)}
	over, leave, err := standIn(ctx, sdk.Implementation{Name: "chela-a2a", Title: card.Name, Version: s.Version}, a.describes(), a.ask, a.look, a.cancel)
	if err != nil {
		return nil, nil, err
	}
	return over, func() {
		leave()
		_ = c.Destroy()
	}, nil
}

// timeWithin is how long an agent elsewhere is waited for within a call: the call's own end comes first.
func timeWithin(server mcp.Server) time.Duration {
	return server.Timeout() - min(server.Timeout()/10, 3*time.Second)
}

// A handler does a call of a tool.
type handler = func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error)

// standIn begins a server in this process that stands for an agent elsewhere, with the three tools by which one is given work. end ends it.
func standIn(ctx context.Context, as sdk.Implementation, describes string, ask, look, cancel handler) (over sdk.Transport, end func(), err error) {
	s := sdk.NewServer(&as, nil)
	add := func(name, help, schema string, do handler) {
		s.AddTool(&sdk.Tool{Name: name, Description: help, InputSchema: json.RawMessage(schema)}, do)
	}
	add("ask", describes, `{"type":"object","properties":{"message":{"type":"string","minLength":1,"description":"what it is asked, whole: it knows nothing of what was said here"},"context":{"type":"string","description":"of an earlier answer: goes on with that conversation"},"task":{"type":"string","description":"answers what this task of its asks"}},"required":["message"],"additionalProperties":false}`, ask)
	add("task", "Tells how a task stands that the agent was given, and waits for its end.", `{"type":"object","properties":{"task":{"type":"string","minLength":1}},"required":["task"],"additionalProperties":false}`, look)
	add("cancel", "Cancels a task that the agent was given.", `{"type":"object","properties":{"task":{"type":"string","minLength":1}},"required":["task"],"additionalProperties":false}`, cancel)
	near, far := sdk.NewInMemoryTransports()
	session, err := s.Connect(context.WithoutCancel(ctx), far, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("stand for the agent %s: %w", as.Title, err)
	}
	return near, func() { _ = session.Close() }, nil // it is over
}

// cardOf reads the card of an agent from its address, which is the card's own or the one that it lies below. Cards of 0.3 name their addresses
// otherwise.
func cardOf(ctx context.Context, client *http.Client, server mcp.Server) (*a2a.AgentCard, error) {
	at, err := url.Parse(server.URL)
	if err != nil {
		return nil, err
	}
	path := cardPath
	if strings.HasSuffix(at.Path, ".json") {
		path = at.Path
		at.Path, at.RawPath = "", ""
	}
	get := agentcard.NewResolver(client)
	card, err := get.Resolve(ctx, at.String(), agentcard.WithPath(path))
	if err == nil && len(card.SupportedInterfaces) == 0 {
		get.CardParser = a2av0.NewAgentCardParser()
		card, err = get.Resolve(ctx, at.String(), agentcard.WithPath(path))
	}
	if refused, ok := errors.AsType[*agentcard.ErrStatusNotOK](err); ok {
		return nil, fault.Wrap(err, fault.Unavailable, "There is no card of an agent at %s: it answered %s.", at.JoinPath(path).Redacted(), refused.Status)
	}
	return card, err
}

// describes says what the agent is for, in the words of its card.
func (a *agent) describes() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Gives work to the agent %q of another organization, and waits for what comes of it. It says of itself: %s", a.card.Name, a.card.Description)
	for i, s := range a.card.Skills {
		if i == mostSkills {
			break
		}
		fmt.Fprintf(&b, "\n- %s: %s", s.Name, s.Description)
	}
	text := []rune(strings.ToValidUTF8(b.String(), "�"))
	return string(text[:min(len(text), mostCard)])
}

// What the tools take.
type (
	askIn struct {
		Message string `json:"message"`
		Context string `json:"context"`
		Task    string `json:"task"`
	}
	taskIn struct {
		Task string `json:"task"`
	}
)

// ask gives the agent a message. The same call is the same message: one that is sent again is known to an agent that looks for that.
func (a *agent) ask(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in askIn
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil || strings.TrimSpace(in.Message) == "" {
		return failed("ask needs a message, as text."), nil
	}
	m := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(in.Message))
	m.ContextID, m.TaskID = in.Context, a2a.TaskID(in.Task)
	if key, ok := r.Params.Meta["chela/key"].(string); ok && key != "" {
		sum := sha256.Sum256([]byte(key))
		m.ID = "chela-" + hex.EncodeToString(sum[:16])
	}
	limited, done := context.WithTimeout(ctx, a.time)
	defer done()
	res, err := a.client.SendMessage(limited, &a2a.SendMessageRequest{Message: m, Config: &a2a.SendMessageConfig{
		AcceptedOutputModes: []string{"text/plain", "text/markdown", "application/json", "image/png", "image/jpeg"}, ReturnImmediately: true,
	}})
	if err != nil {
		return refusedBy(ctx, limited, err)
	}
	switch res := res.(type) {
	case *a2a.Message:
		return &sdk.CallToolResult{Meta: stands("", "", res.ContextID), Content: append(content(res.Parts), inContext(res.ContextID)...)}, nil
	case *a2a.Task:
		if r.Params.Meta[metaOnce] == true && !settled(res.Status.State) {
			return goesOn(string(res.ID), res.ContextID), nil
		}
		return a.settle(ctx, limited, res)
	}
	return failed("It answered with neither a message nor a task."), nil
}

// look tells how a task stands.
func (a *agent) look(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	id, wrong := taskOf(r)
	if wrong != nil {
		return wrong, nil
	}
	limited, done := context.WithTimeout(ctx, a.time)
	defer done()
	t, err := a.client.GetTask(limited, &a2a.GetTaskRequest{ID: id})
	switch {
	case errors.Is(err, a2a.ErrTaskNotFound):
		return lost(string(id)), nil
	case err != nil:
		return refusedBy(ctx, limited, err)
	case r.Params.Meta[metaOnce] == true && !settled(t.Status.State):
		return goesOn(string(t.ID), t.ContextID), nil
	}
	return a.settle(ctx, limited, t)
}

// cancel cancels a task.
func (a *agent) cancel(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	id, wrong := taskOf(r)
	if wrong != nil {
		return wrong, nil
	}
	limited, done := context.WithTimeout(ctx, a.time)
	defer done()
	t, err := a.client.CancelTask(limited, &a2a.CancelTaskRequest{ID: id})
	if err != nil {
		return refusedBy(ctx, limited, err)
	}
	return told(t), nil
}

func taskOf(r *sdk.CallToolRequest) (a2a.TaskID, *sdk.CallToolResult) {
	var in taskIn
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil || in.Task == "" {
		return "", failed("It needs the id of a task, as text.")
	}
	return a2a.TaskID(in.Task), nil
}

// settle waits until a task has ended or asks for something, and tells what came of it. A call that is cancelled cancels its task; one whose time
// is over leaves it be.
func (a *agent) settle(ctx, limited context.Context, t *a2a.Task) (*sdk.CallToolResult, error) {
	limited, done := context.WithCancel(limited)
	defer done()
	defer context.AfterFunc(a.base, done)() // a daemon that stops does not wait
	for pause := firstLook; !settled(t.Status.State); pause = min(2*pause, longestLook) {
		wait := time.NewTimer(pause)
		select {
		case <-wait.C:
		case <-limited.Done():
			wait.Stop()
		}
		if limited.Err() == nil {
			now, err := a.client.GetTask(limited, &a2a.GetTaskRequest{ID: t.ID})
			if err == nil {
				t = now
				continue
			}
			if limited.Err() == nil {
				return refusedBy(ctx, limited, err)
			}
		}
		if ctx.Err() != nil && a.base.Err() == nil {
			last, done := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
			defer done()
			_, _ = a.client.CancelTask(last, &a2a.CancelTaskRequest{ID: t.ID}) // nobody is there who would hear
			return nil, ctx.Err()
		}
		return goesOn(string(t.ID), t.ContextID), ctx.Err()
	}
	return told(t), nil
}

// goesOn is what is said of a task that has not ended.
func goesOn(id, in string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Meta: stands(id, "", in), Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("[The task %s goes on. Look at it later with the tool task.]", id)}}}
}

// lost is what is said of a task that is not known any more.
func lost(id string) *sdk.CallToolResult {
	res := failed("There is no such task any more.")
	res.Meta = stands(id, "lost", "")
	return res
}

// waitsForAnswer tells how what a task asks is answered.
func waitsForAnswer(id string) string {
	return fmt.Sprintf("[The task %s waits for an answer: give it with the tool ask, which names the task.]", id)
}

// settled reports whether a task has ended, or asks for something.
func settled(s a2a.TaskState) bool {
	return s.Terminal() || s == a2a.TaskStateInputRequired || s == a2a.TaskStateAuthRequired
}

// told is what came of a task.
func told(t *a2a.Task) *sdk.CallToolResult {
	out := &sdk.CallToolResult{}
	state := strings.ToLower(strings.TrimPrefix(string(t.Status.State), "TASK_STATE_"))
	if settled(t.Status.State) {
		out.Meta = stands(string(t.ID), state, t.ContextID)
	}
	for _, made := range t.Artifacts {
		if made != nil {
			out.Content = append(out.Content, content(made.Parts)...)
		}
	}
	if m := t.Status.Message; m != nil && (len(out.Content) == 0 || t.Status.State != a2a.TaskStateCompleted) {
		out.Content = append(out.Content, content(m.Parts)...)
	}
	note := ""
	switch t.Status.State {
	case a2a.TaskStateCompleted:
		if len(out.Content) == 0 {
			note = "[The task has ended without a word.]"
		}
	case a2a.TaskStateInputRequired:
		note = waitsForAnswer(string(t.ID))
	case a2a.TaskStateAuthRequired:
		note = fmt.Sprintf("[The task %s waits until somebody of us logs in there.]", t.ID)
	default:
		out.IsError = t.Status.State.Terminal()
		note = fmt.Sprintf("[The task %s stands as %s.]", t.ID, state)
	}
	if note != "" {
		out.Content = append(out.Content, &sdk.TextContent{Text: note})
	}
	out.Content = append(out.Content, inContext(t.ContextID)...)
	return out
}

// inContext tells how the conversation goes on.
func inContext(id string) []sdk.Content {
	if id == "" {
		return nil
	}
	return []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("[The context is %s.]", id)}}
}

// content is what parts hold, as a tool's result does. Files that are neither text nor pictures are named.
func content(parts a2a.ContentParts) (out []sdk.Content) {
	text := func(format string, args ...any) {
		out = append(out, &sdk.TextContent{Text: fmt.Sprintf(format, args...)})
	}
	for _, p := range parts {
		if p == nil {
			continue
		}
		switch c := p.Content.(type) {
		case a2a.Text:
			text("%s", string(c))
		case a2a.Data:
			raw, err := json.Marshal(c.Value)
			if err != nil {
				text("[Data that is no JSON is left out.]")
				continue
			}
			text("%s", raw)
		case a2a.URL:
			text("[A file: %s %s]", p.Filename, string(c))
		case a2a.Raw:
			kind := http.DetectContentType(c)
			switch {
			case strings.HasPrefix(kind, "image/"):
				out = append(out, &sdk.ImageContent{MIMEType: kind, Data: c})
			case strings.HasPrefix(kind, "text/") && utf8.Valid(c):
				text("[The file %s]\n%s", p.Filename, string(c))
			default:
				text("[The file %s of %d bytes is left out: it is neither text nor a picture.]", p.Filename, len(c))
			}
		}
	}
	return out
}

// refusedBy is an error of the agent, as its words.
func refusedBy(ctx, limited context.Context, err error) (*sdk.CallToolResult, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if limited.Err() != nil {
		return failed("It did not answer in time. Whether it works on the message is not known."), nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return failed(f.Text), nil
	}
	return failed(err.Error()), nil
}

func failed(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}
