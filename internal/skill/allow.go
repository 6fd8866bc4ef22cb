package skill

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"chela/internal/fault"
	"chela/internal/pattern"
	"chela/internal/shell"
	"chela/internal/tool"
)

// ReadTool reads a skill; an agent may always do that.
const ReadTool = "skill_read"

// RunTool runs a script of a skill.
const RunTool = "skill_run"

// An entry of allowed-tools is a tool's name, of ours or one that other systems have for the same, and maybe in brackets
// which of its calls.
var entryForm = pattern.New(`^([A-Za-z][A-Za-z0-9_.*-]*)(?:\((.*)\))?$`)

// theirs are the names that skills written for other systems have for our tools.
var theirs = map[string][]string{ //nolint:gochecknoglobals // a table
	"Bash": {"shell_exec", RunTool}, "Shell": {"shell_exec", RunTool}, "Python": {"python_exec"},
	"Read": {"read_file", "list_directory", "excel"}, "LS": {"list_directory"}, "Glob": {"list_directory", "search_files"}, "Grep": {"search_files"},
	"Write": {"write_file"}, "Edit": {"edit_file", "apply_patch"}, "MultiEdit": {"edit_file", "apply_patch"},
	"WebFetch": {"web_fetch", "http_get"}, "WebSearch": {"human_search"},
}

// allow reads allowed-tools: a text of names with spaces or commas between them, or a list.
func (s *Skill) allow(v any) error {
	s.Declared = true
	var names []string
	if text, ok := v.(string); ok {
		names = fields(text)
	} else if v != nil {
		list, err := texts("allowed-tools", v)
		if err != nil {
			return err
		}
		names = list
	}
	for _, n := range names {
		n = strings.TrimSpace(n)
		if !entryForm.MatchString(n) || len(n) > 200 {
			return fault.BadField("allowed-tools", fmt.Sprintf("SKILL.md: %q in allowed-tools is no name of a tool, such as read_tickets or Bash(git:*).", n))
		}
		if !slices.Contains(s.Allowed, n) {
			s.Allowed = append(s.Allowed, n)
		}
	}
	if len(s.Allowed) > maxAllowed {
		return fault.BadField("allowed-tools", fmt.Sprintf("SKILL.md: allowed-tools names more than %d.", maxAllowed))
	}
	return nil
}

// fields splits at spaces and commas outside brackets.
func fields(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth <= 0 && (r == ' ' || r == ',' || r == '\n' || r == '\t')
	})
}

// A Rule says what an agent may call while it follows a skill. It narrows what the agent may do anyway.
type Rule struct {
	Skill    string
	Declared bool
	Allowed  []string
	Foreign  bool // it is from elsewhere: without a declaration it allows what only reads
	Gone     bool // it was removed, or is not for the agent any more, since it was read
}

// Narrows reports whether the rule refuses anything.
func (r Rule) Narrows() bool { return r.Declared || r.Foreign }

// Refuses says in a sentence why a call is not allowed; "" allows it.
func (r Rule) Refuses(t tool.Spec, act tool.Act) string {
	risk := act.Risk
	if risk == "" {
		risk = t.Risk
	}
	switch {
	case t.Name == ReadTool, t.Everyone && risk == tool.ReadOnly:
		return ""
	case !r.Declared && (!r.Foreign || risk == tool.ReadOnly):
		return ""
	case r.Gone:
		return fmt.Sprintf("The skill %s, which you follow, was removed or is not for you any more, so that you may only read until your task ends. Say what is left to do.", r.Skill)
	case !r.Declared:
		return fmt.Sprintf("The skill %s, which you follow, declares no tools, so that you may only read while you follow it. Say what is left to do.", r.Skill)
	}
	for _, entry := range r.Allowed {
		if allows(entry, t.Name, act) {
			return ""
		}
	}
	list := strings.Join(r.Allowed, ", ")
	if list == "" {
		list = "no tool"
	}
	return fmt.Sprintf("The skill %s, which you follow, allows %s, and not this call of %s. Go on without it, or say what is left to do.", r.Skill, list, t.Name)
}

// allows reports whether an entry allows a call.
func allows(entry, name string, act tool.Act) bool {
	m := entryForm.FindStringSubmatch(entry)
	if m == nil {
		return false
	}
	names := []string{m[1]}
	if ours := theirs[m[1]]; ours != nil {
		names = ours
	}
	if !slices.ContainsFunc(names, func(n string) bool { return fits(n, name) }) {
		return false
	}
	switch of := m[2]; {
	case of == "" && !strings.HasSuffix(entry, ")"), of == "*", of == ":*":
		return true
	case act.Command != "":
		return line(of, act.Command)
	case act.URL != "":
		host, ok := strings.CutPrefix(of, "domain:")
		return ok && hostIs(host, act.URL)
	}
	return false // brackets that mean nothing here allow nothing
}

// fits reports whether a name is meant by a name or by a beginning with a star.
func fits(meant, name string) bool {
	if head, ok := strings.CutSuffix(meant, "*"); ok && len(head) > 1 && !strings.Contains(head, "*") {
		return strings.HasPrefix(name, head)
	}
	return meant == name
}

// line reports whether each command of a line begins with the words that are meant: git:*, git log:* or a whole line.
func line(meant, command string) bool {
	words, open := strings.CutSuffix(strings.TrimSpace(meant), ":*")
	if !open {
		words, open = strings.CutSuffix(words, " *")
	}
	want := strings.Fields(words)
	read := shell.Reader{}.Read(command)
	if len(want) == 0 || len(read.Commands) == 0 {
		return false
	}
	for _, c := range read.Commands {
		have := append([]string{c.Program}, c.Args...)
		if len(c.Env) > 0 || len(have) < len(want) || !slices.Equal(have[:len(want)], want) || !open && len(have) > len(want) {
			return false
		}
	}
	return true
}

// hostIs reports whether an address is of a host, or of one below it.
func hostIs(host, address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	is := strings.ToLower(u.Hostname())
	host = strings.ToLower(strings.TrimPrefix(host, "*."))
	return host != "" && (is == host || strings.HasSuffix(is, "."+host))
}

// script reports whether a path is one that skill_run takes: below scripts, of a known language.
func script(p string) bool {
	return strings.HasPrefix(p, "scripts/") && Interpreter(p) != nil
}

// Interpreter returns the programs of which the first that is there runs a script; nil for none.
func Interpreter(p string) []string {
	switch path.Ext(p) {
	case ".sh", ".bash":
		return []string{"bash", "sh"}
	case ".py":
		return []string{"python3", "python"}
	case ".js", ".mjs":
		return []string{"node"}
	}
	return nil
}
