package definition

import (
	"cmp"
	"fmt"
	"strings"
)

// Does says in a few words what a step does: whom it asks, what it calls, what it waits for. A step that says nothing, or
// two things, gives "".
func (s Step) Does() string {
	kinds := s.Kinds()
	if len(kinds) != 1 {
		return ""
	}
	switch kinds[0] {
	case Agent:
		return cmp.Or(s.Agent.Name, strings.Join(s.Agent.Requires, ", "), "an agent that the router chooses")
	case Tool:
		return s.Tool.Name
	case Model:
		return line(s.Model.Prompt)
	case RuleKind:
		return counted(len(s.Rule), "rule")
	case Branch:
		return counted(len(s.Branch), "case")
	case Loop:
		return fmt.Sprintf("until %s, %d times at most", line(s.Loop.Until), s.Loop.Most)
	case Map:
		return "each of " + line(s.Map.Over)
	case Wait:
		return s.Wait.does()
	case Workflow:
		return s.Workflow.Slug
	case Transform:
		return "a value"
	}
	return ""
}

func (w *WaitStep) does() string {
	switch {
	case w.Person != nil:
		return line(w.Person.Ask)
	case w.Event != nil:
		return "the event " + w.Event.Type
	case w.Until != "":
		return "until " + line(w.Until)
	}
	return string(w.For)
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// mostDoes is how much of a text the outline says, in runes.
const mostDoes = 80

// line is the first line of a text, cut.
func line(text string) string {
	first, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.TrimSpace(first))
	if len(runes) > mostDoes {
		return string(runes[:mostDoes-1]) + "…"
	}
	if more {
		return string(runes) + " …"
	}
	return string(runes)
}
