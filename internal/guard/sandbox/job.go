package sandbox

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/tool"
)

// complete checks a job, follows the links of its folders and fills in its limits.
func (s *Sandbox) complete(j tool.Job) (tool.Job, error) {
	if len(j.Argv) == 0 || j.Argv[0] == "" {
		return j, fault.New(fault.Invalid, "There is no program to run.")
	}
	for _, a := range slices.Concat(j.Argv, []string{j.Dir}) {
		if strings.ContainsRune(a, 0) {
			return j, fault.New(fault.Invalid, "A program's arguments cannot hold a zero byte.")
		}
	}
	for name, value := range j.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return j, fault.New(fault.Invalid, "The environment variable %q has no valid name or value.", name)
		}
	}
	for name := range j.Files {
		if !fs.ValidPath(name) || name == "." {
			return j, fault.New(fault.Invalid, "The file %q of a job is not a name within its scratch folder.", name)
		}
	}
	j.Limits = limits(j.Limits, s.opts.Limits)
	folders := make([]disk.Grant, 0, len(j.Folders))
	for _, g := range j.Folders {
		g, err := folder(g)
		if err != nil {
			return j, err
		}
		folders = append(folders, g)
	}
	// The closest grant decides: outer folders first, so that inner ones cover them.
	slices.SortStableFunc(folders, func(a, b disk.Grant) int { return len(a.Path) - len(b.Path) })
	j.Folders = folders
	if j.Dir == "" {
		return j, nil
	}
	dir, err := filepath.EvalSymlinks(j.Dir)
	if err != nil {
		return j, fault.Wrap(err, fault.NotFound, "The folder %s does not exist.", j.Dir)
	}
	if !slices.ContainsFunc(folders, func(g disk.Grant) bool { return within(g.Path, dir) }) {
		return j, fault.New(fault.Denied, "The folder %s is not one that this job may use.", j.Dir)
	}
	j.Dir = dir
	return j, nil
}

// folder follows the links of a granted folder and refuses those that are no project's.
func folder(g disk.Grant) (disk.Grant, error) {
	if !filepath.IsAbs(g.Path) {
		return g, fault.New(fault.Invalid, "The granted folder %s is not an absolute path.", g.Path)
	}
	path, err := filepath.EvalSymlinks(g.Path)
	if err != nil {
		return g, fault.Wrap(err, fault.NotFound, "The granted folder %s does not exist.", g.Path)
	}
	if within(path, "/tmp") {
		return g, fault.New(fault.Denied, "The folder %s holds the machine's temporary files and is not granted as a whole. Grant a folder in it.", g.Path)
	}
	for _, system := range []string{"/", "/proc", "/sys", "/dev", "/run"} {
		if path == system || system != "/" && within(system, path) {
			return g, fault.New(fault.Denied, "The folder %s belongs to the system and is not granted to programs.", g.Path)
		}
	}
	g.Path = path
	return g, nil
}

// within reports whether a cleaned path is folder or below it.
func within(folder, path string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return ok && (rest == "" || rest[0] == '/' || os.IsPathSeparator(rest[0]))
}

// limits fills in what a job leaves open.
func limits(l, own tool.Limits) tool.Limits {
	return tool.Limits{
		Time:      first(l.Time, own.Time, 30*time.Second),
		Memory:    first(l.Memory, own.Memory, 2<<30),
		Processes: first(l.Processes, own.Processes, 256),
		Output:    first(l.Output, own.Output, 64<<10),
		FileSize:  first(l.FileSize, own.FileSize, 1<<30),
	}
}

func first[T int | int64 | time.Duration](values ...T) T {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}

// environment is all that a program sees of one: nothing of the daemon's.
func (s *Sandbox) environment(j tool.Job, scratch string) []string {
	values := map[string]string{
		"PATH": strings.Join(s.system.path(), string(os.PathListSeparator)),
		"HOME": scratch, "TMPDIR": scratch, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
	}
	if runtime.GOOS == "windows" {
		for _, name := range []string{"SYSTEMROOT", "PATHEXT", "COMSPEC"} { // nothing starts without them
			values[name] = os.Getenv(name)
		}
		values["TEMP"], values["TMP"], values["USERPROFILE"] = scratch, scratch, scratch
	}
	for name, value := range j.Env {
		values[name] = inScratch(value, scratch)
	}
	env := make([]string, 0, len(values))
	for name, value := range values {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// inScratch replaces the word for the scratch folder by the folder.
func inScratch(text, scratch string) string {
	if rest, ok := strings.CutPrefix(text, tool.Scratch); ok {
		return scratch + rest
	}
	return text
}

// input is what a program reads; nil is nothing.
func input(j tool.Job) io.Reader {
	switch {
	case j.Input != nil:
		return j.Input
	case len(j.Stdin) > 0:
		return bytes.NewReader(j.Stdin)
	}
	return nil
}

func argv(j tool.Job, scratch string) []string {
	out := make([]string, len(j.Argv))
	for i, a := range j.Argv {
		out[i] = inScratch(a, scratch)
	}
	return out
}

// missing is what a job is answered whose program is not there.
func missing(name string) error {
	return fault.Wrap(tool.ErrNoProgram, fault.NotFound, "There is no program %s in the sandbox. Use another, or have it installed.", name)
}
