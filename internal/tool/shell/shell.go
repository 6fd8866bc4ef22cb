// Package shell has the tools that run programs: a line for a shell, and source in Python
// and Java. Each runs in the sandbox of a [tool.Runner], in the folders of its call and
// without a network; programs written for it lie in the scratch, not in the project.
package shell

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/tool"
)

// longest is the most time that a call may ask for.
const longest = 10 * time.Minute

// Tools returns the tools, which run their programs with r.
func Tools(r tool.Runner) []*tool.Tool {
	t := tools{r}
	return []*tool.Tool{
		tool.Func(spec("shell_exec", commandHelp), t.command),
		tool.Func(spec("python_exec", pythonHelp), t.python),
		tool.Func(spec("jbang_exec", javaHelp), t.java),
	}
}

type tools struct{ runner tool.Runner }

func spec(name, help string) tool.Spec {
	return tool.Spec{Name: name, Help: help, Risk: tool.ExecShell, Role: org.Editor, Untrusted: "programs", Timeout: longest + 30*time.Second}
}

// limit reads a timeout_seconds.
func limit(seconds int, usual time.Duration) (tool.Limits, error) {
	l := time.Duration(seconds) * time.Second
	switch {
	case seconds == 0:
		l = usual
	case seconds < 0 || l > longest:
		return tool.Limits{}, fault.BadField("timeout_seconds", "It is a number from 1 to 600.")
	}
	return tool.Limits{Time: l}, nil
}

// job is a job in a folder of a call.
func job(c tool.Call, dir string) tool.Job {
	j := tool.Job{Folders: c.Folders.All(), Env: tool.GitEnv(tool.QuietGit()), Changes: c.Changes}
	if c.Folders.Work != "" { // what builds keep for the next time outlives the scratch
		j.Env["XDG_CACHE_HOME"] = filepath.Join(c.Folders.Work, ".cache")
	}
	for name, value := range c.Secrets {
		j.Env[name] = value.Reveal()
	}
	if dir != "" || c.Folders.Base() != "" {
		j.Dir = c.Folders.Resolve(dir)
	}
	return j
}

// runFirst runs a job with the first of several programs that is there, and says
// sentence when none is.
func (t tools) runFirst(ctx context.Context, j tool.Job, programs [][]string, sentence string) (tool.Exit, error) {
	for _, argv := range programs {
		j.Argv = argv
		exit, err := t.runner.Run(ctx, j)
		if !errors.Is(err, tool.ErrNoProgram) {
			return exit, err
		}
	}
	return tool.Exit{}, fault.Wrap(tool.ErrNoProgram, fault.NotFound, "%s", sentence)
}
