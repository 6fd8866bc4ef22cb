package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// notThere is what a table says beside who did not come.
var notThere = []string{"excused", "entschuldigt", "away", "no", "absent", "apologies", "regrets", "nein", "✗", "❌", "x̶", "-", "n"}

// tableRow reads a row of a Markdown table.
func (s *scanner) tableRow(line string) {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = clean(cells[i])
	}
	s.row(cells, line)
}

// row reads the cells of a table of actions, decisions or attendees; line is what stands there.
func (s *scanner) row(cells []string, line string) {
	if strings.Trim(strings.Join(cells, ""), "-: ") == "" {
		return
	}
	if s.columns == nil {
		s.columns = cells
		return
	}
	if s.facts(cells, line) {
		return
	}
	at := func(words ...string) string {
		for i, c := range s.columns {
			if i < len(cells) && slices.Contains(words, strings.ToLower(strings.Trim(c, ": "))) {
				return cells[i]
			}
		}
		return ""
	}
	s.mentioned(at("person", "who", "name", "member", "team member", "wer"))
	owner := strings.TrimPrefix(at("owner", "whom", "by whom", "lead", "assignee", "who", "responsible", "assigned to", "dri", "name", "owner(s)", "verantwortlich", "wer", "zuständig"), "@")
	if name := at("name", "attendee", "participant", "member", "person", "teilnehmer", "who"); name != "" && (s.section == peopleSection || s.colName("attended", "present", "anwesend", "attendance") || answersCall(at("status"))) {
		here := strings.ToLower(at("attended", "present", "anwesend", "attendance", "status"))
		before := len(s.out.Attendees)
		s.people(name, line, s.section == absentSection || slices.Contains(notThere, here) || here == "" && s.colName("attended", "present", "anwesend", "attendance"), true)
		if short := at("abbreviation", "abbr", "initials", "handle", "nick", "irc", "github"); short != "" && len(s.out.Attendees) == before+1 {
			s.out.Attendees[before].Handle = strings.TrimPrefix(short, "@")
		}
		return
	}
	if what := at("result", "outcome", "ergebnis"); what != "" && resultSays.MatchString(what) {
		before, _, _ := strings.Cut(strings.Join(cells, ": "), ": "+what)
		s.decision(before+": "+what, "", line, 0.8)
		s.cellsTell(cells, line)
		return
	}
	if s.colName("yesterday", "today", "gestern", "heute") && nameCount(cells[0]) == 1 {
		s.people(cells[0], line, strings.Trim(inBrackets.ReplaceAllString(strings.Join(cells[1:], ""), ""), " –-—") == "", false)
	}
	s.rollRow(cells, line)
	if rep := at("rep", "representative", "delegate", "vertreter"); nameCount(rep) > 0 {
		s.people(rep, line, false, false)
	}
	if what := at("decision", "decisions", "resolution", "beschluss", "entscheidung"); what != "" {
		s.decision(what, at("by", "decided by", "who", "owner"), line, 0.9)
		return
	}
	text := at("action", "action item", "action items", "actions", "task", "todo", "to do", "what", "item", "next step", "point", "points", "aufgabe", "maßnahme", "was")
	if slices.Contains([]string{"-", "–", "tbd", "?", "n/a", "none", "tba"}, strings.ToLower(owner)) || ofNobody.MatchString(owner) {
		owner = ""
	}
	agenda := s.section != actionSection && at("action", "action item", "action items", "actions", "task", "todo", "to do", "next step", "aufgabe", "maßnahme") == "" && s.colName("notes", "discussion", "comments", "time", "min", "minutes")
	if text == "" || agenda || owner == "" && s.section != actionSection && !s.assigns() {
		s.cellsTell(cells, line)
		return
	}
	if owner == "" && strings.HasSuffix(text, "?") {
		s.question(text, line, 0.85)
		return
	}
	before := len(s.out.Actions)
	s.action(text, owner, line, 0.95, slices.Contains([]string{"done", "closed", "complete", "completed", "x", "yes", "erledigt", "✅"}, strings.ToLower(at("status", "done", "state"))), "")
	if due, ok := s.day(at("due", "due date", "by", "when", "deadline", "date", "by when", "target", "target date", "fällig", "bis", "termin", "bis wann")); ok && len(s.out.Actions) > before {
		s.out.Actions[len(s.out.Actions)-1].Due = due
	}
}

var resultSays = pattern.New(`(?i)\b(?:agreed|accepted|approved|adopted|rejected|decided)\b`)

func (s *scanner) colName(names ...string) bool {
	return slices.ContainsFunc(s.columns, func(c string) bool {
		return slices.Contains(names, strings.ToLower(strings.Trim(c, ": ")))
	})
}

// events are the columns of tables that tell what happened.
var events = list("event, events, what happened, description, went well, to improve, kudos, liked, learned, lacked, longed for, done, impact, root cause, ereignis, time, when")

// cellsTell reads the sentences in the cells of a table that is about something else than actions.
func (s *scanner) cellsTell(cells []string, line string) {
	for i, cell := range cells {
		if i >= len(s.columns) || i == 0 || slices.Contains(events, strings.ToLower(strings.Trim(s.columns[i], ": "))) || len(strings.Fields(cell)) < 3 {
			continue
		}
		lead, leads, author := s.lead, s.leads, s.author
		if nameCount(cells[0]) == 1 && s.knows(cells[0]) {
			s.lead, s.leads, s.subject, s.subjectAt, s.author = cells[0], true, cells[0], s.from, cells[0]
		}
		s.sentences("", cell, line, false)
		s.lead, s.leads, s.author = lead, leads, author
	}
}

// answersCall reports what a column says of who came.
func answersCall(cell string) bool {
	return slices.Contains([]string{"present", "absent", "apologies", "regrets", "excused", "anwesend", "entschuldigt", "here"}, strings.ToLower(cell))
}

// facts reads a row of a table of two columns without names, whose first one says what the second is.
func (s *scanner) facts(cells []string, line string) bool {
	if len(cells) != 2 || len(s.columns) != 2 || nameCount(firstNames(cells[1])) == 0 {
		return false
	}
	said := presenceOf(cells[0])
	if said == here || said == away {
		s.people(cells[1], line, said == away, false)
		return true
	}
	return false
}

// rollRow reads a table whose columns are those that were there and those that were not.
func (s *scanner) rollRow(cells []string, line string) {
	for i, c := range s.columns {
		if said := presenceOf(c); i < len(cells) && (said == here || said == away) && writtenName(bareOf(nameSeparator.Split(cells[i], 2)[0])) && !strings.EqualFold(strings.Trim(c, ": "), "name") {
			s.people(cells[i], line, said == away, false)
		}
	}
}

// mentioned keeps the people of a table that is about what each of them does.
func (s *scanner) mentioned(cell string) {
	if nameCount(cell) == 1 && !slices.Contains(s.named, cell) {
		s.named = append(s.named, cell)
	}
}

// assigns reports whether a table has a column of its own for who does what.
func (s *scanner) assigns() bool {
	return slices.ContainsFunc(s.columns, func(c string) bool {
		return slices.Contains([]string{"owner", "assignee", "responsible", "assigned to", "dri", "owner(s)", "verantwortlich", "zuständig"}, strings.ToLower(strings.Trim(c, ": ")))
	}) && slices.ContainsFunc(s.columns, func(c string) bool {
		return slices.Contains([]string{"action", "action item", "action items", "task", "todo", "to do", "next step", "aufgabe", "maßnahme"}, strings.ToLower(strings.Trim(c, ": ")))
	})
}
