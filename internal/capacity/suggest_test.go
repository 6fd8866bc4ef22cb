package capacity_test

import (
	"fmt"
	"slices"
	"testing"

	"chela/internal/capacity"
	"chela/internal/desk"
)

// suggested returns "ticket: person" for each suggestion.
func suggested(people []capacity.Person, tickets []capacity.Ticket, shares []capacity.Share, limit int) []string {
	var out []string
	for _, s := range capacity.Suggest(capacity.Compute(people, tickets, shares), slices.Values(tickets), limit) {
		out = append(out, s.TicketID+": "+s.Name)
	}
	return out
}

func knows(p capacity.Person, skills ...string) capacity.Person {
	p.Skills = skills
	return p
}

func urgent(t capacity.Ticket, l desk.Level) capacity.Ticket {
	t.Priority = l
	return t
}

func TestSuggest_WhoIsSuggested(t *testing.T) {
	t.Parallel()
	tester := person("tester", 40, 1)
	tester.Role = "QA"
	labelled := ticket("Tune it", 1, desk.Todo)
	labelled.Labels = []string{"kafka"}
	for name, c := range map[string]struct {
		people  []capacity.Person
		tickets []capacity.Ticket
		shares  []capacity.Share
		limit   int
		want    []string
	}{
		"nobody there":                  {nil, []capacity.Ticket{ticket("a", 1, desk.Todo)}, nil, 5, nil},
		"nothing to do":                 {[]capacity.Person{person("p", 40, 1)}, nil, nil, 5, nil},
		"done and assigned ones":        {[]capacity.Person{person("p", 40, 1)}, []capacity.Ticket{ticket("a", 1, desk.Done), ticket("b", 1, desk.Todo)}, []capacity.Share{{"p", "b", 10}}, 5, nil},
		"who has more room":             {[]capacity.Person{person("half", 20, 1), person("full", 40, 1)}, []capacity.Ticket{ticket("a", 1, desk.Todo)}, nil, 5, []string{"a: full"}},
		"who knows it":                  {[]capacity.Person{person("free", 40, 1), knows(person("busy", 40, 1), "Kafka")}, []capacity.Ticket{labelled, ticket("other", 1, desk.Todo)}, []capacity.Share{{"busy", "other", 50}}, 5, []string{"Tune it: busy"}},
		"a tester for a test":           {[]capacity.Person{person("engineer", 40, 1), tester}, []capacity.Ticket{ticket("Load test", 1, desk.Todo)}, nil, 5, []string{"Load test: tester"}},
		"an empty skill is none":        {[]capacity.Person{person("a", 40, 1), knows(person("b", 20, 1), "")}, []capacity.Ticket{ticket("x", 1, desk.Todo)}, nil, 5, []string{"x: a"}},
		"nobody who is overloaded":      {[]capacity.Person{knows(person("p", 40, 1), "x")}, []capacity.Ticket{ticket("x", 1, desk.Todo), ticket("y", 1, desk.Todo)}, []capacity.Share{{"p", "y", 130}}, 5, nil},
		"nobody without hours":          {[]capacity.Person{person("p", 40, 0)}, []capacity.Ticket{ticket("a", 1, desk.Todo)}, nil, 5, nil},
		"another for who has no hours":  {[]capacity.Person{knows(person("gone", 40, 0), "kafka"), person("here", 20, 1)}, []capacity.Ticket{labelled}, nil, 5, []string{"Tune it: here"}},
		"another for who has too much":  {[]capacity.Person{knows(person("over", 40, 1), "kafka"), person("here", 1, 1)}, []capacity.Ticket{labelled, ticket("y", 1, desk.Todo)}, []capacity.Share{{"over", "y", 130}}, 5, []string{"Tune it: here"}},
		"the most important come first": {[]capacity.Person{person("p", 40, 1)}, []capacity.Ticket{urgent(ticket("a", 1, desk.Todo), desk.Low), urgent(ticket("b", 1, desk.Todo), desk.Critical), ticket("c", 1, desk.Todo), urgent(ticket("d", 1, desk.Blocked), desk.High), ticket("e", 1, desk.Todo)}, nil, 4, []string{"b: p", "d: p", "c: p", "e: p"}},
		"each counts as load":           {[]capacity.Person{person("p", 40, 1), person("q", 40, 1)}, []capacity.Ticket{ticket("a", 5, desk.Todo), ticket("b", 5, desk.Todo), ticket("c", 5, desk.Todo), ticket("d", 5, desk.Todo)}, nil, 9, []string{"a: p", "b: q", "c: p", "d: q"}},
		"no more than asked for":        {[]capacity.Person{person("p", 40, 1)}, []capacity.Ticket{ticket("a", 1, desk.Todo), ticket("b", 1, desk.Todo)}, nil, 1, []string{"a: p"}},
		"none asked for":                {[]capacity.Person{person("p", 40, 1)}, []capacity.Ticket{ticket("a", 1, desk.Todo)}, nil, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := suggested(c.people, c.tickets, c.shares, c.limit); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestSuggest_ASuggestionGivesItsReasons(t *testing.T) {
	t.Parallel()
	people := []capacity.Person{knows(person("ann", 40, 0.5), "Go", "Kafka")}
	a, b := ticket("Tune kafka", 3, desk.Todo), ticket("b", 0, desk.Todo)
	r := capacity.Compute(people, []capacity.Ticket{a, b}, nil)
	was := fmt.Sprint(r)
	got := capacity.Suggest(r, slices.Values([]capacity.Ticket{a, b}), 2)
	want := []capacity.Suggestion{
		{TicketID: "Tune kafka", Title: "Tune kafka", ResourceID: "ann", Name: "ann", Score: 1.5, Reasons: []string{"20 of 20 h free", "0 open tickets", "knows Kafka"}},
		{TicketID: "b", Title: "b", ResourceID: "ann", Name: "ann", Score: 0.25, Reasons: []string{"14 of 20 h free", "1 open ticket"}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if fmt.Sprint(r) != was {
		t.Errorf("the report became %+v", r)
	}
}
