package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// Trackers that know no more than open and closed have teams that say the rest by labels, as
// "status: in progress", "workflow::review", "priority/high" or "bug".

// scopedLabel is a label that says which field it is about.
var scopedLabel = pattern.New(`^\s*([\pL][\pL ]{0,24}?)\s*(?:::|[:/=]|\s-\s)\s*(\S.{0,60}?)\s*$`)

// A meaning is what labels say of a ticket, in the tracker's words of its fields.
type meaning struct {
	status, outcome, priority, kind string
}

var (
	statusScopes   = list("status, state, workflow, stage, progress, kanban, column, zustand, estado, statut")
	priorityScopes = list("priority, prio, p, severity, sev, importance, priorität, prioridad, priorité")
	typeScopes     = list("type, kind, issue type, category, typ, tipo")
	outcomeScopes  = list("resolution, outcome, closed, close reason, r")

	// bareStatuses are labels that say how work stands without a scope.
	bareStatuses = words(map[string]string{
		"IN_PROGRESS": "in progress, in-progress, wip, doing, in development",
		"REVIEW":      "in review, needs review, needs-review, ready for review, review needed, awaiting review",
		"BLOCKED":     "blocked, on hold, on-hold",
	})
	bareTypes = words(map[string]string{
		"BUG": "bug, defect", "STORY": "enhancement, feature, feature request, user story, story, improvement", "EPIC": "epic", "TASK": "task, chore",
	})
	barePriorities = words(map[string]string{
		"CRITICAL": "p0, urgent, priority critical, critical", "HIGH": "p1, high priority, priority high", "MEDIUM": "p2, medium priority", "LOW": "p3, p4, low priority, priority low",
	})
	// inWords are statuses as labels write them, which say more words around them.
	inWords = words(map[string]string{
		"IN_PROGRESS": "in dev, dev, coding, building, development", "REVIEW": "in review, verification, ready for test, in qa, staging, needs verification",
		"TODO": "ready for development, ready for dev, refinement, planning breakdown, problem validation, needs triage, triaged, scheduling",
		"DONE": "production, completed, awaiting release", "BLOCKED": "needs info, needs information, waiting for feedback",
	})
)

// means reads what labels say. A scope counts before a bare word.
func means(labels []string) (m meaning) {
	for _, l := range labels {
		s := scopedLabel.FindStringSubmatch(l)
		if s == nil {
			continue
		}
		scope, word := strings.ToLower(s[1]), strings.ToLower(strings.ReplaceAll(s[2], "-", " "))
		switch {
		case slices.Contains(statusScopes, scope):
			if known := lookedUp(word, statuses, inWords); known != "" {
				m.status = known
			}
			if o := outcomes[word]; o != "" {
				m.outcome = o
			}
		case slices.Contains(priorityScopes, scope) && priorities[word] != "":
			m.priority = priorities[word]
		case slices.Contains(typeScopes, scope) && types[word] != "":
			m.kind = types[word]
		case slices.Contains(outcomeScopes, scope) && outcomes[word] != "":
			m.outcome = outcomes[word]
		}
	}
	for _, l := range labels {
		word := strings.ToLower(strings.TrimSpace(l))
		if known := bareStatuses[word]; m.status == "" && known != "" {
			m.status = known
		}
		if known := barePriorities[word]; m.priority == "" && known != "" {
			m.priority = known
		}
		if known := bareTypes[word]; m.kind == "" && known != "" {
			m.kind = known
		}
		if o := outcomes[word]; m.outcome == "" && o != "" && word != "incomplete" {
			m.outcome = o
		}
	}
	return m
}

// lookedUp looks a word up in some tables.
func lookedUp(word string, in ...map[string]string) string {
	for _, table := range in {
		if known := table[word]; known != "" {
			return known
		}
	}
	return ""
}

// labelled takes over what the labels of a ticket say of what the tracker does not: where its status knows no more than
// open and closed, and where it has no column for priority or type.
func (r *rowReader) labelled(row Row, t *TicketRow) {
	m := means(t.Labels)
	open := t.Status != "DONE" && t.Status != "CLOSED"
	switch {
	case open && (r.twofold && t.Status == "TODO" || m.status == "BLOCKED") && m.status != "" && m.status != "DONE":
		t.Status = m.status
	case t.Status == "DONE" && r.twofold && m.outcome != "":
		t.Status, t.Outcome = "CLOSED", m.outcome
	case t.Outcome == "WONT_FIX" && r.twofold && m.outcome != "": // "not planned" is all that the tracker can say
		t.Outcome = m.outcome
	}
	if word := strings.ToLower(r.first(row, "priority")); m.priority != "" && (blank(word) || word == "unknown") {
		t.Priority = m.priority
		r.byLabel("priority")
	}
	if m.kind != "" && (len(r.at["type"]) == 0 || t.Type == "" || r.numbers && t.Type == "STORY") {
		t.Type = m.kind
		r.byLabel("type")
	}
}

// byLabel notes that labels tell a field that no column holds.
func (r *rowReader) byLabel(field string) {
	if len(r.at[field]) == 0 && !slices.Contains(r.labelTold, field) {
		r.labelTold = append(r.labelTold, field)
	}
}

// isTwofold reports a table whose status is open or closed and nothing else.
func isTwofold(rows []Row, at []int) bool {
	known := list("open, opened, closed, reopened, true, false")
	return !slices.ContainsFunc(rows, func(row Row) bool {
		v := strings.ToLower(named(cellIn(row, at)))
		return v != "" && !slices.Contains(known, v)
	})
}
