// Package gittest lays repositories that name programs to be run while they are read, each of
// which leaves a file. The tools that read with Git are tested against all of them.
package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A Trap is one way in which a repository has a program run.
type Trap struct {
	Name string
	// Silent says that a Git without any care does not fall into it by Reading alone.
	Silent bool
	// Closed says that the repository lacks what reading needs, so that some of it fails.
	Closed bool

	settings string // of .git/config, a line each
	how      func(r repository)
}

// Reading are commands that only look at a repository with the file a.txt.
func Reading() []string {
	return []string{
		"git status", "git diff", "git diff HEAD", "git diff --stat", "git show", "git log -p", "git log -3", "git blame a.txt", "git stash show -p", "git grep three", "git diff HEAD~1 HEAD -- a.txt",
	}
}

const attributes = "*.txt filter=evil diff=evil merge=evil\n"

// Traps are all of them.
func Traps() []Trap {
	attribute := func(r repository) { r.write(".gitattributes", attributes) }
	signed := func(r repository) {
		r.script("sign", "cat >/dev/null; printf '\\n[GNUPG:] SIG_CREATED \\n' >&2; echo '-----BEGIN PGP SIGNATURE-----'; echo; echo x; echo '-----END PGP SIGNATURE-----'")
		r.git("-c", "gpg.program="+r.path("sign"), "commit", "-q", "--allow-empty", "-S", "-m", "signed")
	}
	hook := func(folder string) func(repository) {
		return func(r repository) { r.script(folder+"/post-index-change", r.path("trap")) }
	}
	lacking := func(r repository) { // a blob that is to be fetched when it is read
		blob := strings.TrimSpace(r.git("rev-parse", "HEAD~1:a.txt"))
		if err := os.Remove(r.path(".git/objects/" + blob[:2] + "/" + blob[2:])); err != nil {
			r.t.Fatal(err)
		}
		r.git("init", "-q", "--bare", r.path("other"))
	}
	promised := "remote.origin.promisor=true\nextensions.partialClone=origin\ncore.repositoryFormatVersion=1\n"
	return []Trap{
		{Name: "clean filter", settings: "filter.evil.clean=$TRAP", how: attribute},
		{Name: "required filter", settings: "filter.evil.clean=$TRAP\nfilter.evil.required=true", how: attribute},
		{Name: "filter process", settings: "filter.evil.process=$QUIT", how: attribute},
		{Name: "smudge filter", settings: "filter.evil.smudge=$TRAP\ndiff.evil.textconv=cat", how: attribute},
		{Name: "filter of info", settings: "filter.evil.clean=$TRAP", how: func(r repository) { r.write(".git/info/attributes", attributes) }},
		{Name: "filter with a strange name", settings: "", how: func(r repository) {
			r.write(".gitattributes", "*.txt filter=a=b.clean\n")
			r.write(".git/evil.config", "[filter \"a=b.clean\"]\n\tclean = "+r.path("trap")+"\n")
			r.git("config", "include.path", "evil.config")
		}},
		{Name: "textconv", settings: "diff.evil.textconv=$TRAP", how: attribute},
		{Name: "cached textconv", settings: "diff.evil.textconv=$TRAP\ndiff.evil.cacheTextconv=true", how: attribute},
		{Name: "diff command", settings: "diff.evil.command=$TRAP", how: attribute},
		{Name: "external diff", settings: "diff.external=$TRAP"},
		{Name: "include", settings: "include.path=evil.config", how: func(r repository) {
			attribute(r)
			r.write(".git/evil.config", "[diff]\n\texternal = "+r.path("trap")+"\n[filter \"evil\"]\n\tclean = "+r.path("trap")+"\n")
		}},
		{Name: "conditional include", settings: "includeIf.onbranch:main.path=evil.config", how: func(r repository) {
			attribute(r)
			r.write(".git/evil.config", "[diff \"evil\"]\n\ttextconv = "+r.path("trap")+"\n")
		}},
		{Name: "worktree config", settings: "extensions.worktreeConfig=true", how: func(r repository) {
			attribute(r)
			r.write(".git/config.worktree", "[filter \"evil\"]\n\tclean = "+r.path("trap")+"\n[core]\n\tfsmonitor = "+r.path("trap")+"\n")
		}},
		{Name: "watcher", settings: "core.fsmonitor=$TRAP"},
		{Name: "hook", how: hook(".git/hooks")},
		{Name: "folder of hooks", settings: "core.hooksPath=$DIR/hooks", how: hook("hooks")},
		{Name: "pager", Silent: true, settings: "core.pager=$TRAP\npager.diff=$TRAP\npager.log=$TRAP\npager.status=$TRAP"},
		{Name: "signature", settings: "log.showSignature=true\ngpg.program=$TRAP", how: signed},
		{Name: "signature by format", settings: "log.showSignature=true\ngpg.openpgp.program=$TRAP", how: signed},
		{Name: "connection", Closed: true, settings: promised + "remote.origin.url=ssh://a.example/x\ncore.sshCommand=$QUIT", how: lacking},
		{Name: "other end", Closed: true, settings: promised + "remote.origin.url=$DIR/other\nremote.origin.uploadpack=$QUIT", how: lacking},
		{Name: "address", Closed: true, settings: promised + "remote.origin.url=ext::$QUIT\nprotocol.ext.allow=always", how: lacking},
		{Name: "alias", Silent: true, settings: "alias.diff=!$TRAP\nalias.status=!$TRAP\nalias.log=!$TRAP\nalias.show=!$TRAP"},
		{Name: "submodule", how: func(r repository) {
			sub := repository{t: r.t, dir: r.path("sub")}
			sub.write("b.txt", "one\n")
			sub.git("init", "-q", "-b", "main")
			sub.git("add", ".")
			sub.git("commit", "-q", "-m", "first")
			r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./sub", "sub")
			r.git("config", "-f", ".gitmodules", "submodule.sub.ignore", "none")
			sub.git("config", "filter.evil.clean", r.path("trap"))
			sub.write(".git/info/attributes", attributes)
			sub.write("b.txt", "two\n")
		}},
	}
}

// Lay makes the repository in an empty folder and returns the file that its programs leave.
func (trap Trap) Lay(t testing.TB, dir string) (owned string) {
	t.Helper()
	r := repository{t: t, dir: dir}
	owned = r.path("owned")
	r.script("quit", "touch '"+owned+"'; exit 1") // for those that would be talked to
	r.script("trap", "touch '"+owned+"'; [ $# -gt 0 ] && cat \"$1\" 2>/dev/null || timeout 5 cat")
	r.write("a.txt", "one\n")
	r.git("init", "-q", "-b", "main")
	r.git("add", "a.txt")
	r.git("commit", "-q", "-m", "first")
	r.write("a.txt", "two\n")
	r.git("commit", "-q", "-a", "-m", "second")
	r.write("a.txt", "aside\n")
	r.git("stash", "--quiet")
	r.write("a.txt", "three\n")
	if trap.how != nil {
		trap.how(r)
	}
	for _, setting := range strings.Split(strings.NewReplacer("$TRAP", r.path("trap"), "$QUIT", r.path("quit"), "$DIR", dir).Replace(trap.settings), "\n") {
		if key, value, ok := strings.Cut(setting, "="); ok {
			r.git("config", key, value)
		}
	}
	_ = os.Remove(owned) // what laying it did
	return owned
}

// Sprung reports whether a program of the repository has run.
func Sprung(owned string) bool {
	_, err := os.Stat(owned)
	return err == nil
}

type repository struct {
	t   testing.TB
	dir string
}

func (r repository) path(name string) string { return filepath.Join(r.dir, name) }

func (r repository) write(name, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// script writes a program. Another process does, so that no program that is started meanwhile
// holds the file open for writing, which would keep it from being run.
func (r repository) script(name, text string) {
	r.t.Helper()
	c := exec.CommandContext(r.t.Context(), "sh", "-c", `mkdir -p "$(dirname "$1")" && cat >"$1" && chmod 755 "$1"`, "sh", r.path(name)) //nolint:gosec // a test
	c.Stdin = strings.NewReader("#!/bin/sh\n" + text + "\n")
	if out, err := c.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	c := exec.CommandContext(r.t.Context(), "git", append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...) //nolint:gosec // a test
	c.Dir = r.dir
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}
