package artifact_test

import (
	"testing"

	"chela/internal/artifact"
)

func TestFiles_NodesKnowWhoSharesTheFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, err := artifact.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	two, other := artifact.At(dir), artifact.At(t.TempDir())
	for _, node := range []string{"a", "..", "a/b c"} {
		if err := one.Join(node); err != nil {
			t.Fatal(err)
		}
		if !two.Joined(node) || other.Joined(node) {
			t.Errorf("%q is known in the same folder: %v, in another: %v", node, two.Joined(node), other.Joined(node))
		}
	}
	if one.Joined("b") || one.Folder() != dir {
		t.Error("a node that left no mark is known")
	}
}
