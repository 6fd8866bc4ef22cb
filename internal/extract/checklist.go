package extract

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"chela/internal/pattern"
)

// A Checklist is a list of things to check on a ticket.
type Checklist struct {
	Name  string // empty for one in a description
	Items []ChecklistItem
}

// A ChecklistItem is one thing to check.
type ChecklistItem struct {
	Text     string
	Done     bool
	Assignee string
	Ref      string // of the ticket that it stands for
}

const (
	mostItems  = 1000 // of one ticket's checklists
	itemLength = 1000 // bytes of an item's text
)

var (
	taskLine = pattern.New(`^\s{0,24}(?:[-*+]|\d{1,4}[.)])\s+\[([ xX])\]\s+(\S.*)$`)
	fenced   = pattern.New("^\\s*(?:```|~~~)")
	onlyRef  = pattern.New(`^` + issueRef + `$`)
)

// checklists reads a row's checklists: those in a column, and the task list in its description.
func (r *rowReader) checklists(row Row, description string) (out []Checklist) {
	left := mostItems
	add := func(c Checklist) {
		kept := c.Items[:0]
		for _, x := range c.Items {
			x.Text, x.Assignee = clippedTo(oneLine(x.Text), itemLength), r.name(x.Assignee)
			if x.Text != "" && left > 0 {
				kept = append(kept, x)
				left--
			} else if x.Text != "" {
				r.long = cmp.Or(r.long, row.Line)
			}
		}
		if c.Items = kept; len(kept) > 0 {
			out = append(out, c)
		}
	}
	for _, cell := range r.cells(row, "checklist") {
		for _, c := range checklistsIn(cell) {
			add(c)
		}
	}
	add(Checklist{Items: r.taskList(description)})
	return out
}

// taskList are the lines of a text that begin with a box.
func (r *rowReader) taskList(text string) (out []ChecklistItem) {
	if !strings.Contains(text, "[") {
		return nil
	}
	code := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if fenced.MatchString(line) {
			code = !code
		}
		m := taskLine.FindStringSubmatch(line)
		if m == nil || code {
			continue
		}
		x := ChecklistItem{Text: m[2], Done: m[1] != " "}
		if ref := onlyRef.FindStringSubmatch(strings.TrimSpace(m[2])); ref != nil {
			x.Ref = strings.TrimPrefix(ref[1], "#")
		}
		out = append(out, x)
	}
	return out
}

// checklistsIn reads checklists in JSON: a list of them, each with its name and its items, or items
// by the name of their list, each a text or an object.
func checklistsIn(cell string) (out []Checklist) {
	var lists []map[string]json.RawMessage
	if json.Unmarshal([]byte(cell), &lists) == nil && slices.ContainsFunc(lists, func(l map[string]json.RawMessage) bool { return l["items"] != nil || l["checkItems"] != nil }) {
		for _, l := range lists {
			raw := l["items"]
			if raw == nil {
				raw = l["checkItems"]
			}
			out = append(out, Checklist{textIn(l, "name", "title"), itemsIn(raw)})
		}
		return out
	}
	if len(lists) > 0 {
		return []Checklist{{"", itemsIn(json.RawMessage(cell))}}
	}
	var named map[string]json.RawMessage
	if json.Unmarshal([]byte(cell), &named) == nil {
		for _, name := range slices.Sorted(maps.Keys(named)) {
			out = append(out, Checklist{name, itemsIn(named[name])})
		}
		return out
	}
	var plain []string
	if json.Unmarshal([]byte(cell), &plain) == nil {
		return []Checklist{{"", itemsIn(json.RawMessage(cell))}}
	}
	var c Checklist
	for line := range strings.Lines(cell) {
		if m := taskLine.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			c.Items = append(c.Items, ChecklistItem{Text: m[2], Done: m[1] != " "})
		}
	}
	return []Checklist{c}
}

func itemsIn(raw json.RawMessage) (out []ChecklistItem) {
	var texts []string
	if json.Unmarshal(raw, &texts) == nil {
		for _, t := range texts {
			out = append(out, ChecklistItem{Text: t})
		}
		return out
	}
	var objects []map[string]json.RawMessage
	if json.Unmarshal(raw, &objects) != nil {
		return nil
	}
	for _, o := range objects {
		x := ChecklistItem{Text: textIn(o, "text", "name", "title"), Assignee: textIn(o, "assignee", "member")}
		for _, k := range []string{"done", "checked", "resolved", "completed", "state", "status"} {
			switch value := strings.ToLower(strings.Trim(string(o[k]), `"`)); value {
			case "true", "complete", "completed", "done", "checked", "closed":
				x.Done = true
			}
		}
		out = append(out, x)
	}
	return out
}

// textIn is the first of some members that is a text.
func textIn(o map[string]json.RawMessage, names ...string) string {
	for _, n := range names {
		var s string
		if json.Unmarshal(o[n], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}
