package artifact

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"chela/internal/fault"
)

// TestArtifact_IsCopiedAsAStream: what is opened is what was kept, and nothing is kept under a name that is not of its bytes.
func TestArtifact_IsCopiedAsAStream(t *testing.T) {
	t.Parallel()
	from, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	to, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ref, err := from.Put([]byte("a long result"))
	if err != nil {
		t.Fatal(err)
	}
	in, size, err := from.Open(ref)
	if err != nil || size != 13 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	if err := errors.Join(to.Keep(ref, in), in.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := to.Get(ref); err != nil || string(got) != "a long result" {
		t.Errorf("it came over as %q, %v", got, err)
	}
	other, err := from.Put([]byte("another"))
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Keep(other, strings.NewReader("something else")); fault.KindOf(err) != fault.Invalid || err == nil {
		t.Errorf("under another name: %v", err)
	}
	broken := errors.New("broken")
	if err := to.Keep(other, io.MultiReader(strings.NewReader("anot"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("of a source that breaks: %v", err)
	}
	if _, _, err := to.Open(other); fault.KindOf(err) != fault.NotFound || err == nil {
		t.Errorf("it is there: %v", err)
	}
	if err := os.WriteFile(from.path(string(other[len(prefix):])), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := from.Open(other); fault.KindOf(err) != fault.Internal || err == nil {
		t.Errorf("what was changed on disk is opened: %v", err)
	}
	for _, bad := range []Ref{"", "artifact:", "artifact:../../x", Ref(strings.ToUpper(string(ref)))} {
		if _, _, err := from.Open(bad); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%q is opened: %v", bad, err)
		}
		if err := to.Keep(bad, strings.NewReader("")); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%q is kept: %v", bad, err)
		}
	}
}

// FuzzMentioned_FindsWhatIsNamed: whatever [Named] finds in a payload is mentioned in it, and what is mentioned is a name that stands there.
func FuzzMentioned_FindsWhatIsNamed(f *testing.F) {
	name := prefix + strings.Repeat("ab", 32)
	f.Add(`{"ref":"` + name + `","args":{"ref":"artifact:` + strings.Repeat("cd", 32) + `"}}`)
	f.Add("artifact:artifact:" + strings.Repeat("0", 64))
	f.Fuzz(func(t *testing.T, text string) {
		found := make(map[Ref]bool)
		Mentioned(text, func(s Sum) { found[s.Ref()] = true })
		for ref := range found {
			if s, ok := ref.Sum(); !ok || s.Ref() != ref || !strings.Contains(text, string(ref)) {
				t.Errorf("%q is mentioned in %q", ref, text)
			}
		}
		for _, ref := range Named([]byte(text)) {
			if !found[ref] && strings.Contains(text, string(ref)) { // letters may be written as numbers
				t.Errorf("%q is named in %q and not mentioned", ref, text)
			}
		}
	})
}
