package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
	"chela/internal/tool"
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

// TestDoctor_ArtifactsThatAreGoneAreNamed: a log whose artifacts are not there verifies, but `chela log verify` fails and names them, and
// so does the doctor. Nothing makes the folder.
func TestDoctor_ArtifactsThatAreGoneAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "artifacts")
	files, err := artifact.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := files.Put([]byte("a long result"))
	if err != nil {
		t.Fatal(err)
	}
	recorded(t, dir, ref)
	doctor := func() (c check) {
		for _, c = range (&app{data: dir}).examine(t.Context()) {
			if c.Name == "artifacts" {
				return c
			}
		}
		return check{}
	}
	verify := func() (string, error) {
		var out bytes.Buffer
		a := &app{data: dir, out: &out, json: true}
		c := a.logCommands()
		c.SetArgs([]string{"verify"})
		c.SetOut(io.Discard)
		c.SilenceErrors, c.SilenceUsage = true, true
		err := c.ExecuteContext(t.Context())
		return out.String(), err
	}
	if said, err := verify(); err != nil || !doctor().OK {
		t.Fatalf("all are there, but verify says %v %s, the doctor %+v", err, said, doctor())
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	said, err := verify()
	var r event.Report
	if json.Unmarshal([]byte(said), &r) != nil || fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "1 of 1 artifacts") || len(r.Missing) != 1 || !strings.Contains(r.Missing[0].Text, string(ref)) {
		t.Errorf("verify says %v %s", err, said)
	}
	if c := doctor(); c.OK || !strings.Contains(c.Text, "backup") {
		t.Errorf("the doctor says %+v", c)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was made")
	}
}

// recorded makes a database in a data folder, with a log that names an artifact.
func recorded(t *testing.T, dir string, ref artifact.Ref) {
	t.Helper()
	sqlitetest.Write(t, filepath.Join(dir, "chela.db"))
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "chela.db"))
	if err != nil {
		t.Fatal(err)
	}
	at := event.Place{Stream: event.OrgStream, Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:test"}}
	if _, err := db.Log.Append(t.Context(), tool.ResultKind.Draft(at, tool.ResultPayload{Tool: "read", Success: true, Rest: string(ref)})); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
