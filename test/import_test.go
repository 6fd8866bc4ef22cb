package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestImport_AnImportIsPreviewedAndItsMappingRemembered imports a file whose columns no rule
// knows, with the mapping that a person gives, and then a newer one without.
func TestImport_AnImportIsPreviewedAndItsMappingRemembered(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		base := "/api/projects/" + project
		first := []byte("Nr;Was zu tun ist;Wie weit;Gewicht\nA-1;Retry;offen;3\nA-2;Ship;fertig;5\n")
		newer := []byte("Nr;Was zu tun ist;Wie weit;Gewicht\nA-1;Retry;fertig;3\nA-2;Ship;fertig;5\nA-3;Tell;offen;1\n")
		mapping := map[string]string{"key": "Nr", "title": "Was zu tun ist", "status": "Wie weit", "points": "Gewicht"}
		type table struct {
			Known              bool              `json:"known"`
			New, Changed, Same int               `json:"-"`
			Mapping            map[string]string `json:"mapping"`
			Sample             []struct {
				Title  string  `json:"title"`
				Points float64 `json:"storyPoints"`
			} `json:"sample"`
		}
		ask := func(raw []byte, mapping map[string]string) (string, table) {
			var out struct {
				Tables []json.RawMessage `json:"tables"`
			}
			d.must(t, "POST", "/api/intake/preview", map[string]any{"projectId": project, "file": map[string]any{"name": "arbeit.csv", "data": raw}, "mapping": mapping}, &out)
			var x table
			if len(out.Tables) != 1 {
				t.Fatalf("%d tables", len(out.Tables))
			}
			if err := json.Unmarshal(out.Tables[0], &x); err != nil {
				t.Fatal(err)
			}
			var n struct{ New, Changed, Same int }
			if err := json.Unmarshal(out.Tables[0], &n); err != nil {
				t.Fatal(err)
			}
			x.New, x.Changed, x.Same = n.New, n.Changed, n.Same
			return string(out.Tables[0]), x
		}
		if text, x := ask(first, nil); x.Known {
			t.Errorf("no rule knows these columns: %s", text)
		}
		if text, x := ask(first, mapping); !x.Known || x.New != 2 || x.Sample[1].Title != "Ship" || x.Sample[1].Points != 5 {
			t.Errorf("%s", text)
		}
		for says, wrong := range map[string]map[string]string{
			`no column "Nirgends"`: {"title": "Nirgends", "key": "Nr"}, `no field "ttle"`: {"ttle": "Was zu tun ist", "points": ""},
		} {
			file := map[string]any{"name": "arbeit.csv", "data": first}
			for path, body := range map[string]map[string]any{
				"/api/intake/preview": {"projectId": project, "file": file, "mapping": wrong}, "/api/intake": {"projectId": project, "files": []any{file}, "mapping": wrong},
			} {
				err := d.try("POST", path, body, nil)
				if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), says) || !strings.Contains(fault.TextOf(err), "Allowed: ") {
					t.Errorf("%s with %v: %v", path, wrong, err)
				}
			}
		}
		var l list
		if d.must(t, "GET", base+"/tickets", nil, &l); l.Total != 0 {
			t.Errorf("a preview, or an import that was refused, made %d tickets", l.Total)
		}
		file := filepath.Join(s.data, "arbeit.csv")
		if err := os.WriteFile(file, first, 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"import", file, "-p", "Payments"}
		if out, errs, code := s.chela(t, "", append(args, "--map", "ttle=Was zu tun ist", "--map", "points=")...); code == 0 || !strings.Contains(errs, `no field "ttle"`) {
			t.Errorf("%d\n%s%s", code, out, errs)
		}
		for field, column := range mapping {
			args = append(args, "--map", field+"="+column)
		}
		if out, errs, code := s.chela(t, "", append(args, "--preview")...); code != 0 || !strings.Contains(out, "2 would be created") {
			t.Errorf("%d\n%s%s", code, out, errs)
		}
		if out, errs, code := s.chela(t, "", args...); code != 0 || !strings.Contains(out, "2 tickets") {
			t.Errorf("%d\n%s%s", code, out, errs)
		}
		if text, x := ask(first, nil); !x.Known || x.Same != 2 || x.Mapping["points"] != "Gewicht" {
			t.Errorf("the mapping is not remembered: %s", text)
		}
		if text, x := ask(newer, nil); x.New != 1 || x.Changed != 1 || x.Same != 1 {
			t.Errorf("%s", text)
		}
		takeIn(t, d, project, "arbeit.csv", newer)
		if d.must(t, "GET", base+"/tickets?filter=status:DONE", nil, &l); l.Total != 2 {
			t.Errorf("%d tickets are done", l.Total)
		}
		if err := d.try("POST", "/api/intake/preview", map[string]any{"projectId": "prj_none", "file": map[string]any{"name": "a.csv", "data": first}}, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a project that is not there: %v", err)
		}
		d.stop()
		s.verified(t)
	})
}

// TestImport_ANewerExportReportsTheDifferences imports an export of a tracker and then a newer
// one with fewer columns: what it says is taken over and told field by field, what it does
// not say stays, and so does what people here decided.
func TestImport_ANewerExportReportsTheDifferences(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		base := "/api/projects/" + project
		first := "Issue key,Summary,Status,Assignee,Reporter,Description,Story Points,Comment,Comment,Parent\n" +
			"P-1,Retry,To Do,Ann Lee,Bo,Three times,3,01/Mar/26 9:30 AM;Ann Lee;Which cards?,,\n" +
			"P-2,Ship,To Do,Ann Lee & Ann,Bo,Soon,5,,,P-1\nP-3,Tell,Done,,Bo,,,,,\n"
		newer := "Issue key,Summary,Status,Mood,Assignee,Comment,Comment,Weather,Mood\n" +
			"P-1,Retry,Done,,Cy Tran,01/Mar/26 9:30 AM;Ann Lee;Which cards?,12/Mar/26 1:05 PM;Cy Tran;All of them.,,\n" +
			"P-2,Ship,To Do,,Ann Lee,,,,\nP-3,Tell,Done,,,,,,\nP-4,Thank,To Do,,,,,,\n"
		takeIn(t, d, project, "jira.csv", []byte(first))
		tickets := ticketsByRef(t, d, base)
		if e := tickets["P-1"].Body.Evidence; len(e) != 1 || e[0].Snippet != "Which cards?" || e[0].Author != "Ann Lee" || e[0].Date != "2026-03-01T09:30:00Z" || e[0].Sources[0].Line != 2 {
			t.Errorf("the comment is not evidence: %+v", e)
		}
		if x := tickets["P-1"].Body; x.Reporter != "Bo" || x.Synced == "" || tickets["P-2"].Body.Parent != tickets["P-1"].ID {
			t.Errorf("%+v %+v", x, tickets["P-2"].Body)
		}
		d.must(t, "PATCH", base+"/tickets/"+tickets["P-3"].ID, rawJSON(`{"owner":"Dana"}`), nil)

		file := filepath.Join(s.data, "newer.csv")
		if err := os.WriteFile(file, []byte(newer), 0o600); err != nil {
			t.Fatal(err)
		}
		told := []string{"P-1 Retry: status TODO → DONE", "P-1 Retry: comments 1 → 2", "P-1 Retry: owner Ann Lee → Cy Tran"}
		out, errs, code := s.chela(t, "", "import", file, "-p", "Payments", "--preview")
		if !strings.HasPrefix(out, "newer.csv: generic\n") || !strings.Contains(out, "  not read     Mood, Weather\n") {
			t.Errorf("the preview does not name what it is and what is not read:\n%s", out)
		}
		for _, want := range append(told, "1 would be created, 1 changed, 2 stay as they are.") {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("the preview lacks %q:\n%s%s", want, out, errs)
			}
		}
		out, errs, code = s.chela(t, "", "import", file, "-p", "Payments")
		for _, want := range append(told, "Changed: 1 ticket.") {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("the import lacks %q:\n%s%s", want, out, errs)
			}
		}
		if n := strings.Count(out, " → "); n != len(told) {
			t.Errorf("%d differences are told:\n%s", n, out)
		}
		tickets = ticketsByRef(t, d, base)
		if x := tickets["P-1"]; x.Owner != "Cy Tran" || x.Body.Status != "DONE" || x.Body.Points != 3 || x.Body.Description != "Three times" || x.Body.Reporter != "Bo" || len(x.Body.Evidence) != 2 {
			t.Errorf("%+v", x)
		}
		if tickets["P-3"].Owner != "Dana" {
			t.Errorf("whom a person assigned is gone: %+v", tickets["P-3"])
		}
		var l list
		if d.must(t, "GET", base+"/reconciliations?status=APPLIED", nil, &l); l.Total != 1 {
			t.Errorf("%d reconciliations", l.Total)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(newer, "\n", "\r\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		out, errs, code = s.chela(t, "", "import", file, "-p", "Payments")
		if code != 0 || strings.Contains(out, "→") || strings.Contains(out, "Changed") || !strings.Contains(out, "Read by rules      Done") {
			t.Errorf("the same once more: %s%s", out, errs)
		}
		d.must(t, "DELETE", base+"/tickets/"+tickets["P-1"].ID, nil, nil) // a reconciliation names it
		d.stop()
		s.verified(t)
	})
}

type importedTicket struct {
	ID    string `json:"id"`
	Owner string `json:"owner"`
	Body  struct {
		Ref         string  `json:"externalRef"`
		Status      string  `json:"status"`
		Points      float64 `json:"storyPoints"`
		Description string  `json:"description"`
		Reporter    string  `json:"reporter"`
		Parent      string  `json:"parentTicketId"`
		Synced      string  `json:"lastExternalSync"`
		Evidence    []struct {
			Snippet string `json:"snippet"`
			Author  string `json:"author"`
			Date    string `json:"date"`
			Sources []struct {
				Line int `json:"line"`
			} `json:"sources"`
		} `json:"evidence"`
	} `json:"body"`
}

func ticketsByRef(t *testing.T, d *daemon, base string) map[string]importedTicket {
	t.Helper()
	var all struct {
		Items []importedTicket `json:"items"`
	}
	d.must(t, "GET", base+"/tickets?limit=500", nil, &all)
	out := make(map[string]importedTicket)
	for _, x := range all.Items {
		out[x.Body.Ref] = x
	}
	return out
}
