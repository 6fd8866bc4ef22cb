package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

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
	in := taken(t, c, project.ID, client.IntakeFile{Name: "a.xlsx", Data: []byte("PK\x03\x04 is cut")})
	for _, ph := range in.Body.Phases[2:] {
		if ph.Status != "skipped" {
			t.Errorf("the phase %s is %s: %s", ph.Name, ph.Status, ph.Summary)
		}
	}
	if first := in.Body.Phases[0].Summary; first != intake.NothingRead || len(in.Body.Problems) != 1 {
		t.Errorf("the first phase says %q, and the problems are %q", first, in.Body.Problems)
	}
}

// shop is a project in a daemon of its own.
func shop(t *testing.T) (daemontest.Daemon, *client.Client, client.RecordOfProjectBody) {
	t.Helper()
	d := daemontest.Run(t, daemontest.Setup{})
	c := client.New(d.URL, d.Token)
	project, err := c.CreateProject(t.Context(), desk.ProjectBody{Name: "Shop"})
	if err != nil {
		t.Fatal(err)
	}
	return d, c, project
}

// taken hands a file in, and returns the intake when it is over.
func taken(t *testing.T, c *client.Client, project string, file client.IntakeFile) client.RecordOfIntakeBody {
	t.Helper()
	got, err := c.Intake(t.Context(), client.IntakeBody{ProjectID: project, Files: []client.IntakeFile{file}})
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
	in, err := c.GetIntake(t.Context(), project, got.Intake, client.GetIntakeQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestIntake_SaysInWhichSheetALineIs(t *testing.T) {
	t.Parallel()
	_, c, project := shop(t)
	f := excelize.NewFile()
	for n, name := range []string{"Sheet1", "More"} {
		if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for i, row := range [][]any{{"ID", "Title", "Status"}, {fmt.Sprintf("A-%d", n), "One", "elsewhere"}} {
			if err := f.SetSheetRow(name, fmt.Sprintf("A%d", i+1), &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	raw, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	in := taken(t, c, project.ID, client.IntakeFile{Name: "a.xlsx", Data: raw.Bytes()})
	told := strings.Join(in.Body.Problems, "\n")
	for _, want := range []string{"a.xlsx, sheet Sheet1, line 2: the status", "a.xlsx, sheet More, line 2: the status"} {
		if !strings.Contains(told, want) {
			t.Errorf("nothing says %q:\n%s", want, told)
		}
	}
}
