package test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/flow"
)

// TestSprint_SprintsAndWhatARecordWentThrough reads sprints, a record's history and what refers to
// it, now and as they were, over the API and the command line.
func TestSprint_SprintsAndWhatARecordWentThrough(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		base := "/api/projects/" + newProject(t, d)
		var one, two, objective, person made
		d.must(t, "POST", base+"/resources", json.RawMessage(`{"name":"Ann Lee"}`), &person)
		d.must(t, "POST", base+"/tickets", json.RawMessage(`{"title":"Retry","storyPoints":3,"sprint":"Q1/S 7","owner":"Ann Lee"}`), &one)
		d.must(t, "POST", base+"/tickets", json.RawMessage(`{"title":"Refund","storyPoints":5,"sprint":"q1/s 7"}`), &two)
		d.must(t, "POST", base+"/objectives", json.RawMessage(`{"outcome":"Refunds in a day","sprintName":"Q1/S 7","startDate":"2026-03-02","ticketIds":["`+one.ID+`"]}`), &objective)
		var log struct {
			Events []struct {
				ID string `json:"id"`
			} `json:"events"`
		}
		d.must(t, "GET", "/api/log?newest=true&limit=1", nil, &log)
		then := "?asOf=" + log.Events[0].ID
		d.must(t, "PATCH", base+"/tickets/"+one.ID, json.RawMessage(`{"status":"DONE","storyPoints":8}`), nil)

		path := base + "/sprints/" + url.PathEscape("Q1/S 7")
		var now, was flow.Health
		d.must(t, "GET", path, nil, &now)
		d.must(t, "GET", path+then, nil, &was)
		if now.Scope != (flow.Amount{Tickets: 2, Points: 13}) || now.Done != (flow.Amount{Tickets: 1, Points: 8}) || now.Begin != "2026-03-02" || len(now.Days) == 0 {
			t.Errorf("now %+v", now)
		}
		if was.Scope != (flow.Amount{Tickets: 2, Points: 8}) || was.Done.Tickets != 0 {
			t.Errorf("then %+v", was)
		}
		if err := d.try("GET", base+"/sprints/none", nil, nil); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "none") {
			t.Errorf("a sprint that nothing names: %v", err)
		}
		recordThenAndNow(t, d, one.ID, objective.ID, person.ID, then)
		for args, says := range map[string]string{
			"sprint -p Payments":        "Q1/S 7  running  from 2026-03-02  done 1 ticket (8 points) of 2 tickets (13 points)",
			"sprint -p Payments Q1/S_7": "new estimates +",
		} {
			in := strings.Fields(args)
			for i := range in {
				in[i] = strings.ReplaceAll(in[i], "_", " ")
			}
			out, errs, code := s.chela(t, "", in...)
			if code != 0 || !strings.Contains(out, says) {
				t.Errorf("%s: %d\n%s%s", args, code, out, errs)
			}
		}
		d.stop()
		s.verified(t)
	})
}

// made is a record that is new.
type made struct {
	ID string `json:"id"`
}

// recordThenAndNow looks at a ticket that an objective names and that was changed once since then.
func recordThenAndNow(t *testing.T, d *daemon, ticket, objective, person, then string) {
	t.Helper()
	var r struct {
		Body struct {
			Status string `json:"status"`
		} `json:"body"`
	}
	if d.must(t, "GET", "/api/records/"+ticket+then, nil, &r); r.Body.Status != "TODO" {
		t.Errorf("then the ticket was %+v", r)
	}
	var history struct {
		Items []struct {
			EventID string   `json:"eventId"`
			Op      string   `json:"op"`
			By      []string `json:"by"`
			Fields  []struct {
				Field string `json:"field"`
			} `json:"fields"`
		} `json:"items"`
	}
	d.must(t, "GET", "/api/records/"+ticket+"/history", nil, &history)
	if len(history.Items) != 2 || history.Items[0].Op != "created" || len(history.Items[1].Fields) != 2 || history.Items[1].EventID == "" || len(history.Items[1].By) != 1 {
		t.Errorf("history %+v", history)
	}
	if d.must(t, "GET", "/api/records/"+ticket+"/history"+then, nil, &history); len(history.Items) != 1 {
		t.Errorf("the history then %+v", history)
	}
	type mentions []struct {
		ID     string   `json:"id"`
		Title  string   `json:"title"`
		Fields []string `json:"fields"`
	}
	var refs struct {
		To mentions `json:"refersTo"`
		By mentions `json:"referredBy"`
	}
	d.must(t, "GET", "/api/records/"+ticket+"/references", nil, &refs)
	if len(refs.To) != 0 || len(refs.By) != 2 || refs.By[0].Title != "Ann Lee" || refs.By[1].ID != objective || refs.By[1].Fields[0] != "ticketIds" {
		t.Errorf("what refers to the ticket: %+v", refs)
	}
	if d.must(t, "GET", "/api/records/"+person+"/references", nil, &refs); len(refs.By) != 1 || refs.By[0].Title != "Retry" {
		t.Errorf("what refers to the person: %+v", refs)
	}
	d.must(t, "GET", "/api/records/"+objective+"/references", nil, &refs)
	if len(refs.To) != 1 || refs.To[0].ID != ticket || refs.To[0].Title != "Retry" {
		t.Errorf("what the objective refers to: %+v", refs)
	}
}
