package blueprint

import (
	"encoding/json"
	"strconv"
	"strings"

	"chela/internal/canvas"
	"chela/internal/pattern"
)

var (
	renames = pattern.New(`(?i)^(?:rename|retitle)s?\s+(?:the\s+)?(?:step\s+|node\s+)?["“']?(.+?)["”']?\s+(?:to|as|into)\s+["“']?(.+?)["”']?$`)
	sets    = pattern.New(`(?i)^(?:set|change|update)s?\s+(?:the\s+)?([\pL_][\pL\d_.\[\]]*)\s+(?:of|for|on)\s+(?:the\s+)?(?:step\s+|node\s+)?["“']?(.+?)["”']?\s+(?:to|=)\s+(.+)$`)
	spans   = pattern.New(`(?i)^(\d{1,4})\s*(s|m|h|d|w|seconds?|minutes?|hours?|days?|weeks?)$`)
)

// properties are what people call properties of steps, by the kind of step where that matters.
var properties = map[string]string{ //nolint:gochecknoglobals // a table
	"condition": "when", "retries": "retry.times", "tries": "retry.times", "pause": "retry.wait",
	"agent task": "agent.task", "task": "agent.task", "agent": "agent.name", "prompt": "model.prompt", "question": "wait.person.ask", "role": "wait.person.role",
}

// update reads a change of a step: rename STEP to …, set PROPERTY of STEP to …; ok is false when the clause is no such, or
// names no step.
func (r *reader) update(clause string, g canvas.Graph) (Step, bool) {
	s := Step{ID: "update_" + strconv.Itoa(len(r.plan.Steps)), Name: upper(clause), Action: UpdateNode, DependsOn: r.before()}
	if m := renames.FindStringSubmatch(clause); m != nil {
		s.NodeID, s.Changes = node(g, m[1]), &Change{Label: m[2]}
		return s, s.NodeID != ""
	}
	m := sets.FindStringSubmatch(clause)
	if m == nil {
		return s, false
	}
	s.NodeID = node(g, m[2])
	property := strings.ToLower(m[1])
	if property == "title" || property == "name" || property == "label" {
		s.Changes = &Change{Label: strings.Trim(m[3], `"“”'`)}
		return s, s.NodeID != ""
	}
	if path := properties[property]; path != "" {
		property = path
	} else {
		property = m[1]
	}
	raw, err := json.Marshal(map[string]any{property: valueOf(m[3])})
	s.Changes = &Change{Config: raw}
	return s, err == nil && s.NodeID != ""
}

// isUpdate reports whether a clause has the form of a change of a step.
func isUpdate(clause string) bool { return renames.MatchString(clause) || sets.MatchString(clause) }

// valueOf is a value as a file has it: a number, true or false, a time span such as 5m, else the text.
func valueOf(text string) any {
	text = strings.TrimSpace(text)
	if m := spans.FindStringSubmatch(text); m != nil {
		n, unit := m[1], strings.ToLower(m[2][:1])
		if unit == "w" {
			weeks, err := strconv.Atoi(n)
			if err != nil {
				return text
			}
			return strconv.Itoa(7*weeks) + "d"
		}
		return n + unit
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f
	}
	if b, err := strconv.ParseBool(text); err == nil && len(text) > 1 {
		return b
	}
	return strings.Trim(text, `"“”'`)
}
