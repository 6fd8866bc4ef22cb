package extract_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"chela/internal/extract"
)

// sprintsOf writes down a ticket's sprints and what a table tells of them.
func sprintsOf(t extract.TicketTable) string {
	var out []string
	for _, s := range t.Sprints {
		day := func(at time.Time) string {
			if at.IsZero() {
				return "-"
			}
			return at.Format("01-02")
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s..%s %s %s", s.Name, day(s.Start), day(s.End), s.State, s.Goal)))
	}
	return fmt.Sprintf("%s<%s; %s", t.Tickets[0].Sprint, strings.Join(t.Tickets[0].Earlier, "<"), strings.Join(out, ", "))
}

func TestTickets_Sprints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		table []string
		want  string
	}{
		"columns of one name": {[]string{"Issue key|Summary|Status|Sprint|Sprint|Sprint", "A-1|x|Open|S 1|S 2|S 3"}, "S 3<S 1<S 2; S 1 -..-, S 2 -..-, S 3 -..-"},
		"Jira Server": {[]string{
			"key|fields.summary|fields.customfield_10020",
			"A-1|x|com.atlassian.greenhopper.service.sprint.Sprint@1[id=1,rapidViewId=2,state=CLOSED,name=S 1,goal=Pay, and ship,startDate=2026-03-02T09:00:00.000Z,endDate=2026-03-13T09:00:00.000Z,completeDate=<null>,sequence=1], com.atlassian.greenhopper.service.sprint.Sprint@2[id=2,state=FUTURE,name=S 2,startDate=<null>,endDate=<null>]",
		}, "S 2<S 1; S 1 03-02..03-13 CLOSED Pay, and ship, S 2 -..- PLANNED"},
		"an active one is the present one": {[]string{"key|fields.summary|fields.customfield_10020", `A-1|x|[{"name":"S 1","state":"closed"},{"name":"S 2","state":"active","endDate":"2026-03-13"},{"name":"S 3","state":"future"}]`}, "S 2<S 1; S 1 -..- CLOSED, S 2 -..03-13 ACTIVE, S 3 -..- PLANNED"},
		"Azure's paths":                    {[]string{"ID|Work Item Type|Title|State|Iteration Path", `1|Bug|x|New|Shop\2026\S 4`, `2|Bug|y|New|Shop`}, "S 4<; S 4 -..-"},
		"commas between alike names":       {[]string{"Key|Summary|Status|Sprint", "A-1|x|Open|Sprint 1, Sprint 2", "A-2|y|Open|Spring, summer"}, "Sprint 2<Sprint 1; Sprint 1 -..-, Sprint 2 -..-, Spring, summer -..-"},
		"a length in days":                 {[]string{"number|title|state|sprint.title|sprint.startDate|sprint.duration", "1|x|open|S 1|2026-03-02|14"}, "S 1<; S 1 03-02..03-15"},
		"days that cannot be":              {[]string{"Key|Summary|Status|Cycle Name|Cycle Start|Cycle End", "A-1|x|Open|C 1|2026-13-45|2026-03-13", "A-2|y|Open|C 2|2026-03-13|2026-03-02"}, "C 1<; C 1 -..03-13, C 2 03-13..-"},
	} {
		got, ok := extract.Tickets(table(c.table...))
		if !ok {
			t.Errorf("%s: not read: %v", name, got.Mapping)
			continue
		}
		if is := sprintsOf(got); is != c.want {
			t.Errorf("%s: got %s\nwant %s", name, is, c.want)
		}
	}
}

func TestTickets_Milestones(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ table, want string }{
		"GitHub": {"number|title|state|milestone.title|milestone.due_on|milestone.state|milestone.closed_at|milestone.description¶1|x|open|v1|2026-03-31T07:00:00Z|closed|2026-04-02T10:00:00Z|Pay", "[v1]; v1 2026-03-31 true 2026-04-02 Pay"},
		"Jira":   {`key|fields.summary|fields.fixVersions¶A-1|x|[{"name":"1.0","releaseDate":"2026-03-31","released":false},{"name":"1.1"}]`, "[1.0]; 1.0 2026-03-31 false 0001-01-01 "},
		"names":  {"Title|Issue ID|State|Milestone¶x|1|Open|v1", "[v1]; v1 0001-01-01 false 0001-01-01 "},
		"a list": {`key|summary|status|milestone¶A-1|x|Open|{"title":"v1","dueOn":"2026-03-31"}`, "[v1]; v1 2026-03-31 false 0001-01-01 "},
	} {
		got, ok := extract.Tickets(table(strings.Split(c.table, "¶")...))
		if !ok || len(got.Milestones) != 1 {
			t.Errorf("%s: got %v %v, want one milestone", name, ok, got.Milestones)
			continue
		}
		m := got.Milestones[0]
		if is := fmt.Sprintf("%v; %s %s %v %s %s", got.Tickets[0].Milestones, m.Name, m.Due.Format(time.DateOnly), m.Closed, m.Reached.Format(time.DateOnly), m.Description); is != c.want {
			t.Errorf("%s: got %s, want %s", name, is, c.want)
		}
	}
}

func TestTickets_LabelsSayWhatTheTrackerDoesNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ header, row, want string }{
		"a scope":                  {"number|title|state|labels", "1|x|open|status: in progress, priority::1, type/bug", "IN_PROGRESS  CRITICAL BUG"},
		"bare words":               {"number|title|state|labels", "1|x|open|needs-review, enhancement, P1", "REVIEW  HIGH STORY"},
		"a scope before bare ones": {"number|title|state|labels", "1|x|open|blocked, workflow::in dev", "IN_PROGRESS  MEDIUM "},
		"closed, and why":          {"number|title|state|labels", "1|x|closed|wontfix, status: in progress", "CLOSED WONT_FIX MEDIUM "},
		"open is not done":         {"number|title|state|labels", "1|x|open|status: done", "TODO  MEDIUM "},
		"a status says more":       {"Key|Summary|Status|Labels", "1|x|In Progress|status: review", "IN_PROGRESS  MEDIUM "},
		"blocked says more":        {"Key|Summary|Status|Labels", "1|x|In Progress|Blocked", "BLOCKED  MEDIUM "},
		"a priority of its own":    {"Key|Summary|Status|Priority|Labels", "1|x|Open|Low|P0", "TODO  LOW "},
		"words that say nothing":   {"number|title|state|labels", "1|x|open|area: payments, status: odd", "TODO  MEDIUM "},
	} {
		got, ok := extract.Tickets(table(c.header, c.row))
		if !ok {
			t.Fatalf("%s: not read", name)
		}
		if a := got.Tickets[0]; fmt.Sprint(a.Status, " ", a.Outcome, " ", a.Priority, " ", a.Type) != c.want {
			t.Errorf("%s: got %s %s %s %s, want %s", name, a.Status, a.Outcome, a.Priority, a.Type, c.want)
		}
	}
}

// TestTickets_ClosedButNotDone holds that what a tracker resolved without doing it is not done, and that what puts work off ends no open ticket.
func TestTickets_ClosedButNotDone(t *testing.T) {
	t.Parallel()
	for want, said := range map[string]string{
		"CLOSED WONT_FIX":  "Later, Remind, Deferred, Postponed, Out of Scope, Won't Implement, CANTFIX, No Action Required, Won’t Do, Not Fixable, Zurückgestellt, Verschoben, Außerhalb des Umfangs, Wird nicht umgesetzt, Nicht umsetzbar",
		"CLOSED REJECTED":  "Works as Designed, Working as Intended, Not Applicable, Cannot Reproduce, Can't Reproduce, Not Reproducible, Incomplete, Invalid, Not a Bug, NOTABUG, NOTOURBUG, Not An Issue, Declined, Insufficient Information, Insufficient_Data, User Error, Expected Behaviour, Upstream, Kein Fehler, Ungültig, Funktioniert wie vorgesehen, Unvollständig",
		"CLOSED REMOVED":   "Superseded, Obsolete, Outdated, No longer relevant, EOL, Moved, Überholt, Hinfällig, Ersetzt",
		"CLOSED ARCHIVED":  "Auto Closed, Auto-Closed, AutoClosed, Stale, Inactive, Timed out, Expired, Automatisch geschlossen",
		"CLOSED CANCELED":  "Abandoned, Withdrawn, Not needed, No longer needed, Verworfen, Zurückgezogen, Nicht mehr benötigt",
		"CLOSED DUPLICATE": "Duplicate, Already exists, Doppelt",
		"DONE":             "Fixed, Done, Resolved, Implemented, Delivered, Erledigt, Behoben, Something else",
	} {
		for word := range strings.SplitSeq(said, ", ") {
			got, ok := extract.Tickets(table("Issue key|Summary|Status|Resolution", "A-1|x|Closed|"+word))
			if !ok {
				t.Fatalf("%s: not read", word)
			}
			if a := got.Tickets[0]; strings.TrimSpace(a.Status+" "+a.Outcome) != want {
				t.Errorf("%s: got %s %s, want %s", word, a.Status, a.Outcome, want)
			}
		}
	}
	for row, want := range map[string]string{
		"Open|To Do|Later": "TODO ", "Later|To Do|": "TODO ", "On hold||": "BLOCKED ", "Zurückgestellt||": "BLOCKED ", "Deferred|Done|": "CLOSED WONT_FIX", "Superseded||": "CLOSED REMOVED", "In Progress|In Progress|Deferred": "IN_PROGRESS ",
	} {
		got, ok := extract.Tickets(table("Issue key|Summary|Status|Status Category|Resolution", "A-1|x|"+row))
		if !ok {
			t.Fatalf("%s: not read", row)
		}
		if a := got.Tickets[0]; a.Status+" "+a.Outcome != want {
			t.Errorf("%s: got %s %s, want %s", row, a.Status, a.Outcome, want)
		}
	}
}

func TestTickets_Checklists(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ cell, text, want string }{
		"Trello":         {`[{"name":"Steps","items":[{"text":"Ask","done":true},{"text":"Pay"}]}]`, "", "Steps: +Ask -Pay"},
		"by name":        {`{"B":["x"],"A":[{"name":"y","checked":true}]}`, "", "A: +y; B: -x"},
		"a task list":    {"", "Do\n- [x] Ask\n  * [ ] #12\n1. [X] Pay\n```\n- [ ] code\n```\n[ ] no", ": +Ask -#12→12 +Pay"},
		"in a cell":      {"- [ ] Ask\n- [x] Pay", "", ": -Ask +Pay"},
		"what is broken": {`[{"name":"Steps","items":{"a":1}},{"items":[{"text":7}]}]`, "- [y] no", ""},
	} {
		got, ok := extract.Tickets([]string{"Key", "Summary", "Status", "Checklists", "Description"}, []extract.Row{{Line: 2, Cells: []string{"A-1", "x", "Open", c.cell, c.text}}})
		if !ok {
			t.Fatalf("%s: not read", name)
		}
		var lists []string
		for _, l := range got.Tickets[0].Checklists {
			line := l.Name + ":"
			for _, x := range l.Items {
				line += map[bool]string{true: " +", false: " -"}[x.Done] + x.Text
				if x.Ref != "" {
					line += "→" + x.Ref
				}
			}
			lists = append(lists, line)
		}
		if is := strings.Join(lists, "; "); is != c.want {
			t.Errorf("%s: got %q, want %q", name, is, c.want)
		}
	}
	long := strings.Repeat("- [ ] item\n", 5000)
	got, _ := extract.Tickets([]string{"Key", "Summary", "Status", "Description"}, []extract.Row{{Line: 2, Cells: []string{"A-1", "x", "Open", long}}})
	if n := len(got.Tickets[0].Checklists[0].Items); n != 1000 || got.Tickets[0].Description != strings.TrimSpace(long) {
		t.Errorf("got %d items, want 1,000 and all in the description", n)
	}
	if want := "line 2: a ticket has more than 1,000 items to check; the first 1,000 were kept."; len(got.Problems) != 1 || got.Problems[0] != want {
		t.Errorf("got %q, want %q", got.Problems, want)
	}
}

func TestTickets_TitlesOnLevelsAndInLists(t *testing.T) {
	t.Parallel()
	got, _ := extract.Tickets(table("ID|Work Item Type|Title 1|Title 2|Title 3|State", "1|Epic|Pay|||New", "2|Feature||Refund||New", "3|Task|||Ask|New", "4|Feature||Ship||New", "5|Epic|Other|||New"))
	var parents []string
	for _, x := range got.Tickets {
		parents = append(parents, x.Parent)
	}
	if is := strings.Join(parents, ","); is != ",1,2,1," {
		t.Errorf("got the parents %s, want ,1,2,1,", is)
	}
	got, _ = extract.Tickets(table("Name|Status|Blocked by|Parent item", "Refund, in part or in full|Open||", "Ship|Open|Refund, in part or in full, Ask|Refund, in part or in full (https://www.notion.so/x-1?pvs=21)", "Ask|Open||"))
	if x := got.Tickets[1]; fmt.Sprint(x.Links, x.Parent) != "[{blocked by Refund, in part or in full} {blocked by Ask}]Refund, in part or in full" {
		t.Errorf("got %v %q, want the titles whole", x.Links, x.Parent)
	}
	got, _ = extract.Tickets(table("#|Subject|Status|Related issues", "1|x|New|Blocks #2, Is duplicate of #3, Related to Bug #4, Blocked by #5"))
	if is := fmt.Sprint(got.Tickets[0].Links); is != "[{blocks 2} {duplicates 3} {relates 4} {blocked by 5}]" {
		t.Errorf("got %s, want each link as itself", is)
	}
}

func FuzzTickets_Kept(f *testing.F) {
	f.Add("Key|Summary|Status|Sprint|Milestone|Checklists|Description|Labels|Related issues", "A-1|x|Open|Sprint@1[name=S,goal=a,b]|{\"title\":\"v\"}|{\"a\":[\"b\"]}|- [x] c|status: review|Blocks #2")
	f.Add("number|title|state|sprint.startDate|sprint|sprint.duration|milestone.due_on|milestone", "1|x|open|2026-03-02|a, b|14|2026-99-99|v")
	f.Add("ID|Title 1|Title 2|Iteration Path|State|Reason", "1||x|a\\b|Closed|Duplicate")
	f.Fuzz(func(t *testing.T, header, row string) {
		got, _ := extract.Tickets(table(header, row, row))
		for _, x := range got.Tickets {
			for _, c := range x.Checklists {
				if len(c.Items) == 0 || len(c.Items) > 1000 {
					t.Fatalf("a checklist of %d items", len(c.Items))
				}
			}
		}
		for _, s := range got.Sprints {
			if s.Name == "" || !s.End.IsZero() && s.End.Before(s.Start) {
				t.Fatalf("%+v", s)
			}
		}
	})
}
