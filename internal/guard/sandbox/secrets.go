package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"chela/internal/disk"
	"chela/internal/fault"
)

// mostEntries bounds how much of the granted folders is looked through before a program
// starts in them.
const mostEntries = 400_000

// parts are what a job does not get of the folders that it gets.
type parts struct {
	hidden  []string // secrets
	sockets []string // of processes outside
	fixed   []string // what Git runs: written inside, it would run outside later
	held    []string // folders of Git, which could be renamed away with what is fixed in them
	seen    int
}

var (
	errTooMany = errors.New("too many entries")
	errChanged = errors.New("the folders changed")
)

// look finds these parts in the folders of a job.
func (s *Sandbox) look(folders []disk.Grant) (*parts, error) {
	p := &parts{}
	for _, g := range folders {
		inner := slices.ContainsFunc(folders, func(o disk.Grant) bool {
			return o.Path != g.Path && within(o.Path, g.Path) && o.Secrets == g.Secrets && o.Write == g.Write
		})
		if inner {
			continue // looked through with what holds it
		}
		if err := s.lookInto(p, g, folders); err != nil {
			if errors.Is(err, errChanged) {
				return nil, err
			}
			if errors.Is(err, errTooMany) {
				return nil, fault.New(fault.TooLarge, "The folder %s holds more than %d files; secrets in it cannot be looked for before each program. Grant a smaller folder.", g.Path, mostEntries)
			}
			return nil, fault.Wrap(err, fault.Unavailable, "The folder %s could not be looked through for secrets. Try again.", g.Path)
		}
	}
	return p, nil
}

func (s *Sandbox) lookInto(p *parts, g disk.Grant, all []disk.Grant) error {
	return filepath.WalkDir(g.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			switch {
			case errors.Is(err, fs.ErrPermission):
				return nil // closed to us and so to the program
			case errors.Is(err, fs.ErrNotExist):
				return errChanged // it may be elsewhere now, where we have looked
			}
			return err
		}
		if p.seen++; p.seen > mostEntries {
			return errTooMany
		}
		if path != g.Path && slices.ContainsFunc(all, func(o disk.Grant) bool { return o.Path == path && (o.Secrets != g.Secrets || o.Write != g.Write) }) {
			return fs.SkipDir // it has a grant of its own
		}
		if !g.Secrets && s.opts.Hide != nil && d.Type()&fs.ModeSymlink == 0 && s.opts.Hide(path) {
			p.hidden = append(p.hidden, path)
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type()&fs.ModeSocket != 0 {
			p.sockets = append(p.sockets, path)
			return nil
		}
		if !d.IsDir() {
			if g.Write && d.Name() == ".git" { // says where the repository is
				p.fixed = append(p.fixed, path)
			}
			return nil
		}
		if d.Name() == "objects" && gitFolder(filepath.Dir(path)) {
			return fs.SkipDir // contents by their digest
		}
		if g.Write && gitFolder(path) {
			return p.git(path)
		}
		return nil
	})
}

// gitFolder reports whether a folder is one in which Git keeps a repository.
func gitFolder(path string) bool {
	for _, name := range []string{"HEAD", "objects"} {
		if _, err := os.Lstat(filepath.Join(path, name)); err != nil {
			return false
		}
	}
	return true
}

// git fixes what Git would run of a repository.
func (p *parts) git(path string) error {
	p.held = append(p.held, path)
	hooks := filepath.Join(path, "hooks")
	// A folder for hooks that is not there could be made; an empty one changes nothing.
	if err := os.Mkdir(hooks, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, name := range []string{"hooks", "config", "config.worktree"} {
		fixed := filepath.Join(path, name)
		st, err := os.Lstat(fixed)
		if err != nil {
			continue
		}
		if st.Mode()&fs.ModeSymlink != 0 {
			return fault.New(fault.Denied, "%s is a link, so that what Git runs cannot be kept from being changed. Make it a file or folder.", fixed)
		}
		p.fixed = append(p.fixed, fixed)
	}
	return nil
}
