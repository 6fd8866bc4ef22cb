package question_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// A part is some words of a question with what has to stand in its filter.
type part struct{ words, filter string }

// field is what a part narrows: no question has two parts that do.
func (p part) field() string {
	name, _, _ := strings.Cut(strings.TrimLeft(p.filter, "-"), ":")
	switch {
	case name == "due" || name == "closedOn":
		return "status"
	case strings.Contains(p.filter, `"refund"`) || strings.Contains(p.filter, `"checkout"`):
		return "text"
	case name == "has":
		return strings.TrimPrefix(p.filter, "has:")
	}
	return name
}

// The parts of questions in a language, by where they stand: before the noun, the noun, behind it, and at the end.
type parts struct{ asked, before, nouns, behind, groups []part }

var english = parts{
	before: []part{
		{"open", "-status:DONE,CLOSED"},
		{"closed", "status:DONE,CLOSED"},
		{"done", "status:DONE"},
		{"blocked", "status:BLOCKED"},
		{"overdue", "due:<today"},
		{"unassigned", "owner:none"},
		{"critical", "priority:CRITICAL"},
		{"high priority", "priority:HIGH"},
		{"unestimated", "storyPoints:none"},
		{"Dana's", `owner:"Dana Reyes"`},
		{"", ""},
	},
	nouns: []part{{"tickets", ""}, {"stories", "type:STORY"}, {"epics", "type:EPIC"}, {"subtasks", "type:SUBTASK"}},
	behind: []part{
		{"of Joe", `owner:"Joe Martinez"`},
		{"assigned to Mei", `owner:"Mei Chen"`},
		{"in Sprint 24", `sprint:"Sprint 24"`},
		{"with the label security", `labels:"security"`},
		{"due this week", "dueDate:>=2026-03-09"},
		{"created in February", "externalCreated:2026-02"},
		{"closed last month", "closedOn:2026-02"},
		{"without a due date", "dueDate:none"},
		{"in review", "status:REVIEW"},
		{"reported by Carla", `reporter:"Carla Neumann"`},
		{"with more than 5 points", "storyPoints:>5"},
		{"with the priority low", "priority:LOW"},
		{"that are blocked", "status:BLOCKED"},
		{"without an owner", "owner:none"},
		{"not updated since February", "updated:<=2026-02-01"},
		{"that are not critical", "-priority:CRITICAL"},
		{"with refund in the title", `title:~"refund"`},
		{"older than 30 days", "externalCreated:<2026-02-09"},
		{"that Tom owns", `owner:"Tom Becker"`},
		{"Kofi is working on", `owner:"Kofi Mensah"`},
		{"due on Friday", "dueDate:2026-03-13"},
		{"due by the end of the month", "dueDate:<2026-04-01"},
		{"opened this year", "externalCreated:>=2026-01-01"},
		{"in progress", "status:IN_PROGRESS"},
		{"which have no sprint", "sprint:none"},
		{"labelled billing", `labels:"billing"`},
		{"nobody has touched in a month", "updated:<=2026-02-11"},
		{"changed yesterday", "updated:2026-03-10"},
		{"with 8 points", "storyPoints:8"},
		{"that were closed since Monday", "closedOn:>=2026-03-09"},
		{"about refunds", `"refund"`},
		{"not owned by Joe", `-owner:"Joe Martinez"`},
		{"of the designers", `owner:"Ana Souza"`},
		{"from Mei", `owner:"Mei Chen"`},
		{"that Joe reported", `reporter:"Joe Martinez"`},
		{"raised by Carla", `reporter:"Carla Neumann"`},
		{"for Sprint 25", `sprint:"Sprint 25"`},
		{"of Sprint 23", `sprint:"Sprint 23"`},
		{"tagged security", `labels:"security"`},
		{"labelled security or mobile", `labels:"security","mobile"`},
		{"with high priority", "priority:HIGH"},
		{"with high or critical priority", "priority:HIGH,CRITICAL"},
		{"with 3 to 5 points", "storyPoints:>=3"},
		{"with at least 8 points", "storyPoints:>=8"},
		{"without an estimate", "storyPoints:none"},
		{"with no sprint", "sprint:none"},
		{"without labels", "labels:none"},
		{"with a due date", "has:dueDate"},
		{"that have an owner", "has:owner"},
		{"due today", "dueDate:2026-03-11"},
		{"due tomorrow", "dueDate:2026-03-12"},
		{"due next month", "dueDate:2026-04"},
		{"due before Friday", "dueDate:<2026-03-13"},
		{"due in the next two weeks", "dueDate:>=2026-03-11"},
		{"created yesterday", "externalCreated:2026-03-10"},
		{"created since January", "externalCreated:>=2026-01-01"},
		{"created between January and February", "externalCreated:>=2026-01-01"},
		{"created before 2026-02-01", "externalCreated:<2026-02-01"},
		{"resolved today", "closedOn:2026-03-11"},
		{"finished in January", "status:DONE closedOn:2026-01"},
		{"completed this month", "status:DONE closedOn:2026-03"},
		{"updated last week", "updated:>=2026-03-02"},
		{"untouched for three weeks", "updated:<=2026-02-18"},
		{"mentioning refunds", `"refund"`},
		{"that mention checkout", `"checkout"`},
		{"in Sprint 24 or Sprint 25", `sprint:"Sprint 24","Sprint 25"`},
		{"of Dana or Tom", `owner:"Dana Reyes","Tom Becker"`},
		{"that are not in review", "-status:REVIEW"},
		{"except those of Tom", `-owner:"Tom Becker"`},
		{"not in Sprint 24", `-sprint:"Sprint 24"`},
		{"without the label billing", `-labels:"billing"`},
		{"waiting for review", "status:REVIEW"},
		{"not started", "status:TODO"},
	},
	asked:  []part{{"Which", ""}, {"How many", ""}, {"Show me all", ""}, {"", ""}, {"list the", ""}, {"the oldest", ""}, {"average story points of", ""}, {"total points of the", ""}, {"what are the 3 newest", ""}, {"Are there any", ""}},
	groups: []part{{"by priority", "priority"}, {"per owner", "owner"}, {"by status", "status"}, {"grouped by sprint", "sprint"}, {"by label", "labels"}, {"per month", "month"}},
}

var german = parts{
	before: []part{
		{"offene", "-status:DONE,CLOSED"}, {"geschlossene", "status:DONE,CLOSED"}, {"erledigte", "status:DONE"}, {"blockierte", "status:BLOCKED"}, {"überfällige", "due:<today"}, {"kritische", "priority:CRITICAL"}, {"", ""},
	},
	nouns: []part{{"Tickets", ""}, {"Stories", "type:STORY"}, {"Epics", "type:EPIC"}},
	behind: []part{
		{"von Joe", `owner:"Joe Martinez"`},
		{"in Sprint 24", `sprint:"Sprint 24"`},
		{"mit dem Label security", `labels:"security"`},
		{"diese Woche fällig", "dueDate:>=2026-03-09"},
		{"im Februar erstellt", "externalCreated:2026-02"},
		{"letzten Monat geschlossen", "closedOn:2026-02"},
		{"ohne Termin", "dueDate:none"},
		{"ohne Besitzer", "owner:none"},
		{"mit mehr als 5 Punkten", "storyPoints:>5"},
		{"die nicht kritisch sind", "-priority:CRITICAL"},
		{"älter als 30 Tage", "externalCreated:<2026-02-09"},
		{"bis Monatsende fällig", "dueDate:<2026-04-01"},
		{"am Freitag fällig", "dueDate:2026-03-13"},
		{"die Tom gehören", `owner:"Tom Becker"`},
		{"in Arbeit", "status:IN_PROGRESS"},
		{"von Carla gemeldet", `reporter:"Carla Neumann"`},
		{"mit refund im Titel", `title:~"refund"`},
		{"die seit Februar nicht geändert wurden", "updated:<=2026-02-01"},
		{"nicht von Joe", `-owner:"Joe Martinez"`},
	},
	asked:  []part{{"Welche", ""}, {"Wie viele", ""}, {"Zeig mir alle", ""}, {"", ""}, {"Summe der Punkte der", ""}, {"Gibt es", ""}},
	groups: []part{{"nach Priorität", "priority"}, {"pro Bearbeiter", "owner"}, {"nach Status", "status"}, {"nach Sprint", "sprint"}, {"nach Label", "labels"}, {"pro Monat", "month"}},
}

// TestRead_PartsThatAreCombined puts questions together from parts: each part is in the plan's filter, or the answer says that it left something out.
func TestRead_PartsThatAreCombined(t *testing.T) {
	t.Parallel()
	s, err := asktest.Planned()
	if err != nil {
		t.Fatal(err)
	}
	of, err := asktest.SnapshotOf(s)
	if err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string]parts{"English": english, "German": german} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			combined(t, of, words)
		})
	}
}

// combined puts questions together and reads them.
func combined(t *testing.T, of question.Vocabulary, words parts) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same questions each time
	one := func(from []part) part { return from[random.IntN(len(from))] }
	searched, read := 0, 0
	for range 8000 {
		parts := []part{one(words.asked), one(words.before), one(words.nouns), one(words.behind)}
		if random.IntN(2) == 0 {
			parts = append(parts, one(words.behind))
		}
		by := part{}
		if random.IntN(4) == 0 {
			by = one(words.groups)
		}
		fields := make(map[string]int)
		for _, p := range parts {
			fields[p.field()]++
		}
		delete(fields, "")
		if slices.ContainsFunc(slices.Collect(maps.Values(fields)), func(n int) bool { return n > 1 }) {
			continue
		}
		var said []string
		for _, p := range append(parts, by) {
			if p.words != "" {
				said = append(said, p.words)
			}
		}
		text := strings.Join(said, " ")
		r := question.Read(text, of, asktest.Now())
		p := r.Plans[0]
		if p.Measure == question.Search || len(r.Ignored) > 0 {
			searched++
			continue
		}
		read++
		for _, x := range parts {
			if !strings.Contains(p.Filter, x.filter) {
				t.Errorf("%q: %q is not in the filter %s", text, x.words, p.Filter)
			}
		}
		for _, c := range conjuncts(p.Filter) {
			if !slices.ContainsFunc(parts, func(x part) bool {
				return slices.ContainsFunc(conjuncts(x.filter), func(said string) bool { return said != "" && strings.HasPrefix(c, said) })
			}) && !slices.Contains(implied, c) {
				t.Errorf("%q: nothing says %s, in the filter %s", text, c, p.Filter)
			}
		}
		if is := measures[parts[0].words]; is != nil && by.words == "" && !is(p) {
			t.Errorf("%q: it is not what is asked that is measured: %s", text, p.Describe(asktest.Now()))
		}
		if by.filter != "" && by.filter != p.By && by.filter != p.Per {
			t.Errorf("%q: it is grouped by %q %q, want %q", text, p.By, p.Per, by.filter)
		}
	}
	if searched > read/8 {
		t.Errorf("of %d questions %d are searches, want at most one of nine", searched+read, searched)
	}
}

// measures are what the first words of questions ask for.
var measures = map[string]func(question.Plan) bool{
	"How many":  func(p question.Plan) bool { return p.Measure == question.Count },
	"Wie viele": func(p question.Plan) bool { return p.Measure == question.Count },
	"Which":     func(p question.Plan) bool { return p.Measure == question.List && p.Sort == "" },
	"Welche":    func(p question.Plan) bool { return p.Measure == question.List && p.Sort == "" },
	"the oldest": func(p question.Plan) bool {
		return p.Measure == question.List && strings.HasSuffix(strings.ToLower(p.Sort), "created") && p.Limit > 0
	},
	"what are the 3 newest": func(p question.Plan) bool {
		return p.Measure == question.List && strings.HasPrefix(p.Sort, "-") && p.Limit == 3
	},
	"average story points of": func(p question.Plan) bool { return p.Measure == question.Average && p.Of == "storyPoints" },
	"total points of the":     func(p question.Plan) bool { return p.Measure == question.Sum && p.Of == "storyPoints" },
	"Summe der Punkte der":    func(p question.Plan) bool { return p.Measure == question.Sum && p.Of == "storyPoints" },
}

// implied is what parts say beside their own conditions: that records are open, and where a period ends.
var implied = []string{"-status:DONE,CLOSED", "dueDate:<2026-03-16", "externalCreated:<2027-01-01", "storyPoints:<=5", "dueDate:<2026-03-26", "externalCreated:<2026-03-01", "updated:<2026-03-09"}

// conjuncts are the conditions of a filter.
func conjuncts(filter string) (out []string) {
	begin, depth, quoted := 0, 0, false
	for i, c := range filter + " " {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '(' && !quoted:
			depth++
		case c == ')' && !quoted:
			depth--
		case c == ' ' && depth == 0 && !quoted:
			out = append(out, filter[begin:i])
			begin = i + 1
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}
