package extract

import (
	"strings"
	"time"

	"chela/internal/pattern"
)

// A Phase is a stretch of a plan that the notes list.
type Phase struct {
	Name       string
	Start, End time.Time
	Status     string // as written
	Span       Span
}

// A Milestone is a point of a plan that the notes list.
type Milestone struct {
	Name   string
	Target time.Time
	Owner  string
	Status string // as written
	Span   Span
}

var (
	phaseHead     = pattern.New(`(?i)^(?:project |delivery |rollout |planned |plan )?(?:phases?|phasen|stages)(?: and (?:dates|timeline))?$`)
	milestoneHead = pattern.New(`(?i)^(?:project |key |planned |upcoming )?(?:milestones?|meilensteine)(?: and dates)?$`)
	// phaseLine and milestoneLine say by themselves what they are.
	phaseLine     = pattern.New(`(?i)^phase\s+([\w.]{1,8})\s*[:–—-]\s*(.{2,})$`)
	milestoneLine = pattern.New(`(?i)^(?:milestone|meilenstein)\s*(?:#?\d{1,3})?\s*[:–—-]\s*(.{2,})$`)
	planRange     = pattern.New(`(?i)(.+?)\s*(?:\s[–—-]\s|\bto\b|\bbis\b|–|—|→|->|\buntil\b)\s*(.+)`)
	planField     = pattern.New(`(?i)^(owner|lead|responsible|status|target(?: date)?|due(?: date)?|date|start|end|by|verantwortlich|termin)\s*[:=]?\s+(.+)$`)
	planComma     = pattern.New(`(?i),\s+((?:owner|lead|responsible|status|target|due|start|end|verantwortlich|termin)\b)`)
	planCut       = pattern.New(`\s*(?:\||;|\s[–—-]\s|\(|\))\s*`)
)

// listedPlan reads an item of a list of phases or milestones.
func (s *scanner) listedPlan(text, quote string) {
	if m := phaseLine.FindStringSubmatch(text); m != nil && s.section == phaseSection {
		text = m[2]
	}
	if m := milestoneLine.FindStringSubmatch(text); m != nil && s.section == milestoneSection {
		text = m[1]
	}
	s.planned(text, quote, s.section == phaseSection)
}

// ownPlan reads a line that says itself that it is a phase or a milestone.
func (s *scanner) ownPlan(text, quote string) bool {
	if m := phaseLine.FindStringSubmatch(text); m != nil {
		s.planned(m[2], quote, true)
		return true
	}
	if m := milestoneLine.FindStringSubmatch(text); m != nil {
		s.planned(m[1], quote, false)
		return true
	}
	return false
}

// planned reads the name of a phase or milestone and the fields behind it.
func (s *scanner) planned(text, quote string, phase bool) {
	text = planComma.ReplaceAllString(text, " | $1")
	name, rest := text, ""
	if at := strings.Index(text, ": "); at > 0 && !strings.ContainsAny(text[:at], "|(") && !planField.MatchString(text) {
		name, rest = text[:at], text[at+2:]
	} else if at := planCut.FindStringSubmatchIndex(text); at != nil {
		name, rest = text[:at[0]], text[at[1]:]
	}
	name = strings.Trim(name, " .:-–—(")
	if name == "" || len(strings.Fields(name)) > 14 {
		return
	}
	var start, end time.Time
	owner, status := "", ""
	for _, part := range planCut.Split(rest, -1) {
		part = strings.Trim(part, " .,")
		if m := planField.FindStringSubmatch(part); m != nil {
			switch strings.ToLower(strings.Fields(m[1])[0]) {
			case "owner", "lead", "responsible", "verantwortlich":
				owner = strings.TrimPrefix(m[2], "@")
				continue
			case "status":
				status = m[2]
				continue
			case "start":
				start, _ = s.day(m[2])
				continue
			}
			part = m[2]
		}
		if m := planRange.FindStringSubmatch(part); m != nil && start.IsZero() {
			from, ok := s.day(m[1])
			to, also := s.day(m[2])
			if ok && also {
				start, end = from, to
				continue
			}
		}
		if d, ok := s.day(part); ok {
			if phase && start.IsZero() && end.IsZero() {
				start = d
			} else {
				end = d
			}
		}
	}
	if phase {
		s.out.Phases = append(s.out.Phases, Phase{Name: name, Start: start, End: end, Status: status, Span: s.span(quote)})
		return
	}
	s.out.Milestones = append(s.out.Milestones, Milestone{Name: name, Target: end, Owner: owner, Status: status, Span: s.span(quote)})
}
