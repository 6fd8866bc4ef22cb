package shell

import (
	"context"
	_ "embed" // the help
	"time"

	"chela/internal/disk"
	"chela/internal/tool"
)

//go:embed python_exec.md
var pythonHelp string

// Python is a program in Python.
type Python struct {
	Code    string   `json:"code" doc:"a whole program"`
	Timeout int      `json:"timeout_seconds,omitempty" doc:"1 to 600; 60 when left out"`
	Network bool     `json:"network,omitempty" doc:"it may call out; without it there is no network"`
	Secrets []string `json:"secrets,omitempty" doc:"names of secrets that it gets as variables of the same names; each must be granted"`
}

var _ tool.Actor = Python{}

// Act implements tool.Actor.
func (p Python) Act(f disk.Folders) tool.Act {
	return tool.Act{Risk: tool.ExecShell, Dir: f.Resolve(""), Code: p.Code, Network: p.Network, Secrets: p.Secrets}
}

func (t tools) python(ctx context.Context, c tool.Call, in Python) (tool.Exit, error) {
	j := job(c, "")
	j.Network = in.Network
	var err error
	if j.Limits, err = limit(in.Timeout, time.Minute); err != nil {
		return tool.Exit{}, err
	}
	j.Files = map[string][]byte{"program.py": []byte(in.Code)}
	if j.Env == nil {
		j.Env = make(map[string]string)
	}
	j.Env["PYTHONPATH"] = j.Dir // modules of the project, since the program is not in it
	// What was printed is there when the time is up, and nothing compiled is left behind.
	j.Env["PYTHONUNBUFFERED"], j.Env["PYTHONDONTWRITEBYTECODE"] = "1", "1"
	file := tool.Scratch + "/program.py"
	return t.runFirst(ctx, j, [][]string{{"python3", file}, {"python", file}},
		"Python is not installed where programs run: there is no python3 and no python. Use shell_exec or jbang_exec, or ask for Python to be installed.")
}
