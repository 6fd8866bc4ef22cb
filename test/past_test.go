package test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"chela/internal/fault"
)

// TestPast_TheDeskAsItWas looks back by instant, position and event, over the API and the
// command line.
func TestPast_TheDeskAsItWas(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		base := "/api/projects/" + newProject(t, d)
		var ticket, person struct {
			ID string `json:"id"`
		}
		d.must(t, "POST", base+"/resources", json.RawMessage(`{"name":"Ann Lee"}`), &person)
		d.must(t, "POST", base+"/tickets", json.RawMessage(`{"title":"Retry","storyPoints":3,"owner":"Ann Lee"}`), &ticket)
		d.must(t, "POST", base+"/phases", json.RawMessage(`{"name":"Beta"}`), nil)
		var log struct {
			Events []struct {
				Seq int64     `json:"seq"`
				ID  string    `json:"id"`
				At  time.Time `json:"at"`
			} `json:"events"`
		}
		d.must(t, "GET", "/api/log?newest=true&limit=1&type=desk.*", nil, &log) // of others the time may be before the phase's
		last := log.Events[0]
		d.must(t, "PATCH", base+"/tickets/"+ticket.ID, json.RawMessage(`{"status":"DONE","storyPoints":5}`), nil)
		d.must(t, "POST", base+"/phases", json.RawMessage(`{"name":"Launch"}`), nil)
		for _, moment := range []string{last.ID, "#" + jsonNumber(last.Seq), last.At.Format(time.RFC3339Nano)} {
			then := "?asOf=" + url.QueryEscape(moment)
			var r struct {
				Owner string `json:"owner"`
				Body  struct {
					Status string `json:"status"`
				} `json:"body"`
			}
			d.must(t, "GET", base+"/tickets/"+ticket.ID+then, nil, &r)
			var l list
			if d.must(t, "GET", base+"/tickets"+then+"&filter="+url.QueryEscape(`status:TODO owner:"Ann Lee" points:3`)+"&sort=-points", nil, &l); l.Total != 1 || l.Items[0].Body.Status != "TODO" {
				t.Errorf("%s: the list is %+v", moment, l)
			}
			var plan struct {
				Phases int `json:"phaseCount"`
			}
			d.must(t, "GET", base+"/plan"+then, nil, &plan)
			type report struct {
				Open        int `json:"openTickets"`
				Resources   []struct{ Load string }
				Suggestions []struct{ TicketID string }
			}
			var capacity, busy, free report
			d.must(t, "GET", base+"/capacity"+then, nil, &capacity)
			d.must(t, "GET", base+"/capacity"+then+"&load=OVERLOADED", nil, &busy)
			d.must(t, "GET", base+"/capacity"+then+"&load="+capacity.Resources[0].Load, nil, &free)
			if len(busy.Resources) != 0 || len(free.Resources) != 1 || free.Open != capacity.Open || len(free.Suggestions) != 0 {
				t.Errorf("%s: by load: %+v and %+v of %+v", moment, busy, free, capacity)
			}
			var answer struct {
				Answer string   `json:"answer"`
				Notes  []string `json:"notes"`
			}
			d.must(t, "POST", "/api/ask", map[string]string{"projectId": strings.TrimPrefix(base, "/api/projects/"), "question": "What is open?", "asOf": moment}, &answer)
			if r.Owner != "Ann Lee" || r.Body.Status != "TODO" || plan.Phases != 1 || capacity.Open != 1 || !strings.HasPrefix(answer.Answer, "1 ticket: open") || !strings.Contains(strings.Join(answer.Notes, " "), "as of") {
				t.Errorf("%s: %+v %+v %+v %+v", moment, r, plan, capacity, answer)
			}
		}
		var diff struct {
			Items []struct {
				Op     string `json:"op"`
				Fields []struct {
					Field string `json:"field"`
				} `json:"fields"`
			} `json:"items"`
		}
		d.must(t, "GET", base+"/changes?from="+last.ID, nil, &diff)
		if len(diff.Items) != 2 || diff.Items[0].Op != "updated" || len(diff.Items[0].Fields) != 2 || diff.Items[1].Op != "created" {
			t.Errorf("%+v", diff)
		}
		if err := d.try("GET", base+"/plan?asOf=sometime", nil, nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("a moment that cannot be read: %v", err)
		}
		if err := d.try("GET", base+"/plan?asOf=2020-01-01", nil, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("before there was a project: %v", err)
		}
		lookBackByCommand(t, s, last.ID)
		d.stop()
		s.verified(t)
	})
}

func lookBackByCommand(t *testing.T, s setup, moment string) {
	t.Helper()
	for _, c := range []struct{ args, says string }{
		{"changes -p Payments --from " + moment, "status: \"TODO\" -> \"DONE\""},
		{"changes -p Payments --from " + moment + " --kind phase", "created phase"},
		{"changes -p Payments --from " + moment + " --to " + moment, "Nothing is different."},
		{"list tickets -p Payments --as-of " + moment, "To do"},
		{"plan -p Payments --as-of " + moment, "1. Beta"},
		{"ask -p Payments --as-of " + moment + " open?", "1 ticket: open"},
	} {
		out, errs, code := s.chela(t, "", strings.Fields(c.args)...)
		if code != 0 || !strings.Contains(out, c.says) {
			t.Errorf("%s: %d\n%s%s", c.args, code, out, errs)
		}
	}
}

func jsonNumber(n int64) string {
	raw, _ := json.Marshal(n) // a number is always JSON
	return string(raw)
}
