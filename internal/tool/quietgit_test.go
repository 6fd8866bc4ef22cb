package tool_test

import (
	"context"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/tool"
)

func TestQuietGit_For(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"user.name core.bare branch.main.remote diff.renames": "",
		"filter.lfs.clean":            "filter.lfs.clean= filter.lfs.smudge= filter.lfs.process= filter.lfs.required=false",
		"filter.a.b=c.process":        "filter.a.b=c.clean= filter.a.b=c.smudge= filter.a.b=c.process= filter.a.b=c.required=false",
		"diff.word.textconv":          "diff.word.textconv=cat",
		"diff.word.cachetextconv":     "diff.word.cachetextconv=false",
		"merge.x.driver":              "merge.x.driver=false",
		"pager.log":                   "pager.log=false",
		"credential.https://a.helper": "credential.https://a.helper=",
		"remote.o.uploadpack":         "remote.o.uploadpack=git-upload-pack",
		"remote.o.receivepack":        "remote.o.receivepack=git-receive-pack",
		"submodule.lib.path":          "submodule.lib.ignore=dirty",
		"trailer.sign.command":        "trailer.sign.command=true",
	} {
		var got []string
		for _, s := range tool.QuietGitFor(strings.Fields(keys), false) {
			got = append(got, s.Key+"="+s.Value)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", keys, got, want)
		}
	}
	for _, key := range []string{"diff.external", "diff.word.command"} {
		if got := tool.QuietGitFor([]string{key}, false); len(got) != 1 || got[0].Key != key || !strings.Contains(got[0].Value, "diff -u") {
			t.Errorf("%s: %+v, want a plain diff", key, got)
		}
	}
	if got := tool.QuietGitFor([]string{"filter.lfs.clean"}, true); got[len(got)-1] != (tool.GitSetting{Key: "filter.lfs.required", Value: "true"}) {
		t.Errorf("a write goes without its filter: %+v", got)
	}
}

// FuzzQuietGitFor: whatever a repository's settings are called, what is set is one of its own.
func FuzzQuietGitFor(f *testing.F) {
	for _, s := range []string{"filter.x.clean\x00diff.external", "filter", "filter..clean", "diff.\n.command", ".", "a.b.c.d", "FILTER.x.CLEAN", "submodule.x.path\x00submodule.x.ignore"} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, writes bool) {
		keys := strings.Split(text, "\x00")
		seen := map[string]bool{}
		for _, s := range tool.QuietGitFor(keys, writes) {
			if seen[s.Key] {
				t.Errorf("%q is set twice", s.Key)
			}
			seen[s.Key] = true
			driver := s.Key[:strings.LastIndexByte(s.Key, '.')]
			if !strings.Contains(text, driver) {
				t.Errorf("%q is set, which %q does not have", s.Key, text)
			}
		}
	})
}

// said answers every job with the same.
type said struct {
	exit tool.Exit
	err  error
}

func (s said) Run(context.Context, tool.Job) (tool.Exit, error) { return s.exit, s.err }

// TestQuietGit_In: settings that cannot be read leave Git with programs that nobody knows, so
// that it is not started.
func TestQuietGit_In(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runner said
		want   int // settings beyond those that always hold; -1 is refused
	}{
		"a driver":     {said{exit: tool.Exit{Stdout: "user.name\x00diff.x.textconv\x00"}}, 1},
		"nothing":      {said{}, 0},
		"too much":     {said{exit: tool.Exit{Stdout: "user.name\x00", Cut: true}}, -1},
		"it broke off": {said{exit: tool.Exit{Code: -1, TimedOut: true}}, -1},
		"no sandbox":   {said{err: fault.New(fault.Denied, "No.")}, -1},
		"no shell":     {said{err: tool.ErrNoProgram}, 0},
	} {
		got, err := tool.QuietGitIn(t.Context(), c.runner, tool.Job{}, false, "/srv")
		if c.want < 0 && fault.KindOf(err) != fault.Denied || c.want >= 0 && (err != nil || len(got) != len(tool.QuietGit())+c.want) {
			t.Errorf("%s: %d settings, %v; want %d more", name, len(got), err, c.want)
		}
	}
}
