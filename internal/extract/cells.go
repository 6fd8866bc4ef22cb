package extract

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"chela/internal/pattern"
)

var (
	colourless  = pattern.New(`\s+\((?:green|yellow|orange|red|purple|blue|sky|lime|pink|black)(?:_dark|_light)?\)$`) // as Trello writes labels
	commentCell = pattern.New(`(?s)^([^;]{6,40});([^;]{0,100});(.*)$`)
	relationRef = pattern.New(`(?i)^(blocks|blocking|blocked by|is blocked by|precedes|follows|related to|relates to|duplicates|is duplicate of|duplicate of|has duplicate|is duplicated by|duplicated by|copied to|copied from)\s+[\pL ]{0,30}?#?([\w-]+)$`)
	pythonList  = pattern.New(`^\[\s*(?:'[^']*'|"[^"]*")(?:\s*,\s*(?:'[^']*'|"[^"]*"))*\s*\]$`)
	pythonText  = pattern.New(`'([^']*)'|"([^"]*)"`)
	wholeKey    = pattern.New(`^[A-Z][A-Z0-9_]{0,19}-\d{1,7}$`)
)

// parentRef is the key in a cell that may say more: "PAY-7 Card payments".
func parentRef(cell string) string {
	cell = strings.TrimPrefix(cell, "#")
	if first, _, _ := strings.Cut(cell, " "); wholeKey.MatchString(strings.TrimRight(first, ":,")) {
		return strings.TrimRight(first, ":,")
	}
	return cell
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

// links reads the tickets that a row is linked with.
func (r *rowReader) links(row Row) []TicketLink {
	var out []TicketLink
	add := func(kind LinkKind, ref string) {
		if l := (TicketLink{kind, ref}); ref != "" && len(ref) <= 300 && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	for _, kind := range []LinkKind{Blocks, BlockedBy, Duplicates, DuplicatedBy, Relates} {
		for _, cell := range r.cells(row, string(kind)) {
			if found := objects(cell); len(found) > 0 {
				for _, o := range found {
					add(linkOf(o))
				}
				continue
			}
			for _, ref := range r.refs(cell) {
				said, of := relationOf(ref)
				if said == "" {
					said = kind
				}
				add(said, parentRef(of))
			}
		}
	}
	return out
}

// refs are the tickets that a cell names: by their keys or titles, with commas between them, which titles may have, too.
func (r *rowReader) refs(cell string) (out []string) {
	if relationPage.MatchString(cell) {
		for _, name := range relationPage.Split(cell, -1) {
			if name = strings.Trim(name, ", "); name != "" {
				out = append(out, name)
			}
		}
		return out
	}
	if stringsIn(cell) != nil {
		return listed(cell)
	}
	parts := strings.Split(cell, ",")
	for i := 0; i < len(parts); {
		n := 1
		for j := min(len(parts), i+maxCommas); j > i+1; j-- {
			if r.titles[oneLine(strings.Join(parts[i:j], ","))] {
				n = j - i
				break
			}
		}
		if whole := oneLine(strings.Join(parts[i:i+n], ",")); n > 1 || r.titles[whole] {
			out = append(out, whole)
		} else {
			for _, p := range listed(parts[i]) {
				out = append(out, strings.TrimSpace(p))
			}
		}
		i += n
	}
	return out
}

// maxCommas is how many commas a title in a list may have.
const maxCommas = 12

// relationOf reads a reference that says its kind, as Redmine writes them: "Blocks #12".
func relationOf(ref string) (LinkKind, string) {
	m := relationRef.FindStringSubmatch(ref)
	if m == nil {
		return "", ref
	}
	switch strings.ToLower(m[1]) {
	case "blocks", "blocking", "precedes":
		return Blocks, m[2]
	case "blocked by", "is blocked by", "follows":
		return BlockedBy, m[2]
	case "duplicates", "is duplicate of", "duplicate of":
		return Duplicates, m[2]
	case "has duplicate", "is duplicated by", "duplicated by":
		return DuplicatedBy, m[2]
	}
	return Relates, m[2]
}

// commentDates decides how the comments of a table write their dates.
func commentDates(rows []Row, at, others []int) dates {
	var said []Row
	for _, row := range rows {
		for _, i := range at {
			if i >= len(row.Cells) {
				continue
			}
			for _, o := range objects(row.Cells[i]) {
				for _, name := range dateMembers {
					if v, ok := o[name].(string); ok {
						said = append(said, Row{Cells: []string{v}})
					}
				}
			}
		}
	}
	if len(said) == 0 {
		return datesOf(rows, at, others)
	}
	return datesOf(said, []int{0}, nil)
}

// dateMembers are what says when a comment in JSON was made.
var dateMembers = []string{"created", "created_at", "createdAt", "date"}

// linkOf reads an issue link in JSON: one of Jira's, or one that says its kind and its issue.
func linkOf(o map[string]any) (LinkKind, string) {
	if ref, ok := o["issue"].(string); ok {
		switch kind, _ := o["type"].(string); strings.ReplaceAll(strings.ToLower(kind), "_", " ") {
		case "blocks", "blocking":
			return Blocks, ref
		case "blocked by", "is blocked by":
			return BlockedBy, ref
		case "duplicate", "duplicates", "duplicate of":
			return Duplicates, ref
		case "duplicated by", "is duplicated by":
			return DuplicatedBy, ref
		}
		return Relates, ref
	}
	kind := ""
	if t, ok := o["type"].(map[string]any); ok {
		kind, _ = t["name"].(string) // none relates
	}
	for _, side := range []string{"outwardIssue", "inwardIssue"} {
		if issue, ok := o[side].(map[string]any); ok {
			key, _ := issue["key"].(string) // none is no link
			return LinkKind(linkColumn(side == "outwardIssue", kind)), key
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
		if blank(cell) {
			continue
		}
		c := Comment{Text: r.mentions(cell)}
		if m := commentCell.FindStringSubmatch(cell); m != nil {
			if at, ok := r.dates["comments"].read(m[1]); ok {
				c = Comment{Author: r.name(strings.TrimSpace(m[2])), Date: at.UTC(), Text: r.mentions(strings.TrimSpace(m[3]))}
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
	for _, name := range []string{"author", "user", "creator", "created_by", "by"} {
		switch who := o[name].(type) {
		case map[string]any:
			c.Author = cmp.Or(c.Author, r.name(nameIn(who)))
		case string:
			c.Author = cmp.Or(c.Author, r.name(who))
		}
	}
	for _, name := range dateMembers {
		if v, ok := o[name].(string); ok && c.Date.IsZero() {
			if at, ok := r.dates["comments"].read(v); ok {
				c.Date = at.UTC()
			}
		}
	}
	for _, name := range []string{"body", "text", "comment"} {
		c.Text = cmp.Or(c.Text, r.mentions(strings.TrimSpace(prose(o[name]))))
	}
	if c.Text == "" {
		return nil
	}
	return []Comment{c}
}

// prose is a text in JSON: a string, or Atlassian's document format with a line for each block.
func prose(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, x := range v {
			b.WriteString(prose(x))
		}
		return b.String()
	case map[string]any:
		text, _ := v["text"].(string) // only its leaves have one
		switch text += prose(v["content"]); v["type"] {
		case "paragraph", "heading", "codeBlock", "hardBreak":
			text += "\n"
		}
		return text
	}
	return ""
}

// betweenColons reports labels as "bug:verified:api": one of three cells has several colons, and
// no cell what else stands between labels, nor "workflow::done", which is one.
func betweenColons(rows []Row, at []int) bool {
	several := 0
	for _, r := range rows {
		cell := cellIn(r, at)
		switch {
		case strings.ContainsAny(cell, ",;\n[、") || strings.Contains(cell, "::") || strings.Contains(cell, ": "):
			return false
		case strings.Count(cell, ":") > 1:
			several += 3
		}
		if cell != "" {
			several--
		}
	}
	return several > 0
}

// listed are the parts of a cell that lists things.
func listed(cell string) []string {
	if parts := stringsIn(cell); parts != nil {
		return parts
	}
	return strings.FieldsFunc(unlisted(cell), func(c rune) bool { return c == ',' || c == ';' || c == '\n' || c == '、' })
}

// unlisted takes the brackets off "[ci,infra]", as ClickUp writes lists.
func unlisted(cell string) string {
	cell = strings.TrimSpace(cell)
	if inner, ok := strings.CutPrefix(cell, "["); ok && strings.HasSuffix(inner, "]") && !strings.ContainsAny(inner[:len(inner)-1], "[]") {
		return inner[:len(inner)-1]
	}
	return cell
}

// stringsIn reads a list of texts as JSON or Python write it; nil when the cell is none.
func stringsIn(cell string) []string {
	cell = strings.TrimSpace(cell)
	if !strings.HasPrefix(cell, "[") || !strings.HasSuffix(cell, "]") {
		return nil
	}
	var out []string
	if json.Unmarshal([]byte(cell), &out) == nil {
		return out
	}
	if !pythonList.MatchString(cell) {
		return nil
	}
	for _, m := range pythonText.FindAllStringSubmatch(cell, -1) {
		out = append(out, cmp.Or(m[1], m[2]))
	}
	return out
}
