package extract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/pattern"
)

// This file reads the rows of a plan, as Smartsheet, MS Project and people write them, that are phases and milestones and no tickets.

// A PhaseRow is a phase that a table or a text lists.
type PhaseRow struct {
	Name       string
	Start, End time.Time // midnight UTC of the day
	Status     string    // as the desk has it, empty where nothing is said
	Span       Span
}

// planNames are the names of the columns of plans.
var planNames = map[string][]string{
	"plan start":     list("start, start date, planned start, begin, begins, begin date, start on, beginn, anfang, starttermin, startdatum, von, from"),
	"plan finish":    list("finish, finish date, end, ends, end date, due, due date, target, target date, planned finish, planned end, deadline, date, ende, endtermin, enddatum, fertigstellung, bis, to, termin, datum"),
	"plan percent":   list("% complete, percent complete, % done, %, progress, complete, completion, % abgeschlossen, fortschritt"),
	"plan duration":  list("duration, dauer"),
	"plan level":     list("outline level, level, wbs, outline number, gliederungsebene, psp code"),
	"plan phase":     list("phase, stage, project phase, projektphase"),
	"plan milestone": list("milestone, is milestone, milestone?, meilenstein, meilenstein?"),
	"plan owner":     list("resource names, resources, resource, ressourcennamen, lead, responsible person, accountable"),
	"plan title":     list("activity, activities, deliverable, deliverables, item, workstream, phase/milestone, phase / milestone, aktivität, arbeitspaket"),
}

var (
	phaseTitle     = pattern.New(`(?i)^(?:phase|stage|projektphase)\s*(?:\s[\w.]{1,8})?\s*[:–—-]\s*(.{2,})$`)
	phaseNumber    = pattern.New(`(?i)^(?:phase|stage|projektphase)\s+(?:\d{1,2}|[ivx]{1,4}|[a-e])$`)
	milestoneTitle = pattern.New(`(?i)^(?:(?:milestone|meilenstein)\s*(?:#?\d{1,3})?\s*[:–—-]|◆|♦)\s*(.{2,})$`)
	noDuration     = pattern.New(`(?i)^0(?:[.,]0+)?\s*(?:d|days?|tage?|h|hrs?|hours?|w|weeks?)?\??$`)
	phaseKinds     = list("phase, stage, projektphase")
	milestoneKinds = list("milestone, meilenstein, jalon, hito")
)

// A planSheet is a table that is a plan.
type planSheet struct {
	kinds []string // of each row: "phase", "milestone", "sum" of the whole, or empty for a task
	every string   // what each row is
	names bool     // a column names the phase of each row
	sums  int      // the first line that sums up the whole plan
	now   PhaseRow // the phase that the rows below belong to

	phases []PhaseRow
	part   bool // percentages are written as fractions
}

// plan finds whether a table is a plan, and notes its columns in the layout; nil where it is none. What a tracker exports is none.
func (at layout) plan(header []string, rows []Row, source Source) *planSheet {
	if source != Generic || slices.ContainsFunc(rows, func(r Row) bool { return r.Said != "" || bareKey.MatchString(cellIn(r, at["key"])) }) {
		return nil
	}
	names, found := columnNames(header), make(layout)
	for field, of := range planNames {
		for _, name := range of {
			if i := slices.Index(names, name); i >= 0 && len(filled(rows, []int{i})) > 0 {
				found[field] = []int{i}
				break
			}
		}
	}
	title, p := at["title"], planSheet{kinds: make([]string, len(rows))}
	switch {
	case len(title) > 0:
	case len(found["plan title"]) > 0:
		title = found["plan title"]
	case len(found["plan phase"]) > 0:
		title, p.every = found["plan phase"], "phase"
		delete(found, "plan phase")
	case len(found["plan milestone"]) > 0 && !mostly(rows, found["plan milestone"], isTruth):
		title, p.every = found["plan milestone"], "milestone"
		delete(found, "plan milestone")
	}
	if len(title) == 0 || len(found["plan start"])+len(found["plan finish"]) == 0 || !dated(rows, append(slices.Clone(found["plan start"]), found["plan finish"]...)) {
		return nil
	}
	if len(found["plan milestone"]) > 0 && !mostly(rows, found["plan milestone"], isTruth) {
		delete(found, "plan milestone") // it names them, and the reader of exports reads it
	}
	p.names = len(found["plan phase"]) > 0 && len(found["plan start"])*len(found["plan finish"]) > 0
	some := p.names
	levels := levelsOf(rows, found["plan level"])
	for i, row := range rows {
		p.kinds[i] = p.kind(row, title, at["type"], found, levels, i)
		some = some || p.kinds[i] == "phase" || p.kinds[i] == "milestone"
	}
	if !some {
		return nil
	}
	p.part = mostly(rows, found["plan percent"], func(v string) bool { f, err := strconv.ParseFloat(v, 64); return err == nil && f <= 1 })
	at.takePlan(title, found, p.every)
	return &p
}

// takePlan notes the columns of a plan.
func (at layout) takePlan(title []int, found layout, every string) {
	at["title"] = title
	if len(at["owner"]) == 0 && len(found["plan owner"]) > 0 {
		at["owner"] = found["plan owner"]
	}
	if len(found["plan finish"]) > 0 {
		at["due"] = found["plan finish"]
	}
	if every == "milestone" || len(found["plan milestone"]) > 0 {
		delete(at, "milestone")
	}
	delete(found, "plan owner")
	delete(found, "plan title")
	delete(found, "plan finish")
	for f, i := range found {
		at[f] = i
	}
}

// dated reports columns whose cells are days.
func dated(rows []Row, at []int) bool {
	d := datesOf(rows, at, nil)
	return mostly(rows, at, func(v string) bool {
		_, ok := d.read(v)
		return ok || plainDay.MatchString(v)
	})
}

// levelsOf are how deep the rows of a plan stand, nil where no column says it.
func levelsOf(rows []Row, at []int) []int {
	if len(at) == 0 {
		return nil
	}
	out := make([]int, len(rows))
	dots := slices.ContainsFunc(rows, func(r Row) bool { return strings.Contains(cellIn(r, at), ".") })
	for i, r := range rows {
		v := strings.Trim(cellIn(r, at), ". ")
		if n, err := strconv.Atoi(v); err == nil && !dots {
			out[i] = n
		} else if v != "" {
			out[i] = 1 + strings.Count(v, ".")
		}
	}
	return out
}

// heading reports a row that rows below are part of, and whether it is the whole plan.
func heading(levels []int, i int) (is, whole bool) {
	if i+1 >= len(levels) || levels[i] == 0 || levels[i+1] <= levels[i] {
		return false, false
	}
	whole = i == 0 && !slices.ContainsFunc(levels[1:], func(l int) bool { return l <= levels[0] })
	top := levels[0]
	if !slices.ContainsFunc(levels[1:], func(l int) bool { return l <= levels[0] }) {
		top = levels[1]
	}
	return whole || levels[i] == top, whole
}

// kind is what a row of a plan is.
func (p *planSheet) kind(row Row, title, kinds []int, found layout, levels []int, i int) string {
	name, kind := oneLine(cellIn(row, title)), strings.ToLower(cellIn(row, kinds))
	is, whole := heading(levels, i)
	switch {
	case name == "":
		return ""
	case slices.Contains(milestoneKinds, kind) || milestoneTitle.MatchString(name) || truth(cellIn(row, found["plan milestone"])):
		return "milestone"
	case slices.Contains(phaseKinds, kind) || phaseTitle.MatchString(name) || phaseNumber.MatchString(name):
		return "phase"
	case noDuration.MatchString(cellIn(row, found["plan duration"])):
		return "milestone"
	case whole:
		return "sum"
	case is:
		return "phase"
	}
	return p.every
}

// inPlan reads a row of a plan that is no ticket, and says what phase one that is belongs to.
func (r *rowReader) inPlan(p *planSheet, i int, row Row) (phase string, isTicket bool) {
	if p == nil {
		return "", true
	}
	name, start, end := oneLine(r.first(row, "title")), dayOf(r.date(row, "plan start")), time.Time{}
	if p.kinds[i] != "" {
		end = dayOf(r.date(row, "due"))
	} else {
		end, _ = r.dates["due"].read(r.first(row, "due"))
	}
	own := oneLine(r.first(row, "plan phase"))
	if m := phaseTitle.FindStringSubmatch(own); m != nil {
		own = m[1]
	}
	switch {
	case own != "" && p.names && p.kinds[i] != "phase":
		phase = clippedTo(own, 200)
		if !slices.ContainsFunc(p.phases, func(x PhaseRow) bool { return strings.EqualFold(x.Name, phase) }) {
			p.phases = append(p.phases, PhaseRow{Name: phase, Span: Span{Line: row.Line, EndLine: row.Line, Quote: r.first(row, "plan phase")}})
		}
	case p.now.Name != "" && p.now.holds(start, end):
		phase = p.now.Name
	}
	switch p.kinds[i] {
	case "phase":
		if m := phaseTitle.FindStringSubmatch(name); m != nil {
			name = m[1]
		}
		p.now = PhaseRow{Name: clippedTo(name, 200), Start: start, End: end, Status: r.planStatus(p, row, "COMPLETED", "IN_PROGRESS", "NOT_STARTED"), Span: Span{Line: row.Line, EndLine: row.Line, Quote: r.first(row, "title")}}
		if !end.IsZero() && end.Before(start) {
			p.now.End = time.Time{}
		}
		p.phases = append(slices.DeleteFunc(p.phases, func(x PhaseRow) bool { return strings.EqualFold(x.Name, p.now.Name) }), p.now)
	case "milestone":
		if m := milestoneTitle.FindStringSubmatch(name); m != nil {
			name = m[1]
		}
		if end.IsZero() {
			end = start
		}
		m := MilestoneRow{Name: clippedTo(name, 200), Due: end, Owner: r.person(row, "owner"), Status: r.planStatus(p, row, "COMPLETED", "ON_TRACK", ""), Phase: phase, Quote: r.first(row, "title"), Line: row.Line, Planned: true}
		m.Closed = m.Status == "COMPLETED"
		if _, is := r.marked[m.Name]; !is {
			r.marked[m.Name] = len(r.marks)
			r.marks = append(r.marks, m)
		}
	case "sum":
		p.sums = row.Line
	default:
		return phase, true
	}
	return phase, false
}

// holds reports whether days lie within those of a phase, as far as both are known.
func (p *PhaseRow) holds(start, end time.Time) bool {
	if start.IsZero() {
		start = end
	}
	return start.IsZero() || (p.Start.IsZero() || !start.Before(p.Start)) && (p.End.IsZero() || !start.After(p.End))
}

// planStatus is how a phase or milestone stands by its status, else by how much of it is done.
func (r *rowReader) planStatus(p *planSheet, row Row, done, going, none string) string {
	word := strings.ToLower(oneLine(r.first(row, "status")))
	switch ours := lookedUp(word, statuses); {
	case ours == "DONE":
		return done
	case slices.Contains(list("on track, at risk, missed"), word):
		return strings.ToUpper(strings.ReplaceAll(word, " ", "_"))
	case ours == "IN_PROGRESS" || ours == "REVIEW":
		return going
	case ours == "BLOCKED" && none != "":
		return "BLOCKED"
	case ours == "TODO":
		return none
	}
	switch percent, ok := r.percent(p, row); {
	case !ok:
		return ""
	case percent >= 100:
		return done
	case percent > 0:
		return going
	}
	return none
}

// percent is how much of a row's work is done.
func (r *rowReader) percent(p *planSheet, row Row) (float64, bool) {
	v := r.first(row, "plan percent")
	f, err := strconv.ParseFloat(strings.Replace(strings.TrimRight(v, "% "), ",", ".", 1), 64)
	if p.part && !strings.Contains(v, "%") {
		f *= 100
	}
	return f, err == nil && f >= 0
}

// inPhase notes what a plan says of a ticket besides its columns.
func (r *rowReader) inPhase(p *planSheet, row Row, t *TicketRow, phase string) {
	if p == nil {
		return
	}
	t.Phase = phase
	if percent, ok := r.percent(p, row); ok && len(r.at["status"]) == 0 {
		switch {
		case percent >= 100:
			t.Status = "DONE"
		case percent > 0:
			t.Status = "IN_PROGRESS"
		}
	}
}

// tell notes in a table what its plan says.
func (p *planSheet) tell(t *TicketTable) {
	for f := range planNames {
		if f == "plan percent" && t.Mapping["status"] == "" && t.Mapping[f] != "" {
			t.Mapping["status"] = t.Mapping[f]
		}
		delete(t.Mapping, f)
	}
	t.Phases = p.phases
	if p.sums > 0 {
		t.Problems = append(t.Problems, fmt.Sprintf("line %d: the row sums up the whole plan and was left out.", p.sums))
	}
}

// Holds reports a table that says something.
func (t *TicketTable) Holds() bool { return len(t.Tickets)+len(t.Phases)+len(t.Milestones) > 0 }
