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
	"chela/internal/builder"
	"chela/internal/channel"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/review"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/worker"
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

func TestDocs_StatesAreAsPictured(t *testing.T) {
	t.Parallel()
	pictured(t, "run", []run.State{run.Queued, run.Running, run.Waiting, run.Done, run.Failed, run.Cancelled}, run.State.CanBecome)
	pictured(t, "thread", desk.Lifecycles(), desk.Lifecycle.CanBecome)
	pictured(t, "delta-pack", desk.PackStatuses(), desk.PackStatus.CanBecome)
	pictured(t, "reconciliation", desk.ReconciliationStatuses(), desk.ReconciliationStatus.CanBecome)
	pictured(t, "delivery", channel.States(), channel.State.CanBecome)
	pictured(t, "intake", desk.IntakeStatuses(), desk.IntakeStatus.CanBecome)
	pictured(t, "execution", schedule.States(), schedule.State.CanBecome)
	pictured(t, "review", review.States(), review.State.CanBecome)
	pictured(t, "router", router.States(), router.State.CanBecome)
	pictured(t, "plan", builder.States(), builder.State.CanBecome)
	pictured(t, "worker", worker.States(), worker.State.CanBecome)
	pictured(t, "approval", []approval.Status{approval.Pending, approval.Answered, approval.Lapsed}, func(from, to approval.Status) bool {
		return from == approval.Pending && to != approval.Pending
	})
}

// TestDocs_TheProtocolIsDocumented looks for every type in the document, and for every type
// of the code in it.
func TestDocs_TheProtocolIsDocumented(t *testing.T) {
	t.Parallel()
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

// TestDocs_TheCommandsThatTextsNameExist asks the binary about every command and flag that the
// documents, the page, the errors and the help name.
func TestDocs_TheCommandsThatTextsNameExist(t *testing.T) {
	t.Parallel()
	bin := os.Getenv("CHELA_TEST_BINARY")  // of the same commands
	_ = os.Getenv("CHELA_TEST_BINARY_SUM") // a cached result is of the same binary
	if bin == "" {
		bin = filepath.Join(t.TempDir(), "chela")
		if out, err := exec.Command("go", "build", "-o", bin, "./cmd/chela").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	said := make(map[string]string) // the help of a command
	help := func(path string) string {
		if _, ok := said[path]; !ok {
			out, err := exec.Command(bin, append(strings.Fields(path), "--help")...).CombinedOutput() //nolint:gosec // ours
			if err != nil {
				t.Fatalf("chela %s --help: %v\n%s", path, err, out)
			}
			said[path] = string(out)
		}
		return said[path]
	}
	named := 0
	for _, root := range []string{"README.md", "AGENTS.md", "CONTRIBUTING.md", "docs", "demo", "cmd", "internal", "web/src", "web/public"} {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || !slices.Contains([]string{".go", ".md", ".ts", ".tsx", ".html", ".json", ".yaml"}, filepath.Ext(path)) {
				return err
			}
			raw, err := os.ReadFile(path)
			for _, m := range regexp.MustCompile("(?m)(?:^ {0,4}|`|\"  )(?:\\./bin/)?chela( [^`\n\"]+)").FindAllStringSubmatch(string(raw), -1) {
				named++
				if why := unknownCommand(strings.Fields(m[1]), help); why != "" {
					t.Errorf("%s names chela%s: %s", path, m[1], why)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if named < 100 {
		t.Errorf("only %d commands were found in the texts", named)
	}
}

// unknownCommand says which word or flag of a command does not exist; none is "".
func unknownCommand(words []string, help func(path string) string) string {
	path, open := "", true
	for _, w := range words {
		if w == "#" || strings.ContainsAny(w, "|<>&") {
			break
		}
		if flag := regexp.MustCompile(`^--[a-z][a-z0-9-]*`).FindString(w); flag != "" && !regexp.MustCompile(`(?m)`+flag+`\b`).MatchString(help(path)) {
			return "chela " + path + " has no " + flag
		}
		_, below, group := strings.Cut(help(path), "Available Commands:\n")
		if open = open && group && regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(w); !open {
			continue
		}
		below, _, _ = strings.Cut(below, "\n\n")
		if !regexp.MustCompile(`(?m)^  ` + w + ` `).MatchString(below) {
			return "chela " + path + " has no command " + w
		}
		path = strings.TrimSpace(path + " " + w)
	}
	return ""
}

func TestDocs_TheTargetsOfTheReadmeExist(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
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

// TestSecurity_EachPromiseHasItsTest: every test that the page on security names is there.
func TestSecurity_EachPromiseHasItsTest(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, root := range []string{"internal", "test"} {
		if err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			raw, err := os.ReadFile(path)
			code.Write(raw)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 20 {
		t.Errorf("the page names %d tests, want at least 20", len(named))
	}
	for _, m := range named {
		if !strings.Contains(code.String(), "func "+m[1]+"(") {
			t.Errorf("docs/security.md names %s, which does not exist", m[1])
		}
	}
}
