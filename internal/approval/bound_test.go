package approval_test

import (
	"os"
	"path/filepath"
	"testing"

	"chela/internal/approval"
)

// TestBound_Identify: what is at a path is known by its content and by where its links lead, and only
// regular files are opened.
func TestBound_Identify(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(dir+"/a", []byte("one"), 0o600))
	must(os.WriteFile(dir+"/same", []byte("one"), 0o600))
	must(os.WriteFile(dir+"/b", []byte("two"), 0o600))
	must(os.Symlink("a", dir+"/link"))
	was := map[string]approval.Bound{}
	for _, name := range []string{"a", "link", "missing", "."} {
		was[name] = approval.Identify(filepath.Join(dir, name))
	}
	if a, link := was["a"], was["link"]; a.Sum == "" || link.Sum != a.Sum || link.Real != dir+"/a" || was["missing"].Real != "" || was["."].Sum != "" {
		t.Errorf("%+v", was)
	}
	must(os.Remove(dir + "/link"))
	must(os.Symlink("same", dir+"/link"))
	must(os.WriteFile(dir+"/a", []byte("one and a half"), 0o600))
	must(os.WriteFile(dir+"/missing", nil, 0o600))
	for name, want := range map[string]string{
		"a":       dir + "/a has changed since a person was asked.",
		"link":    dir + "/link leads to " + dir + "/same now; when a person was asked it led to " + dir + "/a.",
		"missing": dir + "/missing was not there when a person was asked.",
		".":       "",
	} {
		now := approval.Identify(was[name].Path)
		if got := approval.Differ([]approval.Bound{was[name]}, []approval.Bound{now}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	must(os.Remove(dir + "/a"))
	if got, want := approval.Differ([]approval.Bound{was["a"]}, []approval.Bound{approval.Identify(dir + "/a")}), dir+"/a is not there any more."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDigestOf_Bound: a digest holds for what the call depends on, and is the one of old where
// that is nothing.
func TestDigestOf_Bound(t *testing.T) {
	t.Parallel()
	a := approval.Asked{Agent: "agent:coder", Tool: "shell_exec", Args: []byte(`{"command":"sh x.sh"}`), Folder: "/srv"}
	seen := map[string]int{}
	for i, bound := range [][]approval.Bound{nil, {}, {{Path: "/srv"}}, {{Path: "/srv", Real: "/srv"}}, {{Path: "/srv", Real: "/srv", Sum: "00"}}} {
		a.Bound = bound
		d, err := approval.DigestOf(a)
		if err != nil {
			t.Fatal(err)
		}
		if j, ok := seen[d]; ok && (i != 1 || j != 0) {
			t.Errorf("%d and %d have the same digest", i, j)
		}
		seen[d] = i
	}
	if len(seen) != 4 {
		t.Errorf("%d digests, want 4", len(seen))
	}
}
