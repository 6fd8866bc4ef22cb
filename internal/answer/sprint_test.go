package answer_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_ASprintThatTicketsHaveLeft asks for the tickets of a sprint that has a plan, and in which none is any more: they
// are none, and the answer is not what the plan says. Those that were carried over from it are found.
func TestCompute_ASprintThatTicketsHaveLeft(t *testing.T) {
	t.Parallel()
	records, err := asktest.Planned()
	if err != nil {
		t.Fatal(err)
	}
	plan, ticket := false, false
	for i := range records {
		switch r := &records[i]; {
		case r.Kind == desk.SprintPlan && !plan:
			r.Body, plan = []byte(`{"name":"Board 7"}`), true
		case r.Kind == desk.Ticket && !ticket:
			r.Body, ticket = []byte(`{"title":"Reboot the printer","status":"TODO","sprint":"Sprint 24","earlierSprints":["Board 7"]}`), true
		}
	}
	s := of(t, records)
	for text, want := range map[string]string{
		"Which tickets are in Board 7?":                `sprint:"Board 7"`,
		"Tickets in Board 7 or Sprint 25":              `sprint:"Board 7","Sprint 25"`,
		"Show the tickets that moved out of Board 7":   `earlierSprints:"Board 7"`,
		"Which tickets were carried over from Board 7": `earlierSprints:"Board 7"`,
	} {
		got := question.Read(text, s, asktest.Now()).Plans[0]
		a, err := s.Compute(got, asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if got.Filter != want {
			t.Errorf("%s: got the filter %s and the answer %q, want %s", text, got.Filter, a.Sentence, want)
		}
		if strings.Contains(want, "earlier") && !strings.HasPrefix(a.Sentence, "1 ticket") {
			t.Errorf("%s: got %q, want one ticket", text, a.Sentence)
		}
	}
}

// TestCompute_ThisSprintIsTheOneThatItsPlanSays asks for sprints by their days: the filter is that of their names. Where two are on, or no
// plan says which one is, the answer is a search.
func TestCompute_ThisSprintIsTheOneThatItsPlanSays(t *testing.T) {
	t.Parallel()
	records, err := asktest.Planned()
	if err != nil {
		t.Fatal(err)
	}
	at := func(when string, text, named string) {
		now, err := time.Parse(time.DateOnly, when)
		if err != nil {
			t.Fatal(err)
		}
		s := of(t, records)
		got := question.Read(text, s, now)
		switch {
		case named == "":
			if got.Plans[0].Measure != question.Search || len(got.Ignored) == 0 {
				t.Errorf("%s at %s: got %+v, want a search that says why", text, when, got)
			}
		case got.Plans[0].Filter != question.Read(named, s, now).Plans[0].Filter:
			t.Errorf("%s at %s: got the filter %s, want that of %q", text, when, got.Plans[0].Filter, named)
		}
	}
	at("2026-03-11", "How many open tickets are in this sprint?", "How many open tickets are in Sprint 24?")
	at("2026-03-11", "what is left in the next sprint", "what is left in Sprint 25")
	at("2026-03-11", "tickets of the last sprint", "tickets of Sprint 23")
	for i := range records {
		if records[i].Kind == desk.SprintPlan {
			records[i].Body = regexp.MustCompile(`, *"status": *"[A-Z]+"`).ReplaceAll(records[i].Body, nil)
		}
	}
	for _, health := range []string{"Give me the sprint health", "sprint health", "How is this sprint?", "How is the sprint?", "How does the sprint go?", "Is the sprint on track?", "Wie läuft der Sprint?"} {
		at("2026-03-11", health, "How is Sprint 24 going?")
	}
	at("2026-01-05", "How many open tickets are in this sprint?", "How many open tickets are in Sprint 20?")
	at("2026-01-05", "what is left in the next sprint", "what is left in Sprint 21")
	at("2026-01-20", "Which tickets are in the current sprint?", "Which tickets are in Sprint 21?")
	at("2026-01-20", "Welche Tickets sind im aktuellen Sprint?", "Welche Tickets sind in Sprint 21?")
	at("2026-01-20", "tickets of the last sprint", "tickets of Sprint 20")
	at("2025-01-20", "tickets of this sprint", "")
	at("2030-01-20", "tickets of the next sprint", "")
	for i, o := 0, 0; i < len(records); i++ {
		switch {
		case records[i].Kind == desk.SprintPlan: // two objectives say when it is
			records[i].Body = regexp.MustCompile(`, *"(start|end)Date": *"[0-9-]+"`).ReplaceAll(records[i].Body, nil)
		case records[i].Kind == desk.Objective && o == 2:
			records[i].Body = []byte(`{"outcome":"` + records[i].ID + `"}`)
		case records[i].Kind == desk.Objective:
			o++
			records[i].Body = []byte(fmt.Sprintf(`{"outcome":"O %d","sprintName":"Sprint 22","startDate":"2026-01-2%d","endDate":"2026-02-0%d"}`, o, 6+o, 4+o))
		}
	}
	at("2026-01-27", "tickets of this sprint", "tickets of Sprint 22")
	at("2026-02-06", "tickets of this sprint", "tickets of Sprint 22")
	at("2026-02-07", "tickets of the last sprint", "tickets of Sprint 22")
	at("2026-02-07", "tickets of this sprint", "")
	for i := range records {
		if records[i].Kind == desk.SprintPlan {
			records[i].Body = []byte(`{"name":"Board ` + records[i].ID + `","startDate":"2026-01-12","endDate":"2026-01-23","status":"ACTIVE"}`)
		}
	}
	at("2026-01-20", "tickets of this sprint", "")
}
