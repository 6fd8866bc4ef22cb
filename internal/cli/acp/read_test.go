package acp

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	sdk "github.com/coder/acp-go-sdk"
	"pgregory.net/rapid"

	"chela/internal/approval"
)

// FuzzPass hands on only messages, whatever comes, and answers in messages.
func FuzzPass(f *testing.F) {
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`, "{", `{"id":[1]}`, "\n\n", "null", `{"jsonrpc":"2.0","id":null,"method":"x"}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var passed, answered bytes.Buffer
		if err := pass(bytes.NewReader(in), &passed, &lineWriter{out: &answered}); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(passed.Bytes()) {
			if _, text := wrong(line); text != "" {
				t.Errorf("%q was passed on: %s", line, text)
			}
		}
		for line := range bytes.Lines(answered.Bytes()) {
			var m struct {
				ID    json.RawMessage
				Error struct{ Code int }
			}
			if json.Unmarshal(line, &m) != nil || m.Error.Code == 0 || m.ID != nil && !scalar(m.ID) && string(m.ID) != "null" {
				t.Errorf("%q is no answer", line)
			}
		}
	})
}

// FuzzPrompt reads whatever an editor sends as a prompt, within its bounds.
func FuzzPrompt(f *testing.F) {
	for _, b := range []sdk.ContentBlock{
		sdk.TextBlock("x"), sdk.ResourceLinkBlock("a b](c", "file:///a b)"), sdk.ImageBlock("aGVsbG8=", "image/png"), sdk.AudioBlock("", ""),
		sdk.ResourceBlock(sdk.EmbeddedResourceResource{TextResourceContents: &sdk.TextResourceContents{Uri: "file:///x", Text: "```"}}),
	} {
		raw, err := json.Marshal([]sdk.ContentBlock{b})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var blocks []sdk.ContentBlock
		if json.Unmarshal(raw, &blocks) != nil {
			return
		}
		m, err := messageOf(blocks)
		if err == nil && (m.text == "" && len(m.images) == 0 || len(m.images) > mostPictures || strings.TrimSpace(m.text) != m.text) {
			t.Errorf("%s was read as %q with %d pictures", raw, m.text, len(m.images))
		}
	})
}

// FuzzDiffs reads whatever is given as a diff.
func FuzzDiffs(f *testing.F) {
	f.Add("--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n")
	f.Add("--- /dev/null\n+++ a\n@@ -0,0 +1,9 @@\n+y")
	f.Add("+++ /x\n@@ -1,99999999999999999999 +1 @@\n\\ No newline\n--- x")
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range diffsOf(text, "/w") {
			if !filepath.IsAbs(d.path) || len(d.old)+len(d.new) > 2*len(text) {
				t.Errorf("%q was read as %+v", text, d)
			}
		}
	})
}

// TestDiffs_SayWhatBecomesOfAFile: of a text that one hunk covers, both sides are there as they are.
func TestDiffs_SayWhatBecomesOfAFile(t *testing.T) {
	t.Parallel()
	text := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "-- c", "++ d", "@@ e", " f", ""}), 0, 5).Draw(t, "lines")
		return strings.Join(lines, "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		old, next := text.Draw(t, "old"), text.Draw(t, "new")
		from := rapid.SampledFrom([]string{"/w/x", os.DevNull}).Draw(t, "from")
		if from == os.DevNull {
			old = ""
		}
		got := diffsOf(udiff.Unified(from, "/w/x", old, next), "")
		if old == next {
			if len(got) > 0 {
				t.Errorf("nothing becomes %+v", got)
			}
			return
		}
		if len(got) != 1 || got[0] != (diff{path: "/w/x", old: old, new: next, fresh: from == os.DevNull}) {
			t.Errorf("%q to %q was read as %+v", old, next, got)
		}
	})
}

// TestVerdict_AllowsNothingElse holds for all answers: what is approved is what the person allowed, and is for always only when they said so of all of it.
func TestVerdict_AllowsNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.SliceOfN(rapid.SampledFrom([]string{approval.Approve, approval.Always, approval.Refuse}), 1, 4).Draw(t, "said")
		var allowed []string
		always := 0
		for i, s := range said {
			if s != approval.Refuse {
				allowed = append(allowed, string(rune('a'+i)))
			}
			if s == approval.Always {
				always++
			}
		}
		in := verdict(len(said), allowed, always)
		a := approval.Answer{Choice: in.Choice, Calls: in.Calls}
		for i := range said {
			call := string(rune('a' + i))
			if a.Allows(call) != slices.Contains(allowed, call) {
				t.Errorf("%v became %+v", said, in)
			}
		}
		if in.Choice == approval.Always && always != len(allowed) {
			t.Errorf("%v became %+v", said, in)
		}
	})
}

// TestInFolder_LeadsNowhereElse refuses what lies outside, also behind links, and what holds secrets.
func TestInFolder_LeadsNowhereElse(t *testing.T) {
	t.Parallel()
	folder, outside := t.TempDir(), t.TempDir()
	for name, to := range map[string]string{"out": outside, "in": filepath.Join(folder, "sub"), "lost": filepath.Join(outside, "nothing")} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	v := &conversation{cwd: folder}
	for said, want := range map[string]bool{
		"a.txt": true, "new/folder/a.txt": true, filepath.Join(folder, "a.txt"): true, "in/a.txt": true, "sub/../a.txt": true,
		"": false, ".": false, "..": false, "../a.txt": false, filepath.Join(outside, "a.txt"): false, "out/a.txt": false, "out": false, "lost": false, "lost/a.txt": false, ".ssh/id_rsa": false, ".env": false, folder + "x/a.txt": false,
	} {
		if got, err := v.inFolder(said); (err == nil) != want {
			t.Errorf("%q is %q, %v; allowed shall be %v", said, got, err, want)
		}
	}
}
