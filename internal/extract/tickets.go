package extract

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A Row is one record of a table; Line is where it begins, from 1.
type Row struct {
	Line  int
	Cells []string
	Said  string // of a row that is a line of a text: the line; what its cells do not say, nobody said
}

// A TicketRow is a ticket that a row describes. Values are those of the desk.
type TicketRow struct {
	Ref         string // the key, else its id
	ID          string // of the issue, where a column besides the key tells it: it stays when the key changes
	Repository  string // owner/name, of a tracker that numbers the issues of each
	Title       string
	Description string
	Status      string // TODO, IN_PROGRESS, REVIEW, DONE, BLOCKED, CLOSED
	Outcome     string // of a closed one: WONT_FIX, CANCELED, REJECTED, DUPLICATE, REMOVED, ARCHIVED
	Priority    string // LOW, MEDIUM, HIGH, CRITICAL
	Type        string // INITIATIVE, EPIC, STORY, TASK, BUG, SUBTASK or empty
	Owner       string
	Reporter    string
	Points      *float64 // nil where the cell is empty
	Parent      string   // a key: of the parent, else of the epic
	Sprint      string
	Earlier     []string // sprints that it was carried over from, in the order of the file
	Milestones  []string
	Phase       string // of a plan, by its name
	Labels      []string
	Checklists  []Checklist
	Components  []string
	FixVersions []string
	Affects     []string // versions that have what it reports
	Links       []TicketLink
	Comments    []Comment
	URL         string    // of its page in the tracker
	Requests    []string  // addresses of the pull requests that close or name it
	Due         time.Time // midnight UTC of the day as the file writes it
	Created     time.Time
	Resolved    time.Time
	Unreadable  []string // fields whose cells say something that is not known
	Listed      bool     // a line of a text lists it
	Span        Span     // its line, and the words of its title
}

// A Comment was made on a ticket.
type Comment struct {
	Author string // empty when the cell does not say
	Date   time.Time
	Text   string
}

// A TicketTable is what rules read out of a tracker's export.
type TicketTable struct {
	Source   Source
	Mapping  map[string]string // field → the column's name, the first of several
	Unread   []string          // names of the columns that no field is read from, those that say something first
	Tickets  []TicketRow
	Problems []string // a sentence each, with the row

	Sprints    []SprintRow
	Milestones []MilestoneRow
	Phases     []PhaseRow // of a plan
	Labelled   []string   // fields that no column holds and labels tell

	full int // of Unread, how many say something

	unkeyed func() TicketTable // of keys that number rows: the table as it is read without them
}

// Tickets reads a table as a tracker's export. ok is false when it is none: it needs
// a title, and a column of key, status, priority, type or points, or a description with
// labels, or a tracker's own columns; or it is a list of actions.
func Tickets(header []string, rows []Row) (t TicketTable, ok bool) {
	return tickets(header, rows, nil)
}

func tickets(header []string, rows []Row, since Since) (t TicketTable, ok bool) {
	at := layOut(header, rows)
	at.settle(header, rows)
	actions := at.listsActions(header)
	source := sourceOf(header, at, rows)
	known := actions || len(at["description"])*len(at["labels"]) > 0 || slices.ContainsFunc([]string{"key", "status", "priority", "type", "points"}, func(f string) bool { return len(at[f]) > 0 })
	if plan := maps.Clone(at).plan(header, rows, source); plan == nil && (len(at["title"]) == 0 || !known && source == Generic) {
		return TicketTable{Source: source, Mapping: at.mapping(header)}, false
	}
	t = read(header, rows, at, source, since)
	t.tally(header, rows, at, since)
	return t, t.Holds()
}

// Map reads a table as [Tickets] does, with a mapping that a person corrected: field →
// column name, empty for a field that no column holds. Fields that it does not name are
// read as found. Which fields there are, [Fields] says.
func Map(header []string, rows []Row, mapping map[string]string) (TicketTable, error) {
	return mapped(header, rows, mapping, nil)
}

func mapped(header []string, rows []Row, mapping map[string]string, since Since) (TicketTable, error) {
	at := layOut(header, rows)
	at.settle(header, rows)
	at.listsActions(header)
	source := sourceOf(header, at, rows)
	if err := at.correct(header, mapping); err != nil {
		return TicketTable{Source: source, Mapping: at.mapping(header)}, err
	}
	t := read(header, rows, at, source, since)
	if mapping["key"] == "" {
		t.tally(header, rows, at, since)
	}
	return t, nil
}

func read(header []string, rows []Row, columns layout, source Source, since Since) TicketTable {
	columns = maps.Clone(columns)
	plan := columns.plan(header, rows, source)
	t := TicketTable{Source: source, Mapping: columns.mapping(header), Tickets: make([]TicketRow, 0, len(rows))}
	t.Unread, t.full = columns.unread(header, rows)
	r := readerOf(header, rows, columns, source)
	r.since, r.said = since, make(map[string]saidDay)
	t.Problems = r.dating(rows, columns, t.Mapping)
	missing, firstMissing := 0, 0
	var sums totals
	again := newRepeats(len(rows))
	ids := make(map[string]int) // id → place of its ticket
	var requests []request
	for i, row := range rows {
		if sums.add(row, columns) {
			continue
		}
		phase, is := r.inPlan(plan, i, row)
		if !is {
			continue
		}
		ticket, fine := r.ticket(row)
		if !fine {
			if missing++; missing == 1 {
				firstMissing = row.Line
			}
			continue
		}
		if r.isRequest(row, ticket) {
			requests = append(requests, request{ticket, r.closed(row, ticket)})
			continue
		}
		r.inPhase(plan, row, &ticket, phase)
		id := r.first(row, "id")
		ticket.ID = id
		if i, is := again.keyed(row, ticket, t.Tickets); is {
			t.Tickets[i], ids[id] = ticket, i
			continue
		}
		if again.titledAlike(row, &ticket) {
			continue
		}
		again.at[keyOf(ticket.Repository, ticket.Ref)], ids[id] = len(t.Tickets), len(t.Tickets)
		t.Tickets = append(t.Tickets, ticket)
	}
	t.Problems = slices.Concat(t.Problems, r.daysSaid(t.Mapping["due"]), again.problems(), sums.problems())
	for i := range t.Tickets { // Jira names a parent by its id
		if p, is := ids[t.Tickets[i].Parent]; is && t.Tickets[i].Parent != "" && t.Tickets[p].Ref != "" {
			t.Tickets[i].Parent = t.Tickets[p].Ref
			if in := t.Tickets[p].Repository; in != "" {
				t.Tickets[i].Parent = LongKey(in, t.Tickets[p].Ref)
			}
		}
	}
	t.attach(requests, again.at)
	t.rekey()
	t.Sprints, t.Milestones, t.Labelled = ordered(r.plans), r.marks, r.labelTold
	if plan != nil {
		plan.tell(&t)
	}
	switch {
	case missing == 1:
		t.Problems = append(t.Problems, fmt.Sprintf("line %d: the row has no title and was left out.", firstMissing))
	case missing > 1:
		t.Problems = append(t.Problems, fmt.Sprintf("line %d: %d rows have no title and were left out, the first at line %d.", firstMissing, missing, firstMissing))
	}
	if r.long > 0 {
		t.Problems = append(t.Problems, fmt.Sprintf("line %d: a ticket has more than 1,000 items to check; the first 1,000 were kept.", r.long))
	}
	for _, v := range sortedKeys(r.odd) {
		t.Problems = append(t.Problems, fmt.Sprintf("line %d: the %s is not known; such rows got the default, and tickets that are there keep what they say.", r.odd[v], v))
	}
	return t
}

// dating finds out how the columns of days write them, and says where that is unclear.
func (r *rowReader) dating(rows []Row, columns layout, mapping map[string]string) (problems []string) {
	every := slices.Concat(columns["due"], columns["created"], columns["resolved"])
	for _, f := range []string{"sprint start", "sprint end", "milestone due", "milestone closed", "plan start"} {
		if len(columns[f]) > 0 {
			r.dates[f] = datesOf(rows, columns[f], every)
		}
	}
	if at := columns["comments"]; len(at) > 0 {
		r.dates["comments"] = commentDates(rows, at, every)
	}
	for _, f := range []string{"due", "created", "resolved"} {
		r.dates[f] = datesOf(rows, columns[f], every)
		if r.dates[f].unclear {
			problems = append(problems, fmt.Sprintf("line %d: the dates in %q can be read with the day or the month first; they were read day first.", rows[0].Line, mapping[f]))
		}
	}
	return problems
}

func sortedKeys(m map[string]int) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out[:min(len(out), 20)]
}

// first returns the first filled cell of a field's columns.
func (r *rowReader) first(row Row, field string) string { return cellIn(row, r.at[field]) }

// cells returns a field's filled cells, each once.
func (r *rowReader) cells(row Row, field string) []string {
	var out []string
	for _, i := range r.at[field] {
		if i < len(row.Cells) {
			if v := plainCell(row.Cells[i]); v != "" && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// many returns the parts of a field's cells, each once.
func (r *rowReader) many(row Row, field string) []string {
	var out []string
	for _, cell := range r.cells(row, field) {
		for _, part := range listed(named(cell)) {
			if part = strings.TrimSpace(part); part != "" && !slices.Contains(nothing, strings.ToLower(part)) && !slices.Contains(out, part) {
				out = append(out, part)
			}
		}
	}
	return out
}

// components are a row's components; of Azure DevOps's path of areas, the last.
func (r *rowReader) components(row Row) (out []string) {
	for _, c := range r.many(row, "components") {
		if c = c[strings.LastIndexByte(c, '\\')+1:]; c != "" && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

func (r *rowReader) ticket(row Row) (TicketRow, bool) {
	r.unknown = nil
	t := TicketRow{
		Ref: named(r.first(row, "key")), Title: oneLine(r.first(row, "title")), Description: r.mentions(r.first(row, "description")),
		Owner: r.person(row, "owner"), Reporter: r.reporter(row), Parent: r.parent(row),
		Components: r.components(row), FixVersions: r.many(row, "versions"), Affects: r.many(row, "affects"), Links: r.links(row), Comments: r.comments(row),
		Due: r.date(row, "due"), Created: r.date(row, "created").UTC(), Resolved: r.date(row, "resolved").UTC(),
	}
	if t.Title == "" {
		return t, false
	}
	if len(t.Title) > 1000 {
		t.Title = strings.ToValidUTF8(t.Title[:1000], "") + "…"
	}
	if !t.Due.IsZero() { // a day is a day wherever the file was written
		t.Due = time.Date(t.Due.Year(), t.Due.Month(), t.Due.Day(), 0, 0, 0, 0, time.UTC)
	}
	if url := r.first(row, "url"); strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		t.URL = url
	}
	t.Repository = r.repository(row, t)
	t.Links = r.told(t)
	t.Checklists = r.checklists(row, t.Description)
	t.Span = Span{Line: row.Line, EndLine: row.Line + strings.Count(strings.Join(row.Cells, ""), "\n"), Quote: r.first(row, "title")}
	t.Status, t.Outcome = r.status(row)
	t.Priority = r.value(row, "priority", priorities, "MEDIUM")
	t.Type = r.value(row, "type", types, "")
	if t.Parent == "" && t.Type != "EPIC" { // an epic's epic is itself
		t.Parent = parentRef(named(r.first(row, "epic")))
	}
	t.Points = r.points(row)
	t.Labels = r.labels(row)
	t.Sprint, t.Earlier = r.sprints(row)
	t.Milestones = r.milestones(row)
	r.labelled(row, &t)
	if t.Status == "CLOSED" && slices.ContainsFunc(t.Links, func(l TicketLink) bool { return l.Kind == Duplicates }) {
		t.Outcome = "DUPLICATE"
	}
	t.Unreadable = r.unknown
	if row.Said != "" {
		t.Listed, t.Span.Quote, t.Unreadable = true, row.Said, append(t.Unreadable, r.untold(row)...)
	}
	return t, true
}

// untold are the fields of which a row says nothing.
func (r *rowReader) untold(row Row) (out []string) {
	for f, at := range r.at {
		if blank(cellIn(row, at)) {
			out = append(out, f)
		}
	}
	return out
}

// parent is what a row says that it belongs to; where titles stand in a column for each level, the row above that is
// one level higher.
func (r *rowReader) parent(row Row) string {
	if p := relationPage.ReplaceAllString(named(r.first(row, "parent")), ""); !blank(p) {
		return parentRef(p)
	}
	for depth, i := range r.at["title"] {
		if i >= len(row.Cells) || blank(row.Cells[i]) || !strings.HasPrefix(r.names[i], "title ") {
			continue
		}
		r.nested = append(r.nested[:min(depth, len(r.nested))], make([]string, max(0, depth-len(r.nested)))...)
		r.nested = append(r.nested, cmp.Or(named(r.first(row, "key")), oneLine(row.Cells[i])))
		if depth > 0 {
			return r.nested[depth-1]
		}
		return ""
	}
	return ""
}

// reporter is who asked for a ticket; a log of its creation begins with the name.
func (r *rowReader) reporter(row Row) string {
	if who := r.person(row, "reporter"); who != "" || len(r.at["created"]) == 0 || r.names[r.at["created"][0]] != "creation log" {
		return who
	}
	who, _ := cutDate(r.first(row, "created"), r.dates["created"])
	return who
}

// labels are a row's labels, with the words for its type, its priority and how it ended that say more than
// those fields.
func (r *rowReader) labels(row Row) (out []string) {
	if kind := named(r.first(row, "type")); !blank(kind) && (types[knownWord(kind, types)] == "" || slices.Contains(sayMore, strings.ToLower(kind))) {
		out = append(out, kind)
	}
	if end := named(r.first(row, "resolution")); !blank(end) && !slices.Contains(slices.Concat(unresolved, fixed, plainOutcomes), strings.ToLower(end)) {
		out = append(out, end)
	}
	if urgent := named(r.first(row, "priority")); slices.Contains(extremes, strings.ToLower(urgent)) {
		out = append(out, urgent)
	}
	all := r.many(row, "labels")
	if r.colons {
		all = strings.Split(strings.Join(all, ":"), ":")
	}
	for _, l := range all {
		if l = colourless.ReplaceAllString(l, ""); l != "" && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	if in := named(r.first(row, "section")); !blank(in) && !slices.Contains(out, in) && !(slices.Equal(r.at["section"], r.at["status"]) && lookedUp(strings.ToLower(in), statuses, outcomes) != "") {
		out = append(out, in)
	}
	return out
}

// status maps the tracker's word, and says how a ticket ended that was closed without being
// done; an unknown word is what its category says. Without one, or where it is but a place on
// a board, what is resolved or closed is done.
func (r *rowReader) status(row Row) (status, outcome string) {
	v := knownWord(named(r.first(row, "status")), statuses, outcomes)
	end := outcomes[v]
	resolution := strings.ToLower(named(r.first(row, "resolution")))
	ours, known := statuses[v]
	if category, ok := statuses[strings.ToLower(named(r.first(row, "category")))]; !known && ok {
		if ours, known = category, true; ours == "DONE" && end == "" {
			end = outcomeOf(v) // deferred, of the category done
		}
	}
	over := truth(r.first(row, "finished"))
	if over || r.placed && !blank(r.first(row, "resolved")) {
		ours, known = "DONE", true
	}
	if len(r.at["status"]) == 0 && len(r.at["resolution"]) > 0 {
		over = over || !blank(resolution) && !slices.Contains(unresolved, resolution)
	} else if len(r.at["status"]) == 0 {
		over = over || r.first(row, "resolved") != ""
	}
	shelved := truth(r.first(row, "archived"))
	if over && (!known || ours == "TODO") || shelved && len(r.at["status"]) == 0 {
		ours, known = "DONE", true
	}
	switch {
	case ours == "DONE" && end == "" || !known && end == "" && v == "":
		if end = outcomeOf(resolution); end == "" && ours == "DONE" {
			end = outcomeOf(named(r.first(row, "reason")))
		}
	case shelved && end == "" && ours != "DONE":
		end = "ARCHIVED"
	}
	switch {
	case end != "" && (ours == "DONE" || !known || shelved):
		return "CLOSED", end
	case known:
		return ours, ""
	case v != "" && !slices.Equal(r.at["status"], r.at["section"]): // a section is kept as a label
		r.note("status", fmt.Sprintf("status %q", named(r.first(row, "status"))), row.Line)
	}
	return "TODO", ""
}

// knownWord is a tracker's word in lower case, without the signs around it where it is known only so: "🐞 Bug".
func knownWord(v string, known ...map[string]string) string {
	v = strings.ToLower(v)
	if lookedUp(v, known...) != "" {
		return v
	}
	if bare := strings.TrimFunc(v, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }); lookedUp(bare, known...) != "" {
		return bare
	}
	return v
}

// points reads the story points, nil for none; one half is written 0.5 or 0,5.
func (r *rowReader) points(row Row) *float64 {
	v := r.first(row, "points")
	if blank(v) {
		return nil
	}
	p, err := strconv.ParseFloat(strings.Replace(v, ",", ".", 1), 64)
	if err != nil || !(p >= 0 && p <= 1000) { // what is no number is in no range
		r.note("points", fmt.Sprintf("number of story points %q", v), row.Line)
		return nil
	}
	return &p
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// note notes that a field says something that is not known.
func (r *rowReader) note(field, what string, line int) {
	r.unknown = append(r.unknown, field)
	if _, ok := r.odd[what]; !ok {
		r.odd[what] = line
	}
}

// value maps a tracker's word to ours; an unknown one is noted once.
func (r *rowReader) value(row Row, field string, words map[string]string, otherwise string) string {
	v := named(r.first(row, field))
	if blank(v) {
		return otherwise
	}
	if ours, ok := words[knownWord(v, words)]; ok {
		return ours
	}
	r.note(field, fmt.Sprintf("%s %q", field, v), row.Line)
	return otherwise
}

func (r *rowReader) date(row Row, field string) time.Time {
	v := r.first(row, field)
	if blank(v) {
		return time.Time{}
	}
	t, ok := r.dates[field].read(v)
	if !ok && field == "created" {
		_, t = cutDate(v, r.dates[field])
		ok = !t.IsZero()
	}
	if !ok && field == "due" {
		t, ok = r.worded(v, row.Line)
	}
	if !ok {
		r.note(field, fmt.Sprintf("date %q in %s", v, field), row.Line)
		return time.Time{}
	}
	return t
}
