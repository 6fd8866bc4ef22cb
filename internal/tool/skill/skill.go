// Package skill has the tools by which agents read skills and run their scripts.
package skill

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/skill"
	"chela/internal/tool"
)

// A Shelf has the skills of agents.
type Shelf interface {
	Of(ctx context.Context, id org.AgentID) ([]skill.Entry, error)
	Find(ctx context.Context, id org.AgentID, name string) (skill.Entry, error)
}

// Tools returns the tools. Scripts run with r.
func Tools(s Shelf, r tool.Runner) []*tool.Tool {
	t := tools{s, r}
	return []*tool.Tool{
		tool.Func(tool.Spec{
			Name: skill.ReadTool, Help: "Read a skill, or a file of it. While you follow one you may call only what it allows.",
			Risk: tool.ReadOnly, Role: org.Viewer, Repeatable: true, Everyone: true,
		}, t.read),
		tool.Showing(tool.Func(tool.Spec{
			Name: skill.RunTool, Help: "Run a script of a skill that you have read, in the sandbox, in your working folder.",
			Risk: tool.ExecShell, Role: org.Editor, Untrusted: "programs", Timeout: longest + 30*time.Second,
		}, t.run), t.shown),
	}
}

const longest = 10 * time.Minute

type tools struct {
	shelf  Shelf
	runner tool.Runner
}

// A Reading is which skill, and what of it.
type Reading struct {
	Name   string `json:"name,omitempty" doc:"left out lists them"`
	File   string `json:"file,omitempty"`
	Offset int    `json:"offset,omitempty" minimum:"0"`
}

// A Text is what was read.
type Text struct {
	Name    string   `json:"name,omitempty"`
	Text    string   `json:"text,omitempty"`
	Next    int      `json:"next_offset,omitempty"` // there is more from here
	Files   []string `json:"files,omitempty"`
	Digest  string   `json:"digest,omitempty"` // for skill_run
	Allowed []string `json:"allowed_tools,omitempty"`
	Note    string   `json:"note,omitempty"`
	Skills  []Line   `json:"skills,omitempty"`
}

// A Line is a skill in a list.
type Line struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// page is how much of a file one call reads, in bytes: less than what a model sees of a result.
const page = 12_000

func (t tools) read(ctx context.Context, c tool.Call, in Reading) (Text, error) {
	if in.Name == "" {
		all, err := t.shelf.Of(ctx, c.Agent)
		out := Text{Skills: make([]Line, 0, len(all))}
		for _, e := range all {
			out.Skills = append(out.Skills, Line{e.Name, e.Description})
		}
		return out, err
	}
	e, err := t.shelf.Find(ctx, c.Agent, in.Name)
	if err != nil {
		return Text{}, err
	}
	out := Text{Name: e.Name, Digest: e.Digest}
	whole := e.Body
	if in.File == "" && in.Offset == 0 {
		for _, f := range e.Files {
			out.Files = append(out.Files, f.Path)
		}
		if rule := e.Rule(); rule.Declared {
			out.Allowed = e.Allowed
			out.Note = "Until your task ends you may call these tools, and read skills."
		} else if rule.Foreign {
			out.Note = "It declares no tools: until your task ends you may only read."
		}
	}
	if in.File != "" {
		raw, ok := e.Bytes(path.Clean(in.File))
		switch {
		case !ok:
			return Text{}, fault.New(fault.NotFound, "The skill %s has no file %q.", e.Name, in.File)
		case !utf8.Valid(raw):
			return Text{}, fault.New(fault.Invalid, "The file %q of the skill %s is no text.", in.File, e.Name)
		}
		whole = string(raw)
	}
	if in.Offset > len(whole) {
		return Text{}, fault.BadField("offset", "It lies behind the end of the text.")
	}
	rest := whole[in.Offset:]
	if len(rest) > page {
		cut := page
		for cut > 0 && !utf8.RuneStart(rest[cut]) {
			cut--
		}
		rest, out.Next = rest[:cut], in.Offset+cut
	}
	out.Text = strings.ToValidUTF8(rest, "")
	return out, nil
}

// A Script is one to be run. Its digest is of what was read, so that what a person approves is what runs.
type Script struct {
	Name    string   `json:"name" doc:"of the skill"`
	Script  string   `json:"script" doc:"its path, such as scripts/count.py"`
	Args    []string `json:"args,omitempty" maxItems:"100"`
	Digest  string   `json:"digest" doc:"of the skill, as skill_read gave it"`
	Timeout int      `json:"timeout_seconds,omitempty" doc:"1 to 600; 60 when left out"`
	Network bool     `json:"network,omitempty" doc:"it may call out; without it there is no network"`
	Secrets []string `json:"secrets,omitempty" doc:"names of secrets that it gets as variables of the same names; each must be granted"`
}

var (
	_ tool.Actor   = Script{}
	_ tool.Checker = Script{}
)

// Act implements [tool.Actor].
func (p Script) Act(f disk.Folders) tool.Act {
	return tool.Act{Risk: tool.ExecShell, Dir: f.Resolve(""), Code: p.Name + "/" + p.Script, Network: p.Network, Secrets: p.Secrets}
}

// Check implements [tool.Checker].
func (p Script) Check() error {
	switch {
	case skill.Interpreter(p.Script) == nil || !strings.HasPrefix(path.Clean(p.Script), "scripts/"):
		return fault.BadField("script", "It is a file of the skill's folder scripts that ends in .sh, .py or .js.")
	case p.Timeout < 0 || time.Duration(p.Timeout)*time.Second > longest:
		return fault.BadField("timeout_seconds", "It is a number from 1 to 600.")
	}
	return nil
}

// find returns the skill, the script's path in it, and its text.
func (t tools) find(ctx context.Context, c tool.Call, in Script) (e skill.Entry, file string, text []byte, err error) {
	if e, err = t.shelf.Find(ctx, c.Agent, in.Name); err != nil {
		return e, "", nil, err
	}
	file = path.Clean(in.Script)
	if e.Digest != in.Digest {
		return e, "", nil, fault.New(fault.Conflict, "The skill %s is not the one that was read: its digest is %s now. Read it again.", e.Name, e.Digest)
	}
	text, ok := e.Bytes(file)
	if !ok {
		return e, "", nil, fault.New(fault.NotFound, "The skill %s has no script %q.", e.Name, in.Script)
	}
	return e, file, text, nil
}

// shown is the script that is about to run, whole, so that a person reads what they approve.
func (t tools) shown(ctx context.Context, c tool.Call, in Script) (string, error) {
	e, file, text, err := t.find(ctx, c, in)
	if err != nil || !utf8.Valid(text) {
		return "", err
	}
	return udiff.Unified("/dev/null", e.Name+"/"+file, "", string(text)), nil
}

func (t tools) run(ctx context.Context, c tool.Call, in Script) (tool.Exit, error) {
	e, file, _, err := t.find(ctx, c, in)
	if err != nil {
		return tool.Exit{}, err
	}
	j := tool.Job{Folders: c.Folders.All(), Env: tool.GitEnv(tool.QuietGit()), Network: in.Network, Files: make(map[string][]byte), Changes: c.Changes, Limits: tool.Limits{Time: time.Minute}}
	if in.Timeout > 0 {
		j.Limits.Time = time.Duration(in.Timeout) * time.Second
	}
	for name, body := range e.Parcel() {
		j.Files["skill/"+name] = body
	}
	for name, value := range c.Secrets {
		j.Env[name] = value.Reveal()
	}
	j.Env["SKILL_DIR"], j.Env["PYTHONDONTWRITEBYTECODE"] = tool.Scratch+"/skill", "1"
	if c.Folders.Base() != "" {
		j.Dir = c.Folders.Resolve("")
	}
	for _, program := range skill.Interpreter(file) {
		j.Argv = append([]string{program, tool.Scratch + "/skill/" + file}, in.Args...)
		exit, err := t.runner.Run(ctx, j)
		if !errors.Is(err, tool.ErrNoProgram) {
			return exit, err
		}
	}
	return tool.Exit{}, fault.New(fault.NotFound, "There is no %s where programs run.", strings.Join(skill.Interpreter(file), " or "))
}
