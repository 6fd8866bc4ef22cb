package shell

import (
	"context"
	_ "embed" // the help
	"maps"
	"path/filepath"
	"slices"
	"time"

	"chela/internal/disk"
	"chela/internal/shell"
	"chela/internal/tool"
)

//go:embed shell_exec.md
var commandHelp string

// Command is a line for a shell.
type Command struct {
	Command string   `json:"command" doc:"for bash, or sh where there is no bash"`
	Timeout int      `json:"timeout_seconds,omitempty" doc:"1 to 600; 30 when left out"`
	Dir     string   `json:"working_dir,omitempty" doc:"a folder, from your own one; that one when left out"`
	Network bool     `json:"network,omitempty" doc:"it may call out; without it there is no network"`
	Secrets []string `json:"secrets,omitempty" doc:"names of secrets that it gets as variables of the same names; each must be granted"`
}

var _ tool.Actor = Command{}

// Act implements tool.Actor.
func (c Command) Act(f disk.Folders) tool.Act {
	dir := f.Resolve(c.Dir)
	read := shell.Reader{Folders: f, Dir: dir}.Read(c.Command)
	return tool.Act{Risk: tool.ExecShell, Dir: dir, Command: c.Command, Runs: read.Scripts, Network: c.Network, Secrets: c.Secrets}
}

func (t tools) command(ctx context.Context, c tool.Call, in Command) (tool.Exit, error) {
	j := job(c, in.Dir)
	j.Network = in.Network
	var err error
	read := shell.Reader{Folders: c.Folders, Dir: j.Dir}.Read(in.Command)
	if read.Class == shell.ReadOnly {
		j.Changes = nil
	}
	if err := t.quiet(ctx, &j, read); err != nil {
		return tool.Exit{}, err
	}
	if j.Limits, err = limit(in.Timeout, 30*time.Second); err != nil {
		return tool.Exit{}, err
	}
	return t.runFirst(ctx, j, [][]string{{"bash", "-c", in.Command}, {"sh", "-c", in.Command}},
		"There is no shell where programs run. Use another tool.")
}

// quiet adds settings for the repositories in which the line calls git, by what each names.
func (t tools) quiet(ctx context.Context, j *tool.Job, read shell.Reading) error {
	folders := slices.DeleteFunc(read.Repositories, func(dir string) bool { return !filepath.IsAbs(dir) })
	if len(folders) == 0 {
		return nil
	}
	settings, err := tool.QuietGitIn(ctx, t.runner, *j, read.Class != shell.ReadOnly, folders...)
	if err != nil {
		return err
	}
	maps.Copy(j.Env, tool.GitEnv(settings))
	return nil
}
