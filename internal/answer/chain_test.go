package answer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// netDesk has tickets that wait for each other, an epic with children, and people of whom not all have tickets.
func netDesk(t *testing.T) *answer.Snapshot {
	t.Helper()
	make := func(kind desk.Kind, id, body string) desk.Change {
		return desk.Change{ID: id, Kind: kind, Set: json.RawMessage(body)}
	}
	return deskOf(
		t,
		make(desk.Resource, "res_amy", `{"name":"Amy Adams","role":"ENGINEER","skills":["go","Rust"]}`),
		make(desk.Resource, "res_ida", `{"name":"Ida Frey","role":"QA","skills":["go"]}`),
		make(desk.Ticket, "tkt_root", `{"title":"Lay the ground","externalRef":"NET-1","status":"IN_PROGRESS"}`),
		make(desk.Ticket, "tkt_wall", `{"title":"Build the wall","externalRef":"NET-2","status":"TODO","priority":"CRITICAL","blockedBy":["tkt_root"]}`),
		make(desk.Ticket, "tkt_roof", `{"title":"Put up the roof","externalRef":"NET-3","status":"TODO","blockedBy":["tkt_wall"]}`),
		make(desk.Ticket, "tkt_door", `{"title":"Hang the door","externalRef":"NET-4","status":"TODO","blockedBy":["tkt_root"]}`),
		make(desk.Ticket, "tkt_egg", `{"title":"Find the egg","externalRef":"NET-5","status":"TODO","blockedBy":["tkt_hen"]}`),
		make(desk.Ticket, "tkt_hen", `{"title":"Find the hen","externalRef":"NET-6","status":"TODO","blockedBy":["tkt_egg"]}`),
		make(desk.Ticket, "tkt_old", `{"title":"The whole house","externalRef":"NET-7","type":"EPIC","status":"IN_PROGRESS"}`),
		make(desk.Ticket, "tkt_oldkid", `{"title":"Paint it","externalRef":"NET-8","type":"SUBTASK","status":"DONE","parentTicketId":"tkt_old"}`),
		make(desk.Ticket, "tkt_shut", `{"title":"The shed","externalRef":"NET-9","type":"EPIC","status":"DONE"}`),
		make(desk.Ticket, "tkt_shutkid", `{"title":"Sweep it","externalRef":"NET-10","type":"SUBTASK","status":"TODO","parentTicketId":"tkt_shut"}`),
		make(desk.Assignment, "asg_a", `{"resourceId":"res_amy","ticketId":"tkt_wall"}`),
	)
}

// TestCompute_Dependencies answers over the net of tickets that wait for each other, over parents and children, and who has none.
func TestCompute_Dependencies(t *testing.T) {
	t.Parallel()
	s := netDesk(t)
	for text, want := range map[string]string{
		"What is the longest chain of blockers?":                "The longest chain has 3 open tickets, each of which waits for the one before: Lay the ground (NET-1), Build the wall (NET-2), Put up the roof (NET-3).",
		"Are there circular dependencies?":                      "1 circle of open tickets that wait for each other: Find the egg (NET-5), Find the hen (NET-6).",
		"Which ticket blocks the most others?":                  "Most open tickets wait for Lay the ground (NET-1): 2 tickets.",
		"What depends on NET-1 directly or indirectly?":         "Build the wall (NET-2) waits for Lay the ground (NET-1) (Unassigned, in progress); Put up the roof (NET-3) waits for Build the wall (NET-2) (Amy Adams, to do); Hang the door (NET-4) waits for Lay the ground (NET-1) (Unassigned, in progress).",
		"What depends on NET-1?":                                "Build the wall (NET-2) waits for Lay the ground (NET-1) (Unassigned, in progress); Hang the door (NET-4) waits for Lay the ground (NET-1) (Unassigned, in progress).",
		"Which epics have all children done but are still open": "1 ticket: open, type Epic, whose children are all closed: The whole house (NET-7).",
		"Which sub-tasks are open under a closed parent?":       "1 ticket: open, type Subtask, whose parent is closed: Sweep it (NET-10).",
		"Who has no critical tickets?":                          "1 of 2 people have none of 1 ticket: priority Critical: Ida Frey.",
		"Who has no tickets in review?":                         "0 of 10 tickets: review, so none of 2 people has one.",
		"Which engineers have no critical tickets?":             "Amy Adams has some of 1 ticket: owner Amy Adams, priority Critical.",
		"Which skills does only one person have?":               "1 of 2 skill is one that one person alone has: rust (Amy Adams).",
		"Which skills would we lose if Ida left?":               "No skill is one that Ida Frey alone has; 2 skills are on the record.",
	} {
		r := question.Read(text, s, asktest.Now())
		a, err := s.Compute(r.Plans[0], asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if a.Sentence != want {
			t.Errorf("%s, read as %s: got %q, want %q", text, r.Plans[0].Describe(asktest.Now()), a.Sentence, want)
		}
		if len(a.Sources) == 0 && !strings.Contains(want, " has some of ") && !strings.HasPrefix(want, "No ") {
			t.Errorf("%s: the answer cites nothing", text)
		}
	}
}

// TestCompute_CoveredLeast answers which open objective is covered least and most.
func TestCompute_CoveredLeast(t *testing.T) {
	t.Parallel()
	s := deskOf(
		t,
		desk.Change{ID: "obj_a", Kind: desk.Objective, Set: json.RawMessage(`{"outcome":"Less waiting","status":"COMMITTED","ticketIds":["tkt_a","tkt_b"]}`)},
		desk.Change{ID: "obj_b", Kind: desk.Objective, Set: json.RawMessage(`{"outcome":"More light","status":"COMMITTED","ticketIds":["tkt_b"]}`)},
		desk.Change{ID: "obj_c", Kind: desk.Objective, Set: json.RawMessage(`{"outcome":"Dropped","status":"DROPPED"}`)},
		desk.Change{ID: "tkt_a", Kind: desk.Ticket, Set: json.RawMessage(`{"title":"Done already","status":"DONE"}`)},
		desk.Change{ID: "tkt_b", Kind: desk.Ticket, Set: json.RawMessage(`{"title":"Still to do","status":"TODO"}`)},
	)
	for text, want := range map[string]string{
		"Which objective has the lowest coverage?": "More light is covered least of 2 objectives: 0 %.",
		"Which objective is best covered?":         "Less waiting is covered most of 2 objectives: 50 %.",
	} {
		a, err := s.Compute(question.Read(text, s, asktest.Now()).Plans[0], asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if a.Sentence != want {
			t.Errorf("%s: got %q, want %q", text, a.Sentence, want)
		}
	}
}
