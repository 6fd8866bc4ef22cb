package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMoved_AnIssueWithAnotherKeyIsTheSameTicket imports an export and a newer one in which issues have other keys: they are known by their
// ids. Where a person gave a ticket another key too, they are asked; another issue with the same id is another ticket.
func TestMoved_AnIssueWithAnotherKeyIsTheSameTicket(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		base := "/api/projects/" + project
		const head = "Issue key,Issue id,Summary,Status,Assignee,Parent\n"
		takeIn(t, d, project, "jira.csv", []byte(head+"P-1,10001,Retry,To Do,Ann Lee,\nP-2,10002,Ship,To Do,,P-1\nP-3,10003,Tell,To Do,,\nP-5,10005,Count,To Do,,\n"))
		before := ticketsByRef(t, d, base)
		d.must(t, "PATCH", base+"/tickets/"+before["P-3"].ID, rawJSON(`{"externalRef":"X-3"}`), nil)

		file := filepath.Join(s.data, "newer.csv")
		newer := head + "P-2,10002,Ship,To Do,,Q-1\nQ-1,10001,Retry,Done,Cy Tran,\nQ-3,10003,Tell,To Do,,\nP-9,10005,Sing,To Do,,\n"
		if err := os.WriteFile(file, []byte(newer), 0o600); err != nil {
			t.Fatal(err)
		}
		told := []string{"Q-1 Retry: externalRef P-1 → Q-1", "Q-1 Retry: status TODO → DONE", "Q-1 Retry: owner Ann Lee → Cy Tran"}
		out, errs, code := s.chela(t, "", "import", file, "-p", "Payments", "--preview")
		for _, want := range append(told, "to decide, externalRef X-3 → Q-3", "1 would be created, 1 changed, 2 stay as they are.", "1 open ticket of P that an earlier export brought is not in this one, and left as before: P-5.") {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("the preview lacks %q:\n%s%s", want, out, errs)
			}
		}
		out, errs, code = s.chela(t, "", "import", file, "-p", "Payments")
		for _, want := range append(told, "1 ticket. Changed: 1 ticket. 1 open ticket of P ") {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("the import lacks %q:\n%s%s", want, out, errs)
			}
		}
		now := ticketsByRef(t, d, base)
		if len(now) != 5 || now["Q-1"].ID != before["P-1"].ID || now["Q-1"].Owner != "Cy Tran" || now["X-3"].ID != before["P-3"].ID || now["P-2"].Body.Parent != before["P-1"].ID || now["P-9"].ID == before["P-5"].ID {
			t.Errorf("got %+v, want the tickets of %+v, and P-9", now, before)
		}
		var asked struct {
			Items []struct {
				ID string `json:"id"`
			} `json:"items"`
		}
		if d.must(t, "GET", base+"/reconciliations?status=REVIEWED", nil, &asked); len(asked.Items) != 1 {
			t.Fatalf("%d reconciliations are open, want 1", len(asked.Items))
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(newer, "\n", "\r\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, errs, code := s.chela(t, "", "import", file, "-p", "Payments"); code != 0 || strings.Contains(out, "→") || strings.Contains(out, "Changed") {
			t.Errorf("the same once more: %s%s", out, errs)
		}
		if out, errs, code := s.chela(t, "", "reconcile", "decide", asked.Items[0].ID, "theirs", "-p", "Payments"); code != 0 || !strings.Contains(out, "0 left to decide") {
			t.Errorf("%s%s", out, errs)
		}
		if got := ticketsByRef(t, d, base)["Q-3"].ID; got != before["P-3"].ID {
			t.Errorf("Q-3 is %q, want the ticket that was P-3, %q", got, before["P-3"].ID)
		}
		d.stop()
		s.verified(t)
	})
}
