package extract

import (
	"fmt"
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
	Repository  string // owner/name, of a tracker that numbers the issues of each
	Title       string
	Description string
	Status      string // TODO, IN_PROGRESS, REVIEW, DONE, BLOCKED, CLOSED
	Outcome     string // of a closed one: WONT_FIX, CANCELED, REJECTED, DUPLICATE, REMOVED, ARCHIVED
	Priority    string // LOW, MEDIUM, HIGH, CRITICAL
	Type        string // INITIATIVE, EPIC, STORY, TASK, BUG, SUBTASK or empty
	Owner       string
	Reporter    string
	Points      float64
	Parent      string // a key: of the parent, else of the epic
	Sprint      string
	Labels      []string
	Components  []string
	FixVersions []string
	Links       []TicketLink
	Comments    []Comment
	URL         string    // of its page in the tracker
	Requests    []string  // addresses of the pull requests that close or name it
	Due         time.Time // midnight UTC of the day as the file writes it
	Created     time.Time
	Resolved    time.Time
	Span        Span // its line, and the words of its title
}

// A LinkKind says how a ticket stands to another.
type LinkKind string

// How tickets are linked.
const (
	Blocks       LinkKind = "blocks"
	BlockedBy    LinkKind = "blocked by"
	Duplicates   LinkKind = "duplicates" // the other one is the original
	DuplicatedBy LinkKind = "duplicated by"
	Relates      LinkKind = "relates"
)

// A TicketLink leads to another ticket.
type TicketLink struct {
	Kind LinkKind
	Ref  string // its key, or its title where the tracker exports only that
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
	Unread   []string          // names of the columns that no field is read from
	Tickets  []TicketRow
	Problems []string // a sentence each, with the row
}

// Tickets reads a table as a tracker's export. ok is false when it is none: it needs
// a title, and a column of key, status, priority, type or points, or a description with
// labels, or a tracker's own columns.
func Tickets(header []string, rows []Row) (t TicketTable, ok bool) {
	at := layOut(header, rows)
	at.settle(header, rows)
	source := sourceOf(header, at, rows)
	known := len(at["description"])*len(at["labels"]) > 0 || slices.ContainsFunc([]string{"key", "status", "priority", "type", "points"}, func(f string) bool { return len(at[f]) > 0 })
	if len(at["title"]) == 0 || !known && source == Generic {
		return TicketTable{Source: source, Mapping: at.mapping(header)}, false
	}
	t = read(header, rows, at, source)
	return t, len(t.Tickets) > 0
}

// Map reads a table as [Tickets] does, with a mapping that a person corrected: field →
// column name, empty for a field that no column holds. Fields that it does not name are
// read as found. Which fields there are, [Fields] says.
func Map(header []string, rows []Row, mapping map[string]string) (TicketTable, error) {
	at := layOut(header, rows)
	at.settle(header, rows)
	source := sourceOf(header, at, rows)
	if err := at.correct(header, mapping); err != nil {
		return TicketTable{Source: source, Mapping: at.mapping(header)}, err
	}
	return read(header, rows, at, source), nil
}

func read(header []string, rows []Row, columns layout, source Source) TicketTable {
	t := TicketTable{Source: source, Mapping: columns.mapping(header), Unread: columns.unread(header, rows), Tickets: make([]TicketRow, 0, len(rows))}
	r := readerOf(header, rows, columns, source)
	every := slices.Concat(columns["due"], columns["created"], columns["resolved"])
	for _, f := range []string{"due", "created", "resolved"} {
		r.dates[f] = datesOf(rows, columns[f], every)
		if r.dates[f].unclear {
			t.Problems = append(t.Problems, fmt.Sprintf("line %d: the dates in %q can be read with the day or the month first; they were read day first.", rows[0].Line, t.Mapping[f]))
		}
	}
	missing, firstMissing := 0, 0
	at, again, repeated := make(map[string]int, len(rows)), 0, "" // at: key → place of its ticket
	ids := make(map[string]int)                                   // id → place of its ticket
	var requests []request
	for _, row := range rows {
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
		key := ticket.Repository + "#" + ticket.Ref
		id := r.first(row, "id")
		if i, is := at[key]; is && ticket.Ref != "" {
			if again++; again == 1 {
				repeated = fmt.Sprintf("line %d: it has the key %s, which line %d has too", row.Line, ticket.Ref, t.Tickets[i].Span.Line)
			}
			t.Tickets[i], ids[id] = ticket, i
			continue
		}
		at[key], ids[id] = len(t.Tickets), len(t.Tickets)
		t.Tickets = append(t.Tickets, ticket)
	}
	switch {
	case again == 1:
		t.Problems = append(t.Problems, repeated+"; the last of them counts.")
	case again > 1:
		t.Problems = append(t.Problems, fmt.Sprintf("%s; %d rows repeat a key, and the last of each counts.", repeated, again))
	}
	for i := range t.Tickets { // Jira names a parent by its id
		if p, is := ids[t.Tickets[i].Parent]; is && t.Tickets[i].Parent != "" && t.Tickets[p].Ref != "" {
			t.Tickets[i].Parent = t.Tickets[p].Ref
			if in := t.Tickets[p].Repository; in != "" {
				t.Tickets[i].Parent = LongKey(in, t.Tickets[p].Ref)
			}
		}
	}
	t.attach(requests, at)
	t.rekey()
	switch {
	case missing == 1:
		t.Problems = append(t.Problems, fmt.Sprintf("line %d: the row has no title and was left out.", firstMissing))
	case missing > 1:
		t.Problems = append(t.Problems, fmt.Sprintf("line %d: %d rows have no title and were left out, the first at line %d.", firstMissing, missing, firstMissing))
	}
	for _, v := range sortedKeys(r.odd) {
		t.Problems = append(t.Problems, fmt.Sprintf("line %d: the %s is not known; such rows got the default.", r.odd[v], v))
	}
	return t
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
	at      layout
	names   []string          // of the columns, as [columnName] leaves them
	single  bool              // a ticket has one owner
	placed  bool              // the status is where a ticket lies on a board
	colons  bool              // labels have colons between them
	numbers bool              // keys are the numbers of issues in a repository
	who     map[string]string // account → name
	dates   map[string]dates
	odd     map[string]int // "status \"x\"" → the first line
}

// readerOf is the reader of a table's rows, with what all of them say of its columns.
func readerOf(header []string, rows []Row, at layout, source Source) rowReader {
	return rowReader{
		at: at, names: columnNames(header), who: accounts(header, rows),
		single:  slices.Contains(singleOwner, source),
		placed:  at.named(header, "status", list(places+", current state")),
		colons:  betweenColons(rows, at["labels"]),
		numbers: source == GitHub || source == GitLab,
		dates:   make(map[string]dates), odd: make(map[string]int),
	}
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
			if part = strings.TrimSpace(part); part != "" && !slices.Contains(out, part) {
				out = append(out, part)
			}
		}
	}
	return out
}

func (r *rowReader) ticket(row Row) (TicketRow, bool) {
	t := TicketRow{
		Ref: named(r.first(row, "key")), Title: oneLine(r.first(row, "title")), Description: r.mentions(r.first(row, "description")),
		Owner: r.person(row, "owner"), Reporter: r.person(row, "reporter"), Parent: parentRef(named(r.first(row, "parent"))),
		Components: r.many(row, "components"), FixVersions: r.many(row, "versions"), Links: r.links(row), Comments: r.comments(row),
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
	t.Span = Span{Line: row.Line, EndLine: row.Line + strings.Count(strings.Join(row.Cells, ""), "\n"), Quote: r.first(row, "title")}
	t.Status, t.Outcome = r.status(row)
	t.Priority = r.value(row, "priority", priorities, "MEDIUM")
	t.Type = r.value(row, "type", types, "")
	if t.Parent == "" && t.Type != "EPIC" { // an epic's epic is itself
		t.Parent = parentRef(named(r.first(row, "epic")))
	}
	t.Points = r.points(row)
	t.Labels = r.labels(row)
	if in := r.cells(row, "sprint"); len(in) > 0 && !blank(in[len(in)-1]) { // the last sprint is the one it is in
		t.Sprint = sprintName(in[len(in)-1])
	}
	return t, true
}

// labels are a row's labels, with the words for its type and how it ended that say more than
// those fields.
func (r *rowReader) labels(row Row) (out []string) {
	if kind := named(r.first(row, "type")); !blank(kind) && (types[strings.ToLower(kind)] == "" || slices.Contains(sayMore, strings.ToLower(kind))) {
		out = append(out, kind)
	}
	if end := named(r.first(row, "resolution")); !blank(end) && !slices.Contains(slices.Concat(unresolved, fixed, plainOutcomes), strings.ToLower(end)) {
		out = append(out, end)
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
	return out
}

// status maps the tracker's word, and says how a ticket ended that was closed without being
// done; an unknown word is what its category says. Without one, or where it is but a place on
// a board, what is resolved or closed is done.
func (r *rowReader) status(row Row) (status, outcome string) {
	v := strings.ToLower(named(r.first(row, "status")))
	end := outcomes[v]
	resolution := strings.ToLower(named(r.first(row, "resolution")))
	ours, known := statuses[v]
	if category, ok := statuses[strings.ToLower(named(r.first(row, "category")))]; !known && ok {
		ours, known = category, true
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
		end = outcomes[resolution]
	case shelved && end == "" && ours != "DONE":
		end = "ARCHIVED"
	}
	switch {
	case end != "" && (ours == "DONE" || !known || shelved):
		return "CLOSED", end
	case known:
		return ours, ""
	case v != "":
		r.note(fmt.Sprintf("status %q", named(r.first(row, "status"))), row.Line)
	}
	return "TODO", ""
}

// points reads the story points; one half is written 0.5 or 0,5.
func (r *rowReader) points(row Row) float64 {
	v := r.first(row, "points")
	if blank(v) {
		return 0
	}
	p, err := strconv.ParseFloat(strings.Replace(v, ",", ".", 1), 64)
	if err != nil || !(p >= 0 && p <= 1000) { // what is no number is in no range
		r.note(fmt.Sprintf("number of story points %q", v), row.Line)
		return 0
	}
	return p
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (r *rowReader) note(what string, line int) {
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
	if ours, ok := words[strings.ToLower(v)]; ok {
		return ours
	}
	r.note(fmt.Sprintf("%s %q", field, v), row.Line)
	return otherwise
}

func (r *rowReader) date(row Row, field string) time.Time {
	v := r.first(row, field)
	if blank(v) {
		return time.Time{}
	}
	t, ok := r.dates[field].read(v)
	if !ok {
		r.note(fmt.Sprintf("date %q in %s", v, field), row.Line)
		return time.Time{}
	}
	return t
}
