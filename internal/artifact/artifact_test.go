package artifact_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"chela/internal/artifact"
	"chela/internal/fault"
)

// open returns the artifacts below a folder that is made, with one in it.
func open(t *testing.T) (*artifact.Files, string) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "a", "b")
	f, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if ref, err := f.Put([]byte("hello")); ref != hello || err != nil {
		t.Fatal(ref, err)
	}
	return f, root
}

// files lists what lies below root, also what is hidden.
func files(t *testing.T, root string) (out []string) {
	t.Helper()
	for _, pattern := range []string{"*", ".*"} {
		found, err := filepath.Glob(filepath.Join(root, "*", pattern))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	return out
}

// hello is the name of the bytes "hello", by sha256sum.
const hello = artifact.Ref("artifact:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")

func TestArtifact_WhatIsPutIsThere(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{{}, []byte("minutes"), bytes.Repeat([]byte{0, 1, 255}, 1<<18)} {
		var refs [4]artifact.Ref
		var wait sync.WaitGroup
		for i := range refs {
			wait.Go(func() {
				var err error
				if refs[i], err = files.Put(b); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if refs[0] != refs[3] || !strings.HasPrefix(string(refs[0]), "artifact:") {
			t.Errorf("the same bytes are %v", refs)
		}
		got, err := files.Get(refs[0])
		if err != nil || !bytes.Equal(got, b) {
			t.Errorf("%d bytes of %d: %v", len(got), len(b), err)
		}
	}
	left, err := filepath.Glob(filepath.Join(root, "*", ".new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("half-written files are left: %v %v", left, err)
	}
}

func TestArtifact_ManyPutTheSameAtOnce(t *testing.T) {
	t.Parallel()
	f, root := open(t)
	big := bytes.Repeat([]byte("x"), 1<<20)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			ref, err := f.Put(big)
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := f.Get(ref); err != nil || !bytes.Equal(got, big) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	wait.Wait()
	if got := files(t, root); len(got) != 2 {
		t.Errorf("there are %v", got)
	}
}

func TestArtifact_ADamagedFileIsNoticedAndHealed(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"a byte": func(path string) error { return os.WriteFile(path, []byte("hallo"), 0o600) },
		"longer": func(path string) error { return os.WriteFile(path, []byte("forged"), 0o600) },
		"cut":    func(path string) error { return os.Truncate(path, 2) },
		"empty":  func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			f, root := open(t)
			if err := damage(files(t, root)[0]); err != nil {
				t.Fatal(err)
			}
			got, err := f.Get(hello)
			if err == nil || got != nil || fault.KindOf(err) != fault.Internal || !strings.Contains(fault.TextOf(err), "restore it from a backup") {
				t.Errorf("%q %v", got, err)
			}
			if ref, err := f.Put([]byte("hello")); ref != hello || err != nil { // whoever has the bytes puts them right
				t.Errorf("%s %v", ref, err)
			}
			if got, err := f.Get(hello); err != nil || string(got) != "hello" || len(files(t, root)) != 1 {
				t.Errorf("put again: %q %v, %v", got, err, files(t, root))
			}
		})
	}
}

func TestArtifact_WhatIsNotThere(t *testing.T) {
	t.Parallel()
	f, root := open(t)
	if err := os.WriteFile(filepath.Join(root, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	hex := strings.TrimPrefix(string(hello), "artifact:")
	for ref, want := range map[string]fault.Kind{
		"artifact:" + strings.Repeat("0", 64): fault.NotFound,
		"":                                    fault.Invalid,
		"artifact:":                           fault.Invalid,
		hex:                                   fault.Invalid,
		"sha256:" + hex:                       fault.Invalid,
		"artifact:../../etc/passwd":           fault.Invalid,
		"Artifact:" + hex:                     fault.Invalid,
		"artifact:" + strings.ToUpper(hex):    fault.Invalid,
		"artifact:" + hex[:62]:                fault.Invalid,
		"artifact:" + hex + "00":              fault.Invalid,
		"artifact:" + strings.Repeat("g", 64): fault.Invalid,
		"artifact:../secret":                  fault.Invalid,
		"artifact:" + hex[:2] + "/" + hex:     fault.Invalid,
	} {
		got, err := f.Get(artifact.Ref(ref))
		if err == nil || got != nil || fault.KindOf(err) != want {
			t.Errorf("%q is %q %v", ref, got, err)
		}
		if text := fault.TextOf(err); !strings.Contains(text, ref) || !strings.HasSuffix(text, ".") {
			t.Errorf("%q: it says %q", ref, text)
		}
	}
}

func TestArtifact_TheLimit(t *testing.T) {
	t.Parallel()
	f, root := open(t)
	ref, err := f.Put(make([]byte, artifact.MaxSize+1))
	if ref != "" || fault.KindOf(err) != fault.TooLarge || !strings.Contains(fault.TextOf(err), "134217728") || len(files(t, root)) != 1 {
		t.Errorf("%s %v, %v", ref, err, files(t, root))
	}
}

func TestArtifact_AFolderThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	f, root := open(t)
	file := filepath.Join(root, "d9") // where the folder of "other" would be
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := artifact.Open(filepath.Join(file, "artifacts")); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.TextOf(err), file) {
		t.Errorf("%v", err)
	}
	if ref, err := f.Put([]byte("other")); ref != "" || fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.TextOf(err), root) {
		t.Errorf("%s %v", ref, err)
	}
}

func FuzzGet(f *testing.F) {
	f.Add(string(hello))
	f.Add("artifact:../../etc/passwd")
	a, err := artifact.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		if got, err := a.Get(artifact.Ref(ref)); err == nil || fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.NotFound {
			t.Errorf("%q is %q %v", ref, got, err)
		}
	})
}

// TestArtifact_AFolderThatIsGoneIsNotMadeAnew: an empty one in its place would hide that what was in it is missing.
func TestArtifact_AFolderThatIsGoneIsNotMadeAnew(t *testing.T) {
	t.Parallel()
	f, root := open(t)
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	_, err := f.Put([]byte("more"))
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.TextOf(err), "Bring it back") || !strings.Contains(fault.TextOf(err), root) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(root); err == nil {
		t.Error("the folder was made")
	}
	if _, err := artifact.At(root).Get(hello); fault.KindOf(err) != fault.NotFound {
		t.Errorf("what was in it: %v", err)
	}
}
