package guard_test

import (
	"os"
	"strings"
	"testing"

	"chela/internal/guard"
	"chela/internal/tool"
)

func work() tool.Folders {
	return tool.Folders{Work: "/srv/app", Grants: []tool.Grant{{Path: "/data/in"}, {Path: "/data/out", Write: true}, {Path: "/vault", Write: true, Secrets: true}}}
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

func TestCommandsOfDevelopersAreClassed(t *testing.T) {
	t.Parallel()
	for class, lines := range table(t, "commands.txt") {
		for _, line := range lines {
			r := guard.Shell{Folders: work(), Home: "/home/ann"}.Read(line)
			if r.Class.String() != class {
				t.Errorf("%q is %s, want %s\n  unclear %q\n  dangers %q\n  network %q runs %q paths %v", line, r.Class, class, r.Unclear, r.Dangers, r.Network, r.Runs, r.Paths)
			}
		}
	}
}
