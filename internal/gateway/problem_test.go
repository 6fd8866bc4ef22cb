package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestProblem_WhoAskedAndLeftIsNoFault(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	h := New(nil, Options{Log: slog.New(slog.NewTextHandler(&said, nil))})
	gone, leave := context.WithCancel(t.Context())
	leave()
	_ = h.Problem(gone, fmt.Errorf("read the log: %w", context.Canceled))
	if said.Len() > 0 {
		t.Errorf("it was said as a fault: %s", said.String())
	}
	_ = h.Problem(gone, errors.New("the disk is full"))
	_ = h.Problem(t.Context(), fmt.Errorf("ask the model: %w", context.Canceled)) // who asked is still there
	for _, fault := range []string{"the disk is full", "ask the model"} {
		if !strings.Contains(said.String(), fault) {
			t.Errorf("%s: not said in %q", fault, said.String())
		}
	}
}
