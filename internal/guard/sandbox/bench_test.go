package sandbox_test

import (
	"context"
	"os/exec"
	"testing"

	"chela/internal/guard/sandbox"
	"chela/internal/tool"
)

// BenchmarkPlain and BenchmarkSandboxed differ by what the walls cost.
func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSandboxed(b *testing.B) {
	s := sandbox.New(context.Background(), sandbox.Options{})
	folder := b.TempDir()
	j := tool.Job{Argv: []string{"/bin/true"}, Dir: folder, Folders: []tool.Grant{{Path: folder, Write: true}}}
	for b.Loop() {
		if e, err := s.Run(context.Background(), j); err != nil || e.Code != 0 {
			b.Fatal(e, err)
		}
	}
}
