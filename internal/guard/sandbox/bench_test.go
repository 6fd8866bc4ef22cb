package sandbox_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"chela/internal/disk"
	"chela/internal/guard/sandbox"
	"chela/internal/tool"
)

// BenchmarkPlain and BenchmarkSandboxed differ by what the sandbox costs.
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
	j := tool.Job{Argv: []string{"/bin/true"}, Dir: folder, Folders: []disk.Grant{{Path: folder, Write: true}}}
	for b.Loop() {
		if e, err := s.Run(context.Background(), j); err != nil || e.Code != 0 {
			b.Fatal(e, err)
		}
	}
}

// BenchmarkLarge has a project of ten thousand files to look through for secrets.
func BenchmarkLarge(b *testing.B) { large(b, nil) }

// BenchmarkLargeChanges has it looked through for what changed, too.
func BenchmarkLargeChanges(b *testing.B) { large(b, new(disk.Changes)) }

func large(b *testing.B, told *disk.Changes) {
	b.Helper()
	s := sandbox.New(context.Background(), sandbox.Options{Hide: func(path string) bool { return filepath.Base(path) == ".env" }})
	folder := b.TempDir()
	for i := range 10_000 {
		dir := filepath.Join(folder, strconv.Itoa(i/100))
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600)); err != nil {
			b.Fatal(err)
		}
	}
	j := tool.Job{Argv: []string{"/bin/true"}, Dir: folder, Folders: []disk.Grant{{Path: folder, Write: true}}, Changes: told}
	for b.Loop() {
		if e, err := s.Run(context.Background(), j); err != nil || e.Code != 0 || !told.None() {
			b.Fatal(e, err, told)
		}
	}
}
