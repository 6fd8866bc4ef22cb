package extract

import (
	"strings"
	"unicode"

	"chela/internal/pattern"
)

var (
	// okTo is what somebody finds right, or finds like something: "[Ann Lee] Ok to add it", "Bob: similar to what we have".
	okTo = pattern.New(`^\W*(?:` + nameList + `[\])]?\s*[:–—-]?\s+(?i:ok|okay|similar)\s+to\s|(?i:ok|okay|similar)\s+to\s[^,;]*$)`)
	// okName is what a rule takes for a name where somebody finds something right: "Ann Lee Ok".
	okName = pattern.New(`\s(?i:ok|okay|similar)$`)
)

// columnWords are the words above the columns of a table of actions.
var columnWords = set(list("assignee, assignees, assigned, owner, owners, pr, prs, status, due, date, deadline, eta, task, tasks, action, actions, item, items, responsible, priority, who, what, when, by, frist, fällig, aufgabe, aufgaben, verantwortlich, zuständig"))

// noTaskForm reports a text that has the form of what is nobody's task: what somebody finds right, or the head of a table.
func noTaskForm(text string) bool {
	return okTo.MatchString(text) || headsOnly(text)
}

// headsOnly reports a text that is nothing but words above columns.
func headsOnly(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, w := range words {
		if !columnWords[w] {
			return false
		}
	}
	return len(words) > 1
}
