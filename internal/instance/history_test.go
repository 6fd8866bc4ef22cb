package instance_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"chela/internal/definition"
	"chela/internal/instance"
	"chela/internal/library"
)

var update = flag.Bool("update", false, "write the histories")

// TestReplay_HistoriesOfShippedWorkflows plays every recorded history of the workflows that come with Chela with
// this engine: it is answered from the history alone and records nothing new. A change that fails here breaks
// instances that are in progress.
func TestReplay_HistoriesOfShippedWorkflows(t *testing.T) {
	t.Parallel()
	for _, slug := range library.Shipped() {
		raw, err := library.ShippedSource(slug)
		if err != nil {
			t.Fatal(err)
		}
		c, problems := definition.ReadFile(raw)
		if problems != nil {
			t.Fatal(problems.In(slug))
		}
		test := c.Tests[0]
		file := filepath.Join("testdata", "histories", slug+".json")
		if *update {
			history, err := instance.History(t.Context(), c, test)
			if err == nil {
				err = os.WriteFile(file, append(history, '\n'), 0o644) //nolint:gosec // a golden file
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		history, err := os.ReadFile(file) //nolint:gosec // a golden file
		if err != nil {
			t.Fatal(err)
		}
		added, err := instance.Replay(t.Context(), c, test, history)
		if len(added) > 0 {
			t.Errorf("%s: the engine records beside its history: %v", slug, added)
		}
		if err != nil && test.Expect.State == "" {
			t.Errorf("%s: %v", slug, err)
		}
	}
}

// TestReplay_SeesAnotherEngine has a history whose steps have other keys: it is not answered.
func TestReplay_SeesAnotherEngine(t *testing.T) {
	t.Parallel()
	raw, err := library.ShippedSource("bug-triage")
	if err != nil {
		t.Fatal(err)
	}
	c, problems := definition.ReadFile(raw)
	if problems != nil {
		t.Fatal(problems.In("bug-triage"))
	}
	if added, err := instance.Replay(t.Context(), c, c.Tests[0], []byte(`[{"key":"steps/known","done":true}]`)); err == nil || len(added) == 0 {
		t.Errorf("a history with other keys was answered: %v, %v", added, err)
	}
}
