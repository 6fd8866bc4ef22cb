package extract

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Row is one record of a table; Line is where it begins, from 1.
type Row struct {
	Line  int
	Cells []string
}

// A TicketRow is a ticket that a row describes. Values are those of the desk.
type TicketRow struct {
	Ref         string // the key, else its id
	Title       string
	Description string
	Status      string // TODO, IN_PROGRESS, REVIEW, DONE, BLOCKED
	Priority    string // LOW, MEDIUM, HIGH, CRITICAL
	Type        string // INITIATIVE, EPIC, STORY, SUBTASK or empty
	Owner       string
	Points      float64
	Parent      string // a key
	Sprint      string
	Labels      []string
	Due         time.Time
	Created     time.Time
	Resolved    time.Time
	Span        Span // its line, and the words of its title
}

// A TicketTable is what rules read out of a tracker's export.
type TicketTable struct {
	Mapping  map[string]string // field → the column's name
	Tickets  []TicketRow
	Problems []string // a sentence each, with the row
}

// columns maps each field to the names that trackers give it, best first.
var columns = []struct {
	field string
	names []string
}{
	{"key", []string{"issue key", "issuekey", "key", "ticket", "ticket key", "ticket id", "schlüssel", "vorgangsschlüssel", "issue id", "id", "number", "#"}},
	{"title", []string{"summary", "title", "issue summary", "name", "zusammenfassung", "task name", "task"}},
	{"status", []string{"status", "state", "issue status", "workflow status", "column", "list"}},
	{"priority", []string{"priority", "severity", "priorität", "importance"}},
	{"type", []string{"issue type", "issuetype", "type", "vorgangstyp", "kind"}},
	{"owner", []string{"assignee", "owner", "assigned to", "assignee name", "responsible", "bearbeiter"}},
	{"points", []string{"story points", "custom field (story points)", "storypoint", "storypoints", "story point", "story point estimate", "custom field (story point estimate)", "sp", "points", "estimate"}},
	{"description", []string{"description", "details", "issue description", "body", "beschreibung"}},
	{"parent", []string{"parent key", "parent", "epic link", "custom field (epic link)", "parent id", "epic"}},
	{"sprint", []string{"sprint", "iteration", "cycle", "milestone"}},
	{"labels", []string{"labels", "label", "tags", "components", "component/s", "component"}},
	{"due", []string{"due date", "due", "duedate", "deadline", "target date"}},
	{"created", []string{"created", "created at", "created date", "date created", "erstellt"}},
	{"resolved", []string{"resolved", "resolution date", "resolved at", "completed", "closed at", "done date"}},
	{"resolution", []string{"resolution"}},
}

// Tickets reads a table as a tracker's export. ok is false when it is none: it needs
// a title and one of key, status, priority, type or points.
func Tickets(header []string, rows []Row) (t TicketTable, ok bool) {
	at := make(map[string][]int)
	t.Mapping = make(map[string]string)
	for _, c := range columns {
		for _, name := range c.names {
			for i, h := range header {
				if strings.EqualFold(strings.TrimSpace(h), name) {
					at[c.field] = append(at[c.field], i)
				}
			}
			if len(at[c.field]) > 0 {
				t.Mapping[c.field] = strings.TrimSpace(header[at[c.field][0]])
				break
			}
		}
	}
	known := 0
	for _, f := range []string{"key", "status", "priority", "type", "points"} {
		if len(at[f]) > 0 {
			known++
		}
	}
	if len(at["title"]) == 0 || known == 0 {
		return t, false
	}
	r := rowReader{at: at, layouts: make(map[string]string), odd: make(map[string]int)}
	for _, f := range []string{"due", "created", "resolved"} {
		r.layouts[f] = layoutOf(rows, at[f])
	}
	missing, firstMissing := 0, 0
	for _, row := range rows {
		ticket, fine := r.ticket(row)
		if !fine {
			if missing++; missing == 1 {
				firstMissing = row.Line
			}
			continue
		}
		t.Tickets = append(t.Tickets, ticket)
	}
	if missing > 0 {
		t.Problems = append(t.Problems, fmt.Sprintf("line %d: %d rows have no title and were left out, the first at line %d.", firstMissing, missing, firstMissing))
	}
	for _, v := range sortedKeys(r.odd) {
		t.Problems = append(t.Problems, fmt.Sprintf("line %d: the %s is not known; such rows got the default.", r.odd[v], v))
	}
	return t, len(t.Tickets) > 0
}

func sortedKeys(m map[string]int) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out[:min(len(out), 20)]
}

type rowReader struct {
	at      map[string][]int
	layouts map[string]string
	odd     map[string]int // "status \"x\"" → the first line
}

// first returns the first filled cell of a field's columns.
func (r *rowReader) first(row Row, field string) string {
	for _, i := range r.at[field] {
		if i < len(row.Cells) {
			if v := strings.TrimSpace(row.Cells[i]); v != "" {
				return v
			}
		}
	}
	return ""
}

func (r *rowReader) ticket(row Row) (TicketRow, bool) {
	t := TicketRow{
		Ref: r.first(row, "key"), Title: oneLine(r.first(row, "title")), Description: r.first(row, "description"), Owner: r.first(row, "owner"),
		Parent: r.first(row, "parent"), Due: r.date(row, "due"), Created: r.date(row, "created"), Resolved: r.date(row, "resolved"),
	}
	if t.Title == "" {
		return t, false
	}
	if len(t.Title) > 1000 {
		t.Title = strings.ToValidUTF8(t.Title[:1000], "") + "…"
	}
	if strings.EqualFold(t.Owner, "unassigned") {
		t.Owner = ""
	}
	t.Span = Span{Line: row.Line, EndLine: row.Line + strings.Count(strings.Join(row.Cells, ""), "\n"), Quote: r.first(row, "title")}
	t.Status = r.value(row, "status", statuses, "TODO")
	if len(r.at["status"]) == 0 && r.first(row, "resolution") != "" && !strings.EqualFold(r.first(row, "resolution"), "unresolved") {
		t.Status = "DONE"
	}
	t.Priority = r.value(row, "priority", priorities, "MEDIUM")
	t.Type = r.value(row, "type", types, "")
	if v := r.first(row, "points"); v != "" {
		if p, err := strconv.ParseFloat(strings.Replace(v, ",", ".", 1), 64); err == nil && p >= 0 && p <= 1000 {
			t.Points = p
		} else {
			r.note(fmt.Sprintf("number of story points %q", v), row.Line)
		}
	}
	if kind := r.first(row, "type"); kind != "" && !strings.EqualFold(kind, "story") {
		t.Labels = append(t.Labels, kind)
	}
	for _, i := range r.at["labels"] {
		if i < len(row.Cells) {
			for _, l := range strings.FieldsFunc(row.Cells[i], func(c rune) bool { return c == ',' || c == ';' }) {
				if l = strings.TrimSpace(l); l != "" && !slices.Contains(t.Labels, l) {
					t.Labels = append(t.Labels, l)
				}
			}
		}
	}
	for _, i := range r.at["sprint"] { // the last sprint is the one it is in
		if i < len(row.Cells) && strings.TrimSpace(row.Cells[i]) != "" {
			t.Sprint = strings.TrimSpace(row.Cells[i])
		}
	}
	return t, true
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (r *rowReader) note(what string, line int) {
	if _, ok := r.odd[what]; !ok {
		r.odd[what] = line
	}
}

// value maps a tracker's word to ours; an unknown one is noted once.
func (r *rowReader) value(row Row, field string, words map[string]string, otherwise string) string {
	v := r.first(row, field)
	if v == "" {
		return otherwise
	}
	if ours, ok := words[strings.ToLower(v)]; ok {
		return ours
	}
	r.note(fmt.Sprintf("%s %q", field, v), row.Line)
	return otherwise
}

var statuses = words(map[string]string{
	"TODO":        "todo, to do, open, new, backlog, reopened, created, selected for development, ready, planned, triage, unstarted, zu erledigen, accepted",
	"IN_PROGRESS": "in_progress, in progress, in development, started, doing, working, active, in arbeit, implementing",
	"REVIEW":      "review, in review, patch available, code review, in testing, testing, qa, ready for review, reviewable, pending review",
	"DONE":        "done, resolved, closed, released, fixed, complete, completed, merged, fertig, verified, won't fix, wontfix, cancelled, canceled, duplicate",
	"BLOCKED":     "blocked, on hold, waiting, impeded, paused",
})

var priorities = words(map[string]string{
	"CRITICAL": "critical, highest, blocker, urgent, p0, 1, sev1",
	"HIGH":     "high, major, p1, 2, hoch",
	"MEDIUM":   "medium, normal, p2, 3, moderate, mittel, none, no priority",
	"LOW":      "low, lowest, minor, trivial, p3, p4, 4, 5, niedrig, optional",
})

var types = words(map[string]string{
	"INITIATIVE": "initiative, theme",
	"EPIC":       "epic",
	"STORY":      "story, bug, task, improvement, new feature, feature, defect, wish, test, documentation, technical task, spike, incident, enhancement, chore, aufgabe, fehler, question, support",
	"SUBTASK":    "subtask, sub-task, sub task, unteraufgabe, sub-bug",
})

func words(in map[string]string) map[string]string {
	out := make(map[string]string)
	for ours, list := range in {
		for _, w := range strings.Split(list, ",") {
			out[strings.TrimSpace(w)] = ours
		}
	}
	return out
}

var layouts = []string{
	time.RFC3339, "2006-01-02T15:04:05.000-0700", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly,
	"02/Jan/06 15:04", "02/Jan/06 3:04 PM", "02/Jan/06", "2/Jan/2006 15:04", "02.01.2006 15:04", "02.01.2006", "02.01.06 15:04",
	"02/01/2006 15:04", "02/01/2006", "01/02/2006 15:04", "01/02/2006", "01/02/06 15:04", "Jan 2, 2006", "2 Jan 2006", "Jan 2, 2006, 3:04 PM", "1/2/2006 15:04", "1/2/06 15:04",
}

// layoutOf finds the one way of writing dates that fits every cell of the columns, so
// that 03/04/2026 is read as the rest of its column is.
func layoutOf(rows []Row, at []int) string {
	var cells []string
	for _, r := range rows {
		for _, i := range at {
			if i < len(r.Cells) && strings.TrimSpace(r.Cells[i]) != "" {
				cells = append(cells, strings.TrimSpace(r.Cells[i]))
			}
		}
	}
	best, fits := "", 0
	for _, l := range layouts {
		n := 0
		for _, c := range cells {
			if _, err := time.Parse(l, c); err == nil {
				n++
			}
		}
		if n > fits {
			best, fits = l, n
		}
		if n == len(cells) {
			break
		}
	}
	return best
}

var serial = regexp.MustCompile(`^\d{5}(\.\d+)?$`)

func (r *rowReader) date(row Row, field string) time.Time {
	v := r.first(row, field)
	if v == "" {
		return time.Time{}
	}
	if serial.MatchString(v) { // a spreadsheet's days since 1899-12-30
		days, _ := strconv.ParseFloat(v, 64) // digits, by the pattern
		return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Add(time.Duration(days * 24 * float64(time.Hour))).Truncate(time.Minute)
	}
	t, err := time.Parse(r.layouts[field], v)
	if err != nil {
		r.note(fmt.Sprintf("date %q in %s", v, field), row.Line)
		return time.Time{}
	}
	return t.UTC()
}
