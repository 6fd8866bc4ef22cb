package extract_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/extract"
)

func paste(t testing.TB, name string) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/pastes/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestReadMinutes_Pastes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ topics, phases, milestones string }{
		"notes.txt": {topics: "Ledger service design; Partner onboarding flow"},
		"pages.txt": {topics: "Ledger Service Design; Partner Onboarding Runbook; Incident Playbook"},
		"plan.txt": {
			phases:     "Build 2026-03-01 2026-03-31; Pilot 2026-04-01 2026-04-30; Rollout  ",
			milestones: "Ledger go-live 2026-04-15 Ann; Onboarding complete 2026-05-10 Cy Dahl",
		},
	} {
		m := extract.ReadMinutes(paste(t, name))
		var topics, phases, milestones []string
		for _, x := range m.Topics {
			topics = append(topics, x.Title)
		}
		for _, x := range m.Phases {
			phases = append(phases, x.Name+" "+date(x.Start)+" "+date(x.End))
		}
		for _, x := range m.Milestones {
			milestones = append(milestones, x.Name+" "+date(x.Target)+" "+x.Owner)
		}
		if got := strings.Join(topics, "; "); got != want.topics {
			t.Errorf("%s has the topics %q, want %q", name, got, want.topics)
		}
		if got := strings.Join(phases, "; "); got != want.phases {
			t.Errorf("%s has the phases %q, want %q", name, got, want.phases)
		}
		if got := strings.Join(milestones, "; "); got != want.milestones {
			t.Errorf("%s has the milestones %q, want %q", name, got, want.milestones)
		}
		quotesStand(t, paste(t, name))
	}
}

func date(d time.Time) string {
	if d.IsZero() {
		return ""
	}
	return d.Format(time.DateOnly)
}

func TestListedTickets_Pastes(t *testing.T) {
	t.Parallel()
	text := paste(t, "tickets.txt")
	header, rows, ok := extract.ListedTickets(text)
	if !ok || strings.Join(header, " ") != "Key Summary Epic Status Owner" || len(rows) != 4 {
		t.Fatalf("header %q, %d rows, %v", header, len(rows), ok)
	}
	table, ok := extract.Tickets(header, rows)
	if !ok || len(table.Tickets) != 4 {
		t.Fatalf("%d tickets of %d rows", len(table.Tickets), len(rows))
	}
	lines := strings.Split(text, "\n")
	var got []string
	for _, x := range table.Tickets {
		got = append(got, x.Ref+" "+x.Title+" "+x.Status+" "+x.Owner)
		if !strings.Contains(lines[x.Span.Line-1], x.Span.Quote) {
			t.Errorf("%q does not stand in line %d", x.Span.Quote, x.Span.Line)
		}
	}
	want := []string{"L-201 Build the ledger API IN_PROGRESS Ann", "L-202 Load test of the ledger TODO Bo", "L-203 Onboarding wizard DONE Cy Dahl", "L-204 Copy for the wizard TODO "}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, none := range []string{"", "L-1: no bars", "- L-1: one | Status: Open", "| L-1: x | Status: y |\n| L-2: x | Status: y |", "L-1: a | b\nL-2: c | d"} {
		if _, _, ok := extract.ListedTickets(none); ok {
			t.Errorf("%q lists tickets", none)
		}
	}
}

func FuzzListedTickets(f *testing.F) {
	f.Add(paste(f, "tickets.txt"))
	f.Add("- A-1: x | y: z\n- A-2: | = | :")
	f.Add("Tickets\n* [A-1] X (in progress, @bob, due Dec 3, 2026)\n1. A-2 – Y – Ann Lee ✅\n- [x] A-3 Z, 5 SP")
	f.Fuzz(func(t *testing.T, text string) {
		header, rows, ok := extract.ListedTickets(text)
		if ok != (len(rows) > 0) {
			t.Fatalf("%d rows, %v", len(rows), ok)
		}
		for _, r := range rows {
			if len(r.Cells) != len(header) || r.Line < 1 || r.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("row %+v of header %q", r, header)
			}
			if line := strings.Split(text, "\n")[r.Line-1]; r.Said == "" || r.Said != strings.TrimSpace(line) || !strings.Contains(line, r.Cells[0]) || !strings.Contains(line, r.Cells[1]) {
				t.Fatalf("row %+v of the line %q", r, line)
			}
		}
		if around := extract.AroundListed(text); strings.Count(around, "\n") != strings.Count(text, "\n") || !ok && around != text {
			t.Fatal("it has other lines")
		}
	})
}
