// Package files lets agents read and write files inside the folders that are granted to
// them. Every path is opened below its folder by descriptor (os.Root), so that links and
// races lead nowhere else; files that hold secrets are opened only where the grant says so.
// What a call amounts to is said by its arguments (act.go), and decided by guard before.
package files

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/tool"
)

//go:embed *.md
var help embed.FS

// Tools returns the tools for files.
func Tools() []*tool.Tool {
	return []*tool.Tool{
		tool.Func(spec("read_file", tool.ReadOnly), readFile),
		tool.Func(spec("list_directory", tool.ReadOnly), listDirectory),
		tool.Func(spec("search_files", tool.ReadOnly), searchFiles),
		tool.Func(spec("write_file", tool.WriteFiles), writeFile),
		tool.Func(spec("edit_file", tool.WriteFiles), editFile),
		tool.Func(spec("apply_patch", tool.WriteFiles), applyPatch),
		tool.Func(spec("excel", tool.WriteFiles), excel),
		tool.Func(spec("ide_configure", tool.WriteFiles), configure),
	}
}

func spec(name string, risk tool.Risk) tool.Spec {
	s := tool.Spec{Name: name, Help: tool.HelpFile(help, name), Risk: risk, Role: org.Editor, Permission: org.Files, Untrusted: "files"}
	if risk == tool.ReadOnly {
		s.Role, s.Repeatable = org.Viewer, true
	} else if name != "excel" {
		s.Untrusted = "" // it says what it did, not what is in the file
	}
	return s
}

// A place is a path below the folder that grants it.
type place struct {
	root  *os.Root
	name  string // below root
	path  string // absolute
	grant disk.Grant
}

// at opens the folder that grants a path. The caller closes its root.
func at(f disk.Folders, path string, write bool) (place, error) {
	p := place{path: f.Resolve(path)}
	var ok bool
	if p.grant, ok = f.Of(p.path); !ok {
		return p, fault.New(fault.Denied, "%s lies outside the folders that are granted: %s.", p.path, folders(f))
	}
	if write && !p.grant.Write {
		return p, fault.New(fault.Denied, "%s lies in %s, which may be read but not written.", p.path, p.grant.Path)
	}
	var err error
	if p.name, err = filepath.Rel(p.grant.Path, p.path); err != nil {
		return p, fault.Wrap(err, fault.Invalid, "%s is no path.", path)
	}
	if err := p.hidden(p.path); err != nil {
		return p, err
	}
	if p.root, err = os.OpenRoot(p.grant.Path); err != nil {
		return p, refused(err, p.grant.Path)
	}
	return p, nil
}

func folders(f disk.Folders) string {
	var out []string
	for _, g := range f.All() {
		out = append(out, g.Path)
	}
	if len(out) == 0 {
		return "there are none"
	}
	return strings.Join(out, ", ")
}

// hidden refuses a file that holds secrets unless the grant opens those.
func (p place) hidden(path string) error {
	if !p.grant.Secrets && disk.Secret(path) {
		return fault.New(fault.Denied, "%s holds secrets, which are not granted.", p.path)
	}
	return nil
}

// errLinked is that a file has other names.
var errLinked = errors.New("it has other names")

// open opens a file for reading. What a link leads to is judged by where it leads. A file with
// another name, a hard link, is refused: that name may lie outside, and nothing tells where.
func (p place) open() (*os.File, fs.FileInfo, error) {
	file, err := p.root.Open(p.name)
	if err != nil {
		return nil, nil, refused(err, p.path)
	}
	info, err := file.Stat()
	if err == nil {
		err = p.hidden(realName(file, p.path))
	}
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = fault.New(fault.Invalid, "%s is neither a file nor a folder.", p.path)
	}
	if err == nil && info.Mode().IsRegular() && names(info) > 1 {
		err = fault.Wrap(errLinked, fault.Denied, "%s is a hard link: the same file has another name, which may lie outside of the granted folders. A person can put a copy in its place.", p.path)
	}
	if err != nil {
		_ = file.Close() // only read
		return nil, nil, err
	}
	return file, info, nil
}

// realName is where an open file really lies.
func realName(file *os.File, path string) string {
	if name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd())); err == nil {
		return name
	}
	if name, err := filepath.EvalSymlinks(path); err == nil {
		return name
	}
	return path
}

// maxRead is how large a file is read whole, in bytes.
const maxRead = 16 << 20

// content reads a whole file.
func (p place) content() ([]byte, fs.FileInfo, error) {
	file, info, err := p.open()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }() // only read
	switch {
	case info.IsDir():
		return nil, nil, fault.New(fault.Invalid, "%s is a folder; list_directory lists it.", p.path)
	case info.Size() > maxRead:
		return nil, nil, fault.New(fault.TooLarge, "%s has %d bytes; files up to %d bytes are read. Look for the part you need with search_files.", p.path, info.Size(), maxRead)
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxRead))
	if err != nil {
		return nil, nil, refused(err, p.path)
	}
	return raw, info, nil
}

// Read returns a file that a call may read, whole, and its absolute path.
func Read(f disk.Folders, path string) (whole string, raw []byte, err error) {
	p, err := at(f, path, false)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = p.root.Close() }() // only read
	raw, _, err = p.content()
	return p.path, raw, err
}

// refused says what the system says, for people.
func refused(err error, path string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.NotFound, "%s does not exist.", path)
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Denied, "The system does not let %s be opened.", path)
	case strings.Contains(fmt.Sprint(err), "escapes"): // os.Root has no sentinel for it
		return fault.Wrap(err, fault.Denied, "%s leads out of its folder by a link.", path)
	}
	return fault.Wrap(err, fault.Unavailable, "%s cannot be used: %s.", path, cause(err))
}

// cause is what the system says without the name of the call.
func cause(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}
