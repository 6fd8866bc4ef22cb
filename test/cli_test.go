package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chela/internal/testkit/pgtest"
)

// chela runs a command of the binary on the setup's data folder.
func (s setup) chela(t *testing.T, in string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(binary, append(args, "--data", s.data)...) //nolint:gosec // ours
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.data}, s.env...)
	cmd.Stdin = strings.NewReader(in)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// TestCli_ScenariosAndTheDemo plays the demo's script, and the whole main job, in one
// process each; a script that goes wrong says where.
func TestCli_ScenariosAndTheDemo(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"schemaVersion":2,"projectName":"P","steps":[{"userQuery":"Hello","expects":{"runState":"done"},"agentResponses":[{"agentName":"controller","responseFallback":"{\"delegate\":\"nobody\",\"sub_task\":\"x\",\"respond\":\"\",\"requires\":[]}"}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"schemaVersion":2,"projectName":"P","steps":[{"userqueries":"Hello"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob("../demo/scenarios/*.json")
	if err != nil || len(all) == 0 {
		t.Fatalf("%v %v", all, err)
	}
	report := filepath.Join(t.TempDir(), "report.xml")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{append([]string{"scenario", "run"}, all...), 0, fmt.Sprintf("%d scenarios, 0 failed", len(all))},
		{append([]string{"scenario", "run", "--postgres", pgtest.URL(t)}, all...), 0, fmt.Sprintf("%d scenarios, 0 failed", len(all))},
		{[]string{"scenario", "run", "--postgres", "elsewhere", all[0]}, 1, "postgres://user@host/database"},
		{[]string{"scenario", "run", "--report", "junit", "--out", report, "--parallel", "1", all[0]}, 0, report},
		{[]string{"scenario", "run", bad}, 1, "nobody"},
		{[]string{"scenario", "run", broken}, 2, "steps.0.userqueries"},
		{[]string{"scenario", "run", all[0], "none.json"}, 2, "none.json"},
		{[]string{"scenario", "run", "--report", "pdf", all[0]}, 2, "junit"},
		{[]string{"scenario", "run", "--parallel", "0", all[0]}, 2, "at least one"},
		{[]string{"demo", "--once"}, 0, "every table is identical"},
	} {
		out, errs, code := s.chela(t, "", c.args...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%v: %d, want %d\n%s%s", c.args, code, c.code, out, errs)
		}
	}
	if raw, err := os.ReadFile(report); err != nil || !strings.Contains(string(raw), "<testsuites") {
		t.Errorf("%v %s", err, raw)
	}
}

// TestCli_AChannelIsAddedByCommand: its secret comes from the standard input.
func TestCli_AChannelIsAddedByCommand(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	s.running(t)
	p := newPortal(t)
	out, errs, code := s.chela(t, p.secret()+"\n", "channel", "add", "webhook", "portal", "--secret", "secret", "--set", "url="+p.URL)
	if code != 0 || !strings.Contains(out, "The channel portal is kept") {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	if out, errs, code := s.chela(t, "", "channel", "list"); code != 0 || !strings.Contains(out, "portal") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if _, errs, code := s.chela(t, "", "channel", "link", "other"); code == 0 || !strings.Contains(errs, "There is no channel named") {
		t.Errorf("%d %s", code, errs)
	}
}

// TestCli_PersonsAndRoles invites a viewer, who may look and nothing else.
func TestCli_PersonsAndRoles(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t)
	newProject(t, d)
	out, errs, code := s.chela(t, "", "invite", "Ann", "--role", "viewer")
	link := regexp.MustCompile(`--accept (\S+)`).FindStringSubmatch(out)
	if code != 0 || link == nil {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	out, errs, code = s.chela(t, "", "invite", "--accept", link[1])
	token := regexp.MustCompile(`Your token: (\S+)`).FindStringSubmatch(out)
	if code != 0 || token == nil {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	if _, errs, code := s.chela(t, "", "invite", "--accept", link[1]); code == 0 || !strings.Contains(errs, "used") {
		t.Errorf("the invitation worked twice: %s", errs)
	}
	owner, err := os.ReadFile(filepath.Join(s.data, "token"))
	if err != nil {
		t.Fatal(err)
	}
	var all []struct{ ID, Name string }
	d.must(t, "GET", "/api/persons", nil, &all)
	ann := all[len(all)-1].ID
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"person", "link", ann, "email:ann@example.com"}, 0, "email:ann@example.com"},
		{[]string{"person", "link", all[0].ID, "email:ann@example.com"}, 3, "belongs to Ann"},
		{[]string{"person", "link", ann, "nonsense"}, 3, "identity"},
		{[]string{"person", "unlink", ann, "email:ann@example.com"}, 0, "Ann, viewer"},
	} {
		if out, errs, code := s.chela(t, "", c.args...); code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%v: %d %s%s", c.args, code, out, errs)
		}
	}
	if err := os.WriteFile(filepath.Join(s.data, "token"), []byte(token[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := s.chela(t, "", "ask", "-p", "Payments", "Who?"); code != 0 {
		t.Errorf("a viewer may ask: %s%s", out, errs)
	}
	if _, errs, code := s.chela(t, "", "invite", "Bob"); code == 0 || !strings.Contains(errs, "role admin") {
		t.Errorf("a viewer invited: %d %s", code, errs)
	}
	if err := os.WriteFile(filepath.Join(s.data, "token"), owner, 0o600); err != nil {
		t.Fatal(err)
	}
	d.must(t, "PATCH", "/api/persons/"+ann, rawJSON(`{"enabled":false}`), nil)
	if err := os.WriteFile(filepath.Join(s.data, "token"), []byte(token[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := s.chela(t, "", "status"); code == 0 || !strings.Contains(errs, "disabled") {
		t.Errorf("a disabled person looks: %d %s", code, errs)
	}
	d.stop()
	s.verified(t)
}
