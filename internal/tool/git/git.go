// Package git gives agents the version control of the folders that are granted to them. It
// calls the installed git in the sandbox, without the programs that a repository's own
// configuration or hooks would start, and leaves files that hold secrets out of everything
// that it shows or stores.
package git

import (
	"context"
	"embed"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/tool"
)

//go:embed *.md
var help embed.FS

// Tools returns the tools for Git.
func Tools(r tool.Runner) []*tool.Tool {
	g := git{r}
	return []*tool.Tool{
		tool.Func(spec("git_status", tool.ReadOnly), g.status),
		tool.Func(spec("git_diff", tool.ReadOnly), g.diff),
		tool.Func(spec("git_log", tool.ReadOnly), g.log),
		tool.Func(spec("git_blame", tool.ReadOnly), g.blame),
		tool.Showing(tool.Func(spec("git_commit", tool.WriteFiles), g.commit), g.committed),
		tool.Func(spec("git_branch", tool.WriteFiles), g.branch),
		tool.Func(spec("git_stash", tool.WriteFiles), g.stash),
	}
}

func spec(name string, risk tool.Risk) tool.Spec {
	s := tool.Spec{Name: name, Help: tool.HelpFile(help, name), Risk: risk, Role: org.Editor, Permission: org.Git, Untrusted: "files"}
	if risk == tool.ReadOnly {
		s.Role, s.Repeatable = org.Viewer, true
	}
	return s
}

type git struct{ runner tool.Runner }

// Output is what git printed.
type Output struct {
	Output string `json:"output"`
	Note   string `json:"note,omitempty"`
}

// offline are settings that keep git from connecting anywhere.
var offline = []tool.GitSetting{{Key: "core.sshCommand", Value: "false"}, {Key: "protocol.allow", Value: "never"}, {Key: "core.quotePath", Value: "false"}}

// reads are the commands that store nothing of a file and put nothing into one.
var reads = []string{"status", "diff", "log", "blame", "ls-files", "branch"}

// rewrites are the commands that change files which people wrote; the others change what Git keeps.
var rewrites = []string{"switch", "stash"}

// run calls git in the folder and returns what it printed.
func (g git) run(ctx context.Context, c tool.Call, in repo, stdin string, args ...string) (string, error) {
	dir := c.Folders.Resolve(in.WorkingDir)
	env := map[string]string{"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_LITERAL_PATHSPECS": "1"}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env["GIT_"+who+"_NAME"], env["GIT_"+who+"_EMAIL"] = c.Agent.Name(), c.Agent.Name()+"@chela.invalid"
	}
	j := tool.Job{Dir: dir, Folders: c.Folders.All(), Env: env}
	settings := tool.QuietGit()
	if args[0] != "rev-parse" { // which looks at no file of the repository
		var err error
		if settings, err = tool.QuietGitIn(ctx, g.runner, j, !slices.Contains(reads, args[0]), dir); err != nil {
			return "", err
		}
	}
	maps.Copy(env, tool.GitEnv(append(settings, offline...)))
	j.Argv, j.Stdin, j.Limits = append([]string{"git"}, args...), []byte(stdin), tool.Limits{Output: 1 << 20}
	if slices.Contains(rewrites, args[0]) {
		j.Changes = c.Changes
	}
	exit, err := g.runner.Run(ctx, j)
	if err != nil {
		return "", err
	}
	if exit.Code != 0 {
		said := strings.TrimSpace(exit.Stderr + "\n" + exit.Stdout)
		if strings.Contains(said, "not a git repository") {
			return "", fault.New(fault.NotFound, "%s is not in a Git repository; name its folder with working_dir.", dir)
		}
		return "", fault.New(fault.Conflict, "git %s ended with %d: %s", args[0], exit.Code, said)
	}
	if exit.Cut {
		exit.Stdout += "\n[git printed more]"
	}
	if args[0] == "switch" { // which says everything there
		exit.Stdout += exit.Stderr
	}
	return exit.Stdout, nil
}

// changed returns the paths, from the top of the repository, that the arguments make git
// list, split into those that may be touched and those that hold secrets.
func (g git) changed(ctx context.Context, c tool.Call, in repo, args ...string) (open, secret []string, err error) {
	top, err := g.top(ctx, c, in)
	if err != nil {
		return nil, nil, err
	}
	raw, err := g.run(ctx, c, in, "", args...)
	for _, path := range strings.Split(raw, "\x00") {
		if path == "" {
			continue
		}
		full := filepath.Join(top.WorkingDir, path)
		if grant, _ := c.Folders.Of(full); !grant.Secrets && disk.Secret(full) {
			secret = append(secret, path)
		} else {
			open = append(open, path)
		}
	}
	return open, secret, err
}

func left(secret []string) string {
	if len(secret) == 0 {
		return ""
	}
	return "Left out, because they hold secrets: " + strings.Join(secret, ", ") + "."
}

func (g git) status(ctx context.Context, c tool.Call, in statusIn) (Output, error) {
	out, err := g.run(ctx, c, in.repo, "", "status", "--porcelain=v1", "--branch")
	return Output{Output: out}, err
}

func (g git) diff(ctx context.Context, c tool.Call, in diffIn) (Output, error) {
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color"}
	if in.Staged {
		args = append(args, "--cached")
	}
	names := append(args, "--name-only", "--no-relative", "-z", "--")
	if in.Path != "" {
		names = append(names, c.Folders.Resolve(in.Path))
	}
	open, secret, err := g.changed(ctx, c, in.repo, names...)
	if err != nil || len(open) == 0 {
		return Output{Note: left(secret)}, err
	}
	if in.Stat {
		args = append(args, "--stat")
	}
	out, err := g.atTop(ctx, c, in.repo, args, open)
	return Output{Output: out, Note: left(secret)}, err
}

// atTop calls git at the top of the repository about paths from there.
func (g git) atTop(ctx context.Context, c tool.Call, in repo, args, paths []string) (string, error) {
	top, err := g.top(ctx, c, in)
	if err != nil {
		return "", err
	}
	return g.run(ctx, c, top, "", append(append(args, "--"), paths...)...)
}

// top is the topmost folder of the repository.
func (g git) top(ctx context.Context, c tool.Call, in repo) (repo, error) {
	out, err := g.run(ctx, c, in, "", "rev-parse", "--show-toplevel")
	return repo{WorkingDir: strings.TrimSpace(out)}, err
}

func (g git) log(ctx context.Context, c tool.Call, in logIn) (Output, error) {
	count := 20
	if in.Count != 0 {
		count = in.Count
	}
	if count < 1 || count > 500 {
		return Output{}, fault.BadField("count", "It is between 1 and 500.")
	}
	args := []string{"log", "--no-color", "--date=iso-strict", "--format=%h %ad %an: %s", "-n", strconv.Itoa(count)}
	if in.Author != "" {
		args = append(args, "--author="+in.Author)
	}
	args = append(args, "--")
	if in.Path != "" {
		args = append(args, c.Folders.Resolve(in.Path))
	}
	out, err := g.run(ctx, c, in.repo, "", args...)
	return Output{Output: out}, err
}

func (g git) blame(ctx context.Context, c tool.Call, in blameIn) (Output, error) {
	args := []string{"blame", "--no-textconv", "--date=short"}
	if in.StartLine != 0 || in.EndLine != 0 {
		first, last := max(in.StartLine, 1), ""
		if in.EndLine != 0 {
			last = strconv.Itoa(in.EndLine)
		}
		args = append(args, "-L", strconv.Itoa(first)+","+last)
	}
	out, err := g.run(ctx, c, in.repo, "", append(args, "--", c.Folders.Resolve(in.File))...)
	return Output{Output: out}, err
}

func (g git) branch(ctx context.Context, c tool.Call, in branchIn) (Output, error) {
	if in.Action != "list" {
		if err := refName(in.Name); err != nil {
			return Output{}, err
		}
	}
	args := map[string][]string{
		"list": {"branch", "--list", "--no-color", "-vv"}, "create": {"branch", "--no-track", "--", in.Name},
		"switch": {"switch", "--no-guess", in.Name}, "delete": {"branch", "--delete", "--", in.Name},
	}[in.Action]
	out, err := g.run(ctx, c, in.repo, "", args...)
	if err == nil && in.Action != "list" && out == "" {
		out = in.Action + ": " + in.Name
	}
	return Output{Output: out}, err
}

// refName refuses what git would take for an option or for more than a name.
func refName(name string) error {
	bad := name == "" || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".lock") ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || strings.ContainsRune("~^:?*[\\\x7f", r) })
	if bad {
		return fault.BadField("name", "It is no name for a branch.")
	}
	return nil
}

func (g git) stash(ctx context.Context, c tool.Call, in stashIn) (Output, error) {
	if in.Index < 0 {
		return Output{}, fault.BadField("index", "It is counted from 0.")
	}
	entry := "stash@{" + strconv.Itoa(in.Index) + "}"
	switch in.Action {
	case "list":
		out, err := g.run(ctx, c, in.repo, "", "stash", "list")
		return Output{Output: out}, err
	case "pop", "drop":
		out, err := g.run(ctx, c, in.repo, "", "stash", in.Action, entry)
		return Output{Output: out}, err
	}
	open, secret, err := g.changed(ctx, c, in.repo, "diff", "HEAD", "--no-ext-diff", "--name-only", "--no-relative", "-z")
	if err != nil {
		return Output{}, err
	}
	if len(open) == 0 {
		return Output{}, fault.New(fault.Conflict, "There is nothing to stash. %s", left(secret))
	}
	args := []string{"stash", "push"}
	if in.Message != "" {
		args = append(args, "--message="+in.Message)
	}
	out, err := g.atTop(ctx, c, in.repo, args, open)
	return Output{Output: out, Note: left(secret)}, err
}
