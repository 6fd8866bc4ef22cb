package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestMerge_ANewerExportKeepsWhatAPersonWrote imports an export, edits tickets by hand, and imports
// a newer one: what only the source changed is taken, what only a person changed stays, and
// where both did the person is asked.
func TestMerge_ANewerExportKeepsWhatAPersonWrote(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		base := "/api/projects/" + project
		head := "Issue key,Summary,Status,Resolution,Assignee,Description,Story Points,Labels,Outward issue link (Blocks),Parent\n"
		first := head + "P-1,Retry,To Do,,Ann Lee,Three times,3,api,P-2,\nP-2,Ship,To Do,,Bo Kim,Soon,5,web,,P-1\n"
		newer := head + "P-1,Retry cards,Closed,Duplicate,Cy Tran,Four times,8,api,P-2,\nP-2,Ship,In Progress,,Bo Kim,Soon,5,web,,P-1\n"
		takeIn(t, d, project, "jira.csv", []byte(first))
		tickets := ticketsByRef(t, d, base)
		one, two := base+"/tickets/"+tickets["P-1"].ID, base+"/tickets/"+tickets["P-2"].ID
		d.must(t, "PATCH", one, rawJSON(`{"status":"IN_PROGRESS","description":"Twice","owner":"Dana Reyes","labels":["urgent"]}`), nil)
		d.must(t, "PATCH", two, rawJSON(`{"description":"Today","owner":null,"blockedBy":[],"parentTicketId":null}`), nil)

		file := filepath.Join(s.data, "newer.csv")
		if err := os.WriteFile(file, []byte(newer), 0o600); err != nil {
			t.Fatal(err)
		}
		chela := func(wants []string, args ...string) string {
			t.Helper()
			out, errs, code := s.chela(t, "", append(args, "-p", "Payments")...)
			for _, want := range wants {
				if code != 0 || !strings.Contains(out, want) {
					t.Errorf("%d, %v lacks %q:\n%s%s", code, args, want, out, errs)
				}
			}
			return out
		}
		chela([]string{"0 would be created, 2 changed, 0 stay", "To decide: 3 fields", "P-1 Retry cards: to decide, status IN_PROGRESS → CLOSED DUPLICATE"}, "import", file, "--preview")
		chela([]string{"Changed: 2 tickets.", "To decide: 3 fields", "P-1 Retry cards: title Retry → Retry cards", "P-2 Ship: status TODO → IN_PROGRESS"}, "import", file)
		tickets = ticketsByRef(t, d, base)
		if x := tickets["P-1"]; x.Body.Status != "IN_PROGRESS" || x.Body.Description != "Twice" || x.Owner != "Dana Reyes" || x.Body.Points != 8 {
			t.Errorf("%+v", x)
		}
		if x := tickets["P-2"]; x.Body.Status != "IN_PROGRESS" || x.Body.Description != "Today" || x.Owner != "" || x.Body.Parent != "" {
			t.Errorf("%+v", x)
		}
		var asked struct {
			Items []struct {
				ID string `json:"id"`
			} `json:"items"`
		}
		d.must(t, "GET", base+"/reconciliations?status=REVIEWED", nil, &asked)
		if len(asked.Items) != 1 {
			t.Fatalf("%d reconciliations are open, want 1", len(asked.Items))
		}
		id := asked.Items[0].ID
		chela([]string{id, "3 to decide"}, "reconcile", "list")
		shown := chela([]string{"status IN_PROGRESS → CLOSED DUPLICATE", "description Twice → Four times", "owner Dana Reyes → Cy Tran"}, "reconcile", "show", id)
		number := func(field string) string {
			for _, line := range strings.Split(shown, "\n") {
				if strings.Contains(line, " "+field+" ") {
					return strings.Fields(line)[0]
				}
			}
			t.Fatalf("%s is not asked:\n%s", field, shown)
			return ""
		}
		chela([]string{"2 left to decide"}, "reconcile", "decide", id, "theirs", number("status"))
		d.must(t, "PATCH", one, rawJSON(`{"description":"Once"}`), nil)
		if _, errs, code := s.chela(t, "", "reconcile", "decide", id, "theirs", number("description"), "-p", "Payments"); code == 0 || !strings.Contains(errs, "was changed since") {
			t.Errorf("%d %s", code, errs)
		}
		chela([]string{"1 left to decide"}, "reconcile", "decide", id, "mine", number("description"))
		chela([]string{"0 left to decide"}, "reconcile", "decide", id, "theirs")
		if err := d.try("POST", base+"/reconciliations/"+id+"/decisions", map[string]any{"take": "MINE"}, nil); fault.KindOf(err) != fault.Conflict {
			t.Errorf("everything is decided: %v", err)
		}
		tickets = ticketsByRef(t, d, base)
		if x := tickets["P-1"]; x.Body.Status != "CLOSED" || x.Body.Description != "Once" || x.Owner != "Cy Tran" {
			t.Errorf("%+v", x)
		}
		if err := os.WriteFile(file, []byte(newer+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		chela([]string{"0 would be created, 0 changed, 2 stay"}, "import", file, "--preview")
		if out := chela(nil, "import", file); strings.Contains(out, "→") || strings.Contains(out, "To decide") {
			t.Errorf("the same once more:\n%s", out)
		}
		d.stop()
		s.verified(t)
	})
}
