package api_test

import (
	"net/http"
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
