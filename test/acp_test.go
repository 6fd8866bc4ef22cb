package test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
)

// An acpEditor is an editor that has started `chela acp`.
type acpEditor struct {
	sdk.Client // the rest is not offered
	asked      chan sdk.RequestPermissionRequest
	answers    chan sdk.PermissionOptionId

	mu   sync.Mutex // guards said
	said strings.Builder
}

func (e *acpEditor) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := n.Update.AgentMessageChunk; c != nil && c.Content.Text != nil {
		e.said.WriteString(c.Content.Text.Text)
	}
	return nil
}

func (e *acpEditor) RequestPermission(_ context.Context, in sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	e.asked <- in
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(<-e.answers)}, nil
}

// TestACP_ADaemonThatIsKilled has an editor start the program, and the daemon be killed while its person is asked. A new daemon, at
// another address, takes the answer; the prompt ends with what the run did.
func TestACP_ADaemonThatIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(r request) any {
		if results, _ := r.since(); results == 0 {
			return toolCall("write_file", `{"path":"a.txt","content":"A"}`)
		}
		return text("It is written.")
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	cmd := exec.Command(binary, "acp", "--data", s.data, "--agent", "coder") //nolint:gosec // ours
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.data}
	var log strings.Builder
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
	e := &acpEditor{asked: make(chan sdk.RequestPermissionRequest, 1), answers: make(chan sdk.PermissionOptionId)}
	c := sdk.NewClientSideConnection(e, in, out)
	hello, err := c.Initialize(t.Context(), sdk.InitializeRequest{ProtocolVersion: sdk.ProtocolVersionNumber})
	if err != nil || hello.AgentInfo.Name != "chela" {
		t.Fatalf("it says %+v, %v", hello, err)
	}
	begun, err := c.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: t.TempDir(), McpServers: []sdk.McpServer{}})
	must(t, err)
	type ending struct {
		sdk.PromptResponse
		err error
	}
	prompted := make(chan ending, 1)
	go func() {
		ended, err := c.Prompt(t.Context(), sdk.PromptRequest{SessionId: begun.SessionId, Prompt: []sdk.ContentBlock{sdk.TextBlock("Write it.")}})
		prompted <- ending{ended, err}
	}()
	<-e.asked
	d.kill()
	s.running(t)
	e.answers <- "approve"
	if ended := <-prompted; ended.err != nil || ended.StopReason != sdk.StopReasonEndTurn {
		t.Errorf("the prompt ended with %+v", ended)
	}
	raw, err := os.ReadFile(filepath.Join(s.data, "workspace", "coder", "a.txt"))
	e.mu.Lock()
	said := e.said.String()
	e.mu.Unlock()
	if err != nil || string(raw) != "A" || said != "It is written." {
		t.Errorf("the file has %q, %v; said was %q", raw, err, said)
	}
	must(t, in.Close())
	<-c.Done()
	if err := cmd.Wait(); err != nil || !strings.Contains(log.String(), "goes on once it answers again") {
		t.Errorf("it ended with %v, and told %q", err, log.String())
	}
}

// TestACP_AnEditorThatReadsNoMore: the program ends with its input and in order, also where nobody reads its answers any more.
func TestACP_AnEditorThatReadsNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(request) any { return text("Hello.") })
	s := setup{data: t.TempDir(), env: w.env()}
	s.running(t)
	for _, args := range [][]string{{"acp"}, {"mcp", "serve"}} {
		cmd := exec.Command(binary, append(args, "--data", s.data)...) //nolint:gosec // ours
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.data}
		in, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		must(t, out.Close())
		for range 3 {
			_, err = in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"nope","params":{}}` + "\n"))
			if err != nil {
				break // it has ended already
			}
			time.Sleep(100 * time.Millisecond)
		}
		_ = in.Close()
		_ = cmd.Wait()
		if signal, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && signal.Signaled() {
			t.Errorf("%v was ended by the signal %v", args, signal.Signal())
		}
	}
}
