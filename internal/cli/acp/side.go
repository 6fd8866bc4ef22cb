package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// A side is our side of the protocol: it decodes what the editor calls, and encodes what it is shown.
type side struct {
	*connection
	conn    *sdk.Connection
	has     atomic.Pointer[sdk.FileSystemCapabilities] // of the editor's files; nil before it said so
	w       *lineWriter
	methods map[string]method
}

// A method answers a call.
type method func(ctx context.Context, raw json.RawMessage) (any, error)

// Run speaks with an editor until it leaves or ctx ends. What answers a prompt then goes on.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	s := &side{w: &lineWriter{out: out, after: make(map[string]func())}}
	s.connection = newConnection(ctx, o, s)
	s.methods = s.table()
	lines, feed := io.Pipe()
	s.conn = sdk.NewConnection(s.handle, s.w, lines)
	s.conn.SetLogger(slog.New(slog.NewTextHandler(o.Log, &slog.HandlerOptions{Level: slog.LevelError})))
	ended := make(chan error, 1)
	go func() { ended <- pass(in, feed, s.w) }() // it ends with the input
	var err error
	select {
	case <-ctx.Done():
	case <-s.conn.Done():
	case err = <-ended:
	}
	stop() // before the editor is gone for the library: a prompt that ends with it is not cancelled
	_ = feed.Close()
	s.all.Wait()
	return err
}

// on makes a method of a function over the protocol's types.
func on[P, R any](do func(context.Context, P) (R, error)) method {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var p P
		if len(raw) == 0 {
			raw = json.RawMessage("{}")
		}
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "The parameters do not fit the method: %v.", err)
		}
		if v, ok := any(&p).(interface{ Validate() error }); ok {
			if err := v.Validate(); err != nil {
				return nil, fault.Wrap(err, fault.Invalid, "The parameters do not fit the method: %v.", err)
			}
		}
		return do(ctx, p)
	}
}

func (s *side) table() map[string]method {
	return map[string]method{
		sdk.AgentMethodInitialize:             on(s.initialize),
		sdk.AgentMethodAuthenticate:           on(s.authenticate),
		sdk.AgentMethodSessionNew:             on(s.newSession),
		sdk.AgentMethodSessionLoad:            on(s.loadSession),
		sdk.AgentMethodSessionResume:          on(s.resumeSession),
		sdk.AgentMethodSessionList:            on(s.listSessions),
		sdk.AgentMethodSessionClose:           on(s.closeSession),
		sdk.AgentMethodSessionPrompt:          on(s.prompt),
		sdk.AgentMethodSessionCancel:          on(s.cancelled),
		sdk.AgentMethodSessionSetConfigOption: on(s.setOption),
	}
}

// handle answers a call, or takes a notification.
func (s *side) handle(ctx context.Context, name string, params json.RawMessage) (any, *sdk.RequestError) {
	do := s.methods[name]
	if do == nil {
		return nil, sdk.NewMethodNotFound(name)
	}
	out, err := do(ctx, params)
	if err != nil {
		return nil, s.refusal(ctx, err)
	}
	return out, nil
}

// refusal is an error as the protocol has it, with the sentence for people as its message.
func (s *side) refusal(ctx context.Context, err error) *sdk.RequestError {
	out := &sdk.RequestError{Code: -32603, Message: fault.TextOf(err)}
	switch fault.KindOf(err) {
	case fault.Unauthenticated:
		out.Code = -32000
	case fault.NotFound:
		out.Code = -32002
	case fault.Invalid, fault.TooLarge:
		out.Code = -32602
	case fault.Conflict, fault.Denied:
		out.Code = -32600
	case fault.Unavailable:
	case fault.Internal:
		if ctx.Err() == nil && !errors.As(err, new(*fault.Error)) {
			s.logf("%v", err)
		}
	}
	return out
}

// method of the token by which the daemon knows the person.
const byToken = "token"

func (s *side) initialize(_ context.Context, in sdk.InitializeRequest) (sdk.InitializeResponse, error) {
	s.has.Store(&in.ClientCapabilities.Fs)
	var out sdk.InitializeResponse
	out.ProtocolVersion = sdk.ProtocolVersionNumber
	out.AgentInfo = &sdk.Implementation{Name: "chela", Title: sdk.Ptr("Chela"), Version: s.Version}
	out.AgentCapabilities = sdk.AgentCapabilities{
		LoadSession:        true,
		PromptCapabilities: sdk.PromptCapabilities{Image: true, EmbeddedContext: true},
		SessionCapabilities: sdk.SessionCapabilities{
			List: &sdk.SessionListCapabilities{}, Resume: &sdk.SessionResumeCapabilities{}, Close: &sdk.SessionCloseCapabilities{},
		},
	}
	out.AuthMethods = []sdk.AuthMethod{{Agent: &sdk.AuthMethodAgent{
		Id: byToken, Name: "The daemon's token", Description: sdk.Ptr("The token lies in the daemon's folder (--data), or is given by --token or CHELA_TOKEN. The daemon runs by `chela serve`."),
	}}}
	return out, nil
}

func (s *side) authenticate(ctx context.Context, in sdk.AuthenticateRequest) (sdk.AuthenticateResponse, error) {
	if in.MethodId != byToken {
		return sdk.AuthenticateResponse{}, fault.BadField("methodId", "There is no such method.", byToken)
	}
	return sdk.AuthenticateResponse{}, s.check(ctx)
}

// folder refuses a working folder that is none.
func folder(cwd string) error {
	if !filepath.IsAbs(cwd) {
		return fault.BadField("cwd", "The working folder is an absolute path.")
	}
	return nil
}

func (s *side) newSession(ctx context.Context, in sdk.NewSessionRequest) (out sdk.NewSessionResponse, err error) {
	if err := folder(in.Cwd); err != nil {
		return out, err
	}
	s.servers(len(in.McpServers))
	v, err := s.start(ctx, in.Cwd)
	if err != nil {
		return out, err
	}
	s.w.once(v.id, func() { s.all.Go(v.announce) }) // the writer waits for nobody
	return sdk.NewSessionResponse{SessionId: sdk.SessionId(v.id), ConfigOptions: configOf(v.now())}, nil
}

func (s *side) loadSession(ctx context.Context, in sdk.LoadSessionRequest) (sdk.LoadSessionResponse, error) {
	options, err := s.goOn(ctx, string(in.SessionId), in.Cwd, len(in.McpServers), true)
	return sdk.LoadSessionResponse{ConfigOptions: options}, err
}

func (s *side) resumeSession(ctx context.Context, in sdk.ResumeSessionRequest) (sdk.ResumeSessionResponse, error) {
	options, err := s.goOn(ctx, string(in.SessionId), in.Cwd, len(in.McpServers), false)
	return sdk.ResumeSessionResponse{ConfigOptions: options}, err
}

func (s *side) goOn(ctx context.Context, id, cwd string, servers int, again bool) ([]sdk.SessionConfigOption, error) {
	if err := folder(cwd); err != nil {
		return nil, err
	}
	s.servers(servers)
	v, err := s.load(ctx, id, cwd, again)
	if err != nil {
		return nil, err
	}
	v.announce()
	return configOf(v.now()), nil
}

func (s *side) listSessions(ctx context.Context, in sdk.ListSessionsRequest) (out sdk.ListSessionsResponse, err error) {
	cwd := client.Value(in.Cwd)
	if cwd == "" {
		if cwd, err = os.Getwd(); err != nil {
			return out, err
		}
	}
	all, next, err := s.list(ctx, client.Value(in.Cursor))
	if err != nil {
		return out, err
	}
	out.Sessions = make([]sdk.SessionInfo, len(all))
	for i, t := range all {
		out.Sessions[i] = sdk.SessionInfo{SessionId: sdk.SessionId(t.ID), Cwd: cwd, Title: client.Given(t.Title), UpdatedAt: sdk.Ptr(t.UpdatedAt.UTC().Format(time.RFC3339))}
	}
	out.NextCursor = client.Given(next)
	return out, nil
}

func (s *side) closeSession(_ context.Context, in sdk.CloseSessionRequest) (sdk.CloseSessionResponse, error) {
	return sdk.CloseSessionResponse{}, s.end(string(in.SessionId))
}

func (s *side) prompt(ctx context.Context, in sdk.PromptRequest) (out sdk.PromptResponse, err error) {
	v, err := s.find(string(in.SessionId))
	if err != nil {
		return out, err
	}
	m, err := messageOf(in.Prompt)
	if err != nil {
		return out, err
	}
	asked, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { // an editor that is gone cancels nothing
		select {
		case <-s.conn.Done():
		default:
			cancel()
		}
	})
	defer stop()
	end, err := v.say(asked, m)
	if err != nil {
		return out, err
	}
	if out.StopReason = sdk.StopReasonEndTurn; end.cancelled {
		out.StopReason = sdk.StopReasonCancelled
	}
	out.Usage = s.used(ctx, end.run)
	return out, nil
}

// used is what a run used of models; nil when it is not known.
func (s *side) used(ctx context.Context, id string) *sdk.Usage {
	cl, err := s.Daemon()
	if err != nil || id == "" {
		return nil
	}
	r, err := cl.GetRun(ctx, id)
	if err != nil {
		return nil
	}
	return &sdk.Usage{InputTokens: r.Spend.InputTokens, OutputTokens: r.Spend.OutputTokens, TotalTokens: r.Spend.InputTokens + r.Spend.OutputTokens}
}

// cancelled takes the notification that a prompt is to end.
func (s *side) cancelled(_ context.Context, in sdk.CancelNotification) (any, error) {
	v, err := s.find(string(in.SessionId))
	if err != nil {
		return nil, err
	}
	v.cancel()
	return nil, nil //nolint:nilnil // a notification has no answer
}

func (s *side) setOption(ctx context.Context, in sdk.SetSessionConfigOptionRequest) (out sdk.SetSessionConfigOptionResponse, err error) {
	if in.ValueId == nil {
		return out, fault.BadField("value", "The options here are chosen by the id of a value.")
	}
	options, err := s.choose(ctx, string(in.ValueId.SessionId), string(in.ValueId.ConfigId), string(in.ValueId.Value))
	out.ConfigOptions = configOf(options)
	return out, err
}
