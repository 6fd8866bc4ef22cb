package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/gateway/client"
)

func project(id, name string, status desk.ProjectStatus) client.RecordOfProjectBody {
	p := client.RecordOfProjectBody{ID: id}
	p.Body.Name, p.Body.Status = name, status
	return p
}

func TestChoose_TheProjectThatIsMeant(t *testing.T) {
	t.Parallel()
	payments, wallet := project("prj_1", "Payments", desk.ProjectActive), project("prj_2", "Wallet", desk.ProjectActive)
	gone := project("prj_3", "Cards", desk.ProjectArchived)
	var many []client.RecordOfProjectBody
	for i := range 30 {
		many = append(many, project(fmt.Sprintf("prj_%d", i), fmt.Sprintf("P%d", i), desk.ProjectActive))
	}
	for name, c := range map[string]struct {
		wanted string
		all    []client.RecordOfProjectBody
		id     string
		why    string
	}{
		"the only active one":           {"", []client.RecordOfProjectBody{payments, gone}, "prj_1", ""},
		"by name, whatever the case":    {"wallet", []client.RecordOfProjectBody{payments, wallet}, "prj_2", ""},
		"by id":                         {"prj_2", []client.RecordOfProjectBody{payments, wallet}, "prj_2", ""},
		"an archived one by name":       {"Cards", []client.RecordOfProjectBody{payments, gone}, "prj_3", ""},
		"one of two is not guessed":     {"", []client.RecordOfProjectBody{payments, wallet}, "", "Name the project with --project. There are: Payments, Wallet."},
		"a name that nobody has":        {"Orders", []client.RecordOfProjectBody{payments, gone}, "", `There is no project named "Orders". There are: Payments.`},
		"none is there":                 {"", nil, "", "This is done in a project. There is no active project; `chela project create NAME` makes one."},
		"none is there, one is named":   {"Orders", nil, "", "There is no project named \"Orders\". There is no active project; `chela project create NAME` makes one."},
		"of many only some are listed":  {"", many, "", "Name the project with --project. There are: P0, P1, P2, P3, P4, P5, P6, P7, P8, P9 and 20 more; `chela project list` shows them."},
		"the last of many can be named": {"P29", many, "prj_29", ""},
	} {
		t.Run(name, func(t *testing.T) {
			id, err := (&app{project: c.wanted}).chosen(c.all)
			if id != c.id || (err == nil) != (c.why == "") || err != nil && err.Error() != c.why {
				t.Errorf("%q, %v; wanted %q, %q", id, err, c.id, c.why)
			}
		})
	}
}

// TestChoose_AllPagesOfProjectsAreRead: one that is on the second page can be named too.
func TestChoose_AllPagesOfProjectsAreRead(t *testing.T) {
	t.Parallel()
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := `{"items": [{"id": "prj_1", "body": {"name": "First", "status": "ACTIVE"}}], "next": "a+b"}`
		if r.URL.Query().Get("cursor") == "a+b" {
			page = `{"items": [{"id": "prj_2", "body": {"name": "Second", "status": "ACTIVE"}}]}`
		}
		_, _ = strings.NewReader(page).WriteTo(w) // the client's end says what came
	}))
	defer daemon.Close()
	id, err := (&app{project: "second"}).findProject(t.Context(), client.New(daemon.URL, ""))
	if err != nil || id != "prj_2" {
		t.Errorf("%q, %v", id, err)
	}
}
