package blueprint

import (
	"encoding/json"
	"fmt"
	"strings"

	"chela/internal/canvas"
	"chela/internal/fault"
	"chela/internal/pattern"
)

// Known is what a sentence may name.
type Known struct {
	Agents    []string // names, such as pm
	Persons   []string
	Workflows []string // slugs that are deployed
}

func update(path string, value any) canvas.Operation {
	raw, err := json.Marshal(value)
	if err != nil {
		raw = json.RawMessage("null")
	}
	return canvas.Operation{Op: canvas.UpdateProperty, Path: path, Value: raw}
}

// A Draft is a plan for a new workflow, with what its text begins with.
type Draft struct {
	Plan
	Description string
	Examples    []string
}

var (
	called    = pattern.New(`(?i)\bworkflow\s+(?:called|named)\s+["“']?([^"”',:.;]+?)["”']?\s*(?:\b(?:that|which|to|where|with)\b|[,:.;\n]|$)`)
	opening   = pattern.New(`(?is)^.*?\bworkflow\b`)
	joint     = pattern.New(`(?i)^\s*(?:,?\s*(?:that|which|where|to|for|with|as follows|first)\b\s*|[,:;.]\s*)+`)
	numbered  = pattern.New(`(?m)(?:^|\s)(?:\d{1,2}[.)]|[-*•])\s+`)
	separator = pattern.New(`(?i)\s*(?:;|,?\s*\b(?:and\s+)?(?:then|afterwards|after that|finally)\b,?|\.(?:\s+|$)|\n+)\s*`)
	every     = pattern.New(`(?i)\b(?:every|each|on)\s+(day|weekday|morning|hour|monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b(?:\s+at\s+(\d{1,2})(?::(\d{2}))?\s*(am|pm)?)?`)
)

var days = map[string]string{"monday": "MON", "tuesday": "TUE", "wednesday": "WED", "thursday": "THU", "friday": "FRI", "saturday": "SAT", "sunday": "SUN", "weekday": "MON-FRI"} //nolint:gochecknoglobals // a table

// FromText plans a new workflow from a text of simple forms: numbered steps, or steps joined by "then". What it does not
// understand is in Unread. A text of which no step is understood is a fault.Invalid that says the forms.
func FromText(text, slug string, known Known) (Draft, error) {
	d := Draft{Plan: Plan{Version: "1.0", Workflow: slug, Fresh: true, Context: Context{Intent: text, Nodes: []string{}}}}
	name := ""
	if m := called.FindStringSubmatch(text); m != nil {
		name = strings.TrimSpace(m[1])
		text = strings.Replace(text, strings.TrimRight(m[0], ",:.;\n"), "workflow "+lastWord(m[0])+" ", 1)
	}
	body := opening.ReplaceAllString(text, "")
	cron := ""
	if m := every.FindStringSubmatchIndex(body); m != nil {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return strings.ToLower(body[m[2*i]:m[2*i+1]])
		}
		if cron = cronOf(part(1), part(2), part(3), part(4)); cron != "" {
			body = body[:m[0]] + body[m[1]:]
		}
	}
	r := &reader{known: known, plan: &d.Plan}
	for _, clause := range clauses(body) {
		r.read(clause)
	}
	if len(r.steps) == 0 {
		return d, fault.New(fault.Invalid, "No step of that was understood. Write steps as numbers or joined by “then”: ask AGENT to …, ask PERSON whether …, wait 2 days, wait until a ticket is created, create a ticket …, run the workflow ….")
	}
	if name == "" {
		name = short(r.steps[0].title)
	}
	if d.Workflow == "" {
		d.Workflow = strings.ReplaceAll(Identifier(name), "_", "-")
	}
	d.Metadata = Metadata{Name: upper(name), Complexity: complexity(len(r.steps)), Estimated: len(d.Steps)}
	d.Description, d.Examples = describe(r), []string{upper(name), "Run " + name, "Please do the " + name}
	d.Metadata.Description = d.Description
	r.connect(cron)
	for i := range d.Steps {
		d.Steps[i].Order = i + 1
	}
	d.Metadata.Estimated = len(d.Steps)
	return d, nil
}

func lastWord(s string) string {
	fields := strings.Fields(strings.TrimRight(s, ",:.;\n"))
	switch w := strings.ToLower(fields[len(fields)-1]); w {
	case "that", "which", "to", "where", "with":
		return w
	}
	return ""
}

func complexity(steps int) string {
	switch {
	case steps <= 3:
		return "simple"
	case steps <= 8:
		return "moderate"
	}
	return "complex"
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// short is the first words of a text.
func short(s string) string {
	words := strings.Fields(strings.Trim(s, ".!?"))
	return strings.Join(words[:min(len(words), 5)], " ")
}

func describe(r *reader) string {
	var all []string
	for _, s := range r.steps {
		all = append(all, s.title)
	}
	return upper(strings.Join(all, "; ")) + "."
}

// cronOf is when something is done, "" when that cannot be said in cron.
func cronOf(what, hour, minute, half string) string {
	h, m := 9, 0
	if hour != "" {
		if _, err := fmt.Sscan(hour, &h); err != nil {
			return ""
		}
	}
	if minute != "" {
		if _, err := fmt.Sscan(minute, &m); err != nil {
			return ""
		}
	}
	switch {
	case half == "pm" && h < 12:
		h += 12
	case half == "am" && h == 12:
		h = 0
	}
	if h > 23 || m > 59 {
		return ""
	}
	if what == "hour" {
		return fmt.Sprintf("%d * * * *", m)
	}
	day := days[what]
	if day == "" {
		day = "*"
	}
	return fmt.Sprintf("%d %d * * %s", m, h, day)
}

// clauses are the steps that a text lists.
func clauses(body string) []string {
	body = joint.ReplaceAllString(" "+body, "")
	parts := numbered.Split("\n"+body, -1)
	if len(parts) < 2 {
		parts = separator.Split(body, -1)
	}
	var out []string
	for _, p := range parts {
		for _, one := range separator.Split(p, -1) {
			one = strings.Trim(joint.ReplaceAllString(" "+one, ""), " \t\n,.;:")
			one = strings.TrimPrefix(strings.TrimPrefix(one, "first "), "and ")
			if one != "" {
				out = append(out, one)
			}
		}
	}
	return out
}
