package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"chela/internal/forecast"
)

// TestForecast_IsMadeOfWhatWasDone asks by the API what a project, a sprint and its report say.
func TestForecast_IsMadeOfWhatWasDone(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, _ := e.newProject("Payments")
	at := "/api/projects/" + project
	add := func(body map[string]any) { e.call(e.owner, http.MethodPost, at+"/tickets", body, nil) }
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }
	for n := 2; n <= 40; n += 2 {
		add(map[string]any{"title": "Old " + day(-n), "status": "DONE", "externalCreated": day(-60), "externalResolved": day(-n)})
	}
	add(map[string]any{"title": "Left", "sprint": "S1"})
	var f forecast.Forecast
	e.call(e.owner, http.MethodGet, at+"/forecast", nil, &f)
	if f.Open != 2 || f.Finished != 20 || len(f.Dates) != 3 || f.Percent != nil || len(f.Lines()) != 2 {
		t.Errorf("of the project: %+v", f)
	}
	e.call(e.owner, http.MethodGet, at+"/forecast?sprint=s1&until="+day(300), nil, &f)
	if f.Sprint != "S1" || f.Open != 2 || f.Percent == nil || *f.Percent < 99 {
		t.Errorf("of the sprint: %+v", f)
	}
	var r struct {
		Forecast *forecast.Forecast `json:"forecast"`
	}
	e.call(e.owner, http.MethodGet, at+"/report", nil, &r)
	if r.Forecast == nil || r.Forecast.Open != 2 {
		t.Errorf("the report says %+v", r.Forecast)
	}
	for path, want := range map[string]int{"/forecast?sprint=S9": 404, "/forecast?until=soon": 422} {
		if got, text, _ := e.send(e.owner, http.MethodGet, at+path, ""); got != want {
			t.Errorf("%s: got %d %s, want %d", path, got, text, want)
		}
	}
}

// TestStatusReport_IsWhatThePageHas calls the tool that agents and workflows have.
func TestStatusReport_IsWhatThePageHas(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, tickets := e.newProject("Payments")
	e.call(e.owner, http.MethodPost, "/api/projects/"+project+"/tickets", map[string]any{"title": "Late", "dueDate": "2021-03-01", "blockedBy": tickets}, nil)
	invoke := func(body string) (int, string) {
		code, said, _ := e.send(e.owner, http.MethodPost, "/api/tools/status_report/invoke?project="+project, body)
		return code, said
	}
	for body, wants := range map[string][]string{
		`{}`:                {"# Payments\\n", "| Late | 1 |", "## Blocked or waiting"},
		`{"sprint":"s1"}`:   {"# Payments: S1"},
		`{"days":30}`:       {"| Created | 3 |"},
		`{"days":400}`:      {"from 1 to 366"},
		`{"sprint":"none"}`: {"names the sprint"},
	} {
		_, said := invoke(body)
		for _, want := range wants {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %s lacks %q", body, said, want)
			}
		}
		if strings.Contains(said, "](/") {
			t.Errorf("%s: %s has links that lead nowhere in a chat", body, said)
		}
	}
}
