package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// This file reads one part of a line that lists a ticket: "5 SP", "owner: Alice", "due Dec 3", "done".

var (
	pointsPart  = pattern.New(`(?i)^~?\s*(\d{1,3}(?:[.,]\d)?)\s*-?\s*(?:sps?|pts?\.?|points?|story ?points?|punkte)$`)
	pointsAhead = pattern.New(`(?i)^(?:sps?|pts?|points?|story ?points?|est(?:imate)?\.?|punkte)\s*[:=]?\s*(\d{1,3}(?:[.,]\d)?)$`)
	ownerPart   = pattern.New(`(?i)^(?:assigned to|owned by|assignee|owner|zugewiesen an|bei)\s+((?-i:` + nameList + `))$`)
	handlesPart = pattern.New(`^` + handle + `(?:\s*[,&+/]\s*` + handle + `)*$`)
	duePart     = pattern.New(`(?i)^(?:due|due date|deadline|eta|fällig|bis|until)(?:\s+(?:on|by|am|zum))?\s*[:=]?\s+(.{2,30})$`)
	sprintPart  = pattern.New(`(?i)^(?:sprint|iteration)\s+\d{1,3}$`)
	prioPart    = pattern.New(`(?i)^(?:prio(?:rity)?\.?\s*[:=]?\s*(\pL+|[0-4])|(\pL+)\s+prio(?:rity)?|(p[0-4]))$`)
	blockedPart = pattern.New(`(?i)^blocked by:?\s+((?-i:[A-Z][A-Z0-9]{0,9}-[1-9]\d{0,6})(?:\s*(?:,|&|and)\s*(?-i:[A-Z][A-Z0-9]{0,9}-[1-9]\d{0,6}))*)$`)
	plainDay    = pattern.New(`(?i)^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\s?\d{1,2}\.(?:\d{2,4})?|(?:` + months + `)\.?\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+\d{4})?|\d{1,2}(?:st|nd|rd|th|\.)?\s+(?:` + months + `)\.?(?:\s+\d{4})?)$`)
	yearOnly    = pattern.New(`^20\d\d$`)
)

// listNames are the names of fields in a line, for the columns that they are read into.
var listNames = map[string][]string{
	"Owner":        list("owner, owners, assignee, assignees, assigned, assigned to, who, dev, developer, responsible, dri, lead, verantwortlich, zuständig, wer, bearbeiter"),
	"Status":       list("status, state, zustand"),
	"Priority":     list("priority, prio, severity, priorität"),
	"Story Points": list("sp, points, pts, story points, storypoints, estimate, est, size, punkte"),
	"Due":          list("due, due date, due on, deadline, eta, by when, when, fällig, termin, bis"),
	"Sprint":       list("sprint, iteration"),
	"Epic":         list("epic"),
	"Type":         list("type, typ"),
	"Labels":       list("label, labels, tags, component"),
	"Blocked by":   list("blocked by, depends on"),
}

// noOwner are words that say that nobody has a ticket.
var noOwner = list("unassigned, not assigned, nobody, no owner, no assignee, owner tbd, tbd, unowned, needs owner, needs an owner, nicht zugewiesen, niemand, ohne verantwortlichen")

// plainStatuses are words that say at the end of a line how a ticket stands, also without brackets around them.
var plainStatuses = list("done, in progress, wip, blocked, todo, to do, in review, open, closed, resolved, in testing, in test, on hold, not started, started, finished, completed, merged, shipped, won't do, cancelled, canceled, backlog," +
	" in arbeit, in bearbeitung, erledigt, fertig, offen, blockiert, abgeschlossen, im review, im test")

// listTypes are words in brackets that say what a ticket is.
var listTypes = list("bug, story, task, epic, spike, chore, feature, sub-task, subtask, defect, incident, improvement")

// statusWord reports a word that says how a ticket stands.
func statusWord(word string) bool {
	return lookedUp(word, statuses, outcomes) != "" && strings.ContainsFunc(word, func(c rune) bool { return c > '9' })
}

// detail reads a part behind a comma or dash, nil where it is none. beside says that another part of the line is one.
func detail(part string, beside bool) []listField {
	part = strings.Trim(part, " *_`.")
	low := strings.ToLower(part)
	if f := fieldOf(part); f != nil {
		return f
	}
	if m := ownerPart.FindStringSubmatch(part); m != nil && isName(m[1]) {
		return []listField{{"Owner", strings.ReplaceAll(m[1], "@", "")}}
	}
	if f := figures(part); f != nil {
		return f
	}
	switch {
	case handlesPart.MatchString(part):
		return []listField{{"Owner", strings.ReplaceAll(part, "@", "")}}
	case slices.Contains(noOwner, low):
		return []listField{{"Owner", "unassigned"}}
	case slices.Contains(plainStatuses, low):
		return []listField{{"Status", low}}
	case strings.HasPrefix(low, "blocked ") && strings.Count(low, " ") <= 4:
		return []listField{{"Status", "blocked"}}
	case !beside:
	case plainDay.MatchString(part):
		return []listField{{"Due", part}}
	case priorityWord(low):
		return []listField{{"Priority", low}}
	}
	if part == strings.ToUpper(part) && len(part) > 2 && priorityWord(low) {
		return []listField{{"Priority", low}}
	}
	return nil
}

// inGroup reads a part that stands in brackets, where a word is enough.
func inGroup(part string) []listField {
	low := strings.ToLower(strings.Trim(part, " *_`."))
	if f := detail(part, true); f != nil {
		return f
	}
	switch {
	case slices.Contains(listTypes, low):
		return []listField{{"Type", low}}
	case statusWord(low):
		return []listField{{"Status", low}}
	}
	if rest, sign := cutSign(low); sign != "" && rest == "" {
		return []listField{{"Status", sign}}
	}
	return nil
}

// fieldOf reads "owner: Alice".
func fieldOf(part string) []listField {
	m := ticketItem.FindStringSubmatch(part)
	if m == nil || m[2] == "" {
		return nil
	}
	name := strings.ToLower(m[1])
	for _, column := range sortedFields {
		if !slices.Contains(listNames[column], name) {
			continue
		}
		value := m[2]
		switch column {
		case "Owner":
			value = strings.ReplaceAll(value, "@", "")
		case "Story Points":
			if f := figures(value + " points"); f != nil {
				value = f[0].value
			} else if f := figures(value); f != nil {
				value = f[0].value
			}
		}
		return []listField{{column, value}}
	}
	return nil
}

var sortedFields = list("Owner, Status, Priority, Story Points, Due, Sprint, Epic, Type, Labels, Blocked by")

// figures reads points, priorities, days and sprints that say by themselves what they are.
func figures(part string) []listField {
	for _, p := range []*pattern.Pattern{pointsPart, pointsAhead} {
		if m := p.FindStringSubmatch(part); m != nil {
			return []listField{{"Story Points", strings.Replace(m[1], ",", ".", 1)}}
		}
	}
	if m := blockedPart.FindStringSubmatch(part); m != nil {
		return []listField{{"Status", "blocked"}, {"Blocked by", strings.NewReplacer(" and ", ", ", "&", ",").Replace(m[1])}}
	}
	if m := duePart.FindStringSubmatch(part); m != nil {
		low := strings.ToLower(m[1])
		if plainDay.MatchString(low) || weekday.MatchString(low) || bareTime.MatchString(low) || bareEnd.MatchString(low) || someTime.MatchString(low) {
			return []listField{{"Due", m[1]}}
		}
		return nil
	}
	if m := prioPart.FindStringSubmatch(part); m != nil {
		if word := strings.ToLower(m[1] + m[2] + m[3]); priorities[word] != "" {
			return []listField{{"Priority", word}}
		}
	}
	if sprintPart.MatchString(part) {
		return []listField{{"Sprint", part}}
	}
	return nil
}

// priorityWord reports a word that says how urgent a ticket is.
func priorityWord(low string) bool {
	return slices.Contains(list("critical, highest, urgent, blocker, high, medium, low, lowest, p0, p1, p2, p3, p4, hoch, mittel, niedrig, kritisch"), low)
}
