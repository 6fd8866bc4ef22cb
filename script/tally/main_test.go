package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plain are the tests of a module, by package, of which some fail in their ways.
var plain = map[string]string{
	"well":   "import \"testing\"\n\nfunc TestA(t *testing.T) { t.Log(\"not said\"); t.Run(\"b\", func(*testing.T) {}) }\n\nfunc TestC(t *testing.T) { t.Skip() }\n",
	"wrong":  "import \"testing\"\n\nfunc TestA(t *testing.T) { t.Error(\"said\") }\n\nfunc TestB(t *testing.T) { t.Run(\"b\", func(t *testing.T) { t.Fatal(\"said too\") }) }\n",
	"dies":   "import \"testing\"\n\nfunc TestA(t *testing.T) { panic(\"at once\") }\n",
	"leaves": "import (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) { os.Exit(3) }\n",
	"broken": "import \"testing\"\n\nfunc TestA(t *testing.T) { nothing() }\n",
	"empty":  "",
}

// TestTally_PrintsWhatGoTestPrints compares both for packages that pass, fail, die and do not build.
func TestTally_PrintsWhatGoTestPrints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module plain\n\ngo 1.26\n")
	for name, text := range plain {
		write(name+"/"+name+".go", "package "+name+"\n")
		if text != "" {
			write(name+"/"+name+"_test.go", "package "+name+"\n\n"+text)
		}
	}
	run := func(args ...string) string {
		c := exec.Command("go", append([]string{"test", "-count=1"}, args...)...) //nolint:gosec // ours
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err == nil {
			t.Error("no test failed")
		}
		return string(out)
	}
	want := run("./...")
	var got strings.Builder
	if err := tally(strings.NewReader(run("-json", "./...")), &got); err != nil {
		t.Fatal(err)
	}
	said, last, _ := strings.Cut(got.String(), "tests ")
	if comparable(said) != comparable(want) {
		t.Errorf("printed\n%s\nwant\n%s", comparable(said), comparable(want))
	}
	if want := "7, of them skipped 1\n"; last != want {
		t.Errorf("the last line is %q, want %q", last, want)
	}
}

// comparable is output without what differs from run to run, as the order of packages, and without how a test is named
// that ended its process.
func comparable(out string) string {
	out = regexp.MustCompile(`\d+\.\d+s|0x[0-9a-f]+|goroutine \d+|\+0x\w+`).ReplaceAllString(out, "")
	out = regexp.MustCompile(`(?m)^(\t.*\.go:\d+.*|[\w./()*]+\(.*\)|created by .*|.*\[running\]:)\n`).ReplaceAllString(out, "") // stacks
	out = regexp.MustCompile(`(?m)^exit status 3\n|^TestA did not end\n|^FAIL\n\z`).ReplaceAllString(out, "")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, "\t ")
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
