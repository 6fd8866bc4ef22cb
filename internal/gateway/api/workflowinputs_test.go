package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestRunWorkflow_Inputs: a project is named by its name or its id, and no number loses digits.
func TestRunWorkflow_Inputs(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var project struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Payments"}, &project)
	const source = "slug: take\nname: Take\ninputs:\n  - {name: project, type: project, required: true}\n  - {name: n, type: integer}\n  - {name: l, type: list}\n" +
		"steps:\n  - {id: a, transform: \"${inputs.l}\"}\n  - {id: ask, wait: {person: {ask: \"Go on?\"}}}\n"
	e.call(e.owner, http.MethodPost, "/api/workflows", map[string]any{"source": source}, nil)
	e.call(e.owner, http.MethodPost, "/api/workflows/take/deploy", map[string]any{"version": 1}, nil)
	for _, name := range []string{"payments", "Payments", project.ID} {
		code, said, _ := e.send(e.owner, http.MethodPost, "/api/workflows/take/run", `{"inputs":{"project":"`+name+`"}}`)
		_, id, _ := strings.Cut(said, `"runId":"`)
		id, _, _ = strings.Cut(id, `"`)
		var got struct {
			Run    struct{ Project string }
			Inputs struct{ Project string }
		}
		if code != http.StatusAccepted {
			t.Fatalf("%s: %d %s", name, code, said)
		}
		if e.call(e.owner, http.MethodGet, "/api/instances/"+id, nil, &got); got.Inputs.Project != project.ID || got.Run.Project != project.ID {
			t.Errorf("%s: got %+v, want the project %s", name, got, project.ID)
		}
	}
	for inputs, want := range map[string]string{
		`{"project":"Nobody's"}`:                      "The project Nobody's does not exist here. It takes the name or the id",
		`{"project":"Payments","n":9007199254740993}`: "9007199254740993 is beyond 9007199254740991",
		`{"project":"Payments","n":"3"}`:              `\"3\" is no whole number`,
		`{}`:                                          "The input project is missing.",
	} {
		if code, said, _ := e.send(e.owner, http.MethodPost, "/api/workflows/take/run", `{"inputs":`+inputs+`}`); code != http.StatusUnprocessableEntity || !strings.Contains(said, want) {
			t.Errorf("%s: got %d %s, want %q", inputs, code, said, want)
		}
	}
}
