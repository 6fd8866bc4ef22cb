package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/flow"
	"chela/internal/gateway/api"
)

func TestToday_TellsHowAProjectStands(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	began := time.Now().UTC()
	project, tickets := e.newProject("Payments") // One is done, Two is open
	base := "/api/projects/" + project
	e.call(e.owner, http.MethodPost, base+"/resources", map[string]any{"name": "Dana", "capacity": 40}, nil)
	mid := time.Now().UTC()
	e.call(e.owner, http.MethodPatch, base+"/tickets/"+tickets[1], map[string]any{"dueDate": began.AddDate(0, 0, -2).Format(time.DateOnly), "owner": "Dana"}, nil)
	viewer, _ := e.member("Vera", "viewer")
	var got api.TodayOut
	e.call(viewer, http.MethodGet, base+"/today?since="+began.Add(-time.Hour).Format(time.RFC3339), nil, &got)
	if got.Now.Open != 1 || got.Now.Overdue != 1 || got.Now.Unassigned != 0 || got.Then.Open != 0 || got.Done != 1 || got.DoneThen != 0 {
		t.Errorf("now %+v, then %+v, done %d and %d before; want one open, late and assigned, none before, one done", got.Now, got.Then, got.Done, got.DoneThen)
	}
	if len(got.Days) != len(got.DoneDays) || got.Days[len(got.Days)-1] != got.Now || got.DoneDays[len(got.DoneDays)-1] != 1 {
		t.Errorf("the days are %+v and %v, want as many of both, the last as it is now", got.Days, got.DoneDays)
	}
	if len(got.Slips) != 1 || got.Slips[0].ID != tickets[1] || got.Slips[0].Cause != flow.Overdue || got.Slips[0].Days != 2 || got.Owners[tickets[1]] != "Dana" || got.Slipping[flow.Overdue] != 1 {
		t.Errorf("slips are %+v of %v, want Two, two days over, of Dana", got.Slips, got.Owners)
	}
	if got.Happened[flow.Made] != 3 || got.Happened[flow.Handed] != 1 {
		t.Errorf("there happened %v, want two tickets and a person made, and one ticket assigned", got.Happened)
	}
	if len(got.Week) != 1 || got.Week[0].Name != "Dana" || got.Week[0].Open != 1 || got.Week[0].Overdue != 1 {
		t.Errorf("the week is %+v, want one late ticket of Dana", got.Week)
	}
	e.call(viewer, http.MethodGet, base+"/today?asOf="+mid.Format(time.RFC3339Nano), nil, &got)
	if got.Now.Open != 1 || got.Now.Unassigned != 1 || len(got.Slips) != 0 {
		t.Errorf("before the edit it stood as %+v with %d slips, want one open and unassigned, and none", got.Now, len(got.Slips))
	}
	for path, want := range map[string]int{base + "/today?since=someday": http.StatusUnprocessableEntity, "/api/projects/prj_none/today": http.StatusNotFound} {
		if code, said, _ := e.send(viewer, http.MethodGet, path, ""); code != want {
			t.Errorf("%s answers %d %s, want %d", path, code, said, want)
		}
	}
	if code, said, _ := e.send("", http.MethodGet, base+"/today", ""); code != http.StatusUnauthorized || strings.Contains(said, "Two") {
		t.Errorf("nobody is answered %d %s, want 401", code, said)
	}
}

// TestToday_TellsOfThePlan: milestones and phases that are late or will be, with what they wait for, now and as it was.
func TestToday_TellsOfThePlan(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, tickets := e.newProject("Payments")
	base := "/api/projects/" + project
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	e.call(e.owner, http.MethodPost, base+"/phases", map[string]any{"name": "Build", "endDate": day(-1)}, nil)
	before := time.Now().UTC()
	e.call(e.owner, http.MethodPost, base+"/milestones", map[string]any{"name": "Go-live", "targetDate": day(3), "owner": "Ann", "ticketIds": tickets}, nil)
	e.call(e.owner, http.MethodPost, base+"/milestones", map[string]any{"name": "Beta", "targetDate": day(-4)}, nil)
	e.call(e.owner, http.MethodPost, base+"/milestones", map[string]any{"name": "Later", "targetDate": day(30)}, nil)
	told := func(query string) (out []string, of map[flow.Why]int) {
		var got api.TodayOut
		e.call(e.owner, http.MethodGet, base+"/today"+query, nil, &got)
		for _, d := range got.Plan {
			out = append(out, strings.TrimSpace(string(d.Kind)+" "+d.Name+" "+d.Said()+" "+d.Owner))
		}
		return out, got.Delayed
	}
	got, of := told("")
	if want := []string{"milestone Beta 4 days over; 1 ticket of the project is open", "phase Build 1 day over", "milestone Go-live due in 3 days; 1 ticket of its own is open Ann"}; !slices.Equal(got, want) || of[flow.Late] != 2 || of[flow.AtRisk] != 1 {
		t.Errorf("told are %q and %v, want %q", got, of, want)
	}
	if got, _ = told("?asOf=" + before.Format(time.RFC3339Nano)); !slices.Equal(got, []string{"phase Build 1 day over"}) {
		t.Errorf("before the milestones told are %q", got)
	}
}
