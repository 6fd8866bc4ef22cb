// Package editor knows where editors list the MCP servers and the agents that they start, and puts Chela into such a list or
// takes it out. Comments and the form of a file stay as they are. It reads and writes no file itself.
package editor

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"chela/internal/fault"
)

// Server is how Chela is called in an editor's list.
const Server = "chela"

// A Kind is an editor, or an agent that lists servers as one.
type Kind struct {
	Name    string
	Title   string
	section string                           // of the file, that holds the servers
	user    func(home, config string) string // the file of a person; config is where programs keep theirs
	project string                           // the file below a folder; "" for an editor that has none
	entry   func(command []string) any       // that it starts a command
}

func plain(command []string) any {
	return struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{command[0], command[1:]}
}

func typed(command []string) any {
	return struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{"stdio", command[0], command[1:]}
}

func custom(command []string) any {
	return struct {
		Source  string            `json:"source"`
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}{"custom", command[0], command[1:], map[string]string{}}
}

// below joins what leads to a file.
func below(home bool, parts ...string) func(string, string) string {
	return func(h, config string) string {
		if home {
			config = h
		}
		return filepath.Join(append([]string{config}, parts...)...)
	}
}

// Kinds lists the editors that are known.
func Kinds() []Kind {
	return []Kind{
		{"cursor", "Cursor", "mcpServers", below(true, ".cursor", "mcp.json"), ".cursor/mcp.json", plain},
		{"vscode", "VS Code", "servers", below(false, "Code", "User", "mcp.json"), ".vscode/mcp.json", typed},
		{"claude", "Claude", "mcpServers", below(false, "Claude", "claude_desktop_config.json"), ".mcp.json", typed},
		{"windsurf", "Windsurf", "mcpServers", below(true, ".codeium", "windsurf", "mcp_config.json"), "", plain},
		{"zed", "Zed", "context_servers", below(true, ".config", "zed", "settings.json"), ".zed/settings.json", custom},
		{"neovim", "Neovim (mcphub.nvim)", "mcpServers", below(true, ".config", "mcphub", "servers.json"), ".mcphub/servers.json", plain},
	}
}

// Agents lists the editors that start agents by the Agent Client Protocol, from a file that is known. They do so for a person.
func Agents() []Kind {
	return []Kind{
		{"zed", "Zed", agents, below(true, ".config", "zed", "settings.json"), "", agent},
		{"jetbrains", "JetBrains IDEs", agents, below(true, ".jetbrains", "acp.json"), "", plain},
	}
}

// agents is where an editor lists agents.
const agents = "agent_servers"

func agent(command []string) any {
	return struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{"custom", command[0], command[1:]}
}

// Names lists the names of editors.
func Names(all []Kind) []string {
	var out []string
	for _, k := range all {
		out = append(out, k.Name)
	}
	return out
}

// Find returns the editor of a name.
func Find(all []Kind, name string) (Kind, error) {
	i := slices.IndexFunc(all, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, fault.BadField("editor", "The editor is not known.", Names(all)...)
	}
	return all[i], nil
}

// List names the list in a file: one of agents may lie in the file that has one of MCP servers.
func (k Kind) List() string { return k.section }

// User is the file of a person whose home is at home, and whose programs keep their files below config.
func (k Kind) User(home, config string) string { return k.user(home, config) }

// Project is the file for a folder, below it. A fault.Invalid says that the editor has none.
func (k Kind) Project() (string, error) {
	if k.project == "" {
		return "", fault.New(fault.Invalid, "%s lists its servers for a person, not for a folder.", k.Title)
	}
	return filepath.FromSlash(k.project), nil
}

// Set returns a file in which the editor starts a command as Chela's server; nothing else in it changes.
func (k Kind) Set(file []byte, command []string) ([]byte, error) {
	value, err := json.MarshalIndent(k.entry(command), "    ", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode an entry: %w", err)
	}
	if len(strings.TrimSpace(string(file))) == 0 {
		return fmt.Appendf(nil, "{\n  %q: {\n    %q: %s\n  }\n}\n", k.section, Server, value), nil
	}
	v, has, err := k.read(file)
	if err != nil {
		return nil, err
	}
	patch := fmt.Appendf(nil, `[{"op":"add","path":"/%s/%s","value":%s}]`, k.section, Server, value)
	if !has {
		patch = fmt.Appendf(nil, `[{"op":"add","path":"/%s","value":{%q: %s}}]`, k.section, Server, value)
	}
	if err := v.Patch(patch); err != nil {
		return nil, fmt.Errorf("change a list of servers: %w", err)
	}
	return v.Pack(), nil
}

// Remove returns a file without Chela's server. A fault.NotFound says that it is not in it.
func (k Kind) Remove(file []byte) ([]byte, error) {
	none := fault.New(fault.NotFound, "Chela is not among the servers of %s.", k.Title)
	if len(strings.TrimSpace(string(file))) == 0 {
		return nil, none
	}
	v, _, err := k.read(file)
	if err != nil {
		return nil, err
	}
	at := "/" + k.section + "/" + Server
	if v.Find(at) == nil {
		return nil, none
	}
	if err := v.Patch(fmt.Appendf(nil, `[{"op":"remove","path":%q}]`, at)); err != nil {
		return nil, fmt.Errorf("change a list of servers: %w", err)
	}
	return v.Pack(), nil
}

// read reads a file of JSON, with comments and trailing commas. has reports whether it has a list of servers.
func (k Kind) read(file []byte) (v hujson.Value, has bool, err error) {
	v, err = hujson.Parse(file)
	if err != nil {
		return v, false, fault.Wrap(err, fault.Invalid, "The file is no JSON, so it is left as it is: %s.", err)
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return v, false, fault.New(fault.Invalid, "The file holds no JSON object, so it is left as it is.")
	}
	list := v.Find("/" + k.section)
	if list == nil {
		return v, false, nil
	}
	if _, ok := list.Value.(*hujson.Object); !ok {
		return v, false, fault.New(fault.Invalid, "%s in the file is no JSON object, so it is left as it is.", k.section)
	}
	return v, true, nil
}
