package files_test

import (
	"strings"
	"testing"
)

// TestFiles_ChangesKeepTheShape holds that a change of some words leaves line ends, byte order mark, blanks and encoding as they are.
func TestFiles_ChangesKeepTheShape(t *testing.T) {
	t.Parallel()
	patch := func(lines string) map[string]any {
		return map[string]any{"input": "*** Begin Patch\n*** Update File: f\n@@\n" + lines + "\n*** End Patch"}
	}
	edit := func(from, to string) map[string]any {
		return map[string]any{"path": "f", "old_text": from, "new_text": to}
	}
	for name, c := range map[string]struct {
		was, tool string
		args      map[string]any
		want      string
	}{
		"lines of Windows, edited by lines of ours":   {"a\r\nb\r\nc\r\n", "edit_file", edit("a\nb\n", "a\nb1\nb2\n"), "a\r\nb1\r\nb2\r\nc\r\n"},
		"lines of Windows, edited by lines of theirs": {"a\r\nb\r\nc\r\n", "edit_file", edit("a\r\nb", "a\r\nB"), "a\r\nB\r\nc\r\n"},
		"lines of Windows, patched":                   {"a\r\nb\r\nc\r\n", "apply_patch", patch(" a\n-b\n+Q\n+R"), "a\r\nQ\r\nR\r\nc\r\n"},
		"lines of Windows, longer":                    {"a\r\n", "write_file", map[string]any{"path": "f", "content": "b\n", "append": true}, "a\r\nb\r\n"},
		"a byte order mark, patched":                  {"\ufeffa\nb\n", "apply_patch", patch(" a\n-b\n+B"), "\ufeffa\nB\n"},
		"a byte order mark, edited":                   {"\ufeffa\nb\n", "edit_file", edit("a\n", "A\n"), "\ufeffA\nb\n"},
		"lines of both kinds, patched":                {"a\r\nb\nc\n", "apply_patch", patch(" a\n-b\n+B"), "a\r\nB\nc\n"},
		"blanks at the end of a line that stays":      {"a  \nb\n", "apply_patch", patch(" a\n-b\n+B"), "a  \nB\n"},
		"Latin-1, edited in ASCII":                    {"Gr\xfc\xdfe\n", "edit_file", edit("Gr", "gr"), "gr\xfc\xdfe\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.write("repo/f", c.was)
			if out, err := d.call(c.tool, c.args); err != nil {
				t.Fatal(out, err)
			}
			if got := d.read("repo/f"); got != c.want {
				t.Errorf("it holds %q, want %q", got, c.want)
			}
		})
	}
}

// TestFiles_NoFileOfTwoEncodings holds that a part in UTF-8 is not put into a file of another encoding.
func TestFiles_NoFileOfTwoEncodings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		was, tool string
		args      map[string]any
	}{
		"edited":             {"Gr\xfc\xdfe\n", "edit_file", map[string]any{"path": "f", "old_text": "Gr", "new_text": "Schön"}},
		"edited where it is": {"Gr\xfc\xdfe\n", "edit_file", map[string]any{"path": "f", "old_text": "ü", "new_text": "u"}},
		"longer":             {"Gr\xfc\xdfe\n", "write_file", map[string]any{"path": "f", "content": "ü", "append": true}},
		"patched":            {"a\nGr\xfc\xdfe\n", "apply_patch", map[string]any{"input": "*** Begin Patch\n*** Update File: f\n@@\n a\n+ü\n*** End Patch"}},
		"UTF-16":             {"a\x00b\x00", "edit_file", map[string]any{"path": "f", "old_text": "a", "new_text": "xyz"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.write("repo/f", c.was)
			out, err := d.call(c.tool, c.args)
			if err == nil || !strings.Contains(err.Error(), "no text in UTF-8") {
				t.Errorf("it says %q %v", out, err)
			}
			if got := d.read("repo/f"); got != c.was {
				t.Errorf("it holds %q", got)
			}
		})
	}
}
