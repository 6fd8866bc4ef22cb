package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// This file reads objectives that a text writes out: blocks that begin with "Objective: …" and have "Outcome: …", "Signal: …" and the like below
// or behind it, and lists below a heading such as "Objectives for Sprint 12:". Minutes write "Outcome: …" of what they discussed, too, so it
// takes more than that to make a block.

var (
	objectiveHead  = pattern.New(`(?i)^(?:(sprint \S+|iteration \S+|quarter|q[1-4](?: \d{4})?)\s+)?(?:objective|goal|ziel)\s*(?:#?\d{1,3})?\s*(?:[:–—]|\s-\s)\s*(.*)$`)
	objectiveField = pattern.New(`(?i)^(outcomes?|(?:expected|desired|committed) outcome|(?:measurable |success )?signals?|measur(?:e|ed by|able)|metrics?|success (?:criteria|criterion|metrics?|measures?)|key results?(?: #?\d{1,2})?|kr ?\d{1,2}|risks?|status|state|tickets?|issues?|stories|sprint|iteration|start(?: date)?|end(?: date)?|due(?: date)?|target(?: date)?|ergebnis|messgröße|messbar an|erfolgskriterium|risik(?:o|en))\s*[:=]\s*(.*)$`)
	objectiveCut   = pattern.New(`(?i)\s*(?:[/|;,–—]|\s-|\.)\s+((?:(?:expected |desired |committed )?outcome|(?:measurable |success )?signals?|measured by|metrics?|success (?:criteria|criterion|metrics?)|key results?|risks?|status|tickets?|issues?|sprint|start|end|due|target|ergebnis|messgröße|risik(?:o|en))\s*[:=])`)
	objectiveList  = pattern.New(`(?i)^(?:(?:our|the|team|project|committed|proposed)\s+)*(?:(sprint \S+|iteration \S+|q[1-4](?: \d{4})?)\s+)?(objectives|goals|ziele)(?:\s+(?:for|of|in|für|im)\s+(?:the\s+)?(.{2,40}?))?\s*:?$`)
	objectiveState = pattern.New(`^(.*\S)\s*(?:[-–—,|]\s*|[\[(]\s*)(PROPOSED|COMMITTED|AT[ _]RISK|ACHIEVED|MISSED|DROPPED)\s*[\])]?\.?$`)
	objectiveNo    = pattern.New(`^(?:[A-Z]{1,2}\d{1,2}|\d{1,2})\s*[:.)]\s+`)
	sprintOf       = pattern.New(`(?i)^(?:(?:sprint|iteration) \S+|q[1-4]\b.*|\d{1,4})$`)
	// goalKeys are keys of issues, also of one letter: those that no ticket has mean nothing.
	goalKeys    = pattern.New(`\b[A-Z][A-Z0-9]{0,9}-[1-9]\d{0,6}\b`)
	leadingHash = pattern.New(`^\s*#{1,6}\s+`)
)

// A goalLine is a line of a text as objectives are read from it.
type goalLine struct {
	text           string // without its bullet and markup
	indent         int
	bullet, number bool
	head           bool // it is a heading
}

func goalLineOf(raw string) goalLine {
	w := goalLine{indent: indentOf(raw)}
	if h := leadingHash.FindString(raw); h != "" {
		w.head, raw = true, raw[len(h):]
	}
	body := strings.TrimSpace(raw)
	if m := bulletPattern.FindStringSubmatch(body); m != nil {
		w.bullet, w.number = true, body[0] >= '0' && body[0] <= '9'
		body = m[2]
	}
	w.text = clean(body)
	return w
}

// objectives reads the objectives that a text writes out, and notes their lines, which say nothing else.
func (s *scanner) objectives() {
	s.ofGoals = make(map[int]bool)
	for i := 0; i < len(s.lines); i++ {
		low := strings.ToLower(s.lines[i])
		if !strings.Contains(low, "objective") && !strings.Contains(low, "goal") && !strings.Contains(low, "ziel") {
			continue
		}
		w := goalLineOf(s.lines[i])
		if m := objectiveList.FindStringSubmatch(w.text); m != nil && (w.head || strings.HasSuffix(w.text, ":") || m[1] != "" || sprintOf.MatchString(m[3])) {
			if end := s.listedObjectives(i, w, m); end > i {
				i = end
				continue
			}
		}
		if end := s.objectiveAt(i, w, ""); end >= i {
			i = end
		}
	}
}

// objectiveAt reads the block of an objective that begins at a line, and returns its last line; less than that line where there is none.
func (s *scanner) objectiveAt(at int, w goalLine, sprint string) int {
	m := objectiveHead.FindStringSubmatch(w.text)
	if m == nil {
		return -1
	}
	g := Goal{Sprint: m[1]}
	if g.Sprint == "" {
		g.Sprint = sprint
	}
	var b objectiveBlock
	end := b.read(s, at, w, m[2], false)
	if !b.tells() || ofAgenda.MatchString(b.name) {
		return -1
	}
	s.keepObjective(b.goal(s, g), at, end)
	return end
}

// listedObjectives reads the list below a heading, and returns its last line; the heading's own where the list is none of objectives.
func (s *scanner) listedObjectives(head int, h goalLine, m []string) int {
	sprint := strings.TrimRight(strings.TrimSpace(m[1]), ":")
	if sprint == "" && sprintOf.MatchString(m[3]) {
		sprint = m[3]
	}
	type found struct {
		b       objectiveBlock
		at, end int
	}
	var all []found
	numbered, bullets, tells, last := true, false, false, head
	for i := head + 1; i < len(s.lines); {
		if strings.TrimSpace(s.lines[i]) == "" {
			i++
			continue
		}
		w := goalLineOf(s.lines[i])
		own := objectiveHead.FindStringSubmatch(w.text)
		if w.head || !w.bullet && (own == nil || bullets) { // an objective of its own is none of the list
			break
		}
		bullets = bullets || w.bullet
		text := objectiveNo.ReplaceAllString(w.text, "")
		if own != nil {
			text = own[2]
		}
		var b objectiveBlock
		end := b.read(s, i, w, text, true)
		if text == "" || len(strings.Fields(b.name)) < 2 || hasOwner(b.name) || ofAgenda.MatchString(text) || strings.HasSuffix(text, "?") || boxPattern.MatchString(text) {
			return head // tasks, or what a meeting is for
		}
		all, numbered, tells, last = append(all, found{b, i, end}), numbered && (w.number || own != nil), tells || b.tells(), end
		i = end + 1
	}
	if len(all) == 0 || !tells && sprint == "" && (!numbered || !strings.EqualFold(m[2], "objectives")) {
		return head
	}
	for _, f := range all {
		s.keepObjective(f.b.goal(s, Goal{Sprint: sprint}), f.at, f.end)
	}
	s.ofGoals[head] = !h.head // a heading is a topic all the same
	return last
}

// keepObjective keeps an objective that stands in some lines.
func (s *scanner) keepObjective(g Goal, at, end int) {
	g.Span = Span{Line: at + 1, EndLine: end + 1, Quote: strings.TrimSpace(strings.Join(s.lines[at:end+1], "\n"))}
	s.out.Goals = append(s.out.Goals, g)
	for i := at; i <= end; i++ {
		s.ofGoals[i] = true
	}
}

// An objectiveBlock is what a text says of an objective, field by field.
type objectiveBlock struct {
	name   string
	fields []objectiveSaid
}

type objectiveSaid struct{ field, text string }

// tells reports a block that says more of an objective than what minutes say of anything.
func (b *objectiveBlock) tells() bool {
	return slices.ContainsFunc(b.fields, func(f objectiveSaid) bool { return f.field != "outcome" && f.field != "end" && f.field != "start" })
}

// read reads a block from its first line, of which text is what stands behind its label, and returns its last line. Items of a list have their
// fields deeper than the item.
func (b *objectiveBlock) read(s *scanner, at int, first goalLine, text string, item bool) (end int) {
	if m := objectiveState.FindStringSubmatch(text); m != nil && !strings.HasSuffix(m[1], ":") {
		text = strings.TrimRight(m[1], " -–—,|")
		b.add("status", m[2])
	}
	parts := strings.Split(objectiveCut.ReplaceAllString(text, "\n$1"), "\n")
	b.name = strings.Trim(parts[0], " .")
	for _, p := range parts[1:] {
		b.line(p)
	}
	open := "" // the field whose values are a list below it
	end = at
	for i := at + 1; i < len(s.lines); i++ {
		if strings.TrimSpace(s.lines[i]) == "" {
			if i+1 < len(s.lines) && !item && end == at && objectiveField.MatchString(goalLineOf(s.lines[i+1]).text) {
				continue // a blank line between the objective and its fields
			}
			break
		}
		w := goalLineOf(s.lines[i])
		switch m := objectiveField.FindStringSubmatch(w.text); {
		case w.head:
			return end
		case item && w.bullet && w.indent <= first.indent:
			return end
		case m != nil:
			open = ""
			if b.line(w.text); strings.TrimSpace(m[2]) == "" {
				open = partOfGoal(m[1])
			}
		case open != "" && w.bullet:
			b.add(open, w.text)
		default:
			return end
		}
		end = i
	}
	return end
}

// line reads a line with a field, and others behind it.
func (b *objectiveBlock) line(text string) {
	for _, p := range strings.Split(objectiveCut.ReplaceAllString(text, "\n$1"), "\n") {
		if m := objectiveField.FindStringSubmatch(strings.TrimSpace(p)); m != nil {
			b.add(partOfGoal(m[1]), m[2])
		}
	}
}

func (b *objectiveBlock) add(field, text string) {
	if text = strings.TrimSpace(text); text != "" {
		b.fields = append(b.fields, objectiveSaid{field, text})
	}
}

// partOfGoal is the field that a label names.
func partOfGoal(label string) string {
	label = strings.ToLower(label)
	for _, f := range []struct{ field, words string }{
		{"outcome", "outcome, ergebnis"},
		{"risk", "risk, risiko, risiken"},
		{"status", "status, state"},
		{"tickets", "ticket, issue, stories"},
		{"sprint", "sprint, iteration"},
		{"start", "start"},
		{"end", "end, due, target"},
	} {
		if slices.ContainsFunc(list(f.words), func(w string) bool { return strings.HasPrefix(label, w) || strings.HasSuffix(label, w) }) {
			return f.field
		}
	}
	return "signal"
}

// goal is the objective that a block describes.
func (b *objectiveBlock) goal(s *scanner, g Goal) Goal {
	g.Text = b.name
	keys := goalKeys.FindAllString(b.name, -1)
	var signals []string
	for _, f := range b.fields {
		switch f.field {
		case "outcome":
			g.Outcome = strings.TrimRight(f.text, ".")
		case "signal":
			signals = append(signals, strings.TrimRight(f.text, "."))
		case "risk":
			for _, r := range strings.Split(f.text, ";") {
				if r = strings.Trim(r, " ."); r != "" && !slices.Contains(noDecision, strings.ToLower(r)) {
					g.Risks = append(g.Risks, r)
				}
			}
		case "status":
			g.Status = strings.Trim(f.text, " .")
		case "sprint":
			g.Sprint = f.text
		case "start":
			g.Start, _ = s.day(f.text)
		case "end":
			g.End, _ = s.day(f.text)
		}
		keys = append(keys, goalKeys.FindAllString(f.text, -1)...)
	}
	g.Signal = strings.Join(signals, "; ")
	for _, k := range keys {
		if !slices.Contains(g.Keys, k) {
			g.Keys = append(g.Keys, k)
		}
	}
	if n := strings.TrimSpace(g.Sprint); n != "" && strings.Trim(n, "0123456789") == "" {
		g.Sprint = "Sprint " + n
	}
	if g.Text == "" {
		g.Text, g.Outcome = g.Outcome, ""
	}
	g.Written = true
	return g
}
