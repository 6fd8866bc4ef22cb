package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRepository_RepositoriesWithTheSameNumbersStayApart imports issues of one repository, then of
// another, then of both: no issue takes another's place, and nothing comes twice.
func TestRepository_RepositoriesWithTheSameNumbersStayApart(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		base := "/api/projects/" + project
		head := "html_url,id,number,title,state,assignee.login,parent\n"
		pay := "https://github.com/example/pay/issues/7,701,7,Refund a card,open,ann,\nhttps://github.com/example/pay/issues/8,702,8,Sign,open,ann,#7\n"
		web := "https://github.com/example/web/issues/7,801,7,Show the refund,open,bo,\nhttps://github.com/example/web/issues/8,802,8,Colours,open,bo,7\n"
		file := filepath.Join(s.data, "issues.csv")
		brings := func(text, want string) {
			t.Helper()
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"--preview"}, nil} {
				out, errs, code := s.chela(t, "", append([]string{"import", file, "-p", "Payments"}, args...)...)
				if code != 0 || args != nil && !strings.Contains(out, want) {
					t.Errorf("%d, not %q:\n%s%s", code, want, out, errs)
				}
			}
		}
		brings(head+pay, "2 would be created, 0 changed, 0 stay")
		brings(head+web, "2 would be created, 0 changed, 0 stay")
		brings(head+web+pay, "0 would be created, 0 changed, 4 stay")
		brings(head+pay+strings.ReplaceAll(web, "open", "closed"), "0 would be created, 2 changed, 2 stay")
		brings(head+pay+"https://github.com/example/pay/issues/9,703,9,Tell,open,ann,8\n", "1 would be created, 0 changed, 2 stay")
		tickets := ticketsByRef(t, d, base)
		for ref, parent := range map[string]string{"7": "", "8": "7", "9": "8", "example/web#7": "", "example/web#8": "example/web#7"} {
			x, is := tickets[ref]
			if !is || x.Body.Parent != tickets[parent].ID || (x.Body.Status == "DONE") != strings.HasPrefix(ref, "example/web") {
				t.Errorf("%s: %v %+v, its parent is %s %s", ref, is, x.Body, parent, tickets[parent].ID)
			}
		}
		if len(tickets) != 5 {
			t.Errorf("%d tickets", len(tickets))
		}
		d.stop()
		s.verified(t)
	})
}
