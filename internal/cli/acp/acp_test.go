package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"chela/internal/approval"
	"chela/internal/cli/acp"
	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

const script = `{"steps":[
 {"userQuery":"Write it.","agentResponses":[{"agentName":"coder","toolCalls":[{"name":"write_file","args":{"path":"a.txt","content":"grün\n"}}]},{"agentName":"coder","responseFallback":"It is written."}]},
 {"userQuery":"Look around.","agentResponses":[{"agentName":"coder","toolCalls":[{"name":"list_directory","args":{"path":"."}}]},{"agentName":"coder","responseFallback":"There is little."}]},
 {"userQuery":"Take your time.","agentResponses":[{"agentName":"coder","responseFallback":"Late.","waitsSeconds":60}]},
 {"userQuery":"Read my notes.","agentResponses":[{"agentName":"coder","toolCalls":[{"name":"read_text_file","args":{"path":"notes.txt"}}]},{"agentName":"coder","toolCalls":[{"name":"read_text_file","args":{"path":"../../etc/passwd"}}]},{"agentName":"coder","toolCalls":[{"name":"read_text_file","args":{"path":"link/passwd"}}]},{"agentName":"coder","responseFallback":"Read."}]},
 {"userQuery":"Change my notes.","agentResponses":[{"agentName":"coder","toolCalls":[{"name":"write_text_file","args":{"path":"notes.txt","content":"new\n"}}]},{"agentName":"coder","responseFallback":"Changed."}]},
 {"userQuery":"Fail.","agentResponses":[{"agentName":"coder","fails":"auth"}]}],
 "otherwise":[{"agentName":"","responseFallback":"The budget is fine."}]}`

// An editor is the client's side of the protocol, which keeps what it was shown.
type editor struct {
	sdk.Client // the rest is not offered
	permit     func(ctx context.Context, in sdk.RequestPermissionRequest) (string, error)

	mu    sync.Mutex // guards the rest
	files map[string]string
	shown []sdk.SessionNotification
	more  chan struct{} // closed when there is more
}

func (e *editor) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.shown = append(e.shown, n)
	close(e.more)
	e.more = make(chan struct{})
	return nil
}

func (e *editor) RequestPermission(ctx context.Context, in sdk.RequestPermissionRequest) (out sdk.RequestPermissionResponse, err error) {
	id, err := e.permit(ctx, in)
	if out.Outcome = sdk.NewRequestPermissionOutcomeSelected(sdk.PermissionOptionId(id)); id == "" {
		out.Outcome = sdk.NewRequestPermissionOutcomeCancelled()
	}
	return out, err
}

func (e *editor) ReadTextFile(_ context.Context, in sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, ok := e.files[in.Path]
	if !ok {
		return sdk.ReadTextFileResponse{}, errors.New("there is no such file")
	}
	return sdk.ReadTextFileResponse{Content: text}, nil
}

func (e *editor) WriteTextFile(_ context.Context, in sdk.WriteTextFileRequest) (sdk.WriteTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.files[in.Path] = in.Content
	return sdk.WriteTextFileResponse{}, nil
}

// until waits until what was shown fits.
func (e *editor) until(t *testing.T, what string, fits func(all []sdk.SessionNotification) bool) {
	t.Helper()
	for {
		e.mu.Lock()
		all, more := e.shown, e.more
		e.mu.Unlock()
		if fits(all) {
			return
		}
		select {
		case <-t.Context().Done():
		case <-time.After(time.Minute):
			t.Fatalf("%s was not shown; shown was %s", what, jsonOf(t, all))
		case <-more:
		}
	}
}

// forget forgets what was shown so far, and returns it.
func (e *editor) forget() []sdk.SessionNotification {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.shown
	e.shown = nil
	return all
}

// text is what agents said.
func text(all []sdk.SessionNotification) string {
	var b strings.Builder
	for _, n := range all {
		if c := n.Update.AgentMessageChunk; c != nil && c.Content.Text != nil {
			b.WriteString(c.Content.Text.Text)
		}
	}
	return b.String()
}

// said is what persons said.
func said(all []sdk.SessionNotification) string {
	var b strings.Builder
	for _, n := range all {
		if c := n.Update.UserMessageChunk; c != nil && c.Content.Text != nil {
			b.WriteString(c.Content.Text.Text)
		}
	}
	return b.String()
}

// states are those of the only call.
func states(all []sdk.SessionNotification) string {
	var out []string
	for _, n := range all {
		switch u := n.Update; {
		case u.ToolCall != nil:
			out = append(out, "new "+string(u.ToolCall.Status))
		case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil:
			out = append(out, string(*u.ToolCallUpdate.Status))
		}
	}
	return strings.Join(out, ", ")
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A line is an editor that has started the program.
type line struct {
	*sdk.ClientSideConnection
	*editor
	leave func() error // closes the program's input, and returns how it ended
	log   *strings.Builder
}

func connect(t *testing.T, open func() (*client.Client, error), e *editor) line {
	t.Helper()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	e.more = make(chan struct{})
	var log strings.Builder
	ended := make(chan error, 1)
	go func() {
		ended <- acp.Run(t.Context(), acp.Options{
			Daemon: open, Agent: "coder", Version: "1", Log: &log,
			Project: func(context.Context, *client.Client) (string, error) { return "", nil },
		}, ourIn, ourOut)
		_ = ourOut.Close()
	}()
	leave := sync.OnceValue(func() error { _ = theirOut.Close(); return <-ended })
	t.Cleanup(func() {
		if err := leave(); err != nil {
			t.Error(err)
		}
	})
	l := line{ClientSideConnection: sdk.NewClientSideConnection(e, theirOut, theirIn), editor: e, leave: leave, log: &log}
	out, err := l.Initialize(t.Context(), sdk.InitializeRequest{
		ProtocolVersion: 7, ClientCapabilities: sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{ReadTextFile: e.files != nil, WriteTextFile: e.files != nil}},
	})
	if err != nil || out.ProtocolVersion != 1 || out.AgentInfo.Name != "chela" || !out.AgentCapabilities.LoadSession {
		t.Fatalf("initialize: %+v, %v", out, err)
	}
	return l
}

func to(d daemontest.Daemon) func() (*client.Client, error) {
	return func() (*client.Client, error) { return client.New(d.URL, d.Token), nil }
}

// begun begins a session, and waits until its commands are offered.
func (l line) begun(t *testing.T) sdk.SessionId {
	t.Helper()
	out, err := l.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: t.TempDir(), McpServers: []sdk.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	l.until(t, "the commands", func(all []sdk.SessionNotification) bool {
		return len(all) > 0 && all[0].SessionId == out.SessionId && all[0].Update.AvailableCommandsUpdate != nil
	})
	return out.SessionId
}

func (l line) say(t *testing.T, id sdk.SessionId, text string) (sdk.PromptResponse, error) {
	t.Helper()
	return l.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
}

// TestRun_AnAnswerIsShownAsItIsWritten has an editor say something, look around, give a command, and load it all again.
func TestRun_AnAnswerIsShownAsItIsWritten(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: script})
	l := connect(t, to(d), new(editor))
	id := l.begun(t)
	out, err := l.say(t, id, "How is the budget?")
	if err != nil || out.StopReason != sdk.StopReasonEndTurn || out.Usage == nil || out.Usage.TotalTokens == 0 {
		t.Fatalf("the prompt ended with %s, %v", jsonOf(t, out), err)
	}
	if all := l.forget(); text(all) != "The budget is fine." || said(all) != "" {
		t.Errorf("shown was %s", jsonOf(t, all))
	}
	if _, err := l.say(t, id, "Look around."); err != nil {
		t.Fatal(err)
	}
	if all := l.forget(); states(all) != "new in_progress, completed" || text(all) != "There is little." {
		t.Errorf("shown was %s", jsonOf(t, all))
	}
	if _, err := l.say(t, id, "/agent"); err != nil {
		t.Fatal(err)
	}
	if all := l.forget(); !strings.Contains(text(all), "coder answers in this conversation.") {
		t.Errorf("shown was %s", jsonOf(t, all))
	}
	again := connect(t, to(d), new(editor))
	if _, err := again.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: id, Cwd: t.TempDir(), McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	all := again.forget()
	if said(all) != "How is the budget?Look around./agent" || !strings.HasPrefix(text(all), "The budget is fine.There is little.coder answers") || states(all) != "new in_progress, completed" {
		t.Errorf("loaded was %s", jsonOf(t, all))
	}
	if _, err := again.say(t, id, "How is the budget?"); err != nil {
		t.Fatal(err)
	}
	if all := again.forget(); text(all) != "The budget is fine." {
		t.Errorf("shown was %s", jsonOf(t, all))
	}
	l.until(t, "what was said in the other editor", func(all []sdk.SessionNotification) bool {
		return said(all) == "How is the budget?" && text(all) == "The budget is fine."
	})
	list, err := again.ListSessions(t.Context(), sdk.ListSessionsRequest{})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].SessionId != id || *list.Sessions[0].Title != "How is the budget?" {
		t.Errorf("listed are %s, %v", jsonOf(t, list), err)
	}
}

// TestRun_AnApprovalInTheEditor has its person allow a write, and deny one.
func TestRun_AnApprovalInTheEditor(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{approval.Approve: "new pending, in_progress, completed", approval.Refuse: "new pending, failed"} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			d := daemontest.Run(t, daemontest.Setup{Script: script})
			var asked sdk.RequestPermissionRequest
			l := connect(t, to(d), &editor{permit: func(_ context.Context, in sdk.RequestPermissionRequest) (string, error) {
				asked = in
				return answer, nil
			}})
			id := l.begun(t)
			if out, err := l.say(t, id, "Write it."); err != nil || out.StopReason != sdk.StopReasonEndTurn {
				t.Fatalf("the prompt ended with %+v, %v", out, err)
			}
			all := l.forget()
			if states(all) != want || text(all) != "It is written." {
				t.Errorf("states %q, want %q; text %q; all %s", states(all), want, text(all), jsonOf(t, all))
			}
			path := filepath.Join(d.Dir, "workspace", "coder", "a.txt")
			raw, err := os.ReadFile(path)
			if wrote := string(raw) == "grün\n"; wrote != (answer == approval.Approve) {
				t.Errorf("the file has %q, %v", raw, err)
			}
			diff := asked.ToolCall.Content[len(asked.ToolCall.Content)-1].Diff
			if asked.SessionId != id || *asked.ToolCall.Kind != sdk.ToolKindEdit || diff == nil || diff.Path != path || diff.NewText != "grün\n" || diff.OldText != nil {
				t.Errorf("asked was %s", jsonOf(t, asked))
			}
			answers, err := client.New(d.URL, d.Token).ListApprovals(t.Context(), client.ListApprovalsQuery{Limit: 5})
			if err != nil || len(answers) != 1 || answers[0].Answer.Choice != answer || !strings.HasPrefix(answers[0].By, "agent:person/") {
				t.Errorf("the log has %s, %v", jsonOf(t, answers), err)
			}
		})
	}
}

// TestRun_AnApprovalElsewhere withdraws the question from the editor, and goes on.
func TestRun_AnApprovalElsewhere(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: script})
	cl := client.New(d.URL, d.Token)
	withdrawn := make(chan struct{})
	l := connect(t, to(d), &editor{permit: func(ctx context.Context, _ sdk.RequestPermissionRequest) (string, error) {
		all, err := cl.ListApprovals(t.Context(), client.ListApprovalsQuery{Status: string(approval.Pending), Limit: 5})
		if err == nil { // it may be withdrawn before that has answered
			_, err = cl.AnswerApproval(t.Context(), all[0].ID, client.AnswerBody{Choice: approval.Approve, Digest: &all[0].Digest})
		}
		if err != nil {
			return "", err
		}
		<-ctx.Done()
		close(withdrawn)
		return "", ctx.Err()
	}})
	id := l.begun(t)
	if out, err := l.say(t, id, "Write it."); err != nil || out.StopReason != sdk.StopReasonEndTurn {
		t.Fatalf("the prompt ended with %+v, %v", out, err)
	}
	<-withdrawn
	if all := l.forget(); states(all) != "new pending, in_progress, completed" || text(all) != "It is written." {
		t.Errorf("shown was %s", jsonOf(t, all))
	}
}

// TestRun_ACancelledPrompt ends with its run.
func TestRun_ACancelledPrompt(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: script})
	l := connect(t, to(d), new(editor))
	id := l.begun(t)
	ended := make(chan sdk.PromptResponse, 1)
	go func() {
		out, err := l.say(t, id, "Take your time.")
		if err != nil {
			t.Error(err)
		}
		ended <- out
	}()
	cl := client.New(d.URL, d.Token)
	during(t, cl, id, "run.started")
	_, err := l.say(t, id, "And this?")
	if refused := (*sdk.RequestError)(nil); !errors.As(err, &refused) || !strings.Contains(refused.Message, "answers a prompt already") {
		t.Errorf("a second prompt: %v", err)
	}
	if err := l.Cancel(t.Context(), sdk.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if out := <-ended; out.StopReason != sdk.StopReasonCancelled {
		t.Errorf("it ended with %+v", out)
	}
	runs, err := cl.ListRuns(t.Context(), client.ListRunsQuery{Thread: string(id), Limit: 5})
	if err != nil || len(runs) != 1 || runs[0].State != "cancelled" {
		t.Errorf("the runs are %s, %v", jsonOf(t, runs), err)
	}
}

// during waits until something is recorded in a conversation.
func during(t *testing.T, cl *client.Client, id sdk.SessionId, kind string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	works := false
	err := cl.Follow(ctx, string(id), 0, func(h client.Heard) {
		if works = works || strings.Contains(string(h.Data), `"`+kind+`"`); works {
			stop()
		}
	})
	if !works {
		t.Fatalf("no %s is recorded: %v", kind, err)
	}
}
