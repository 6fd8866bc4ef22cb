package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSkill_CheckSaysByItsExitCode: a skill that would not be installed is no success, whatever was printed of it.
func TestSkill_CheckSaysByItsExitCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, says string
		code       int
	}{
		"as it should be":  {counting, "", exitOK},
		"a hidden mark":    {strings.Replace(counting, "Count.", "Count.\u202e", 1), "SKILL.md, line 6", exitRefused},
		"no name, no text": {"---\n---\n", "", exitRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "counting")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out, complaint bytes.Buffer
			code := Main(t.Context(), []string{"skill", "check", folder}, strings.NewReader(""), &out, &complaint)
			if code != c.code || !strings.Contains(complaint.String(), c.says) {
				t.Errorf("exits %d with %q, want %d with %q", code, complaint.String(), c.code, c.says)
			}
		})
	}
}
