package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/skill"
	"chela/internal/zipfile"
)

const counting = "---\nname: counting\ndescription: Counts.\nallowed-tools: read_tickets\n---\nCount.\n"

// packed is a packed tar file of these entries.
func packed(t testing.TB, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range entries {
		body := []byte(counting)
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Size > 0 {
			body = make([]byte, h.Size)
		} else if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(body))
		} else {
			body = nil
		}
		h.Mode = 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestUntar_TakesASkill(t *testing.T) {
	t.Parallel()
	raw, err := untar(packed(t, tar.Header{Name: "counting/", Typeflag: tar.TypeDir}, tar.Header{Name: "./counting/SKILL.md"}))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := skill.ReadZip(raw, ""); err != nil || s.Name != "counting" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestUntar_RefusesTricks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"a link":     {packed(t, tar.Header{Name: "SKILL.md", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}), "is a link"},
		"a hard one": {packed(t, tar.Header{Name: "SKILL.md", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}), "is a link"},
		"dots":       {packed(t, tar.Header{Name: "../SKILL.md"}), "leads out of it"},
		"absolute":   {packed(t, tar.Header{Name: "/SKILL.md"}), "leads out of it"},
		"twice":      {packed(t, tar.Header{Name: "a"}, tar.Header{Name: "A"}), "twice"},
		"long":       {packed(t, tar.Header{Name: "a", Size: skill.MaxFile + 1}), "has more than"},
		"a bomb":     {packed(t, tar.Header{Name: "a", Size: 5 * skill.MaxBytes}), "has more than"},
		"damaged":    {packed(t, tar.Header{Name: "a"})[:40], "damaged"},
		"no archive": {[]byte("x"), "damaged"},
	} {
		if _, err := untar(c.raw); err == nil || !strings.Contains(fault.TextOf(err), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// TestCloneSkill_RunsNothing: one commit of a folder is fetched, with its commit; a filter of the repository is not run, and what
// leads out of it is refused.
func TestCloneSkill_RunsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repo, owned := filepath.Join(dir, "repo"), filepath.Join(dir, "owned")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(repo, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...) //nolint:gosec // a test
		c.Dir = repo
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write("skills/counting/SKILL.md", counting)
	write(".gitattributes", "* filter=evil\n")
	write(".gitconfig", "[filter \"evil\"]\n\tsmudge = touch "+owned+"\n")
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	if err := os.Symlink("/etc", filepath.Join(repo, "skills", "outside")); err != nil {
		t.Fatal(err)
	}
	git("add", "-A")
	git("commit", "-q", "-m", "second")
	got, err := cloneSkill(t.Context(), "file://"+repo, "main", "/skills/counting/")
	if err != nil {
		t.Fatal(err)
	}
	s, err := skill.ReadZip(got.Archive, got.Source.Within())
	if err != nil || s.Name != "counting" || got.Source.Commit != git("rev-parse", "HEAD") || got.Source.Path != "skills/counting" || got.Source.Ref != "main" {
		t.Errorf("%+v, %+v, %v", s, got.Source, err)
	}
	if _, err := os.Stat(owned); err == nil {
		t.Error("a filter of the repository was run")
	}
	for path, want := range map[string]string{"skills/outside": "has no folder", "skills/none": "has no folder", "": "a link", "../..": "a link"} {
		if _, err := cloneSkill(t.Context(), "file://"+repo, "", path); err == nil || !strings.Contains(fault.TextOf(err), want) {
			t.Errorf("%q: got %v, want %q", path, err, want)
		}
	}
	if _, err := cloneSkill(t.Context(), "ext::touch "+owned, "", ""); err == nil {
		t.Error("a protocol that runs programs is taken")
	}
	if _, err := os.Stat(owned); err == nil {
		t.Error("a protocol ran a program")
	}
}

func FuzzUntar(f *testing.F) {
	f.Add(packed(f, tar.Header{Name: "a/SKILL.md"}))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := untar(raw)
		if err != nil {
			return
		}
		if _, err := zipfile.Read(out, zipfile.Limits{What: "archive", Packed: 8 * skill.MaxBytes, Unpacked: 4 * skill.MaxBytes, File: skill.MaxFile, Files: 4 * skill.MaxFiles}); err != nil {
			t.Error(err)
		}
	})
}
