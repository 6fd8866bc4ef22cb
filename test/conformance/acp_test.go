package conformance

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"chela/internal/testkit/daemontest"
)

// asProgram makes this program `chela` itself, for the editor that starts it.
const asProgram = "CHELA_CONFORMANCE_PROGRAM"

// edits is what the agent of an editor says and does, in acp.mjs.
const edits = `{"steps":[
 {"userQuery":"Write it.","agentResponses":[{"agentName":"coder","toolCalls":[{"name":"write_file","args":{"path":"a.txt","content":"grün\n"}}]},{"agentName":"coder","responseFallback":"Written."}]},
 {"userQuery":"Change my notes.","agentResponses":[{"agentName":"coder","toolCalls":[{"name":"write_text_file","args":{"path":"notes.txt","content":"new\n"}}]},{"agentName":"coder","responseFallback":"Changed."}]},
 {"userQuery":"Take your time.","agentResponses":[{"agentName":"coder","responseFallback":"Late.","waitsSeconds":60}]}],
 "otherwise":[{"agentName":"","responseFallback":"The budget is fine."}]}`

// TestACP_TheProtocolsOwnLibrary has the library of the Agent Client Protocol start `chela acp`, as editors do.
func TestACP_TheProtocolsOwnLibrary(t *testing.T) {
	t.Parallel()
	installed(t, "@agentclientprotocol/sdk")
	d := daemontest.Run(t, daemontest.Setup{Script: edits})
	c := exec.CommandContext(t.Context(), "node", "acp.mjs", os.Args[0], d.URL, d.Token, t.TempDir())
	c.Env = append(os.Environ(), asProgram+"=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if n := strings.Count("\n"+string(out), "\nok "); n < 7 {
		t.Errorf("%d checks passed, want all:\n%s", n, out)
	}
}
