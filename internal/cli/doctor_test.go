package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctor_WithoutADaemonReadsWhatAStartWould: what `chela serve` would refuse is bad, whether a token is there or not.
func TestDoctor_WithoutADaemonReadsWhatAStartWould(t *testing.T) {
	t.Parallel()
	for _, token := range []bool{false, true} {
		dir := t.TempDir()
		files := map[string]string{"chela.yaml": "listen: 127.0.0.1:1\nfailover: [nope/x]\n", "org.yaml": "agents: [{name: pm, nope: 1}]\n"}
		if token {
			files["token"] = "x\n"
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got := make(map[string]check)
		for _, c := range (&app{data: dir}).examine(t.Context()) {
			got[c.Name] = c
		}
		for name, says := range map[string]string{"models": "nope/x", "organization": "line 1"} {
			if c, ok := got[name]; !ok || c.OK || !strings.Contains(c.Text, says) {
				t.Errorf("with a token: %v: %s is %+v, want it bad and to say %q", token, name, c, says)
			}
		}
		if _, ok := got["failover"]; ok || !got["configuration"].OK || !got["database"].OK {
			t.Errorf("with a token: %v: got %+v", token, got)
		}
	}
}
