package builder_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"chela/internal/blueprint"
	"chela/internal/builder"
	"chela/internal/canvas"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/library"
)

// flaky keeps one draft; the edits of some steps fail some times.
type flaky struct {
	builder.Drafts

	mu    sync.Mutex // guards the rest
	d     canvas.Draft
	fails map[string]int // by key, how often yet
	most  int            // edits at once
	now   int
}

func (f *flaky) Edit(_ context.Context, by library.Author, _ string, _ int, ops []canvas.Operation) (library.WorkingDraft, canvas.Outcome, error) {
	f.mu.Lock()
	f.now++
	f.most = max(f.most, f.now)
	f.mu.Unlock()
	time.Sleep(10 * time.Millisecond)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now--
	step := by.Key[strings.LastIndexByte(by.Key, '/')+1:]
	if f.fails[step] > 0 {
		f.fails[step]--
		return library.WorkingDraft{}, canvas.Outcome{}, fault.Wrap(errors.New("no"), fault.Unavailable, "The database is away.")
	}
	out, err := canvas.Apply(f.d, ops)
	if err == nil {
		f.d = out.Draft
	}
	return library.WorkingDraft{}, out, err
}

func node(id string, after ...string) blueprint.Step {
	return blueprint.Step{ID: id, Action: blueprint.CreateNode, NodeType: "wait", Label: id, DependsOn: after, Output: &blueprint.Output{Node: id}}
}

// TestExecute_TriesAndSkips holds that a step is tried three times, a second apart, that what depends on one that failed is
// skipped, that independent steps are done at once, and that variables reach those that depend on them.
func TestExecute_TriesAndSkips(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{d: canvas.Draft{Source: "slug: a\nname: A\nsteps: []\n"}, fails: map[string]int{"twice": 2, "never": 9}}
		b := builder.New[builder.Tx](nil, builder.Parts{Library: f, Now: time.Now})
		p := blueprint.Plan{ID: "pln_1", Workflow: "a", Steps: []blueprint.Step{
			node("one"), node("twice"), node("never"),
			{ID: "link", Action: blueprint.ConnectNodes, SourceID: "${one}", TargetID: "${twice}", DependsOn: []string{"one", "twice"}},
			{ID: "lost", Action: blueprint.ConnectNodes, SourceID: "${one}", TargetID: "${never}", DependsOn: []string{"one", "never"}},
			node("below", "lost"),
		}}
		began := time.Now()
		results, err := b.Do(t.Context(), event.Party{AgentID: "agent:person/per_1"}, p)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range results {
			got = append(got, fmt.Sprintf("%s %v %v %d", r.Step, r.Success, r.Skipped, r.Tries))
		}
		want := []string{"one true false 1", "twice true false 3", "never false false 3", "link true false 1", "lost false true 0", "below false true 0"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if took := time.Since(began).Round(100 * time.Millisecond); took != 2*time.Second {
			t.Errorf("it took %v, want 2 s of waiting", took)
		}
		if f.most < 2 || !strings.Contains(f.d.Source, "needs: [one]") {
			t.Errorf("%d at once; got\n%s", f.most, f.d.Source)
		}
	})
}

// TestState_Moves holds that a plan ends in one of its ends, and that what was given up or undone is never done.
func TestState_Moves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := builder.Pending
		for range 20 {
			next := rapid.SampledFrom(builder.States()).Draw(rt, "next")
			if !s.CanBecome(next) {
				continue
			}
			if s == builder.Dropped || s == builder.Undone {
				rt.Fatalf("%s became %s", s, next)
			}
			if next == builder.Completed && s != builder.Executing || next == builder.Pending {
				rt.Fatalf("%s became %s", s, next)
			}
			s = next
		}
	})
}
