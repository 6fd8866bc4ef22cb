package sandbox_test

import (
	"context"
	"os"
	"testing"
	"time"

	"chela/internal/guard/sandbox"
)

// TestDocker tries the sandbox of Docker with the attacks that are tried on ours. It needs a
// daemon and the name of an image with a shell and the usual programs in CHELA_TEST_DOCKER:
// `make docker-sandbox` sees to both. Elsewhere TestArgs_DockerArgs holds what Docker is asked for.
// Docker filters system calls by a list of its own, and the files of the system are the image's.
func TestDocker(t *testing.T) {
	t.Parallel()
	image := os.Getenv("CHELA_TEST_DOCKER")
	if image == "" {
		return
	}
	s := sandbox.New(context.Background(), sandbox.Options{Backend: sandbox.Docker, Image: image, Hide: secret})
	if r := s.Report(); r.Backend != sandbox.Docker {
		t.Fatalf("docker does not hold here: %+v", r)
	}
	for _, a := range attacks {
		if !a.ours {
			t.Run(a.name, func(t *testing.T) { a.behind(t, s) })
		}
	}
	t.Run("nothing is left", func(t *testing.T) { nothingIsLeft(t, s, 8*time.Second) })
	t.Run("input", func(t *testing.T) { input(t, s) })
	t.Run("ends", func(t *testing.T) { ends(t, s) })
}
