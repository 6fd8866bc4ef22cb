package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"chela/internal/disk"
)

// systemFolders hold programs and what they need; a job may read them.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store"}

// A view is what every job sees of the system. What others than its owner may not read
// there is hidden: the daemon may be its owner, or root.
type view struct {
	bins  []string // further folders with programs
	roots []string // of these programs

	mu      sync.Mutex // guards what follows
	private []string   // in the system's folders
	shown   []string   // of the system's folders: those that were looked through to the end
	looked  time.Time
}

func newView(bins []string) *view {
	v := &view{}
	for _, bin := range bins {
		real, err := filepath.EvalSymlinks(bin)
		if err != nil {
			continue // nothing is found there
		}
		v.bins = append(v.bins, real)
		root := real
		if filepath.Base(real) == "bin" {
			root = filepath.Dir(real)
		}
		if !slices.ContainsFunc(systemFolders, func(f string) bool { return within(f, root) }) {
			v.roots = append(v.roots, root)
		}
	}
	return v
}

// path is where programs are looked up.
func (v *view) path() []string {
	if runtime.GOOS == "windows" {
		return append(slices.Clone(v.bins), filepath.SplitList(os.Getenv("PATH"))...)
	}
	return append(slices.Clone(v.bins), "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
}

// A list of private files is looked up again when it is older.
const viewAge = time.Minute

// system returns the folders that a job sees and what is hidden in them.
func (v *view) system() (shown, private []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shown != nil && time.Since(v.looked) < viewAge {
		return v.shown, v.private
	}
	v.shown, v.private, v.looked = nil, nil, time.Now()
	for _, folder := range systemFolders {
		if st, err := os.Lstat(folder); err != nil || !st.IsDir() {
			continue
		}
		// /usr is the distribution's; what an administrator adds lies elsewhere or below local.
		look := folder
		if folder == "/usr" {
			look = "/usr/local/etc"
		}
		private, ok := unreadable(look, 20_000)
		if !ok {
			continue
		}
		v.private = append(v.private, private...)
		v.shown = append(v.shown, folder)
	}
	return v.shown, v.private
}

// forget has the system's folders looked through again.
func (v *view) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.looked = time.Time{}
}

// beside returns what of the private paths stays hidden beside granted folders: nothing in
// these, and of a private folder that holds one all but the way to it.
func beside(private []string, granted []disk.Grant) []string {
	var out []string
	for _, p := range private {
		in := func(g disk.Grant) bool { return within(g.Path, p) }
		holds := func(g disk.Grant) bool { return within(p, g.Path) }
		switch {
		case slices.ContainsFunc(granted, in):
		case slices.ContainsFunc(granted, holds):
			entries, err := os.ReadDir(p)
			if err != nil {
				continue // nor can a program
			}
			var below []string
			for _, e := range entries {
				below = append(below, filepath.Join(p, e.Name()))
			}
			out = append(out, beside(below, granted)...)
		default:
			out = append(out, p)
		}
	}
	return out
}

// unreadable lists what not everybody may read below a folder, and says whether it was
// looked through to the end.
func unreadable(folder string, most int) (paths []string, all bool) {
	n := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if n++; n > most {
			return fs.SkipAll
		}
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir // we may not read it either
			}
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		st, err := d.Info()
		if err != nil {
			return nil //nolint:nilerror // gone while we looked
		}
		if st.IsDir() && st.Mode().Perm()&0o005 != 0o005 {
			paths = append(paths, path)
			return fs.SkipDir
		}
		if !st.IsDir() && st.Mode().Perm()&0o004 == 0 {
			paths = append(paths, path)
		}
		return nil
	})
	return paths, err == nil && n <= most
}

// Languages returns the folders of the languages' programs that are in this process's
// PATH and outside the system's folders, for Options.Path.
func Languages() []string {
	home, _ := os.UserHomeDir() // "" is no folder
	var out []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		for _, name := range []string{"go", "java", "jbang", "python3", "node", "deno", "bun"} {
			if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.IsDir() {
				continue
			}
			real, err := filepath.EvalSymlinks(dir)
			if err != nil || filepath.Base(real) != "bin" || filepath.Dir(real) == home || slices.Contains(out, real) ||
				slices.Contains([]string{"/bin", "/usr/bin", "/usr/local/bin"}, real) {
				continue // a folder of other things too is not opened for one of them
			}
			out = append(out, real)
		}
	}
	return out
}
