package extract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/pattern"
)

// A SprintRow is a sprint that a table names, with what it tells of it.
type SprintRow struct {
	Name       string
	Goal       string
	State      string    // PLANNED, ACTIVE, CLOSED or empty
	Start, End time.Time // midnight UTC of their days
	Line       int       // the first that names it
}

// mostSprints is how many sprints one ticket may have been in.
const mostSprints = 200

var (
	serverSprint = pattern.New(`Sprint@[^\[\]]*\[([^\[\]]*)\]`)
	sprintMember = pattern.New(`(?:^|,)(id|rapidViewId|state|name|goal|startDate|endDate|completeDate|activatedDate|sequence|autoStartStop|synced|incompleteIssuesDestinationId)=`)
	relationPage = pattern.New(`\s*\((?:https?://[^\s()]+|[^\s()]*%20[^\s()]*|[^\s()]+\.md)\)`) // as Notion writes relations
	digitRun     = pattern.New(`\d+`)
)

var sprintStates = words(map[string]string{
	"PLANNED": "future, planned, upcoming, next, unstarted, not started",
	"ACTIVE":  "active, started, current, open, in progress, running",
	"CLOSED":  "closed, complete, completed, done, finished, past, ended",
})

// sprintState is a tracker's word for where a sprint stands; GitLab counts from 1.
func sprintState(word string) string {
	switch word = strings.ToLower(strings.TrimSpace(word)); word {
	case "1", "2", "3":
		return []string{"PLANNED", "ACTIVE", "CLOSED"}[word[0]-'1']
	}
	return sprintStates[word]
}

// sprints reads the sprints of a row: the one that it is in, and those that it was in
// before, in the order of the file.
func (r *rowReader) sprints(row Row) (current string, earlier []string) {
	var all []SprintRow
	for _, cell := range r.cells(row, "sprint") {
		for _, s := range r.sprintsIn(cell) {
			s.Name = clippedTo(oneLine(s.Name), 200)
			if !blank(s.Name) && len(all) < mostSprints && !slices.ContainsFunc(all, func(x SprintRow) bool { return x.Name == s.Name }) {
				all = append(all, s)
			}
		}
	}
	if len(all) == 0 {
		return "", nil
	}
	if len(all) == 1 {
		r.plan(row, &all[0])
	}
	now := len(all) - 1
	if at := slices.IndexFunc(all, func(s SprintRow) bool { return s.State == "ACTIVE" }); at >= 0 {
		now = at
	}
	for i, s := range all {
		if i != now && s.State != "PLANNED" {
			earlier = append(earlier, s.Name)
		}
		s.Line = row.Line
		r.keepSprint(s)
	}
	return all[now].Name, earlier
}

// plan adds what columns of their own tell of the sprint of a row.
func (r *rowReader) plan(row Row, s *SprintRow) {
	if at := r.date(row, "sprint start"); s.Start.IsZero() {
		s.Start = dayOf(at)
	}
	if at := r.date(row, "sprint end"); s.End.IsZero() {
		s.End = dayOf(at)
	}
	if days, err := strconv.Atoi(r.first(row, "sprint days")); err == nil && days > 0 && days < 400 && s.End.IsZero() && !s.Start.IsZero() {
		s.End = s.Start.AddDate(0, 0, days-1)
	}
	s.State = cmp.Or(s.State, sprintState(r.first(row, "sprint state")))
	s.Goal = cmp.Or(s.Goal, r.first(row, "sprint goal"))
}

// keepSprint keeps what is told of a sprint; the first word on each of its fields counts.
func (r *rowReader) keepSprint(s SprintRow) {
	at, is := r.planned[s.Name]
	if !is {
		at = len(r.plans)
		r.planned[s.Name] = at
		r.plans = append(r.plans, SprintRow{Name: s.Name, Line: s.Line})
	}
	p := &r.plans[at]
	p.Goal, p.State = cmp.Or(p.Goal, s.Goal), cmp.Or(p.State, s.State)
	if p.Start.IsZero() {
		p.Start = s.Start
	}
	if p.End.IsZero() {
		p.End = s.End
	}
}

// sprintsIn reads the sprints of a cell.
func (r *rowReader) sprintsIn(cell string) (out []SprintRow) {
	if all := serverSprint.FindAllStringSubmatch(cell, -1); len(all) > 0 {
		for _, m := range all {
			out = append(out, r.serverSprint(m[1]))
		}
		return out
	}
	if found := objects(cell); len(found) > 0 {
		for _, o := range found {
			out = append(out, r.sprintOf(o))
		}
		return out
	}
	names := stringsIn(cell)
	if names == nil {
		names = r.severalSprints(relationPage.ReplaceAllString(cell, ""))
	}
	for _, name := range names {
		if at := strings.LastIndexByte(name, '\\'); at >= 0 { // Azure DevOps: a path of projects and iterations
			name = name[at+1:]
		} else if r.iterations { // the path of the project itself is no iteration
			continue
		}
		out = append(out, SprintRow{Name: name})
	}
	return out
}

// severalSprints splits a cell with commas when its parts are sprints: they differ in their
// numbers alone, or stand alone in other cells.
func (r *rowReader) severalSprints(cell string) []string {
	parts := strings.Split(cell, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	form := digitRun.ReplaceAllString(parts[0], "#")
	for _, p := range parts[1:] {
		if p == "" || !(form == digitRun.ReplaceAllString(p, "#") || r.alone[p] && r.alone[parts[0]]) {
			return []string{cell}
		}
	}
	return parts
}

// serverSprint reads the members of a sprint as Jira Server writes them; a goal may have commas.
func (r *rowReader) serverSprint(text string) (s SprintRow) {
	found := sprintMember.FindAllStringSubmatchIndex(text, -1)
	for i, m := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		value := strings.TrimSpace(text[m[1]:end])
		if value == "<null>" {
			continue
		}
		switch text[m[2]:m[3]] {
		case "name":
			s.Name = value
		case "goal":
			s.Goal = value
		case "state":
			s.State = sprintState(value)
		case "startDate":
			s.Start = r.dayIn(value)
		case "endDate":
			s.End = r.dayIn(value)
		}
	}
	return s
}

// sprintOf reads a sprint in JSON.
func (r *rowReader) sprintOf(o map[string]any) SprintRow {
	text := func(names ...string) string {
		for _, n := range names {
			switch v := o[n].(type) {
			case string:
				return v
			case float64:
				return strconv.FormatFloat(v, 'f', -1, 64)
			}
		}
		return ""
	}
	return SprintRow{
		Name: nameIn(o), State: sprintState(text("state", "status")), Goal: text("goal"),
		Start: r.dayIn(text("startDate", "start_date", "startsAt")), End: r.dayIn(text("endDate", "end_date", "due_date", "endsAt")),
	}
}

// dayIn is the day that a text says, else none.
func (r *rowReader) dayIn(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	at, ok := r.dates["created"].read(text)
	if !ok {
		return time.Time{}
	}
	return dayOf(at)
}

// dayOf is midnight UTC of the day as it is written.
func dayOf(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// clippedTo cuts a text to n bytes.
func clippedTo(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

// ordered sorts sprints by their starts; those without one stay where the file names them.
func ordered(plans []SprintRow) []SprintRow {
	for i := range plans {
		if p := &plans[i]; p.End.Before(p.Start) && !p.End.IsZero() { // one of them is wrong
			p.End = time.Time{}
		}
	}
	if !slices.ContainsFunc(plans, func(s SprintRow) bool { return s.Start.IsZero() }) {
		slices.SortStableFunc(plans, func(a, b SprintRow) int { return a.Start.Compare(b.Start) })
	}
	return plans
}
