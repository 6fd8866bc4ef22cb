package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

var (
	commentCell = pattern.New(`(?s)^([^;]{6,40});([^;]{0,100});(.*)$`)
	sprintCell  = pattern.New(`[\[,]name=([^,\]]+)`)
	besideName  = pattern.New(`\s*<[^<>@\s]+@[^<>\s]+>`) // a mail address
	wholeKey    = pattern.New(`^[A-Z][A-Z0-9_]{0,19}-\d{1,7}$`)
)

// person returns a field's people as one text; nobody is empty.
func (r *rowReader) person(row Row, field string) string {
	who := unlisted(named(r.first(row, field)))
	if bare := strings.TrimSpace(besideName.ReplaceAllString(who, "")); bare != "" {
		who = bare
	}
	if slices.Contains(nobody, strings.ToLower(who)) {
		return ""
	}
	return who
}

// parentRef is the key in a cell that may say more: "PAY-7 Card payments".
func parentRef(cell string) string {
	cell = strings.TrimPrefix(cell, "#")
	if first, _, _ := strings.Cut(cell, " "); wholeKey.MatchString(strings.TrimRight(first, ":,")) {
		return strings.TrimRight(first, ":,")
	}
	return cell
}

// links reads the tickets that a row is linked with.
func (r *rowReader) links(row Row) []TicketLink {
	var out []TicketLink
	add := func(kind LinkKind, ref string) {
		if l := (TicketLink{kind, ref}); ref != "" && len(ref) <= 300 && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	for _, kind := range []LinkKind{Blocks, BlockedBy, Relates} {
		for _, cell := range r.cells(row, string(kind)) {
			if found := objects(cell); len(found) > 0 {
				for _, o := range found {
					add(linkOf(o))
				}
				continue
			}
			for _, part := range strings.FieldsFunc(cell, func(c rune) bool { return c == ',' || c == ';' || c == '\n' }) {
				add(kind, parentRef(strings.TrimSpace(part)))
			}
		}
	}
	return out
}

// linkOf reads one of Jira's issue links in JSON.
func linkOf(o map[string]any) (LinkKind, string) {
	kind := ""
	if t, ok := o["type"].(map[string]any); ok {
		kind, _ = t["name"].(string) // none relates
	}
	for side, blocking := range map[string]LinkKind{"outwardIssue": Blocks, "inwardIssue": BlockedBy} {
		if issue, ok := o[side].(map[string]any); ok {
			key, _ := issue["key"].(string) // none is no link
			if linkColumn(side == "outwardIssue", kind) == "relates" {
				blocking = Relates
			}
			return blocking, key
		}
	}
	return Relates, ""
}

// comments reads a row's comments: Jira's cells are "date;author;text".
func (r *rowReader) comments(row Row) []Comment {
	var out []Comment
	for _, cell := range r.cells(row, "comments") {
		if found := objects(cell); len(found) > 0 {
			for _, o := range found {
				out = append(out, r.commentsIn(o)...)
			}
			continue
		}
		c := Comment{Text: cell}
		if m := commentCell.FindStringSubmatch(cell); m != nil {
			if at, ok := r.dates["created"].read(m[1]); ok {
				c = Comment{Author: strings.TrimSpace(m[2]), Date: at.UTC(), Text: strings.TrimSpace(m[3])}
			}
		}
		if c.Text != "" {
			out = append(out, c)
		}
	}
	return out
}

// commentsIn reads a comment in JSON, or Jira's list of them.
func (r *rowReader) commentsIn(o map[string]any) []Comment {
	if all, ok := o["comments"].([]any); ok {
		var out []Comment
		for _, x := range all {
			if one, ok := x.(map[string]any); ok {
				out = append(out, r.commentsIn(one)...)
			}
		}
		return out
	}
	var c Comment
	for _, name := range []string{"author", "user", "creator"} {
		if who, ok := o[name].(map[string]any); ok && c.Author == "" {
			c.Author = nameIn(who)
		}
	}
	for _, name := range []string{"created", "created_at", "createdAt", "date"} {
		if v, ok := o[name].(string); ok && c.Date.IsZero() {
			if at, ok := r.dates["created"].read(v); ok {
				c.Date = at.UTC()
			}
		}
	}
	for _, name := range []string{"body", "text"} {
		if v, ok := o[name].(string); ok && c.Text == "" {
			c.Text = strings.TrimSpace(v)
		}
	}
	if c.Text == "" {
		return nil
	}
	return []Comment{c}
}

// sprintName takes the name out of the forms that Jira Server and Azure DevOps write.
func sprintName(cell string) string {
	if m := sprintCell.FindStringSubmatch(cell); m != nil && strings.Contains(cell, "Sprint@") {
		return m[1]
	}
	name := named(cell)
	return name[strings.LastIndexByte(name, '\\')+1:] // Azure DevOps: a path of projects and iterations
}
