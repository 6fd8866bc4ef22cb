package stash_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chela/internal/stash"
)

var head = stash.Head{Form: "form 1", Name: "book prj_1", Marks: []stash.Mark{{Stream: "", At: 3, Hash: "ab"}, {Stream: "prj_1", At: 9, Hash: "cd"}}} //nolint:gochecknoglobals // a constant

func writing(portions ...string) func(add func([]byte) error) error {
	return func(add func([]byte) error) error {
		for _, p := range portions {
			if err := add([]byte(p)); err != nil {
				return err
			}
		}
		return nil
	}
}

func keep(t testing.TB, f *stash.Folder, h stash.Head, portions ...string) {
	t.Helper()
	if err := f.Keep(h, writing(portions...)); err != nil {
		t.Fatal(err)
	}
}

// taken reads what a folder has of the name of head.
func taken(f *stash.Folder) (portions []string, marks []stash.Mark, err error) {
	k, err := f.Take(head.Form, head.Name)
	if k == nil || err != nil {
		return nil, nil, err
	}
	defer func() { _ = k.Close() }() // it was only read
	all, err := k.Portions()
	if err != nil {
		return nil, nil, err
	}
	for _, p := range all {
		raw, err := p.Read()
		if err != nil {
			return nil, nil, err
		}
		portions = append(portions, raw)
	}
	return portions, k.Marks, nil
}

// only is the one file of a folder.
func only(t testing.TB, root string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "[0-9a-f]*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

func TestFolder_GivesBackWhatItKeeps(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "stash")
	held := 0
	f := stash.At(root, func() func() { held++; return func() { held-- } })
	if p, _, err := taken(f); p != nil || err != nil {
		t.Fatal("an empty folder has", p, err)
	}
	keep(t, f, head, "one", "", strings.Repeat("long ", 50_000))
	keep(t, f, head, "newer", "", "last")
	portions, marks, err := taken(f)
	if err != nil || !slices.Equal(portions, []string{"newer", "", "last"}) || !slices.Equal(marks, head.Marks) {
		t.Errorf("got %q, %v, %v", portions, marks, err)
	}
	if held != 0 {
		t.Errorf("garbage is let be %d times", held)
	}
	for path, want := range map[string]os.FileMode{root: 0o700, only(t, root): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	for form, name := range map[string]string{"form 2": head.Name, head.Form: "book prj_2"} {
		if k, err := f.Take(form, name); k != nil || err != nil && !errors.Is(err, stash.ErrBroken) {
			t.Errorf("%s %s: %v, %v", form, name, k, err)
		}
	}
	if err := errors.Join(f.Drop(head.Name), f.Drop(head.Name)); err != nil {
		t.Error(err)
	}
	if p, _, err := taken(f); p != nil || err != nil {
		t.Error("what was dropped is", p, err)
	}
	keep(t, f, head)
	if err := f.Clear(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
		t.Error("the folder is there", err)
	}
}

func TestFolder_HasAFewFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f := stash.At(root, nil)
	for i := range 20 {
		h := head
		h.Name = fmt.Sprint("book prj_", i)
		keep(t, f, h, "x")
	}
	if files, err := os.ReadDir(root); err != nil || len(files) != 8 {
		t.Error(len(files), err)
	}
}

// TestFolder_KeepsWhatIsThereWhenWritingFails holds that nothing is lost by what is not whole.
func TestFolder_KeepsWhatIsThereWhenWritingFails(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f := stash.At(root, nil)
	keep(t, f, head, "whole")
	failed := errors.New("no")
	if err := f.Keep(head, func(add func([]byte) error) error { return errors.Join(add([]byte("half")), failed) }); !errors.Is(err, failed) {
		t.Error(err)
	}
	if p, _, err := taken(f); err != nil || !slices.Equal(p, []string{"whole"}) {
		t.Error(p, err)
	}
	if files, err := os.ReadDir(root); err != nil || len(files) != 1 {
		t.Error(files, err)
	}
}

// TestFolder_NeverTrustsAFile cuts a file off at each byte and changes each: it is refused.
func TestFolder_NeverTrustsAFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f := stash.At(root, nil)
	keep(t, f, head, "one", "two")
	path := only(t, root)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := func(raw []byte, what string) {
		t.Helper()
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if p, _, err := taken(f); !errors.Is(err, stash.ErrBroken) {
			t.Errorf("%s: %q, %v", what, p, err)
		}
	}
	for i := range whole {
		broken(whole[:i], fmt.Sprint("cut off at ", i))
		other := bytes.Clone(whole)
		other[i] ^= 0x40
		broken(other, fmt.Sprint("changed at ", i))
	}
}

// FuzzTake_NeverTrusts reads files that nobody wrote.
func FuzzTake_NeverTrusts(f *testing.F) {
	root := f.TempDir()
	at := stash.At(root, nil)
	keep(f, at, head, "one", "two")
	path := only(f, root)
	raw, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add(raw[:len(raw)-8])
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := taken(at); err != nil && !errors.Is(err, stash.ErrBroken) {
			t.Error(err)
		}
	})
}

// killedIn names the folder in which this program writes until it is killed.
const killedIn = "CHELA_TEST_STASH"

func TestFolder_AKillLosesNothing(t *testing.T) {
	if root := os.Getenv(killedIn); root != "" {
		err := stash.At(root, nil).Keep(head, func(add func([]byte) error) error {
			if err := add([]byte("half")); err != nil {
				return err
			}
			if _, err := os.Stdout.WriteString("half\n"); err != nil {
				return err
			}
			_, err := io.Copy(io.Discard, os.Stdin) // until the kill
			return err
		})
		t.Fatal("nobody has killed it", err)
	}
	t.Parallel()
	root := t.TempDir()
	f := stash.At(root, nil)
	keep(t, f, head, "whole")
	cmd := exec.Command(os.Args[0], "-test.run=^TestFolder_AKillLosesNothing$") //nolint:gosec // this program
	cmd.Env = append(os.Environ(), killedIn+"="+root)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if s := bufio.NewScanner(out); !s.Scan() || s.Text() != "half" {
		t.Error(s.Text(), s.Err())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
	if files, err := os.ReadDir(root); err != nil || len(files) != 2 {
		t.Error(files, err)
	}
	if p, _, err := taken(f); err != nil || !slices.Equal(p, []string{"whole"}) {
		t.Error(p, err)
	}
	keep(t, f, head, "again")
	if p, _, err := taken(f); err != nil || !slices.Equal(p, []string{"again"}) || only(t, root) == "" {
		t.Error(p, err)
	}
	if files, err := os.ReadDir(root); err != nil || len(files) != 1 {
		t.Error("what the kill left is there", files, err)
	}
}
