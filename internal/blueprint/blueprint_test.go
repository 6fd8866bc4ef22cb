package blueprint_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/blueprint"
	"chela/internal/canvas"
	"chela/internal/definition"
	"chela/internal/fault"
)

var team = blueprint.Known{Agents: []string{"pm", "generalist", "reviewer"}, Persons: []string{"Ann Bell", "Ben"}, Workflows: []string{"weekly-report"}} //nolint:gochecknoglobals // never changes

// built is the text that a sentence becomes.
func built(t *testing.T, text string) (blueprint.Draft, string) {
	t.Helper()
	d, err := blueprint.FromText(text, "", team)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	begun, err := blueprint.Begin(d.Workflow, d.Metadata.Name, d.Description, d.Examples)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	out, err := blueprint.Rehearse(canvas.Draft{Source: begun}, d.Plan)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d, out.Source
}

// TestFromText_BecomesAWorkflow holds that sentences of the forms that are promised become workflows that the linter passes.
func TestFromText_BecomesAWorkflow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Build a workflow that asks the pm to list late tickets, then ask Ann whether they matter, then create a ticket called Follow up": {
			"name: pm", "List late tickets.", "ask: They matter?", "only: [Ann Bell]", "detail: ${ask", "create_ticket", "title: Follow up", "type: project", "message: true",
		},
		"Create a workflow called Standup digest that summarises yesterday's tickets, then waits for approval from Ben, then asks reviewer to check the summary.": {
			"slug: standup-digest", "name: Standup digest", "name: generalist", "only: [Ben]", "name: reviewer",
		},
		"Make a workflow:\n1. Ask generalist to write release notes\n2. Wait 2 days\n3. Wait until a ticket is closed\n4. Run the workflow weekly-report": {
			"for: 2d", "desk.ticket.updated", "slug: weekly-report",
		},
		"build a workflow which every Monday at 8:30 asks pm to write the status, then wait until 2026-12-01": {"cron: \"30 8 * * MON\"", "until:", "message: true"},
	} {
		d, source := built(t, text)
		if _, problems := definition.ReadFile([]byte(source)); problems != nil {
			t.Errorf("%q: %s\n%s", text, problems.In("it"), source)
		}
		for _, w := range want {
			if !strings.Contains(source, w) {
				t.Errorf("%q: want %q in\n%s", text, w, source)
			}
		}
		if len(d.Unread) != 0 {
			t.Errorf("%q: not understood: %q", text, d.Unread)
		}
	}
}

func TestFromText_TheLinterRefusesADayThatDoesNotExist(t *testing.T) {
	t.Parallel()
	_, source := built(t, "Build a workflow that asks pm to list late tickets, then waits until 2026-02-30")
	if _, problems := definition.ReadFile([]byte(source)); !strings.Contains(problems.In("it"), `"2026-02-30" is no time to wait until`) {
		t.Errorf("got %q of\n%s", problems.In("it"), source)
	}
}

// TestFromText_SaysWhatItCannotRead holds that nothing that was not understood is left out silently.
func TestFromText_SaysWhatItCannotRead(t *testing.T) {
	t.Parallel()
	d, _ := built(t, "Build a workflow that asks pm to list late tickets, then juggles three oranges, then asks Zoe to dance")
	if strings.Join(d.Unread, "|") != "juggles three oranges|asks Zoe to dance" {
		t.Errorf("got %q", d.Unread)
	}
	if _, err := blueprint.FromText("Build a workflow that sings", "", team); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}

// TestDetect_ByKeywords holds the seed's keywords, as whole words.
func TestDetect_ByKeywords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]blueprint.Intent{
		"Create a pipeline": blueprint.Build, "Change the title and rename it": blueprint.Edit, "What does it do?": blueprint.Query,
		"Export it": blueprint.Export, "the settings": blueprint.Configure, "Good morning": blueprint.Unknown, "my address": blueprint.Unknown,
	} {
		if got, sure := blueprint.Detect(text); got != want || sure <= 0 || sure > 0.9 {
			t.Errorf("%q: got %s, %v, want %s", text, got, sure, want)
		}
	}
	for text, want := range map[string]blueprint.Intent{
		"Build a workflow that asks pm": blueprint.Build, "please create me a new workflow called X": blueprint.Build, "change the workflow x-y: add a step": blueprint.Edit,
		"What is a workflow?": blueprint.Unknown, "The workflow is broken, create a ticket": blueprint.Unknown, "Make a ticket about the workflow": blueprint.Unknown,
	} {
		if got, _ := blueprint.Asks(text); got != want {
			t.Errorf("%q: asks for %s, want %s", text, got, want)
		}
	}
}

// TestProblems_OfPlans holds that a plan that cannot be done is refused before anything is.
func TestProblems_OfPlans(t *testing.T) {
	t.Parallel()
	node := func(id string, after ...string) blueprint.Step {
		return blueprint.Step{ID: id, Action: blueprint.CreateNode, NodeType: "wait", Label: id, DependsOn: after, Output: &blueprint.Output{Node: id}}
	}
	link := func(id, from, to string, after ...string) blueprint.Step {
		return blueprint.Step{ID: id, Action: blueprint.ConnectNodes, SourceID: from, TargetID: to, DependsOn: after}
	}
	begun := canvas.Draft{Source: "slug: a\nname: A\nsteps: []\n"}
	for want, steps := range map[string][]blueprint.Step{
		"1 to 100 steps":                {},
		"is there twice":                {node("a"), node("a")},
		"which is no step":              {node("a", "b")},
		"in a circle":                   {node("a", "b"), node("b", "a")},
		"which no step gives":           {node("a"), link("c", "${x}", "${a}", "a")},
		"does not depend on it":         {node("a"), node("b"), link("c", "${a}", "${b}", "b")},
		"there is no step nobody":       {node("a"), link("c", "nobody", "${a}", "a")},
		"follows it":                    {node("a"), node("b"), link("c", "${a}", "${b}", "a", "b"), link("d", "${b}", "${a}", "c")},
		`there is no action "EXPLODE"`:  {{ID: "a", Action: "EXPLODE"}},
		"names no file":                 {{ID: "a", Action: blueprint.CreateFile, Path: "../../etc/passwd"}},
		"a skill, a hook or a command":  {{ID: "a", Action: blueprint.RegisterCapability, Capability: "x", Type: "virus"}},
		"there is no kind orchestrator": {{ID: "a", Action: blueprint.CreateNode, NodeType: "ORCHESTRATOR", Label: "x"}},
	} {
		_, err := blueprint.Rehearse(begun, blueprint.Plan{Steps: steps})
		if want == "follows it" {
			want = "would follow itself"
		}
		if err == nil || !strings.Contains(strings.ToLower(fault.TextOf(err)), strings.ToLower(want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func FuzzFromText(f *testing.F) {
	f.Add("Build a workflow that asks pm to list late tickets, then ask Ann whether they matter")
	f.Add("workflow called : then ; 1. 2) - every hour at 99:99pm")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := blueprint.FromText(text, "", team)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		begun, err := blueprint.Begin("a", d.Metadata.Name, d.Description, d.Examples)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			return
		}
		if _, err := blueprint.Rehearse(canvas.Draft{Source: begun}, d.Plan); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func FuzzRehearse(f *testing.F) {
	f.Add(`{"steps":[{"id":"a","action":"CREATE_NODE","nodeType":"agent","label":"A","config":{"task":"x"}}]}`)
	f.Add(`{"steps":[{"id":"a","action":"UPDATE_NODE","changes":{"config":{"inputs":[1]}}},{"id":"b","action":"CREATE_NODE","nodeType":"rule","label":"B","config":[],"dependsOn":["a"]}]}`)
	f.Fuzz(func(t *testing.T, raw string) {
		var p blueprint.Plan
		if json.Unmarshal([]byte(raw), &p) != nil {
			return
		}
		out, err := blueprint.Rehearse(canvas.Draft{Source: "slug: a\nname: A\nsteps: []\n"}, p)
		if err != nil {
			if k := fault.KindOf(err); k != fault.Invalid && k != fault.TooLarge {
				t.Errorf("%s: %v", raw, err)
			}
			return
		}
		if _, problems := definition.Parse([]byte(out.Source)); problems != nil {
			t.Errorf("%s: %s", raw, problems.In("it"))
		}
	})
}
