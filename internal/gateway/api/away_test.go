package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/capacity"
	"chela/internal/gateway/api"
	"chela/internal/gateway/client"
)

// TestAway_CapacityTodayAndAskFollowDaysAway: days away are written like any other field, by who may edit, and taken back as one act.
func TestAway_CapacityTodayAndAskFollowDaysAway(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	c := client.New(e.url, e.owner)
	var p, tom, ticket struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Payments"}, &p)
	base := "/api/projects/" + p.ID
	e.call(e.owner, http.MethodPost, base+"/resources", map[string]string{"name": "Tom Becker"}, &tom)
	e.call(e.owner, http.MethodPost, base+"/tickets", map[string]any{"title": "One", "owner": "Tom Becker", "storyPoints": 2}, &ticket)
	e.call(e.owner, http.MethodPost, base+"/tickets", map[string]any{"title": "Two"}, nil)
	today := time.Now().UTC()
	span := today.AddDate(0, 0, -1).Format(time.DateOnly) + " to " + today.AddDate(0, 0, 9).Format(time.DateOnly)
	viewer, _ := e.member("Vera", "viewer")
	if code, _, _ := e.send(viewer, http.MethodPatch, base+"/resources/"+tom.ID, `{"away":["`+span+`"]}`); code != http.StatusForbidden {
		t.Errorf("a viewer's edit answers %d, want 403", code)
	}
	if code, said, _ := e.send(e.owner, http.MethodPatch, base+"/resources/"+tom.ID, `{"away":["soon"]}`); code != http.StatusUnprocessableEntity || !strings.Contains(said, "2026-12-03 to 2026-12-07") {
		t.Errorf("%q is answered %d %s", "soon", code, said)
	}
	line := func() capacity.Line {
		t.Helper()
		got, err := c.Capacity(t.Context(), p.ID, client.CapacityQuery{})
		if err != nil || len(got.Resources) != 1 {
			t.Fatalf("%+v %v", got, err)
		}
		if l := got.Resources[0]; (len(got.Suggestions) == 0) != (l.Load == capacity.Away) {
			t.Errorf("suggested are %+v for a load of %s", got.Suggestions, l.Load)
		}
		return got.Resources[0]
	}
	if l := line(); l.AwayDays != 0 || l.EffectiveHours != 40 {
		t.Errorf("before, the load is %+v", l)
	}
	code, said, h := e.send(e.owner, http.MethodPatch, base+"/resources/"+tom.ID, `{"away":["`+span+`"]}`)
	if code != http.StatusOK {
		t.Fatalf("the edit answers %d %s", code, said)
	}
	if l := line(); l.AwayDays != 5 || l.EffectiveHours != 0 || l.Load != capacity.Away {
		t.Errorf("away, the load is %+v", l)
	}
	if got, err := c.Today(t.Context(), p.ID, client.TodayQuery{}); err != nil || !slices.ContainsFunc(got.Week, func(w client.Week) bool { return client.Value(w.AwayDays) == 5 }) {
		t.Errorf("Today says %+v: %v", got.Week, err)
	}
	if got, err := c.Ask(t.Context(), client.AskBody{ProjectID: p.ID, Question: "How many hours does Tom Becker work?"}); err != nil || !strings.Contains(got.Answer, "away on 5 of") {
		t.Errorf("Ask says %q: %v", got.Answer, err)
	}
	e.call(e.owner, http.MethodPost, "/api/undo", map[string]any{"run": h.Get(api.RunHeader)}, nil)
	if l := line(); l.AwayDays != 0 || l.EffectiveHours != 40 {
		t.Errorf("after the undo, the load is %+v", l)
	}
}

// TestAway_SprintsAndTheLoadSayIt: a sprint that runs says who is away on its working days left, the load chart on how many days of each week.
func TestAway_SprintsAndTheLoadSayIt(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	c := client.New(e.url, e.owner)
	var p, tom struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Payments"}, &p)
	base := "/api/projects/" + p.ID
	today := time.Now().UTC().Truncate(24 * time.Hour)
	monday := today.AddDate(0, 0, (8-int(today.Weekday()))%7+7) // of the week after next, or later
	day := func(n int) string { return monday.AddDate(0, 0, n).Format(time.DateOnly) }
	e.call(e.owner, http.MethodPost, base+"/resources", map[string]any{"name": "Tom Becker", "away": []string{day(3) + " to " + day(7)}}, &tom)
	e.call(e.owner, http.MethodPost, base+"/sprint-plans", map[string]string{"name": "Sprint 7", "startDate": today.AddDate(0, 0, -3).Format(time.DateOnly), "endDate": day(11)}, nil)
	e.call(e.owner, http.MethodPost, base+"/tickets", map[string]any{"title": "One", "owner": "Tom Becker", "sprint": "Sprint 7", "dueDate": day(4)}, nil)
	h, err := c.Sprint(t.Context(), p.ID, "Sprint 7", client.SprintQuery{})
	if err != nil || len(h.Away) != 1 || h.Away[0].Name != "Tom Becker" || h.Away[0].ResourceID != tom.ID || h.Away[0].Days != 3 || h.AwayDays != 3 {
		t.Errorf("the sprint says %+v: %v", h.Away, err)
	}
	load, err := c.Chart(t.Context(), p.ID, "load", client.ChartQuery{To: day(13)})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int)
	for _, s := range load.Series {
		for _, at := range s.Points {
			if at.AwayDays > 0 {
				got[s.Name+" "+string(at.At)] = at.AwayDays
			}
		}
	}
	if len(got) != 2 || got["Tom Becker "+day(0)] != 2 || got["Tom Becker "+day(7)] != 1 {
		t.Errorf("the load says %v", got)
	}
}
