package extract_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/extract"
)

// passages are of our own writing, in the ways that people write minutes. Want lists
// owner|action, or nothing.
var passages = []struct {
	name, text string
	want       []string
}{
	{"bold mark", "**Action:** @mina write the migration guide", []string{"mina|write the migration guide"}},
	{"capital mark", "ACTION: Olu to ask legal about the licence", []string{"Olu|ask legal about the licence"}},
	{"AI with name", "AI(petra): book the room for the offsite", []string{"petra|book the room for the offsite"}},
	{"AI numbered", "AI 3: Sam - send the survey to everyone", []string{"Sam|send the survey to everyone"}},
	{"open box", "- [ ] Kim to update the runbook", []string{"Kim|update the runbook"}},
	{"done box", "- [x] Kim to rotate the keys", []string{"Kim|rotate the keys"}},
	{"box with colon", "[ ] Jonas: file an issue about flaky tests", []string{"Jonas|file an issue about flaky tests"}},
	{"heading", "## Action items\n- Rosa will draft the release notes\n- Check the disk usage of staging", []string{"Rosa|draft the release notes", "|Check the disk usage of staging"}},
	{"details below an action", "## Actions\n- Rosa to draft the notes\n  - they should be short\n", []string{"Rosa|draft the notes"}},
	{"lead-in bullet", "- Next steps:\n  - Ivo to test the fix on ARM\n- Weather was nice", []string{"Ivo|test the fix on ARM"}},
	{"owner behind", "## Next steps\n- Prepare the demo (Ana)\n", []string{"Ana|Prepare the demo"}},
	{"table", "| Action | Owner | Due |\n|---|---|---|\n| Renew the certificate | Lee | 2026-03-05 |\n", []string{"Lee|Renew the certificate"}},
	{"sentence", "We looked at the graphs.\nMarta will post a summary to the list.", []string{"Marta|Marta will post a summary to the list."}},
	{"sentence in a bullet", "- Discussed caching\n  - Tim to follow up with the platform team", []string{"Tim|follow up with the platform team"}},
	{"two owners", "- Nia and Tom to review the RFC", []string{"Nia and Tom|review the RFC"}},
	{"todo with name", "TODO(ben): remove the feature flag", []string{"ben|remove the feature flag"}},
	{"follow-up mark", "Follow-up: Yuki will share the recording", []string{"Yuki|share the recording"}},
	{"lower-case name", "## Action Items\n- dana to create a tracking issue", []string{"dana|create a tracking issue"}},
	{"plain talk", "We need to think about this more.\nThe cache will make it slower.\nThis should be fine.", nil},
	{"question", "- Will Anna review the PR?", nil},
	{"no actions", "## Action items\n- None\n", nil},
	{"agenda box", "- [ ] https://example.com/issue/4", nil},
	{"code", "```\nACTION: nobody to do anything\n```", nil},
	{"users are no name", "- Users to update their clients at some point", nil},
	{"discussion", "- Jack: I think multiple proposals could be good", nil},
}

func TestExtract_Actions(t *testing.T) {
	t.Parallel()
	hit, found, wanted := 0, 0, 0
	for _, p := range passages {
		var got []string
		for _, a := range extract.ReadMinutes(p.text).Actions {
			got = append(got, a.Owner+"|"+a.Text)
		}
		found, wanted = found+len(got), wanted+len(p.want)
		for i, w := range p.want {
			owner, text, _ := strings.Cut(w, "|")
			if i < len(got) && strings.HasPrefix(got[i], owner+"|") && strings.Contains(got[i], text[strings.LastIndex(text, "|")+1:]) || slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, owner+"|") }) {
				hit++
			} else {
				t.Errorf("%s: missing %q, got %q", p.name, w, got)
			}
		}
		if len(got) > len(p.want) {
			t.Errorf("%s: got %q, want %q", p.name, got, p.want)
		}
	}
	t.Logf("recall %d/%d, precision %d/%d", hit, wanted, hit, found)
}

func TestExtract_Minutes(t *testing.T) {
	t.Parallel()
	m := extract.ReadMinutes(`# Platform sync 2026-02-10

Present: Ann Lee (@ann), Bo, Chidi Okafor
Apologies: Dee

## Payments
Decision: we keep the old API until June
- PAY-201 is blocked by PAY-199, not by UTF-8
- ACTION: Bo to talk to legal by Friday
- Open question: who runs the load test?
See [the doc](https://example.com/doc).
`)
	if m.Date.Format(time.DateOnly) != "2026-02-10" || m.Title != "Platform sync 2026-02-10" {
		t.Errorf("title %q, date %s", m.Title, m.Date)
	}
	var names []string
	for _, a := range m.Attendees {
		names = append(names, a.Name)
	}
	if got := strings.Join(names, ","); got != "Ann Lee,Bo,Chidi Okafor,Dee" || !m.Attendees[3].Absent {
		t.Errorf("attendees %s", got)
	}
	if len(m.Keys) != 2 || len(m.Decisions) != 1 || len(m.Actions) != 1 || len(m.Questions) != 1 || len(m.Links) != 1 {
		t.Fatalf("%+v", m)
	}
	if got := m.Actions[0].Due.Format(time.DateOnly); got != "2026-02-13" {
		t.Errorf("Friday after Tuesday 2026-02-10 is %s", got)
	}
	if m.Topics[m.Actions[0].Topic].Title != "Payments" {
		t.Errorf("the action stands under %q", m.Topics[m.Actions[0].Topic].Title)
	}
}

func TestExtract_Signals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]extract.Routes{
		"UTF-8, UTF-16 and SHA-256 are names":  {},
		"the key to the summary is its status": {},
		"PAY-1 PAY-2\nPAY-3":                   {Tickets: true},
		"our objective and its outcome":        {Plan: true},
		"capacity 40, availability 0.8":        {Resources: true},
	} {
		if got := extract.Signals(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestExtract_Tickets(t *testing.T) {
	t.Parallel()
	table, ok := extract.Tickets([]string{"Story Points", "Summary", "Priority", "Issue key", "Status", "Assignee", "Due date", "Issue Type", "Sprint", "Sprint"}, []extract.Row{
		{Line: 2, Cells: []string{"5", "Refactor card handler", "Highest", "PAY-201", "In Progress", "Joe Martinez", "04/03/2026", "Bug", "S1", "S2"}},
		{Line: 3, Cells: []string{"", "", "Low", "PAY-202", "Done", "", "", "", "", ""}},
		{Line: 4, Cells: []string{"x", "Write tests", "Weird", "PAY-203", "Closed", "Unassigned", "25/03/2026", "Sub-task", "", ""}},
	})
	if !ok || len(table.Tickets) != 2 {
		t.Fatalf("%v, %+v", ok, table)
	}
	a, b := table.Tickets[0], table.Tickets[1]
	if a.Ref != "PAY-201" || a.Status != "IN_PROGRESS" || a.Priority != "CRITICAL" || *a.Points != 5 || a.Owner != "Joe Martinez" || a.Sprint != "S2" || a.Type != "BUG" {
		t.Errorf("%+v", a)
	}
	if a.Due.Format(time.DateOnly) != "2026-03-04" { // decided by the column: 25/03 is a day first
		t.Errorf("due %s", a.Due)
	}
	if b.Status != "DONE" || b.Owner != "" || b.Type != "SUBTASK" || b.Priority != "MEDIUM" {
		t.Errorf("%+v", b)
	}
	if len(table.Problems) != 3 {
		t.Errorf("problems %q", table.Problems)
	}
	if _, ok := extract.Tickets([]string{"Country", "Title"}, []extract.Row{{Cells: []string{"PL", "x"}}}); ok {
		t.Error("a list of countries is no tracker's export")
	}
}

func TestExtract_Goals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"Goal: ship the new checkout in April":        1,
		"Sprint 7 goal: decide nothing, ship the app": 1,
		"Goal: *Inform* the council on the status":    0,
		"Goal: any news? Any plans for the year?":     0,
	} {
		if got := len(extract.ReadMinutes(text).Goals); got != want {
			t.Errorf("%q: %d goals, want %d", text, got, want)
		}
	}
}

func TestExtract_Done(t *testing.T) {
	t.Parallel()
	m := extract.ReadMinutes("## Action items\n- Rosa to write to the vendor (done)\n- Ivo to test the fix\n")
	if len(m.Actions) != 2 || !m.Actions[0].Done || m.Actions[0].Text != "write to the vendor" || m.Actions[1].Done {
		t.Errorf("%+v", m.Actions)
	}
}

// quotesStand checks that every finding's words stand in its lines.
func quotesStand(t *testing.T, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	check := func(what string, s extract.Span) {
		if s.Line < 1 || s.EndLine > len(lines) || !strings.Contains(strings.Join(lines[s.Line-1:s.EndLine], "\n"), s.Quote) {
			t.Errorf("%s: %q does not stand in lines %d to %d", what, s.Quote, s.Line, s.EndLine)
		}
	}
	m := extract.ReadMinutes(text)
	for _, a := range m.Actions {
		check("action", a.Span)
	}
	for _, d := range m.Decisions {
		check("decision", d.Span)
	}
	for _, a := range m.Attendees {
		check("attendee", a.Span)
	}
	for _, k := range m.Keys {
		check("key", k.Span)
	}
	for _, l := range m.Links {
		check("link", l.Span)
	}
	for _, topic := range m.Topics {
		check("topic", topic.Span)
	}
}

func TestExtract_QuotesStand(t *testing.T) {
	t.Parallel()
	for _, p := range passages {
		quotesStand(t, p.text)
	}
	files, err := filepath.Glob("../../../shared/data/meeting-notes/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		quotesStand(t, strings.ReplaceAll(string(raw), "\r\n", "\n"))
	}
}

func FuzzReadMinutes(f *testing.F) {
	for _, p := range passages {
		f.Add(p.text)
	}
	f.Fuzz(func(t *testing.T, text string) { quotesStand(t, text) })
}

func FuzzTickets(f *testing.F) {
	f.Add("Summary,Status,Due", "x,Done,1/2/2026")
	f.Fuzz(func(t *testing.T, header, row string) {
		table, ok := extract.Tickets(strings.Split(header, ","), []extract.Row{{Line: 2, Cells: strings.Split(row, ",")}})
		if ok && len(table.Tickets) == 0 {
			t.Fatal("an export without tickets")
		}
	})
}
