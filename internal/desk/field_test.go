package desk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/query"
)

// TestField_EveryKindCanBeAskedFor holds for kinds that are still to come: what they are asked
// for is read off their structs.
func TestField_EveryKindCanBeAskedFor(t *testing.T) {
	t.Parallel()
	for _, k := range desk.Kinds() {
		f, err := desk.Fields(k)
		if err != nil || f.Of != k.Word() {
			t.Fatal(k, err)
		}
		seen := make(map[string]bool)
		for _, x := range f.List {
			if seen[strings.ToLower(x.Name)] {
				t.Errorf("%s has two fields %s", k, x.Name)
			}
			seen[strings.ToLower(x.Name)] = true
			if x.Type == query.Set && len(x.Allowed) < 2 {
				t.Errorf("%s.%s takes %v", k, x.Name, x.Allowed)
			}
		}
		for _, name := range []string{"id", "title", "created", "updated", "createdBy", "version", "refers"} {
			if !seen[strings.ToLower(name)] {
				t.Errorf("%s lacks %s", k, name)
			}
		}
	}
	if _, err := desk.Fields("none"); fault.KindOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestField_FieldsAreReadOffTheStructs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ticket status":              "1 false [TODO IN_PROGRESS REVIEW DONE BLOCKED CLOSED] 0 status ",
		"ticket priority":            "1 false [LOW MEDIUM HIGH CRITICAL] 1 priority ",
		"ticket type":                "1 false [INITIATIVE EPIC STORY TASK BUG SUBTASK] 1 type ",
		"ticket points":              "2 false [] 1 storyPoints ",
		"ticket due":                 "3 false [] 1 dueDate ",
		"ticket label":               "0 true [] 1 labels ",
		"ticket quote":               "0 true [] 1 sources quote",
		"ticket sources":             "8 false [] 1 sources ",
		"ticket owner":               "7 false [] 3  ",
		"ticket blocked":             "6 false [] 2 blockedBy ",
		"thread status":              "1 false [DRAFT ACTIVE CLOSED MERGED] 0 status ",
		"thread actions.dueDate":     "3 true [] 1 actions dueDate",
		"thread evidence.relevance":  "2 true [] 1 evidence relevance",
		"resource capacity":          "2 false [] 1 capacity ",
		"resource role":              "1 false [ENGINEER DESIGNER PM QA] 0 status ",
		"intake rulesOnly":           "5 false [] 1 rulesOnly ",
		"blindspot owner":            "0 false [] 1 owner ",
		"delta_pack bySeverity":      "8 false [] 1 bySeverity ",
		"memory updated":             "4 false [] 0 updated_at ",
		"upload source":              "0 false [] 1 source ",
		"assignment ticketId":        "0 false [] 1 ticketId ",
		"objective coveragePercent":  "2 false [] 1 coveragePercent ",
		"delta_pack deltas.severity": "0 true [] 1 deltas severity",
	} {
		kind, field, _ := strings.Cut(name, " ")
		all, err := desk.Fields(desk.Kind(kind))
		f, ok := all.Find(field)
		if got := fmt.Sprint(f.Type, " ", f.Many, " ", f.Allowed, " ", f.Place, " ", f.Path, " ", f.Sub); err != nil || !ok || got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestField_ARecordIsFoundByItsWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind desk.Kind
		body string
		want []string
	}{
		"ticket": {
			desk.Ticket, `{"title":"Fix\u0000 it","description":"Soon","externalRef":"PAY-1","blockedBy":["tkt_1"],"labels":["red"],"sources":[{"by":"person","document":"notes.md","quote":"fix it","intakeId":"int_1"}]}`,
			[]string{"Fix it", "Soon", "PAY-1", "red", "notes.md", "fix it"},
		},
		"thread":     {desk.Thread, `{"title":"T","actions":[{"text":"call","assignee":"Ann"}],"decisions":[{"text":"go","date":"2026-01-01"}]}`, []string{"T", "go", "call", "Ann"}},
		"blindspot":  {desk.Blindspot, `{"title":"B","category":"EMPTY_PHASE","recordIds":["tkt_1"]}`, []string{"B"}},
		"assignment": {desk.Assignment, `{"resourceId":"res_1","ticketId":"tkt_1"}`, []string{""}},
		"project":    {desk.Project, `{"name":"P","metadata":{"team":"blue"},"tags":["snake_case"]}`, []string{"P", "snake_case", "team", "blue"}},
		"resource":   {desk.Resource, `{"name":"Ann","aliases":["An"],"skills":["Go"]}`, []string{"Ann", "Go", "An"}},
	} {
		thing, err := desk.Decode(create(t, c.kind, c.body))
		if got := desk.Texts(c.kind, thing); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
	if _, err := desk.Decode(desk.Record{Kind: "none"}); fault.KindOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestField_KindsHavePlurals(t *testing.T) {
	t.Parallel()
	for k, want := range map[desk.Kind]string{desk.Ticket: "tickets", desk.DeltaPack: "delta-packs", desk.Memory: "memories"} {
		if k.Plural() != want {
			t.Errorf("%s: %s", k, k.Plural())
		}
	}
}
