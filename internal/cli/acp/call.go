package acp

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"chela/internal/approval"
	"chela/internal/disk"
	"chela/internal/tool"
)

// A call is one use of a tool as the editor shows it. What is empty is as it was.
type call struct {
	id     string
	first  bool // it was not shown before
	title  string
	kind   string // as the protocol calls it
	state  string // as the protocol calls it
	args   json.RawMessage
	text   string // what came of it, or what is asked about it
	diffs  []diff
	places []string // absolute paths
}

// The states of a call.
const (
	pending  = "pending"
	working  = "in_progress"
	finished = "completed"
	failed   = "failed"
)

// kindOf is what the protocol calls a tool of ours.
func kindOf(name string, risk tool.Risk) string {
	verb, _, _ := strings.Cut(name, "_")
	switch {
	case verb == "delete" || verb == "remove":
		return "delete"
	case verb == "move" || verb == "rename":
		return "move"
	case risk == tool.ExecShell:
		return "execute"
	case risk == tool.WriteFiles:
		return "edit"
	case verb == "search" || verb == "find" || verb == "grep" || verb == "glob" || strings.HasSuffix(name, "_search"):
		return "search"
	case risk == tool.NetworkCalls:
		return "fetch"
	case risk == tool.ReadOnly:
		return "read"
	}
	return "other"
}

// mostTitle bounds the title of a call, in characters.
const mostTitle = 120

// titleOf says in a line what a call does: its tool, and the argument that says the most.
func titleOf(name string, args json.RawMessage) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(args, &all) != nil {
		return name
	}
	for _, key := range []string{"path", "command", "url", "query", "pattern", "title", "name", "id", "text"} {
		var said string
		if json.Unmarshal(all[key], &said) == nil && said != "" {
			return short(name+" "+strings.Join(strings.Fields(said), " "), mostTitle)
		}
	}
	return name
}

func short(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// pathIn is the file that the arguments of a call name, when it is known where it lies.
func pathIn(args json.RawMessage, folder string) []string {
	var in struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(args, &in) != nil || in.Path == "" {
		return nil
	}
	if filepath.IsAbs(in.Path) {
		return []string{filepath.Clean(in.Path)}
	}
	if filepath.IsAbs(folder) {
		return []string{filepath.Join(folder, in.Path)}
	}
	return nil
}

// changedIn are the files that a call changed.
func changedIn(c *disk.Changes) []string {
	if c == nil {
		return nil
	}
	var out []string
	for _, f := range c.Files {
		if filepath.IsAbs(f.Path) {
			out = append(out, f.Path)
		}
	}
	return out
}

// asked is a call that a person is asked about.
func asked(a approval.Asked) call {
	c := call{title: titleOf(a.Tool, a.Args), kind: kindOf(a.Tool, tool.Risk(a.Risk)), state: pending, args: a.Args, places: pathIn(a.Args, a.Folder)}
	c.text = a.Why
	for _, n := range a.Notes {
		c.text += "\n\n**Note:** " + n
	}
	if a.Diff != "" {
		c.diffs = diffsOf(a.Diff, a.Folder)
		if len(c.diffs) == 0 {
			c.text += "\n\n" + fenced(a.Diff)
		}
	} else if a.Shown != "" {
		c.text += "\n\n" + fenced(a.Shown)
	}
	if a.Shape != "" {
		c.text += "\n\nAlways would allow: " + a.Shape
	}
	return c
}

// fenced is a text as a block of code that it cannot leave.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
