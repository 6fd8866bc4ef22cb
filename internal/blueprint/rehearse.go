package blueprint

import (
	"cmp"
	"fmt"
	"strings"

	"chela/internal/canvas"
	"chela/internal/fault"
)

// Given are the variables that a step sets, after what its operations came to.
func (s Step) Given(out canvas.Outcome, vars map[string]string) {
	if s.Output == nil {
		return
	}
	if s.Output.Node != "" && len(out.Created) > 0 {
		vars[s.Output.Node] = out.Created[0]
	}
	if s.Output.File != "" && len(out.Operations) > 0 {
		vars[s.Output.File] = out.Operations[0].Path
	}
}

// Rehearse does a plan on a copy of a draft. The error, a fault.Invalid, names the step that cannot be done; the draft
// that it returns may have findings.
func Rehearse(d canvas.Draft, p Plan) (canvas.Draft, error) {
	if problems := p.Problems(); len(problems) > 0 {
		return d, fault.New(fault.Invalid, "The plan does not fit. %s", strings.Join(problems, " "))
	}
	waves, err := p.Waves()
	if err != nil {
		return d, err
	}
	vars := make(map[string]string)
	for _, wave := range waves {
		for _, s := range wave {
			ops, err := s.Operations(vars)
			if err != nil {
				return d, fault.Wrap(err, fault.Invalid, "The step %s of the plan does not fit: %s.", s.ID, err)
			}
			out, err := canvas.Apply(d, ops)
			if err != nil {
				return d, fault.Wrap(err, fault.Invalid, "The step %s of the plan does not fit. %s", s.ID, fault.TextOf(err))
			}
			s.Given(out, vars)
			d = out.Draft
		}
	}
	return d, nil
}

// Begin is the text of a workflow that has no steps yet. A message may begin it.
func Begin(slug, name, description string, examples []string) (string, error) {
	base := fmt.Sprintf("slug: %s\nname: x\nsteps: []\n", slug)
	ops := []canvas.Operation{update("name", name)}
	if description != "" {
		ops = append(ops, update("description", description))
	}
	if len(examples) > 0 {
		ops = append(ops, update("examples", examples))
	}
	ops = append(ops, update("triggers", []map[string]any{{"message": true}}))
	out, err := canvas.Apply(canvas.Draft{Source: base}, ops)
	return out.Source, err
}

// Named is how people are told of what a plan builds.
func (p Plan) Named() string { return fmt.Sprintf("**%s** (`%s`)", p.Metadata.Name, p.Workflow) }

// Describe writes a plan for people, in Markdown.
func (p Plan) Describe() string {
	var b strings.Builder
	b.WriteString(p.Named() + "\n")
	n := 0
	for _, s := range p.Steps {
		if s.Action == ConnectNodes {
			continue
		}
		n++
		fmt.Fprintf(&b, "%d. %s\n", n, cmp.Or(s.Name, string(s.Action)+" "+cmp.Or(s.Label, s.NodeID, s.Path)))
	}
	for _, u := range p.Unread {
		fmt.Fprintf(&b, "\nI could not read: “%s”. It is not in the plan.", u)
	}
	for _, f := range p.Findings {
		fmt.Fprintf(&b, "\nStill to put right: %s", f)
	}
	return strings.TrimRight(b.String(), "\n")
}
