package git_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/tool"
)

// show is what a person is shown of a call before it is made.
func (r *repository) show(name, args string) (string, error) {
	r.t.Helper()
	t, ok := r.set.Find(name)
	if !ok {
		r.t.Fatalf("no tool %s", name)
	}
	return t.Preview(r.t.Context(), tool.Call{Args: json.RawMessage(args), Folders: r.f, Agent: "agent:coder"})
}

// TestGit_ACommitIsShown: who is asked about a commit sees each file and each line of it, also those that a person left there, and none of a
// file with secrets.
func TestGit_ACommitIsShown(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.write("a.txt", "one and a half\n")
	r.write("new.txt", "new\n")
	r.write(".env", "TOKEN=hunter2\n")
	r.write("sub/b.txt", "of a person\n")
	r.plain("add", "sub/b.txt")
	got, err := r.show("git_commit", `{"message":"x"}`)
	for _, want := range []string{"3 files are committed:", "  new.txt (new)\n", "-one\n+one and a half\n", "-two\n+of a person\n"} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%q is not in what is shown: %v\n%s", want, err, got)
		}
	}
	if strings.Contains(got, "hunter2") || strings.Contains(got, ".env") {
		t.Errorf("a file with secrets is shown:\n%s", got)
	}
	if status := r.plain("status", "--porcelain"); !strings.Contains(status, " M a.txt") || !strings.Contains(status, "M  sub/b.txt") || !strings.Contains(status, "?? new.txt") {
		t.Errorf("what is shown changed the index:\n%s", status)
	}
}

// TestGit_ACommitOfPaths takes in what is named, and leaves what a person changed and staged as it is.
func TestGit_ACommitOfPaths(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.write("a.txt", "one and a half\n")
	r.write("made/new.txt", "new\n")
	r.write("mine.txt", "of a person\n")
	r.write("sub/b.txt", "of a person\n")
	r.plain("add", "sub/b.txt")
	args := `{"message":"mine","paths":["a.txt","made"]}`
	if got, err := r.show("git_commit", args); err != nil || !strings.Contains(got, "2 files are committed:") || strings.Contains(got, "of a person") {
		t.Errorf("shown is %v\n%s", err, got)
	}
	if out, err := r.call("git_commit", args); err != nil || !strings.Contains(out.Output, "2 files changed") {
		t.Fatalf("%+v %v", out, err)
	}
	if status := r.plain("status", "--porcelain"); status != "M  sub/b.txt\n?? mine.txt\n" {
		t.Errorf("left is\n%s", status)
	}
	if _, err := r.call("git_commit", args); err == nil || !strings.Contains(err.Error(), "nothing to commit") {
		t.Errorf("committed again: %v", err)
	}
}
