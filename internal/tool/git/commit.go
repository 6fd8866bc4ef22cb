package git

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/tool"
)

// A change is what a commit would take in, by paths from the top of the repository.
type change struct {
	top    repo
	open   []string // to be staged: changed, deleted or new
	staged []string // already staged
	secret []string // left out
}

// pending is what a commit would take in. That files with secrets are staged is a fault.Denied, that nothing changed a fault.Conflict.
func (g git) pending(ctx context.Context, c tool.Call, in commitIn) (out change, err error) {
	if out.top, err = g.top(ctx, c, in.repo); err != nil {
		return out, err
	}
	if out.open, out.secret, err = g.changed(ctx, c, out.top, "ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"); err != nil {
		return out, err
	}
	staged, kept, err := g.changed(ctx, c, in.repo, "diff", "--cached", "--name-only", "--no-relative", "-z")
	if err != nil {
		return out, err
	}
	out.staged = staged
	if len(in.Paths) > 0 {
		named := func(path string) bool {
			full := filepath.Join(out.top.WorkingDir, path)
			return slices.ContainsFunc(in.Paths, func(p string) bool { return disk.Within(c.Folders.Resolve(p), full) })
		}
		for _, list := range []*[]string{&out.open, &out.staged, &out.secret, &kept} {
			*list = slices.DeleteFunc(*list, func(path string) bool { return !named(path) })
		}
	}
	switch {
	case len(kept) > 0:
		return out, fault.New(fault.Denied, "Files that hold secrets are staged (%s); a person has to take them out of the index or commit them.", strings.Join(kept, ", "))
	case len(out.open)+len(out.staged) == 0:
		return out, fault.New(fault.Conflict, "There is nothing to commit. %s", left(out.secret))
	}
	return out, nil
}

// files are the paths of a change, each once.
func (c change) files() []string {
	all := append(slices.Clone(c.open), c.staged...)
	slices.Sort(all)
	return slices.Compact(all)
}

func (g git) commit(ctx context.Context, c tool.Call, in commitIn) (Output, error) {
	if strings.TrimSpace(in.Message) == "" {
		return Output{}, fault.BadField("message", "A commit has a message.")
	}
	is, err := g.pending(ctx, c, in)
	if err != nil {
		return Output{}, err
	}
	if len(is.open) > 0 {
		if _, err := g.atTop(ctx, c, in.repo, []string{"add", "--all"}, is.open); err != nil {
			return Output{}, err
		}
	}
	args := []string{"commit", "--no-verify", "--file=-"}
	if len(in.Paths) > 0 { // what else is staged stays so
		args = append(append(args, "--only", "--"), is.files()...)
	}
	out, err := g.run(ctx, c, is.top, in.Message, args...)
	return Output{Output: out, Note: left(is.secret)}, err
}

// committed shows what would be committed: each file, and the lines that change of those that Git knows.
func (g git) committed(ctx context.Context, c tool.Call, in commitIn) (string, error) {
	is, err := g.pending(ctx, c, in)
	if err != nil {
		return "", err
	}
	fresh, _, err := g.changed(ctx, c, is.top, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	files := is.files()
	fmt.Fprintf(&b, "%d files are committed:\n", len(files))
	for _, f := range files {
		b.WriteString("  " + f)
		if slices.Contains(fresh, f) {
			b.WriteString(" (new)")
		}
		b.WriteByte('\n')
	}
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD"}
	if _, err := g.run(ctx, c, is.top, "", "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		args[len(args)-1] = "--cached" // nothing was committed yet
	}
	diff, err := g.atTop(ctx, c, is.top, args, files)
	return b.String() + diff, err
}
