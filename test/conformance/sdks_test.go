package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/testkit/daemontest"
)

// answers is what the agent says to the SDKs, in sdks.mjs.
const answers = `{"steps":[
 {"contains":"As JSON","agentResponses":[{"agentName":"pm","responseFallback":"{\"city\":\"Bern\",\"sunny\":true}"}]},
 {"contains":"in the picture","agentResponses":[{"agentName":"pm","responseFallback":"A red dot."}]},
 {"contains":"Take your time","agentResponses":[{"agentName":"pm","responseFallback":"Late.","waitsSeconds":60}]},
 {"contains":"Bern?","agentResponses":[{"agentName":"pm","toolCalls":[{"name":"get_weather","args":{"city":"Bern"}}]},{"agentName":"pm","responseFallback":"Sunny."}]}],
 "otherwise":[{"agentName":"","responseFallback":"The budget is fine."}]}`

// TestSDKs_OfOthers has the SDKs for JavaScript of OpenAI, Anthropic and Vercel speak to an agent.
func TestSDKs_OfOthers(t *testing.T) {
	t.Parallel()
	installed(t, "openai", "@anthropic-ai/sdk", "ai")
	d := daemontest.Run(t, daemontest.Setup{Script: answers})
	out, err := exec.CommandContext(t.Context(), "node", "sdks.mjs", d.URL, d.Token).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if n := strings.Count("\n"+string(out), "\nok "); n < 19 {
		t.Errorf("%d checks passed, want all:\n%s", n, out)
	}
}

// TestA2A_TheSDKForJavaScript has the official SDK of A2A give work to an agent.
func TestA2A_TheSDKForJavaScript(t *testing.T) {
	t.Parallel()
	installed(t, "@a2a-js/sdk")
	d := daemontest.Run(t, daemontest.Setup{Script: answers})
	out, err := exec.CommandContext(t.Context(), "node", "a2a.mjs", d.URL, d.Token).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if n := strings.Count("\n"+string(out), "\nok "); n < 12 {
		t.Errorf("%d checks passed, want all:\n%s", n, out)
	}
}

// TestEditor_AnApprovedEdit has the client library that editors use edit files, as its user answers.
func TestEditor_AnApprovedEdit(t *testing.T) {
	t.Parallel()
	installed(t, "@modelcontextprotocol/sdk")
	d := daemontest.Run(t, daemontest.Setup{Script: answers})
	folder := filepath.Join(d.Dir, "workspace", "coder")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "node", "editor.mjs", d.URL, d.Token, folder).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if n := strings.Count("\n"+string(out), "\nok "); n < 5 {
		t.Errorf("%d checks passed, want all:\n%s", n, out)
	}
}
