package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutput_IsClean: what others wrote does nothing to a terminal, as text and as JSON, and no
// command writes past the functions that see to that.
func TestOutput_IsClean(t *testing.T) {
	t.Parallel()
	const hostile = "Joe\x1b[2J\u202eevil\u200b"
	var out, errs bytes.Buffer
	a := &app{out: &out, err: &errs}
	a.printf("%s owns it\n", hostile)
	a.complain("%s\n", hostile)
	a.json = true
	if err := a.print(map[string]string{"owner": hostile + " && more"}, nil); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"output": out.String(), "errors": errs.String()} {
		if strings.ContainsAny(got, "\x1b\u202e\u200b") {
			t.Errorf("the %s has what changes a terminal: %q", name, got)
		}
	}
	if want := `\u202eevil\u200b && more`; !strings.Contains(out.String(), want) {
		t.Errorf("got the JSON %q, want %q in it", out.String(), want)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		for _, past := range []string{"fmt.Fprint", "fmt.Print", "os.Stdout.Write", "os.Stderr.Write"} {
			if strings.Contains(string(raw), past) {
				t.Errorf("%s writes by %s; use printf, complain or print", f, past)
			}
		}
	}
}
