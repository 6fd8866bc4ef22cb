package test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestBulk_ManyAreEditedAtOnce previews and makes an edit of all tickets that fit a filter.
func TestBulk_ManyAreEditedAtOnce(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		base := "/api/projects/" + project
		takeIn(t, d, project, "tickets.csv", documents.Tickets)
		var before, after list
		d.must(t, "GET", base+"/tickets?filter=status:TODO", nil, &before)
		type bulk struct {
			Matched int   `json:"matched"`
			Changed []any `json:"changed"`
			Preview bool  `json:"preview"`
		}
		ask := func(body string) (out bulk, err error) {
			err = d.try("POST", base+"/tickets/bulk", json.RawMessage(body), &out)
			return out, err
		}
		out, err := ask(`{"filter":"status:TODO","set":{"sprint":"S8"},"preview":true}`)
		if err != nil || !out.Preview || out.Matched != before.Total || len(out.Changed) != before.Total || before.Total < 2 {
			t.Fatalf("%+v %v, of %d", out, err, before.Total)
		}
		if d.must(t, "GET", base+"/tickets?filter=sprint:S8", nil, &after); after.Total != 0 {
			t.Errorf("a preview changed %d tickets", after.Total)
		}
		for body, kind := range map[string]fault.Kind{
			`{"filter":"status:TODO","set":{"status":"SOON"}}`: fault.Invalid, `{"filter":"stat:TODO","set":{}}`: fault.Invalid,
			`{"filter":" ","set":{"sprint":"S8"}}`: fault.Invalid, `{"set":{"sprint":"S8"}}`: fault.Invalid, `{"filter":"status:TODO","set":[]}`: fault.Invalid,
		} {
			if _, err := ask(body); fault.KindOf(err) != kind {
				t.Errorf("%s: %v", body, err)
			}
		}
		text, errs, code := s.chela(t, "", "edit", "tickets", "-p", "Payments", "--filter", "status:TODO", "--set", `{"sprint":"S8"}`, "--yes")
		if code != 0 || !strings.Contains(text, "sprint: nothing -> \"S8\"") && !strings.Contains(text, "-> \"S8\"") {
			t.Errorf("%d\n%s%s", code, text, errs)
		}
		if d.must(t, "GET", base+"/tickets?filter=sprint:S8", nil, &after); after.Total != before.Total {
			t.Errorf("%d tickets of %d", after.Total, before.Total)
		}
		if out, err = ask(`{"filter":"sprint:S8","set":{"sprint":"S8"}}`); err != nil || out.Matched != before.Total || len(out.Changed) != 0 {
			t.Errorf("the same again: %+v %v", out, err)
		}
		owners := `{"filter":"sprint:S8","set":{"owner":"Mara Fischer","priority":"LOW"},"preview":true}`
		var who struct {
			Changed []struct {
				Fields []struct{ Field, To string } `json:"fields"`
			} `json:"changed"`
		}
		if d.must(t, "POST", base+"/tickets/bulk", json.RawMessage(owners), &who); len(who.Changed) != before.Total {
			t.Fatalf("a preview of an owner names %d tickets, want %d", len(who.Changed), before.Total)
		}
		for _, c := range who.Changed {
			if last := c.Fields[len(c.Fields)-1]; last.Field != "owner" || last.To != "Mara Fischer" {
				t.Errorf("a preview of an owner says %+v, want the new owner", c.Fields)
			}
		}
		if d.must(t, "GET", base+`/tickets?filter=owner:"Mara+Fischer"`, nil, &after); after.Total != 0 {
			t.Errorf("a preview gave %d tickets to somebody", after.Total)
		}
		var one, two struct {
			ID string `json:"id"`
		}
		d.must(t, "POST", base+"/ideas", json.RawMessage(`{"title":"Retry cards"}`), &one)
		d.must(t, "POST", base+"/ideas", json.RawMessage(`{"title":"retry cards","content":"Three times."}`), &two)
		if text, errs, code = s.chela(t, "", "project", "dedup", "-p", "Payments"); code != 0 || !strings.Contains(text, "1 records would be merged") {
			t.Errorf("%d\n%s%s", code, text, errs)
		}
		if text, errs, code = s.chela(t, "", "project", "dedup", "-p", "Payments", "--yes"); code != 0 || !strings.Contains(text, one.ID+"  Retry cards  takes in "+two.ID) {
			t.Errorf("%d\n%s%s", code, text, errs)
		}
		if d.must(t, "GET", base+"/ideas", nil, &after); after.Total != 1 {
			t.Errorf("%d ideas", after.Total)
		}
		d.stop()
		s.verified(t)
	})
}
