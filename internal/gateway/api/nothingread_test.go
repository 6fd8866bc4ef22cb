package api_test

import (
	"net/http"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/gateway/client"
	"chela/internal/intake"
	"chela/internal/testkit/daemontest"
)

func TestIntake_AsksNoModelAboutNothing(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: `{"otherwise":[{"agentName":"generalist","responseFallback":"I found a ticket."}]}`})
	c := client.New(d.URL, d.Token)
	project, err := c.CreateProject(t.Context(), desk.ProjectBody{Name: "Shop"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Intake(t.Context(), client.IntakeBody{ProjectID: project.ID, Files: []client.IntakeFile{{Name: "a.xlsx", Data: []byte("PK\x03\x04 is cut")}}})
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Run struct{ State string }
	}
	for end := time.Now().Add(20 * time.Second); r.Run.State != "done"; time.Sleep(20 * time.Millisecond) {
		if err := c.Call(t.Context(), http.MethodGet, "/api/runs/"+got.Run, nil, &r); err != nil || time.Now().After(end) {
			t.Fatalf("the intake is %s: %v", r.Run.State, err)
		}
	}
	in, err := c.GetIntake(t.Context(), project.ID, got.Intake, client.GetIntakeQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, ph := range in.Body.Phases[2:] {
		if ph.Status != "skipped" {
			t.Errorf("the phase %s is %s: %s", ph.Name, ph.Status, ph.Summary)
		}
	}
	if first := in.Body.Phases[0].Summary; first != intake.NothingRead || len(in.Body.Problems) != 1 {
		t.Errorf("the first phase says %q, and the problems are %q", first, in.Body.Problems)
	}
}
