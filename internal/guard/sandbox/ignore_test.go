package sandbox

import "testing"

// FuzzIgnores: whatever a .gitignore says, it is read, and decides about any path.
func FuzzIgnores(f *testing.F) {
	f.Add([]byte("*.log\n!a/**\n[\n\\"), "a/b.log", true)
	f.Fuzz(func(_ *testing.T, raw []byte, path string, folder bool) {
		ignored(readIgnores("/w", raw), "/w/"+path, folder)
	})
}
