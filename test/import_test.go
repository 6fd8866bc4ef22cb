package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestAnImportIsPreviewedAndItsMappingRemembered imports a file whose columns no rule
// knows, with the mapping that a person gives, and then a newer one without.
func TestAnImportIsPreviewedAndItsMappingRemembered(t *testing.T) {
	databases(t, func(t *testing.T, s setup) {
		d, ok := s.start(t)
		if !ok {
			t.Fatal("it did not start")
		}
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
		if text, x := ask(first, map[string]string{"title": "Nirgends"}); x.Known || !strings.Contains(text, "Nirgends") {
			t.Errorf("a column that is not there: %s", text)
		}
		var l list
		if d.must(t, "GET", base+"/tickets", nil, &l); l.Total != 0 {
			t.Errorf("a preview made %d tickets", l.Total)
		}
		file := filepath.Join(s.data, "arbeit.csv")
		if err := os.WriteFile(file, first, 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"import", file, "-p", "Payments"}
		for field, column := range mapping {
			args = append(args, "--map", field+"="+column)
		}
		if out, errs, code := s.chela(t, "", append(args, "--preview")...); code != 0 || !strings.Contains(out, "2 tickets would be created") {
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
