package extract

import (
	"slices"
	"strings"
	"time"
)

// A rowReader reads the rows of a table of tickets.
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
	unknown []string       // fields of the row at work that say something that is not known

	ranks      []int           // of the columns' names
	titles     map[string]bool // of the rows
	whole      map[string]bool // cells of people, in small letters
	nested     []string        // titles above the row at work, where titles stand in a column for each level
	twofold    bool            // the status is open or closed and nothing else
	alone      map[string]bool // sprints that stand alone in a cell
	iterations bool            // sprints are paths
	planned    map[string]int  // name → place of the sprint among plans
	plans      []SprintRow
	long       int            // the first line with more items to check than are kept
	marked     map[string]int // name → place of the milestone among marks
	marks      []MilestoneRow
	labelTold  []string // fields that labels tell

	since     Since
	sinceDay  time.Time // what since said, zero before it is asked
	sinceTold string
	said      map[string]saidDay // days in words, by the words
}

// readerOf is the reader of a table's rows, with what all of them say of its columns.
func readerOf(header []string, rows []Row, at layout, source Source) rowReader {
	out := rowReader{
		at: at, names: columnNames(header), who: accounts(header, rows), ranks: make([]int, len(header)),
		titles: make(map[string]bool, len(rows)), whole: make(map[string]bool), alone: make(map[string]bool), planned: make(map[string]int), marked: make(map[string]int),
		twofold: isTwofold(rows, at["status"]), iterations: at.named(header, "sprint", list("iteration path")),
		single:  slices.Contains(singleOwner, source),
		placed:  at.named(header, "status", list(places+", current state")),
		colons:  betweenColons(rows, at["labels"]),
		numbers: source == GitHub || source == GitLab,
		dates:   make(map[string]dates), odd: make(map[string]int),
	}
	for i, h := range header {
		_, out.ranks[i] = columnName(h)
	}
	if out.placed && len(at["section"]) == 0 { // a place that says nothing of the status is a section
		at["section"] = at["status"]
	}
	for _, row := range rows {
		for _, i := range append(slices.Clone(at["owner"]), at["reporter"]...) {
			out.whole[strings.ToLower(cellIn(row, []int{i}))] = true
		}
		out.titles[oneLine(cellIn(row, at["title"]))] = true
		for _, i := range at["sprint"] {
			if s := cellIn(row, []int{i}); s != "" && !strings.Contains(s, ",") {
				out.alone[s] = true
			}
		}
	}
	delete(out.titles, "")
	return out
}
