package extract_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"chela/internal/extract"
)

// sheetOf reads a table that is written with commas.
func sheetOf(t testing.TB, text string) (header []string, rows []extract.Row) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	all, err := r.ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatalf("%q: %v", text, err)
	}
	for i, cells := range all[1:] {
		rows = append(rows, extract.Row{Line: i + 2, Cells: append(cells, make([]string, max(0, len(all[0])-len(cells)))...)})
	}
	return all[0], rows
}

// plannedIn is what a plan says: phases, milestones and tickets.
func plannedIn(x extract.TicketTable) string {
	var out []string
	for _, p := range x.Phases {
		out = append(out, "phase "+strings.Join([]string{p.Name, date(p.Start), date(p.End), p.Status}, "|"))
	}
	for _, m := range x.Milestones {
		out = append(out, "milestone "+strings.Join([]string{m.Name, date(m.Due), m.Owner, m.Status, m.Phase}, "|"))
	}
	for _, k := range x.Tickets {
		out = append(out, "ticket "+strings.Join([]string{k.Title, k.Owner, k.Status, date(k.Due), k.Phase}, "|"))
	}
	return strings.Join(out, "; ")
}

// TestTickets_Plans reads plans as Smartsheet, MS Project and people write them.
func TestTickets_Plans(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"smartsheet": {
			"Task Name,Start,Finish,% Complete,Assigned To,Status\nPhase 1: Facade,2026-12-01,2026-12-31,50%,,In Progress\nBuild facade,2026-12-01,2026-12-20,100%,Joe Martinez,Complete\nTest facade,2026-12-10,2026-12-31,10%,Ann,In Progress\nPhase 2: Rollout,2027-01-01,2027-01-31,0%,,Not Started\nMilestone: Go-live,2027-01-15,2027-01-15,,Ann,On Track\n",
			"phase Facade|2026-12-01|2026-12-31|IN_PROGRESS; phase Rollout|2027-01-01|2027-01-31|NOT_STARTED; milestone Go-live|2027-01-15|Ann|ON_TRACK|Rollout; ticket Build facade|Joe Martinez|DONE|2026-12-20|Facade; ticket Test facade|Ann|IN_PROGRESS|2026-12-31|Facade",
		},
		"ms project": {
			"WBS,Task_Name,Duration,Start_Date,Finish_Date,Resource_Names,% Complete\n1,Project X,60 days,2026-12-01,2027-02-28,,40\n1.1,Discovery,20 days,2026-12-01,2026-12-20,,100\n1.1.1,Interviews,10 days,2026-12-01,2026-12-10,Bo,100\n1.2,Build,30 days,2027-01-01,2027-02-10,,20\n1.2.1,Backend,30 days,2027-01-01,2027-02-10,Cy,20\n1.2.2,Release,0 days,2027-02-10,2027-02-10,,0\n",
			"phase Discovery|2026-12-01|2026-12-20|COMPLETED; phase Build|2027-01-01|2027-02-10|IN_PROGRESS; milestone Release|2027-02-10|||Build; ticket Interviews|Bo|DONE|2026-12-10|Discovery; ticket Backend|Cy|IN_PROGRESS|2027-02-10|Build",
		},
		"type": {
			"Name,Type,Start,End,Owner\nAlpha,Phase,2026-12-01,2026-12-31,\nDo it,Task,2026-12-02,2026-12-05,Joe\nBeta ready,Milestone,,2026-12-31,Ann\nLater work,Task,2027-03-01,2027-03-05,Joe\n",
			"phase Alpha|2026-12-01|2026-12-31|; milestone Beta ready|2026-12-31|Ann||Alpha; ticket Do it|Joe|TODO|2026-12-05|Alpha; ticket Later work|Joe|TODO|2027-03-05|",
		},
		"phases":     {"Phase,Start,End,Owner\nPhase 1: Facade,2026-12-01,2026-12-31,Joe\nRollout,2027-01-01,2027-01-31,Ann\n", "phase Facade|2026-12-01|2026-12-31|; phase Rollout|2027-01-01|2027-01-31|"},
		"milestones": {"Milestone,Target Date,Owner,Status\nGo-live,2027-01-15,Ann,At Risk\nBeta,2026-12-15,Joe,Done\n", "milestone Go-live|2027-01-15|Ann|AT_RISK|; milestone Beta|2026-12-15|Joe|COMPLETED|"},
		"a column":   {"Task,Phase,Milestone,Start,End\nBuild,Facade,No,2026-12-01,2026-12-20\nGo-live,Rollout,Yes,,2027-01-15\n", "phase Facade|||; phase Rollout|||; milestone Go-live|2027-01-15|||Rollout; ticket Build||TODO|2026-12-20|Facade"},
	} {
		header, rows := sheetOf(t, c.text)
		got, ok := extract.Tickets(header, rows)
		if is := plannedIn(got); !ok || is != c.want {
			t.Errorf("%s: %v %s\nwant %s", name, ok, is, c.want)
		}
		for f := range got.Mapping {
			if !slices.Contains(extract.Fields(), f) {
				t.Errorf("%s: %q is no field that a mapping can name", name, f)
			}
		}
		if len(got.Unread) > 0 {
			t.Errorf("%s: %q are not read", name, got.Unread)
		}
	}
}

// TestTickets_NoPlans: what trackers export, lists of tickets with days and tables of something else are no plans.
func TestTickets_NoPlans(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Issue key,Summary,Issue Type,Due Date\nPAY-1,Phase 1: cards,Story,2026-12-01\nPAY-2,Milestone: go-live,Milestone,2026-12-02\n",
		"Key,Summary,Status,Due\nPAY-1,Phase 1: cards,Open,2026-12-01\n",
		"Task,Status,Due\nWrite phase 1 of the plan,Open,2026-12-01\nMilestones of Q1,Open,2026-12-02\n",
		"Task,Status,Notes\nPhase 1: cards,Open,x\nMilestone: go-live,Open,y\n", // no days
		"Phase,Start,End\nwash,hot,cold\nspin,fast,slow\n",
	} {
		header, rows := sheetOf(t, text)
		got, _ := extract.Tickets(header, rows)
		if len(got.Phases) > 0 || slices.ContainsFunc(got.Milestones, func(m extract.MilestoneRow) bool { return m.Planned }) {
			t.Errorf("%q is a plan: %s", text, plannedIn(got))
		}
	}
}

// TestPipedTables reads plans and tickets that a text draws with bars, and leaves other tables to the notes.
func TestPipedTables(t *testing.T) {
	t.Parallel()
	text := "# Plan\n\n| Phase | Start | End |\n|---|:--:|---|\n| Phase 1: Facade | 2026-12-01 | 2026-12-31 |\n| **Rollout** | 2027-01-01 | 2027-01-31 |\n\nWe agreed.\n\nKey | Summary | Status\n--- | --- | ---\nPAY-1 | One \\| two | Done\n\n| Food | Price |\n|---|---|\n| Pie | 3 |\n"
	tables, around := extract.PipedTables(text)
	if len(tables) != 2 || strings.Count(around, "\n") != strings.Count(text, "\n") || !strings.Contains(around, "Pie") || strings.Contains(around, "Facade") || !strings.Contains(around, "We agreed") {
		t.Fatalf("%d tables, around them %q", len(tables), around)
	}
	first, _ := extract.Tickets(tables[0].Header, tables[0].Rows)
	if got := plannedIn(first); got != "phase Facade|2026-12-01|2026-12-31|; phase Rollout|2027-01-01|2027-01-31|" || first.Phases[0].Span.Line != 5 {
		t.Errorf("the plan is %s, in line %d", got, first.Phases[0].Span.Line)
	}
	second, _ := extract.Tickets(tables[1].Header, tables[1].Rows)
	if got := plannedIn(second); got != "ticket One | two||DONE||" {
		t.Errorf("the tickets are %s", got)
	}
}

func FuzzPipedTables(f *testing.F) {
	f.Add("| Task Name | Start | Finish | % Complete | WBS |\n|---|---|---|---|---|\n| Phase 1: A | 2026-12-01 | 2026-12-31 | 50% | 1 |\n| Do | Dec 3 | 0,5 | 1.1")
	f.Add("|--|--|\n| a \\| | b\n--|--\n")
	f.Fuzz(func(t *testing.T, text string) {
		tables, around := extract.PipedTables(text)
		if strings.Count(around, "\n") != strings.Count(text, "\n") || len(tables) == 0 && around != text {
			t.Fatal("it has other lines")
		}
		for _, x := range tables {
			for _, r := range x.Rows {
				if len(r.Cells) != len(x.Header) || r.Line < 1 || r.Line > strings.Count(text, "\n")+1 {
					t.Fatalf("row %+v of header %q", r, x.Header)
				}
			}
			extract.Tickets(x.Header, x.Rows)
		}
	})
}
