package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"chela/internal/config"
	"chela/internal/editor"
	"chela/internal/fault"
)

func (a *app) mcpInstall() *cobra.Command {
	return a.install("MCP server", editor.Kinds(), "as whom tools are called; the first that may when empty", "mcp", "serve")
}

// install is the command that has an editor start another one of ours.
func (a *app) install(what string, all []editor.Kind, asWhom string, starts ...string) *cobra.Command {
	var folder, agent string
	var undo, yes bool
	c := &cobra.Command{
		Use: "install EDITOR", Short: "Have an editor start Chela's " + what + ": " + strings.Join(editor.Names(all), ", ") + "; without --yes it shows what would change",
		Args: cobra.ExactArgs(1), ValidArgs: editor.Names(all),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := editor.Find(all, args[0])
			if err != nil {
				return err
			}
			path, err := fileOf(k, folder)
			if err != nil {
				return err
			}
			change := func(k editor.Kind, path string, command []string, yes bool) error {
				return a.installed(k, path, cmd.CommandPath(), command, yes)
			}
			if undo {
				change = a.uninstalled
			}
			command, err := a.served(agent, starts)
			if err != nil {
				return err
			}
			return change(k, path, command, yes)
		},
	}
	f := c.Flags()
	if slices.ContainsFunc(all, func(k editor.Kind) bool { _, err := k.Project(); return err == nil }) {
		f.StringVar(&folder, "folder", "", "of a project: only there, in a file that lies in it")
	}
	f.StringVarP(&agent, "agent", "a", "", asWhom)
	f.BoolVar(&undo, "undo", false, "take it back")
	f.BoolVar(&yes, "yes", false, "do it")
	a.projectFlag(c)
	return c
}

// fileOf is the file of an editor: of the person, or of a folder.
func fileOf(k editor.Kind, folder string) (string, error) {
	if folder != "" {
		name, err := k.Project()
		return filepath.Join(folder, name), err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "Your home folder is not known. Name a project's with --folder.")
	}
	programs, err := os.UserConfigDir()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "It is not known where programs keep their files. Name a project's folder with --folder.")
	}
	return k.User(home, programs), nil
}

// served is the command that an editor starts. It holds no token: that lies in the data folder.
func (a *app) served(agent string, starts []string) ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "It is not known where Chela's program lies.")
	}
	out := append([]string{program}, starts...)
	data, err := filepath.Abs(a.data)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The folder %s is not known.", a.data)
	}
	if data != config.DefaultData() {
		out = append(out, "--data", data)
	}
	if a.url != "" {
		out = append(out, "--url", a.url)
	}
	if agent != "" {
		out = append(out, "--agent", agent)
	}
	if a.project != "" {
		out = append(out, "--project", a.project)
	}
	return out, nil
}

// An install is what a file of an editor was before we changed it.
type install struct {
	Path   string `json:"path"`
	Fresh  bool   `json:"fresh,omitempty"` // there was none
	Before []byte `json:"before,omitempty"`
	After  string `json:"after"` // digest of what we made of it
}

// installFile is where it is noted how a list of a file was changed.
func (a *app) installFile(k editor.Kind, path string) string {
	if slices.ContainsFunc(editor.Agents(), func(o editor.Kind) bool { return o.List() == k.List() }) { // the file may have a list of MCP servers, too
		path += "\n" + k.List()
	}
	return filepath.Join(a.data, "editors", digest([]byte(path))[:16]+".json")
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// read reads a file of an editor; fresh says that there is none.
func read(path string) (raw []byte, fresh bool, err error) {
	raw, err = os.ReadFile(path) //nolint:gosec // the person names it
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, fault.Wrap(err, fault.Invalid, "The file %s cannot be read.", path)
	}
	return raw, false, nil
}

func (a *app) installed(k editor.Kind, path, by string, command []string, yes bool) error {
	before, fresh, err := read(path)
	if err != nil {
		return err
	}
	after, err := k.Set(before, command)
	if err != nil {
		return err
	}
	if string(after) == string(before) {
		a.printf("%s starts Chela already, by %s.\n", k.Title, path)
		return nil
	}
	if !a.agreed(path, string(before), string(after), yes) {
		return nil
	}
	note := install{Path: path, Fresh: fresh, Before: before, After: digest(after)}
	if was, err := a.noted(k, path); err == nil && was.After == digest(before) { // a second install: what was before the first counts
		note.Fresh, note.Before = was.Fresh, was.Before
	}
	raw, err := json.Marshal(note)
	if err != nil {
		return err
	}
	if err := replace(a.installFile(k, path), raw, 0o600); err != nil {
		return err
	}
	if err := replace(path, after, 0o600); err != nil {
		return err
	}
	a.printf("%s starts Chela from its next start on. `%s %s --undo` takes it back.\n", k.Title, by, k.Name)
	return nil
}

func (a *app) uninstalled(k editor.Kind, path string, _ []string, yes bool) error {
	now, _, err := read(path)
	if err != nil {
		return err
	}
	note, err := a.noted(k, path)
	asItWas := err == nil && note.After == digest(now)
	var before []byte
	if asItWas {
		before = note.Before
	} else if before, err = k.Remove(now); err != nil { // it was changed since, or by hand
		return err
	}
	if !a.agreed(path, string(now), string(before), yes) {
		return nil
	}
	if asItWas && note.Fresh {
		err = os.Remove(path)
	} else {
		err = replace(path, before, 0o600)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The file %s cannot be changed.", path)
	}
	_ = os.Remove(a.installFile(k, path)) // it may not be there
	a.printf("%s does not start Chela any more.\n", k.Title)
	return nil
}

// noted is what a file was before we changed it.
func (a *app) noted(k editor.Kind, path string) (n install, err error) {
	raw, err := os.ReadFile(a.installFile(k, path))
	if err == nil {
		err = json.Unmarshal(raw, &n)
	}
	return n, err
}

// agreed shows a change, and reports whether it is to be made.
func (a *app) agreed(path, before, after string, yes bool) bool {
	a.printf("%s", udiff.Unified(path, path, before, after))
	if !yes {
		a.printf("Say --yes to do it.\n")
	}
	return yes
}

// replace puts a file in place whole, with the mode that it had.
func replace(path string, raw []byte, mode fs.FileMode) error {
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
		if real, err := filepath.EvalSymlinks(path); err == nil { // a link stays one
			path = real
		}
	}
	fail := func(err error) error {
		return fault.Wrap(err, fault.Unavailable, "The file %s cannot be written.", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fail(err)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".chela-*")
	if err != nil {
		return fail(err)
	}
	_, err = temp.Write(raw)
	if err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return fail(errors.Join(err, os.Remove(temp.Name())))
	}
	return nil
}
