package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
)

func TestProfile_AProfileIsWrittenWhenTheWorkEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cpu.pprof")
	broke := errors.New("the work broke")
	if err := profiled(path, func() error { return broke }); !errors.Is(err, broke) {
		t.Fatalf("the work's error is lost: %v", err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) { // a profile is compressed by gzip
		t.Fatalf("%d bytes are no profile: %.20q", len(raw), raw)
	}
}

func TestProfile_NothingBeginsWhenTheProfileHasNoPlace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "missing", "cpu.pprof")
	err := profiled(path, func() error {
		t.Error("the work began")
		return nil
	})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), path) {
		t.Fatalf("got %v", err)
	}
}
