package sandbox_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/disk"
	"chela/internal/guard/sandbox"
	"chela/internal/tool"
)

// TestChanges_AreToldOfALine: what a line made, changed and deleted is told, by whatever means it did so; not what was
// changed before, what it read, what Git keeps, and what the repository leaves out.
func TestChanges_AreToldOfALine(t *testing.T) {
	t.Parallel()
	work, other := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"same.go": "a", "edit.go": "a", "quiet.go": "a", "gone.go": "a", "moved/in.go": "a", "mode.sh": "a", "over.go": "a",
		".gitignore": "build/\n*.log\n!keep.log\n", "build/out": "a", "a.log": "a", "keep.log": "a", ".git/HEAD": "a", "read/only.go": "a",
	} {
		write(t, filepath.Join(work, name), text)
	}
	write(t, other+"/x.go", "a")
	s := behind(t, sandbox.Namespaces)
	told := new(disk.Changes)
	j := tool.Job{
		Dir: work, Changes: told, Folders: []disk.Grant{{Path: work, Write: true}, {Path: work + "/read"}, {Path: other, Write: true}},
		Argv: []string{"sh", "-c", `cat same.go > /dev/null
echo b > edit.go
cp -p quiet.go /tmp/q && echo c > quiet.go && touch -r /tmp/q quiet.go
rm gone.go; mv moved there; chmod +x mode.sh; echo new > new.go; mv new.go over.go
echo b > made.go; ln -s same.go link
echo x > build/out; echo x > a.log; echo x > keep.log; echo x > .git/index
echo "*.go" >> .gitignore
echo b > ` + other + `/x.go`},
	}
	if e := run(t, s, j); e.Code != 0 {
		t.Fatalf("the line ended with %d: %s", e.Code, e.Stderr)
	}
	var got []string
	for _, f := range told.Files {
		got = append(got, string(f.How)+" "+strings.TrimPrefix(strings.TrimPrefix(f.Path, work+"/"), other+"/"))
	}
	want := "changed .gitignore, changed edit.go, deleted gone.go, changed keep.log, changed mode.sh, deleted moved/in.go, changed over.go, changed quiet.go, changed x.go, made link, made made.go, made there/in.go"
	if strings.HasPrefix(other, work) || other < work {
		want = "changed x.go, " + strings.Replace(want, "changed x.go, ", "", 1)
	}
	if strings.Join(got, ", ") != want || told.Unseen != "" {
		t.Errorf("told %s %q\nwant %s", strings.Join(got, ", "), told.Unseen, want)
	}
}

// TestChanges_OfTooMuchAreNotKnown: a folder that is too large to be compared is said to be, and the line runs.
func TestChanges_OfTooMuchAreNotKnown(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	s := behind(t, sandbox.None)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	told := new(disk.Changes)
	_, _ = s.Run(ctx, tool.Job{Argv: []string{"true"}, Dir: work, Folders: []disk.Grant{{Path: work, Write: true}}, Changes: told})
	if told.Unseen == "" || len(told.Files) > 0 {
		t.Errorf("told %+v of folders that could not be looked through, want that it is not known", told)
	}
}

// TestIgnores_FitAsGitsDo holds the reading of .gitignore against git's own.
func TestIgnores_FitAsGitsDo(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	const rules = "# a comment\n\n*.log\n!keep.log\n/top\nbuild/\ndoc/*.txt\n**/deep/x\na/**/z\nlogs/**\n{b}\nspace \\ \n\\#hash\n[ab].c\nfoo/\n!foo/bar\n"
	files := []string{
		"a.log", "sub/a.log", "keep.log", "sub/keep.log", "top", "sub/top", "build/x", "sub/build/x", "buildx", "doc/a.txt", "doc/sub/a.txt", "x/deep/x", "deep/x", "a/z", "a/b/c/z",
		"logs/x", "sub/logs/x", "{b}", "b", "#hash", "a.c", "c.c", "foo/bar", "comment",
	}
	write(t, work+"/.gitignore", rules)
	for _, f := range files {
		write(t, filepath.Join(work, f), "a")
	}
	s := behind(t, sandbox.None)
	git := run(t, s, tool.Job{Argv: []string{"sh", "-c", "git init -q . && git ls-files --others --exclude-standard -z"}, Dir: work, Folders: []disk.Grant{{Path: work, Write: true}}})
	if git.Code != 0 {
		t.Fatalf("git: %s", git.Stderr)
	}
	told := new(disk.Changes)
	run(t, s, tool.Job{Argv: []string{"sh", "-c", `find . -path ./.git -prune -o -type f -exec touch {} +`}, Dir: work, Folders: []disk.Grant{{Path: work, Write: true}}, Changes: told})
	got := map[string]bool{}
	for _, f := range told.Files {
		got[strings.TrimPrefix(f.Path, work+"/")] = true
	}
	for _, f := range strings.Split(strings.TrimSuffix(git.Stdout, "\x00"), "\x00") {
		if !got[f] {
			t.Errorf("%s is left out, and git keeps it", f)
		}
		delete(got, f)
	}
	for f := range got {
		t.Errorf("%s is kept, and git leaves it out", f)
	}
	if _, err := os.Stat(work + "/.git"); err != nil {
		t.Error(err)
	}
}
