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

func TestWhatIsPutIsThere(t *testing.T) {
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

func TestWhatIsWrongIsSaid(t *testing.T) {
	root := t.TempDir()
	files, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := files.Put([]byte("minutes"))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(string(ref), "artifact:")
	if err := os.WriteFile(filepath.Join(root, name[:2], name), []byte("forged"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		ref  artifact.Ref
		kind fault.Kind
	}{
		"a changed file":  {ref, fault.Internal},
		"one not there":   {artifact.Ref("artifact:" + strings.Repeat("0", 64)), fault.NotFound},
		"a path":          {"artifact:../../etc/passwd", fault.Invalid},
		"another name":    {"sha256:" + artifact.Ref(name), fault.Invalid},
		"capital letters": {"artifact:" + artifact.Ref(strings.ToUpper(name)), fault.Invalid},
		"nothing":         {"", fault.Invalid},
	} {
		if b, err := files.Get(c.ref); fault.KindOf(err) != c.kind || err == nil {
			t.Errorf("%s: %q %v", what, b, err)
		}
	}
}
