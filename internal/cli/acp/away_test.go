package acp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"chela/internal/approval"
	"chela/internal/cli/acp"
	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/gateway/client"
	"chela/internal/model"
	"chela/internal/testkit/daemontest"
)

// begin starts a daemon on a data folder, at an address, and returns its token and what stops it.
func begin(t *testing.T, dir, at string) (token string, stop func()) {
	t.Helper()
	file := filepath.Join(dir, "script.json")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Listen, cfg.NoSchedules = at, true
	cfg.Providers = []model.Provider{{Name: "scripted", Kind: model.KindScripted, Model: "scripted", Script: file}}
	ctx, cancel := context.WithCancel(t.Context())
	d, err := daemon.New(ctx, cfg, slog.New(slog.DiscardHandler), daemon.Options{Beat: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Listen(ctx); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	return d.Token(), func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestRun_ADaemonThatStartsAgain ends the prompt with the true result of its run.
func TestRun_ADaemonThatStartsAgain(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // its port is taken again
	if err != nil {
		t.Fatal(err)
	}
	at, dir := free.Addr().String(), t.TempDir()
	_ = free.Close() // the daemon takes it
	token, stop := begin(t, dir, at)
	asked, answer := make(chan struct{}), make(chan string)
	l := connect(t, func() (*client.Client, error) { return client.New("http://"+at, token), nil }, &editor{permit: func(context.Context, sdk.RequestPermissionRequest) (string, error) {
		close(asked)
		return <-answer, nil
	}})
	id := l.begun(t)
	ended := make(chan error, 1)
	go func() {
		out, err := l.say(t, id, "Write it.")
		if err == nil && out.StopReason != sdk.StopReasonEndTurn {
			err = fmt.Errorf("the prompt ended with %s", out.StopReason)
		}
		ended <- err
	}()
	<-asked
	stop()
	_, stop = begin(t, dir, at)
	t.Cleanup(stop)
	answer <- approval.Approve
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if all := l.forget(); states(all) != "new pending, in_progress, completed" || text(all) != "It is written." {
		t.Errorf("shown was %s", jsonOf(t, all))
	}
}

// TestRun_AnEditorThatLeaves does not end the run: another one that loads the session is asked, and shown how it ends.
func TestRun_AnEditorThatLeaves(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: script})
	asked := make(chan struct{})
	first := connect(t, to(d), &editor{permit: func(ctx context.Context, _ sdk.RequestPermissionRequest) (string, error) {
		close(asked)
		<-ctx.Done()
		return "", ctx.Err()
	}})
	id := first.begun(t)
	go func() { _, _ = first.say(t, id, "Write it.") }() // it ends with the connection
	<-asked
	if err := first.leave(); err != nil {
		t.Fatal(err)
	}
	second := connect(t, to(d), &editor{permit: func(context.Context, sdk.RequestPermissionRequest) (string, error) { return approval.Approve, nil }})
	if _, err := second.ResumeSession(t.Context(), sdk.ResumeSessionRequest{SessionId: id, Cwd: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	second.until(t, "the answer", func(all []sdk.SessionNotification) bool { return text(all) == "It is written." && said(all) == "" })
	during(t, client.New(d.URL, d.Token), id, "run.finished")
	third := connect(t, to(d), new(editor))
	if _, err := third.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: id, Cwd: t.TempDir(), McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	if all := third.forget(); said(all) != "Write it." || text(all) != "It is written." || states(all) != "new in_progress, completed" {
		t.Errorf("loaded was %s", jsonOf(t, all))
	}
}

// TestRun_FilesOfTheEditor has an agent read and change a file in the editor, and none outside of its folder.
func TestRun_FilesOfTheEditor(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: script})
	folder := t.TempDir()
	if err := os.Symlink("/etc", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(folder, "notes.txt")
	answer := approval.Refuse
	var asked sdk.RequestPermissionRequest
	e := &editor{files: map[string]string{notes: "old\n", "/etc/passwd": "secret"}, permit: func(_ context.Context, in sdk.RequestPermissionRequest) (string, error) {
		asked = in
		return answer, nil
	}}
	l := connect(t, to(d), e)
	out, err := l.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: folder, McpServers: []sdk.McpServer{{Stdio: &sdk.McpServerStdio{Name: "x", Command: "x", Args: []string{}, Env: []sdk.EnvVariable{}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.say(t, out.SessionId, "Read my notes."); err != nil {
		t.Fatal(err)
	}
	all := l.forget()
	if states(all) != "new in_progress, completed, new in_progress, failed, new in_progress, failed" || text(all) != "Read." || strings.Contains(jsonOf(t, all), "secret") || strings.Count(jsonOf(t, all), "is no file in the folder") != 2 {
		t.Errorf("%s: %s", states(all), jsonOf(t, all))
	}
	for _, answer = range []string{approval.Refuse, approval.Approve} {
		if _, err := l.say(t, out.SessionId, "Change my notes."); err != nil {
			t.Fatal(err)
		}
		if want := map[string]string{approval.Refuse: "old\n", approval.Approve: "new\n"}[answer]; e.files[notes] != want {
			t.Errorf("after %s the file has %q", answer, e.files[notes])
		}
		if d := asked.ToolCall.Content[0].Diff; d == nil || d.Path != notes || *d.OldText != "old\n" || d.NewText != "new\n" || len(asked.Options) != 2 {
			t.Errorf("asked was %s", jsonOf(t, asked))
		}
	}
	if err := l.leave(); err != nil || !strings.Contains(l.log.String(), "names 1 MCP servers. They are not used") {
		t.Errorf("%v; told was %q", err, l.log)
	}
}

// TestRun_WhatIsWrong ends in the protocol's errors, with the way out.
func TestRun_WhatIsWrong(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: script})
	code := func(err error) (int, string) {
		var refused *sdk.RequestError
		if !errors.As(err, &refused) {
			return 0, fmt.Sprint(err)
		}
		return refused.Code, refused.Message
	}
	l := connect(t, to(d), new(editor))
	id := l.begun(t)
	prompt := func(id sdk.SessionId, b ...sdk.ContentBlock) error {
		_, err := l.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: b})
		return err
	}
	_, list := l.ListSessions(t.Context(), sdk.ListSessionsRequest{Cursor: sdk.Ptr("x")})
	_, relative := l.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: "x", McpServers: []sdk.McpServer{}})
	_, load := l.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: "thr_none", Cwd: "/", McpServers: []sdk.McpServer{}})
	_, option := l.SetSessionConfigOption(t.Context(), sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{SessionId: id, ConfigId: "agent", Value: "nobody"}})
	_, mode := l.SetSessionMode(t.Context(), sdk.SetSessionModeRequest{SessionId: id, ModeId: "x"})
	for what, c := range map[string]struct {
		err  error
		code int
		says string
	}{
		"an unknown session":   {prompt("thr_none", sdk.TextBlock("x")), -32002, "session/load"},
		"an empty prompt":      {prompt(id, sdk.TextBlock(" ")), -32602, "empty"},
		"audio":                {prompt(id, sdk.AudioBlock("", "audio/wav")), -32602, "audio"},
		"no picture":           {prompt(id, sdk.ImageBlock("aGVsbG8=", "image/png")), -32602, "picture"},
		"a long text":          {prompt(id, sdk.TextBlock(strings.Repeat("x", 300_000))), -32602, "limit"},
		"a cursor":             {list, -32602, "cursor"},
		"a relative folder":    {relative, -32602, "absolute"},
		"an unknown thread":    {load, -32002, "thr_none"},
		"an unknown option":    {option, -32602, "values"},
		"a method of no agent": {mode, -32601, "Method not found"},
		"a failed run":         {prompt(id, sdk.TextBlock("Fail.")), -32603, "chela setup"},
	} {
		if got, says := code(c.err); got != c.code || !strings.Contains(says, c.says) {
			t.Errorf("%s: %d %q, want %d with %q", what, got, says, c.code, c.says)
		}
	}
	if err := prompt(id, sdk.TextBlock("How is the budget?")); err != nil {
		t.Errorf("after all that: %v", err)
	}
	wrong := connect(t, func() (*client.Client, error) { return client.New(d.URL, "wrong"), nil }, new(editor))
	_, err := wrong.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: "/", McpServers: []sdk.McpServer{}})
	if got, says := code(err); got != -32000 || !strings.Contains(says, "--token") {
		t.Errorf("a wrong token: %d %q", got, says)
	}
	_, err = wrong.Authenticate(t.Context(), sdk.AuthenticateRequest{MethodId: "token"})
	if got, says := code(err); got != -32000 || !strings.Contains(says, "--token") {
		t.Errorf("a wrong token: %d %q", got, says)
	}
	none := connect(t, func() (*client.Client, error) { return client.New("http://127.0.0.1:1", "x"), nil }, new(editor))
	_, err = none.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: "/", McpServers: []sdk.McpServer{}})
	if got, says := code(err); got != -32603 || !strings.Contains(says, "chela serve") {
		t.Errorf("no daemon: %d %q", got, says)
	}
}

// TestRun_LinesThatAreNoMessages are answered, and the next one is, too.
func TestRun_LinesThatAreNoMessages(t *testing.T) {
	t.Parallel()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- acp.Run(t.Context(), acp.Options{Log: io.Discard}, ourIn, ourOut)
		_ = ourOut.Close()
	}()
	go func() {
		long := strings.Repeat("x", 11<<20)
		for _, line := range []string{"{", "[]", `{"jsonrpc":"1.0","id":2,"method":"x"}`, `{"jsonrpc":"2.0","id":{},"method":"x"}`, `{"jsonrpc":"2.0","id":3,"method":"nothing/known"}`, `{"jsonrpc":"2.0","id":"4","method":"` + long + `"}`, "", `{"jsonrpc":"2.0","method":"session/unknown"}`, `{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":1}}`} {
			_, _ = io.WriteString(theirOut, line+"\n") // its end says so
		}
	}()
	answers := bufio.NewReader(theirIn)
	for _, want := range []string{"null -32700", "null -32600", "2 -32600", "null -32600", "3 -32601", `"4" -32600`, "5 0"} {
		raw, err := answers.ReadBytes('\n')
		var m struct {
			ID    json.RawMessage
			Error struct{ Code int }
		}
		if err != nil || json.Unmarshal(raw, &m) != nil {
			t.Fatalf("got %s, %v", raw, err)
		}
		if got := fmt.Sprintf("%s %d", m.ID, m.Error.Code); got != want {
			t.Errorf("got %s, want %s: %s", got, want, raw)
		}
	}
	_ = theirOut.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestRun_ACallThatWasLeft is made by the next editor that loads the session, and closing a session cancels its prompt.
func TestRun_ACallThatWasLeft(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: script})
	folder := t.TempDir()
	notes := filepath.Join(folder, "notes.txt")
	asked := make(chan struct{})
	first := connect(t, to(d), &editor{files: map[string]string{notes: "old\n"}, permit: func(ctx context.Context, _ sdk.RequestPermissionRequest) (string, error) {
		close(asked)
		<-ctx.Done()
		return "", ctx.Err()
	}})
	out, err := first.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: folder, McpServers: []sdk.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = first.say(t, out.SessionId, "Change my notes.") }() // it ends with the connection
	<-asked
	if err := first.leave(); err != nil {
		t.Fatal(err)
	}
	e := &editor{files: map[string]string{notes: "old\n"}, permit: func(context.Context, sdk.RequestPermissionRequest) (string, error) { return approval.Approve, nil }}
	second := connect(t, to(d), e)
	if _, err := second.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: out.SessionId, Cwd: folder, McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	second.until(t, "the answer", func(all []sdk.SessionNotification) bool { return text(all) == "Changed." })
	during(t, client.New(d.URL, d.Token), out.SessionId, "run.finished")
	if e.mu.Lock(); e.files[notes] != "new\n" {
		t.Errorf("the file has %q", e.files[notes])
	}
	e.mu.Unlock()
	began, err := second.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: folder, McpServers: []sdk.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	next := began.SessionId
	ended := make(chan error, 1)
	go func() {
		out, err := second.say(t, next, "Take your time.")
		if err == nil && out.StopReason != sdk.StopReasonCancelled {
			err = fmt.Errorf("the prompt ended with %s", out.StopReason)
		}
		ended <- err
	}()
	during(t, client.New(d.URL, d.Token), next, "run.started")
	if _, err := second.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: next}); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	during(t, client.New(d.URL, d.Token), next, "run.finished")
	if _, err := second.say(t, next, "x"); err == nil {
		t.Error("a closed session takes a prompt")
	}
}
