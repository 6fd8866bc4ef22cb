package artifact

import (
	"net/url"
	"os"
	"path/filepath"
)

// nodes is the folder of the marks of those that share the artifacts.
const nodes = "nodes"

// Folder is where the artifacts lie.
func (f *Files) Folder() string { return f.root }

// Join leaves a mark of a node among the artifacts, by which others that keep theirs in the same folder know it.
func (f *Files) Join(node string) error {
	file := f.mark(node)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, nil, 0o600)
}

// Joined reports whether a node has left its mark here.
func (f *Files) Joined(node string) bool {
	_, err := os.Stat(f.mark(node))
	return err == nil
}

func (f *Files) mark(node string) string {
	return filepath.Join(f.root, nodes, "node-"+url.PathEscape(node))
}
