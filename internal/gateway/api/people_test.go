package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"chela/internal/capacity"
	"chela/internal/gateway/api"
	"chela/internal/gateway/client"
)

// TestPeople_EverythingFollowsAMerge: one person whom an export calls by five names is proposed, merged by hand, and then one in capacity,
// Ask, lists, later exports and later minutes; the merge is taken back as one act.
func TestPeople_EverythingFollowsAMerge(t *testing.T) {
	t.Parallel()
	d, c, project := shop(t)
	export := "Key,Title,Status,Story Points,Owner\nA-1,One,To Do,3,Dana Reyes\nA-2,Two,To Do,3,dreyes\nA-3,Three,To Do,3,dana.reyes@acme.io\nA-4,Four,To Do,3,\"Reyes, Dana\"\nA-5,Five,To Do,3,Bo Kim\n"
	taken(t, c, project.ID, client.IntakeFile{Name: "a.csv", Data: []byte(export)})
	taken(t, c, project.ID, client.IntakeFile{Name: "sync.md", Data: []byte("# Sync\nDate: 2026-03-05\n\n## Action items\n- dreyes to send the report by 2026-03-09\n")})
	people := func() (names []string, id map[string]string) {
		t.Helper()
		all, err := c.ListResources(t.Context(), project.ID, client.ListResourcesQuery{Sort: "name"})
		if err != nil {
			t.Fatal(err)
		}
		id = make(map[string]string)
		for _, r := range all.Items {
			names, id[r.Body.Name] = append(names, r.Body.Name), r.ID
		}
		return names, id
	}
	names, id := people()
	if want := []string{"Bo Kim", "Dana Reyes", "dana.reyes@acme.io", "dreyes"}; !slices.Equal(names, want) {
		t.Fatalf("the people are %q, want %q", names, want)
	}
	dana := id["Dana Reyes"]
	found, err := c.Dedup(t.Context(), project.ID, client.DedupBody{Preview: new(true)})
	if err != nil || len(found.Likely) != 2 || found.Merged != 0 {
		t.Fatalf("proposed are %+v: %v", found, err)
	}
	var others []string
	for _, l := range found.Likely {
		if l.Kept != dana {
			t.Errorf("%s would be kept, want %s", l.Name, "Dana Reyes")
		}
		others = append(others, l.Other)
	}
	if got, err := c.Dedup(t.Context(), project.ID, client.DedupBody{Preview: new(true), Into: &dana, Records: others}); err != nil || got.Merged != 2 || len(got.Likely) != 0 {
		t.Errorf("the preview says %+v: %v", got, err)
	}
	if names, _ := people(); len(names) != 4 {
		t.Errorf("a preview left %q", names)
	}
	e := &edge{t: t, url: d.URL, owner: d.Token}
	viewer, _ := e.member("Vera", "viewer")
	if _, err := client.New(d.URL, viewer).Dedup(t.Context(), project.ID, client.DedupBody{Into: &dana, Records: others}); err == nil {
		t.Error("a viewer merges people")
	}
	code, said, h := e.send(d.Token, http.MethodPost, "/api/projects/"+project.ID+"/dedup", `{"into":"`+dana+`","records":["`+strings.Join(others, `","`)+`"]}`)
	if code != http.StatusOK {
		t.Fatalf("the merge answers %d %s", code, said)
	}
	followed := func(when string) {
		t.Helper()
		if names, _ := people(); !slices.Equal(names, []string{"Bo Kim", "Dana Reyes"}) {
			t.Errorf("%s, the people are %q", when, names)
		}
		load, err := c.Capacity(t.Context(), project.ID, client.CapacityQuery{})
		if err != nil || len(load.Resources) != 2 || !slices.ContainsFunc(load.Resources, func(l capacity.Line) bool { return l.Name == "Dana Reyes" && l.Tickets == 5 && l.AllocatedSP == 12 }) {
			t.Errorf("%s, the loads are %+v: %v", when, load.Resources, err)
		}
		for _, who := range []string{"Dana Reyes", "dreyes", "DReyes", "dana.reyes@acme.io"} {
			got, err := c.ListTickets(t.Context(), project.ID, client.ListTicketsQuery{Filter: `owner:"` + who + `"`})
			if err != nil || len(got.Items) != 5 {
				t.Errorf("%s, owner:%q lists %d tickets, want 5: %v", when, who, len(got.Items), err)
			}
		}
		for question, want := range map[string]string{"How many tickets does dreyes have?": "5", "How many tickets does Dana Reyes have?": "5", "Who has the most tickets?": "Dana Reyes", "What did Dana promise?": "send the report"} {
			got, err := c.Ask(t.Context(), client.AskBody{ProjectID: project.ID, Question: question})
			text := got.Answer
			if got.Table != nil {
				for _, r := range got.Table.Rows {
					text += "\n" + strings.Join(r.Cells, " | ")
				}
			}
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%s, %q is answered %q, want %q: %v", when, question, text, want, err)
			}
		}
	}
	followed("after the merge")
	taken(t, c, project.ID, client.IntakeFile{Name: "b.csv", Data: []byte(export + "A-6,Six,Done,1,dreyes\n")})
	taken(t, c, project.ID, client.IntakeFile{Name: "later.md", Data: []byte("# Sync\nDate: 2026-03-12\n\nAttendees: dreyes, Bo Kim\n")})
	if _, err := c.ListTickets(t.Context(), project.ID, client.ListTicketsQuery{}); err != nil {
		t.Fatal(err)
	}
	if names, _ := people(); !slices.Equal(names, []string{"Bo Kim", "Dana Reyes"}) {
		t.Errorf("later sources made %q", names)
	}
	e.call(d.Token, http.MethodPost, "/api/undo", map[string]any{"run": h.Get(api.RunHeader)}, nil)
	if names, _ := people(); len(names) != 4 {
		t.Errorf("after the undo, the people are %q", names)
	}
}
