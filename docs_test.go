package chela_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"chela/internal/approval"
	"chela/internal/channel"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/schedule"
)

// edges returns the steps that a picture of states shows.
func edges(t *testing.T, name string) [][2]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("docs", "states", name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	var out [][2]string
	for _, m := range regexp.MustCompile(`(?m)^\s+(\S+) --> ([^\s:]+)`).FindAllStringSubmatch(string(raw), -1) {
		if m[1] != "[*]" && m[2] != "[*]" {
			out = append(out, [2]string{m[1], m[2]})
		}
	}
	return out
}

// pictured compares a picture with the code: every step that the code allows is there,
// and no other.
func pictured[S ~string](t *testing.T, name string, all []S, allowed func(from, to S) bool) {
	t.Helper()
	shown := edges(t, name)
	for _, from := range all {
		for _, to := range all {
			drawn := slices.Contains(shown, [2]string{string(from), string(to)})
			if from != to && drawn != allowed(from, to) || drawn && !allowed(from, to) {
				t.Errorf("docs/states/%s.md: %s to %s is drawn: %v; the code allows it: %v", name, from, to, drawn, allowed(from, to))
			}
		}
	}
	for _, e := range shown {
		if !slices.Contains(all, S(e[0])) || !slices.Contains(all, S(e[1])) {
			t.Errorf("docs/states/%s.md draws %v, which the code does not know", name, e)
		}
	}
}

func TestStatesAreAsPictured(t *testing.T) {
	pictured(t, "run", []run.State{run.Queued, run.Running, run.Waiting, run.Done, run.Failed, run.Cancelled}, run.State.CanBecome)
	pictured(t, "thread", desk.Lifecycles(), desk.Lifecycle.CanBecome)
	pictured(t, "delta-pack", desk.PackStatuses(), desk.PackStatus.CanBecome)
	pictured(t, "reconciliation", desk.ReconciliationStatuses(), desk.ReconciliationStatus.CanBecome)
	pictured(t, "delivery", channel.States(), channel.State.CanBecome)
	pictured(t, "intake", desk.IntakeStatuses(), desk.IntakeStatus.CanBecome)
	pictured(t, "execution", schedule.States(), schedule.State.CanBecome)
	pictured(t, "approval", []approval.Status{approval.Pending, approval.Answered, approval.Lapsed}, func(from, to approval.Status) bool {
		return from == approval.Pending && to != approval.Pending
	})
}

// TestTheProtocolIsDocumented looks for every type in the document, and for every type
// of the code in it.
func TestTheProtocolIsDocumented(t *testing.T) {
	raw, err := os.ReadFile("docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range event.ProtocolTypes() {
		if !strings.Contains(string(raw), "| "+kind+" | `") {
			t.Errorf("docs/protocol.md does not say where %s is written", kind)
		}
	}
	names := regexp.MustCompile(`Kind\s*=\s*event\.Kind\[[^\]]+\]\{Name: "([^"]+)"`)
	err = filepath.WalkDir("internal", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "storetest") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range names.FindAllStringSubmatch(string(source), -1) {
			if !strings.Contains(string(raw), "`"+m[1]+"`") {
				t.Errorf("docs/protocol.md does not list %s of %s", m[1], path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTheReadmesCommandsExist runs the help of every command that the README shows.
func TestTheReadmesCommandsExist(t *testing.T) {
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "chela")
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd/chela").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, m := range regexp.MustCompile("(?m)(?:^    |`)(?:\\./bin/)?chela ([a-z]+(?: [a-z]+)?)").FindAllStringSubmatch(string(raw), -1) {
		args := append(strings.Fields(m[1]), "--help")
		out, err := exec.Command(bin, args...).CombinedOutput() //nolint:gosec // ours
		if err != nil || strings.Contains(string(out), "unknown command") || !strings.Contains(string(out), "chela "+strings.Fields(m[1])[0]) {
			t.Errorf("chela %s: %v\n%s", m[1], err, out)
		}
	}
	targets, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?m)(?:^    |`)make ([a-z-]+)").FindAllStringSubmatch(string(raw), -1) {
		if !strings.Contains(string(targets), "\n"+m[1]+":") {
			t.Errorf("the README names make %s, which the Makefile lacks", m[1])
		}
	}
}
