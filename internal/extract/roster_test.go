package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// told is a member in a line.
func (m Member) told() string {
	out := m.Name
	if m.Role != "" {
		out += " " + m.Role
	}
	if m.Capacity != nil {
		out += fmt.Sprintf(" %gh", *m.Capacity)
	}
	if m.Availability != nil {
		out += fmt.Sprintf(" %g", *m.Availability)
	}
	for _, more := range []string{strings.Join(m.Skills, "+"), m.Email, strings.Join(m.Aliases, "+")} {
		if more != "" {
			out += " " + more
		}
	}
	return out
}

func members(of []Member) (out []string) {
	for _, m := range of {
		out = append(out, m.told())
	}
	return out
}

// sheetOf reads lines of cells between commas; "/" stands for a comma within a cell.
func sheetOf(text string) (header []string, rows []Row) {
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		cells := strings.Split(strings.TrimSpace(line), ",")
		for j := range cells {
			cells[j] = strings.ReplaceAll(strings.TrimSpace(cells[j]), "/ ", ", ")
		}
		if i == 0 {
			header = cells
			continue
		}
		rows = append(rows, Row{Line: i + 1, Cells: append(cells, make([]string, max(0, len(header)-len(cells)))...)})
	}
	return header, rows
}

func TestReadRoster_ReadsWhoIsInATeam(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		table string
		want  []string
	}{
		"as it is written most": {
			"Name,Role,Capacity,Availability,Skills\nJoe Martinez,Engineer,40,0.8,Go; SQL\nAlice Chen,QA,32,50%,Cypress\nBob,Designer,40,1,",
			[]string{"Joe Martinez ENGINEER 40h 0.8 Go+SQL", "Alice Chen QA 32h 0.5 Cypress", "Bob DESIGNER 40h 1"},
		},
		"other names of columns": {
			"Full name,Title,FTE,% available\nJoe Martinez,Backend Engineer,1.0,80\nAnn Lee,UX Designer,0.5,100",
			[]string{"Joe Martinez ENGINEER 40h 0.8", "Ann Lee DESIGNER 20h 1"},
		},
		"hours in words, units in the head": {
			"Team Member,Position,Hours/week,Availability (%),E-mail,GitHub\nAnn Lee,Product Owner,32h,60,ann@example.com,@annlee\nTom Davis,SDET,4 days/week,100,,",
			[]string{"Ann Lee PM 32h 0.6 ann@example.com annlee", "Tom Davis QA 32h 1"},
		},
		"in German": {
			"Vorname,Nachname,Rolle,Wochenstunden,Verfügbarkeit,Kenntnisse\nEva,Stein,Entwicklerin,38/ 5,80 %,Kotlin/ SQL\nUwe,Kern,Projektleiter,40,vollzeit,",
			[]string{"Eva Stein ENGINEER 0.8 Kotlin+SQL", "Uwe Kern PM 40h 1"},
		},
		"shares instead of hours": {
			"Name,Role,Capacity\nJoe Martinez,Engineer,100\nAnn Lee,QA,50",
			[]string{"Joe Martinez ENGINEER 40h", "Ann Lee QA 20h"},
		},
		"last names first": {"Name,Role,FTE\n\"Reyes/ Dana\",Engineer,1\nReyes/ Sam,Tester,0.5", []string{"Sam Reyes QA 20h"}},
		"with what is no person": {
			"Name,Role,Capacity,Type\nJoe Martinez,Engineer,40,Work\nAnn Lee,QA,40,Work\nJenkins,CI server,168,Tool\nPlatform Team,Engineer,200,Group\nOpen position,Engineer,40,Work\nMia Wolf,,40,Work",
			[]string{"Joe Martinez ENGINEER 40h", "Ann Lee QA 40h", "Mia Wolf 40h"},
		},
		"with a tracker's words beside": {"ID,Name,Role,Status,Availability\n1,Joe Martinez,Engineer,Active,80%\n2,Ann Lee,QA,Active,50%", []string{"Joe Martinez ENGINEER 0.8", "Ann Lee QA 0.5"}},
		"roles alone":                   {"Name,Role\nJoe Martinez,Engineer\nAnn Lee,Scrum Master", []string{"Joe Martinez ENGINEER", "Ann Lee PM"}},
		"twice":                         {"Name,Role,FTE\nJoe Martinez,Engineer,1\njoe martinez,QA,1\nJoe Martinez,QA,1", []string{"Joe Martinez ENGINEER 40h"}},
	} {
		got, ok := ReadRoster(sheetOf(c.table))
		if !ok || !slices.Equal(members(got.Members), c.want) {
			t.Errorf("%s: got %q (%v), want %q; %q", name, members(got.Members), ok, c.want, got.Problems)
		}
	}
}

func TestReadRoster_LeavesOtherTablesAlone(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]string{
		"tickets":               "Key,Name,Status\nPAY-1,Refunds,Open",
		"tickets by title":      "Name,Status,Priority\nRefund flow,Open,High",
		"features with skills":  "Name,Skills,Type,Status\nRefund flow,Go,Story,Open\nDark mode,CSS,Story,Open",
		"customers":             "Name,Company,Email,Role\nJoe Martinez,Acme,joe@acme.com,Engineer",
		"hours that were spent": "Name,Date,Hours,Task\nJoe Martinez,2026-03-01,4,Refunds",
		"who came":              "Name,Role,Present\nJoe Martinez,Engineer,yes",
		"roles nobody knows":    "Name,Role\nJoe Martinez,Viewer\nAnn Lee,Admin",
		"tools":                 "Name,Role,Capacity\nJenkins,CI,40\nGrafana Cloud,Monitoring,40",
		"names alone":           "Name,Email\nJoe Martinez,joe@example.com",
		"sizes":                 "Name,Capacity\nHall One,lots\nBlue Room,some",
		"no rows":               "Name,Role,Capacity",
	} {
		if got, ok := ReadRoster(sheetOf(table)); ok {
			t.Errorf("%s: got %q, want no roster", name, members(got.Members))
		}
	}
}

func TestReadRoster_TellsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	got, ok := ReadRoster(sheetOf("Name,Role,Capacity,Desk\nJoe Martinez,Engineer,40,A1\nAnn Lee,Lawyer,many,A2\nCI Bot,Engineer,40,"))
	want := []string{`line 3: the capacity "many" cannot be read; it was left out.`, `Left out, for they are no people: "CI Bot" (line 4).`, `line 3: the role "Lawyer" is none of ENGINEER, DESIGNER, PM and QA; it was left out.`}
	if !ok || !slices.Equal(got.Problems, want) || !slices.Equal(got.Unread, []string{"Desk"}) || got.Mapping["capacity"] != "Capacity" {
		t.Errorf("got %q, unread %q, %v", got.Problems, got.Unread, got.Mapping)
	}
	if s := got.Members[0].Span; s.Line != 2 || s.Quote != "Joe Martinez, Engineer, 40, A1" {
		t.Errorf("Joe's row is %+v", s)
	}
}

func TestTeam_ReadsListsOfPeople(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"below a heading":     {"Resources:\n- Joe Martinez – Backend Engineer, 40h, 80%, skills: Go, SQL\n- Ann Lee (QA), 50%\n- Mia Wolf: Product Manager\n- Sam Reyes\n\nNotes\n- Bo (50%)", []string{"Joe Martinez ENGINEER 40h 0.8 Go+SQL", "Ann Lee QA 0.5", "Mia Wolf PM", "Sam Reyes"}},
		"behind a label":      {"Team: Joe Martinez (Engineer), Ann Lee (QA, 50%) and Bo (Designer)", []string{"Joe Martinez ENGINEER", "Ann Lee QA 0.5", "Bo DESIGNER"}},
		"who attends":         {"Attendees: Joe (80%), Ann (50%), Bo, Cy (chair), Di 35%", []string{"Joe 0.8", "Ann 0.5"}},
		"who attends, listed": {"## Attendees\n- Joe Martinez (80%)\n- Ann Lee\n- Bo Kim (QA)", []string{"Joe Martinez 0.8", "Bo Kim QA"}},
		"an allocation": {
			"Resource Allocation\n- Joe Martinez: capacity 40h/week, availability 80%\n- Ann Lee: capacity 32, availability 0.5\n- Tom Davis: 100% allocated",
			[]string{"Joe Martinez 40h 0.8", "Ann Lee 32h 0.5", "Tom Davis 1"},
		},
		"with bars":   {"**Team**\nJoe Martinez | Engineer | 40 h | 80%\nAnn Lee | Designer | 20 h | 100%", []string{"Joe Martinez ENGINEER 40h 0.8", "Ann Lee DESIGNER 20h 1"}},
		"in German":   {"Team:\n- Eva Stein: Entwicklerin, 32 Std./Woche\n- Uwe Kern (Projektleiter), verfügbar zu 50%", []string{"Eva Stein ENGINEER 32h", "Uwe Kern PM 0.5"}},
		"twice":       {"Team:\n- Joe (Engineer)\n\nAttendees: Joe (80%)", []string{"Joe ENGINEER 0.8"}},
		"no people":   {"Resources:\n- Jira: 40h\n- Figma (Designer)\n- Platform Team: 80%\n- Staging Server (50%)\n- https://example.com", nil},
		"what to do":  {"Team:\n- Joe will look into QA\n- Ann: call the vendor\n- Bo to test 50% of it", nil},
		"links":       {"Resources:\n- Design System\n- Style Guide", nil},
		"a sentence":  {"The team is 80% done, Joe said.", nil},
		"how it is":   {"Availability: 99.9% last week", nil},
		"other lists": {"Budget:\n- Joe Martinez (50%)\n", nil},
		"who is not":  {"Regrets: Ann (50%)", nil},
	} {
		if got := members(Team(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if got := Team("Team:\n- Joe Martinez (QA)\n"); len(got) != 1 || got[0].Span != (Span{2, 2, "- Joe Martinez (QA)"}) {
		t.Errorf("it stands in %+v", got)
	}
}

// TestPipedTables_RostersStayInTheNotes: who is in one is known to the notes below it.
func TestPipedTables_RostersStayInTheNotes(t *testing.T) {
	t.Parallel()
	text := "## Resources\n\n| Name | Role | Capacity |\n|---|---|---|\n| Sarah Kim | Engineer | 40 |\n| Tom Davis | QA | 24h |\n\n## Actions\n- Sarah to write the API\n"
	tables, around := PipedTables(text)
	if len(tables) != 1 || len(tables[0].Rows) != 2 || around != text {
		t.Errorf("got %+v and %q", tables, around)
	}
	if tables, _ := PipedTables("| Name | Role |\n|---|---|\n| Sarah Kim | Engineer |\n"); len(tables) > 0 {
		t.Errorf("who attends is no roster: %+v", tables)
	}
}

func FuzzTeam(f *testing.F) {
	f.Add("Team: Joe (Engineer, 80%), Ann – QA, 50%; Bo\n\nResources:\n- Cy: 40h, skills: Go, SQL\n")
	f.Add("Attendees (4): Joe (80%)\n**Team**\nAnn | QA | 0.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		for _, m := range Team(text) {
			checkMember(t, m)
			if m.Span.Line < 1 || m.Span.Line > len(lines) {
				t.Errorf("%+v stands in no line", m)
			}
		}
	})
}

func FuzzReadRoster(f *testing.F) {
	f.Add("Name,Role,Capacity,Availability\nJoe,QA,40,0.8\nAnn,PM,1e9,-3")
	f.Add("Vorname,Nachname,Pensum\nEva,Stein,80%\n,,")
	f.Fuzz(func(t *testing.T, text string) {
		got, _ := ReadRoster(sheetOf(text))
		for _, m := range got.Members {
			checkMember(t, m)
		}
	})
}

func checkMember(t *testing.T, m Member) {
	t.Helper()
	if m.Name == "" || len(m.Name) > 210 || m.Capacity != nil && !(*m.Capacity >= 0 && *m.Capacity <= 168) || m.Availability != nil && !(*m.Availability >= 0 && *m.Availability <= 1) {
		t.Errorf("%s is no person of the desk", m.told())
	}
}
