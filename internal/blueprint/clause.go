package blueprint

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/pattern"
)

// A reader reads clauses to steps.
type reader struct {
	known Known
	plan  *Plan
	steps []readStep
	ids   map[string]bool
	last  string // the agent's step whose text the next one is shown
	needs bool   // a project, for records
}

type readStep struct {
	title string
	kind  string
	// of the agent, tool and so on
	config map[string]any
}

var (
	asks       = pattern.New(`(?i)^(?:asks?|have|has|lets?|gets?|tells?)\s+(?:the\s+)?([\pL\d_-]+(?:\s+[\pL\d_-]+)?)\s+(?:to\s+)?(.+)$`)
	questions  = pattern.New(`(?i)^(?:whether|if|for|about|what|which|how|who|when)\b`)
	approval   = pattern.New(`(?i)^(?:wait(?:s)?\s+(?:for|until)|ask(?:s)?\s+for|get(?:s)?|require(?:s)?)\s+(?:the\s+|an?\s+)?(?:approval|ok|sign-?off|consent|confirmation)(?:\s+(?:of|from|by)\s+(.+))?$`)
	approves   = pattern.New(`(?i)^waits?\s+until\s+(.+?)\s+(?:approves|agrees|confirms|signs off|says yes)(?:\s+.*)?$`)
	waitsFor   = pattern.New(`(?i)^waits?\s+(?:for\s+)?(\d{1,3}|an?|one|two|three)\s+(second|minute|hour|day|week)s?$`)
	waitsDate  = pattern.New(`(?i)^waits?\s+until\s+(\d{4}-\d{2}-\d{2})$`)
	waitsEvent = pattern.New(`(?i)^waits?\s+(?:until|for)\s+(?:a|an|the|some)\s+(ticket|objective|milestone|checklist|comment|reminder)(?:\s+(?:is|has been|was|to be))?\s+(created|opened|made|added|updated|changed|closed)$`)
	tickets    = pattern.New(`(?i)^(?:create|open|file|make)s?\s+(?:a|an|the)\s+ticket\s*(?:titled|called|named|saying|about|for|:|that says|to)?\s*["“']?(.+?)["”']?$`)
	plays      = pattern.New(`(?i)^(?:run|play|start|begin)s?\s+the\s+workflow\s+["“']?([a-z0-9][a-z0-9-]*)["”']?$`)
	leads      = pattern.New(`(?i)^(whether|if|for|about)\s+`)
	imperative = pattern.New(`(?i)^(summari[sz]e|write|draft|review|check|research|list|explain|prepare|collect|find|translate|compare|analy[sz]e|classify|describe|plan|sum up|look up|read|report)s?\b`)
)

var units = map[string]string{"second": "s", "minute": "m", "hour": "h", "day": "d", "week": "d"} //nolint:gochecknoglobals // a table

// read reads one clause, or notes that it cannot.
func (r *reader) read(clause string) {
	if s, ok := r.step(clause); ok {
		r.steps = append(r.steps, s)
		r.create(s)
		return
	}
	r.plan.Unread = append(r.plan.Unread, clause)
}

func (r *reader) step(clause string) (readStep, bool) {
	person := func(ask, who string) (readStep, bool) {
		config := map[string]any{"ask": upper(strings.TrimRight(ask, "?. ")) + "?"}
		if who != "" {
			name, ok := found(r.known.Persons, who)
			if !ok {
				return readStep{}, false
			}
			config["only"] = []string{name}
		}
		if r.last != "" {
			config["detail"] = "${" + r.last + ".text}"
		}
		return readStep{title: clause, kind: "wait", config: map[string]any{"person": config}}, true
	}
	switch {
	case approval.MatchString(clause):
		return person("May it go on", approval.FindStringSubmatch(clause)[1])
	case approves.MatchString(clause):
		who := approves.FindStringSubmatch(clause)[1]
		if strings.EqualFold(who, "somebody") || strings.EqualFold(who, "a person") || strings.EqualFold(who, "someone") {
			who = ""
		}
		return person("May it go on", who)
	case waitsFor.MatchString(clause):
		m := waitsFor.FindStringSubmatch(clause)
		n := 1
		switch strings.ToLower(m[1]) {
		case "a", "an", "one":
		case "two":
			n = 2
		case "three":
			n = 3
		default:
			if _, err := fmt.Sscan(m[1], &n); err != nil {
				return readStep{}, false
			}
		}
		unit := strings.ToLower(m[2])
		if unit == "week" {
			n *= 7
		}
		return readStep{title: clause, kind: "wait", config: map[string]any{"for": fmt.Sprintf("%d%s", n, units[unit])}}, n > 0
	case waitsDate.MatchString(clause):
		return readStep{title: clause, kind: "wait", config: map[string]any{"until": waitsDate.FindStringSubmatch(clause)[1]}}, true
	case waitsEvent.MatchString(clause):
		m := waitsEvent.FindStringSubmatch(clause)
		did := map[string]string{"opened": "created", "made": "created", "added": "created", "changed": "updated", "closed": "updated"}[strings.ToLower(m[2])]
		if did == "" {
			did = strings.ToLower(m[2])
		}
		config := map[string]any{"type": "desk." + strings.ToLower(m[1]) + "." + did}
		if strings.EqualFold(m[2], "closed") {
			config["when"] = `event.payload.set.status == "DONE"`
		}
		return readStep{title: clause, kind: "wait", config: map[string]any{"event": config}}, true
	case plays.MatchString(clause):
		slug := strings.ToLower(plays.FindStringSubmatch(clause)[1])
		return readStep{title: clause, kind: "workflow", config: map[string]any{"slug": slug}}, slices.Contains(r.known.Workflows, slug)
	case tickets.MatchString(clause):
		r.needs = true
		return readStep{title: clause, kind: "tool", config: map[string]any{"name": "create_ticket", "args": map[string]any{"title": upper(tickets.FindStringSubmatch(clause)[1])}}}, true
	}
	return r.asked(clause, person)
}

// asked reads what an agent or a person is asked, or what anybody shall do.
func (r *reader) asked(clause string, person func(ask, who string) (readStep, bool)) (readStep, bool) {
	if m := asks.FindStringSubmatch(clause); m != nil {
		who, what := m[1], m[2]
		words := strings.Fields(who)
		for n := len(words); n > 0; n-- {
			name, rest := strings.Join(words[:n], " "), strings.TrimSpace(strings.Join(words[n:], " ")+" "+what)
			rest = strings.TrimPrefix(rest, "to ")
			if agent, ok := found(r.known.Agents, strings.ReplaceAll(name, " ", "-")); ok {
				return r.task(clause, agent, rest), true
			}
			if p, ok := found(r.known.Persons, name); ok {
				if !questions.MatchString(rest) {
					rest = "Please " + rest + ". Is it done"
				} else {
					rest = strings.TrimSpace(leads.ReplaceAllString(rest, ""))
				}
				return person(rest, p)
			}
			if anybody := strings.ToLower(name); anybody == "a person" || anybody == "somebody" || anybody == "someone" || anybody == "me" {
				return person(leads.ReplaceAllString(rest, ""), "")
			}
		}
		return readStep{}, false
	}
	if imperative.MatchString(clause) {
		if agent, ok := found(r.known.Agents, "generalist"); ok {
			return r.task(clause, agent, clause), true
		}
	}
	return readStep{}, false
}

func (r *reader) task(clause, agent, task string) readStep {
	text := upper(strings.TrimRight(task, ".")) + "."
	if r.last != "" {
		text += "\n\n${" + r.last + ".text}\n"
	}
	return readStep{title: clause, kind: "agent", config: map[string]any{"name": agent, "task": text}}
}

// found is a name as it is known.
func found(known []string, name string) (string, bool) {
	for _, k := range known {
		if strings.EqualFold(k, strings.TrimSpace(name)) {
			return k, true
		}
	}
	for _, k := range known { // a person by their first name
		if first, _, _ := strings.Cut(k, " "); strings.EqualFold(first, strings.TrimSpace(name)) {
			return k, true
		}
	}
	return "", false
}

// create adds the step that creates a node.
func (r *reader) create(s readStep) {
	if r.ids == nil {
		r.ids = make(map[string]bool)
	}
	label := upper(short(s.title))
	base := label
	for n := 2; r.ids[Identifier(label)] || Identifier(label) == ""; n++ {
		label = fmt.Sprintf("%s %d", cmp.Or(base, "Step"), n)
	}
	id := Identifier(label)
	r.ids[id] = true
	config, err := json.Marshal(s.config)
	if err != nil {
		return
	}
	step := Step{ID: "create_" + id, Name: upper(s.title), Action: CreateNode, NodeType: s.kind, Label: label, Config: config, Output: &Output{Node: id}}
	step.DependsOn = r.before()
	r.plan.Steps = append(r.plan.Steps, step)
	if s.kind == "agent" {
		r.last = id
	}
}

// connect adds the steps that connect the nodes in their order, and what begins the workflow.
func (r *reader) connect(cron string) {
	nodes := slices.Clone(r.plan.Steps)
	for i := 1; i < len(nodes); i++ {
		a, b := nodes[i-1].Output.Node, nodes[i].Output.Node
		r.plan.Steps = append(r.plan.Steps, Step{
			ID: "connect_" + b, Name: fmt.Sprintf("%s follows %s", b, a), Action: ConnectNodes, SourceID: "${" + a + "}", TargetID: "${" + b + "}", DependsOn: []string{nodes[i-1].ID, nodes[i].ID},
		})
	}
	changes := map[string]any{}
	if r.needs {
		changes["inputs"] = []map[string]any{{"name": "project", "type": "project", "required": true, "description": "Where its records are."}}
	}
	if cron != "" && !r.needs {
		changes["triggers"] = []map[string]any{{"message": true}, {"cron": cron}}
	}
	if cron != "" && r.needs {
		r.plan.Unread = append(r.plan.Unread, "by the clock ("+cron+"): a workflow with records begins in a project; add the trigger with its project")
	}
	if len(changes) > 0 {
		raw, err := json.Marshal(changes)
		if err == nil {
			r.plan.Steps = append(r.plan.Steps, Step{ID: "settings", Name: "Say what begins it, and what it needs", Action: UpdateNode, Changes: &Change{Config: raw}})
		}
	}
}
