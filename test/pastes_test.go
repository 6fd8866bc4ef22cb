package test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPastes_GiveWhatTheyList pastes notes with numbered topics, tickets line by line, pages and a plan.
func TestPastes_GiveWhatTheyList(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t)
	defer d.stop()
	project := newProject(t, d)
	base := "/api/projects/" + project
	for _, name := range []string{"notes.txt", "tickets.txt", "pages.txt", "plan.txt"} {
		raw, err := os.ReadFile("../internal/extract/testdata/pastes/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var r receiptAnswer
		d.must(t, "POST", "/api/intake", map[string]any{"projectId": project, "content": string(raw)}, &r)
		until(t, "the intake of "+name, func() bool {
			var a runAnswer
			d.must(t, "GET", "/api/runs/"+r.Run, nil, &a)
			if a.Run.State == "failed" {
				t.Fatalf("the intake of %s failed", name)
			}
			return a.Run.State == "done"
		})
	}
	names := func(kind, field string) string {
		var all struct {
			Items []struct {
				Body map[string]any `json:"body"`
			} `json:"items"`
		}
		d.must(t, "GET", base+"/"+kind, nil, &all)
		var out []string
		for _, x := range all.Items {
			name, _ := x.Body[field].(string)
			out = append(out, name)
		}
		slices.Sort(out)
		return strings.Join(out, "; ")
	}
	for _, c := range []struct{ kind, field, want string }{
		{"threads", "title", "Incident Playbook; Ledger service design; Partner Onboarding Runbook; Partner onboarding flow"},
		{"tickets", "externalRef", "; L-201; L-202; L-203; L-204"},
		{"phases", "name", "Build; Pilot; Rollout"},
		{"milestones", "name", "Ledger go-live; Onboarding complete"},
	} {
		if got := names(c.kind, c.field); got != c.want {
			t.Errorf("%s are %q, want %q", c.kind, got, c.want)
		}
	}
}
