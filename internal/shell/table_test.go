package shell_test

import (
	"os"
	"strings"
	"testing"

	"chela/internal/disk"
	"chela/internal/shell"
)

func work() disk.Folders {
	return disk.Folders{Work: "/srv/app", Grants: []disk.Grant{{Path: "/data/in"}, {Path: "/data/out", Write: true}, {Path: "/vault", Write: true, Secrets: true}}}
}

// table reads a file of testdata: lines of a class, under headings; a line that ends in
// a backslash goes on with a line feed.
func table(t testing.TB, file string) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	out, class := map[string][]string{}, ""
	for _, line := range strings.Split(string(raw), "\n") {
		switch {
		case strings.HasPrefix(line, "== "):
			class = strings.TrimPrefix(line, "== ")
		case strings.HasPrefix(line, "#= ") || line == "":
		default:
			out[class] = append(out[class], strings.ReplaceAll(line, "␤", "\n"))
		}
	}
	return out
}

func TestTable_CommandsOfDevelopersAreClassed(t *testing.T) {
	t.Parallel()
	for class, lines := range table(t, "commands.txt") {
		for _, line := range lines {
			r := shell.Reader{Folders: work(), Home: "/home/ann"}.Read(line)
			if r.Class.String() != class {
				t.Errorf("%q is %s, want %s\n  unclear %q\n  dangers %q\n  network %q runs %q paths %v", line, r.Class, class, r.Unclear, r.Dangers, r.Network, r.Runs, r.Paths)
			}
		}
	}
}

// TestShell_EverydayCommandsAreUnasked: what people type all day to look around is read-only. A
// guard that asks about everything is switched off.
func TestShell_EverydayCommandsAreUnasked(t *testing.T) {
	t.Parallel()
	lines := table(t, "everyday.txt")["read-only"]
	asked := 0
	for _, line := range lines {
		if r := (shell.Reader{Folders: work(), Home: "/home/ann"}).Read(line); r.Class != shell.ReadOnly {
			asked++
			t.Logf("%q is %s: %q %q", line, r.Class, r.Unclear, r.Network)
		}
	}
	if len(lines) < 150 || asked*100 > len(lines)*3 {
		t.Errorf("%d of %d commands are asked about, want at most 3%% of at least 150", asked, len(lines))
	}
}
