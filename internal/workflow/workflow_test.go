package workflow_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/fault"
	"chela/internal/run"
	"chela/internal/workflow"
)

// A trail is the state of a definition that notes what is done.
type trail struct{ done []string }

func note(name string, then func() (workflow.Next, error)) func(*trail, context.Context) (workflow.Next, error) {
	return func(t *trail, _ context.Context) (workflow.Next, error) {
		t.done = append(t.done, name)
		return then()
	}
}

func goOn() (workflow.Next, error) { return workflow.Next{}, nil }

func end() (workflow.Next, error) { return workflow.End(run.Outcome{State: run.Done}), nil }

func failed(_ context.Context, _ *trail, step string, cause error) (run.Outcome, error) {
	return run.Outcome{State: run.Failed, Reason: step + ": " + fault.TextOf(cause)}, nil
}

func TestPlay_GoesBackAndPassesOver(t *testing.T) {
	t.Parallel()
	rounds := 0
	d := workflow.Definition[*trail]{Name: "review", Failed: failed, Steps: []workflow.Step[*trail]{
		{Name: "write", Do: note("write", goOn), Most: 3},
		{Name: "never", Do: note("never", goOn), When: func(*trail) bool { return false }},
		{Name: "review", Most: 3, Do: note("review", func() (workflow.Next, error) {
			if rounds++; rounds < 3 {
				return workflow.Back("write"), nil
			}
			return workflow.Next{}, nil
		})},
		{Name: "deliver", Do: note("deliver", end)},
	}}
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	var got trail
	out, err := workflow.Play(t.Context(), d, &got)
	want := []string{"write", "review", "write", "review", "write", "review", "deliver"}
	if err != nil || out.State != run.Done || !slices.Equal(got.done, want) {
		t.Errorf("Play() = %v, %v after %v; want done after %v", out, err, got.done, want)
	}
}

func TestPlay_FaultsOfDefinitions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps []workflow.Step[*trail]
		want  string
	}{
		"no end":            {[]workflow.Step[*trail]{{Name: "a", Do: note("a", goOn)}}, "no step ended the run"},
		"too many rounds":   {[]workflow.Step[*trail]{{Name: "a", Most: 2, Do: note("a", func() (workflow.Next, error) { return workflow.Back("a"), nil })}}, "the step a is done 3 times"},
		"back to the front": {[]workflow.Step[*trail]{{Name: "a", Do: note("a", func() (workflow.Next, error) { return workflow.Back("b"), nil })}, {Name: "b", Do: note("b", end)}}, "goes back to b"},
		"a step fails":      {[]workflow.Step[*trail]{{Name: "a", Do: note("a", func() (workflow.Next, error) { return workflow.Next{}, errors.New("no") })}}, "a: "},
	} {
		out, err := workflow.Play(t.Context(), workflow.Definition[*trail]{Name: name, Steps: c.steps, Failed: failed}, new(trail))
		if err != nil || out.State != run.Failed || !strings.Contains(out.Reason, c.want) {
			t.Errorf("%s: Play() = %v, %v; want failed with %q", name, out, err, c.want)
		}
	}
}

func TestCheck_NamesAndEnds(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]workflow.Definition[*trail]{
		"no steps":     {Failed: failed},
		"same names":   {Failed: failed, Steps: []workflow.Step[*trail]{{Name: "a", Do: note("a", end)}, {Name: "a", Do: note("a", end)}}},
		"nothing done": {Failed: failed, Steps: []workflow.Step[*trail]{{Name: "a"}}},
		"no failure":   {Steps: []workflow.Step[*trail]{{Name: "a", Do: note("a", end)}}},
	} {
		if err := d.Check(); err == nil {
			t.Errorf("%s: Check() = nil, want an error", name)
		}
	}
}

// Whatever the steps do, a definition ends, and does no step more often than it may.
func TestPlay_Ends(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "steps")
		names := []string{"a", "b", "c", "d", "e", "f"}[:n]
		var d workflow.Definition[*trail]
		d.Name, d.Failed = "any", failed
		most := make(map[string]int)
		for _, name := range names {
			most[name] = rapid.IntRange(0, 4).Draw(t, "most")
			d.Steps = append(d.Steps, workflow.Step[*trail]{Name: name, Most: most[name], Do: note(name, func() (workflow.Next, error) {
				switch rapid.IntRange(0, 3).Draw(t, "next") {
				case 0:
					return workflow.Back(rapid.SampledFrom(names).Draw(t, "back")), nil
				case 1:
					return end()
				default:
					return goOn()
				}
			})})
		}
		var got trail
		if out, err := workflow.Play(context.Background(), d, &got); err != nil || !out.State.Final() {
			t.Fatalf("Play() = %v, %v; want an end", out, err)
		}
		for _, name := range names {
			if times := len(slices.DeleteFunc(slices.Clone(got.done), func(s string) bool { return s != name })); times > max(most[name], 1) {
				t.Errorf("the step %s was done %d times; it may be %d times", name, times, max(most[name], 1))
			}
		}
	})
}
