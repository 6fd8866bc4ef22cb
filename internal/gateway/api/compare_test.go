package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"chela/internal/gateway/api"
)

func TestCompare_TellsWhatIsDifferentInAListOfTickets(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, tickets := e.newProject("Payments") // One is done, Two is open
	base := "/api/projects/" + project
	make := func(title string) (made struct{ ID string }) {
		e.call(e.owner, http.MethodPost, base+"/tickets", map[string]any{"title": title}, &made)
		return made
	}
	gone, texts := make("Gone").ID, make("Words").ID
	e.call(e.owner, http.MethodPost, base+"/resources", map[string]any{"name": "Dana", "capacity": 40}, nil)
	mid := time.Now().UTC()
	e.call(e.owner, http.MethodPatch, base+"/tickets/"+tickets[1], map[string]any{"status": "BLOCKED", "owner": "Dana"}, nil)
	e.call(e.owner, http.MethodPatch, base+"/tickets/"+texts, map[string]any{"description": "Longer."}, nil)
	e.call(e.owner, http.MethodDelete, base+"/tickets/"+gone, nil, nil)
	added := make("New").ID
	viewer, _ := e.member("Vera", "viewer")
	from := url.QueryEscape(mid.Format(time.RFC3339Nano))
	compare := func(more string) map[string]api.TicketDiff {
		t.Helper()
		var got api.CompareOut
		e.call(viewer, http.MethodGet, base+"/changes/tickets?from="+from+more, nil, &got)
		out := map[string]api.TicketDiff{}
		for _, d := range got.Items {
			out[d.ID] = d
		}
		if got.Next != "" {
			t.Errorf("%s: %d items and more at %s, want all", more, len(out), got.Next)
		}
		return out
	}

	all := compare("")
	two := all[tickets[1]]
	if len(all) != 4 || two.Op != "changed" || two.Then.Status != "TODO" || two.Then.Owner != "" || two.Now.Status != "BLOCKED" || two.Now.Owner != "Dana" || len(two.Others) != 0 {
		t.Errorf("of %d tickets Two is %+v, then %+v, now %+v; want four, and Two blocked and of Dana", len(all), two, two.Then, two.Now)
	}
	if d := all[gone]; d.Op != "removed" || !d.Gone || d.Then.Title != "Gone" || d.Now != nil {
		t.Errorf("the deleted ticket is %+v", d)
	}
	if d := all[added]; d.Op != "added" || d.Then != nil || d.Now.Title != "New" {
		t.Errorf("the new ticket is %+v", d)
	}
	if d := all[texts]; d.Op != "changed" || strings.Join(d.Others, " ") != "description" {
		t.Errorf("the ticket with another text is %+v", d)
	}
	// In a narrowed list what stops to fit is removed, and what begins to fit added.
	if d := compare("&status=BLOCKED"); len(d) != 1 || d[tickets[1]].Op != "added" || d[tickets[1]].Then == nil {
		t.Errorf("of the blocked %+v came in, want Two alone, with what it was", d)
	}
	if d := compare("&filter=status:TODO"); d[tickets[1]].Op != "removed" || d[tickets[1]].Gone || d[added].Op != "added" {
		t.Errorf("of what is to do there differs %+v, want Two gone from the list and New in it", d)
	}
	if d := compare("&to=" + from); len(d) != 0 {
		t.Errorf("between a moment and itself there differs %+v", d)
	}
	var early api.CompareOut
	e.call(viewer, http.MethodGet, base+"/changes/tickets?from=2020-01-01", nil, &early)
	if len(early.Items) != 4 || early.Items[0].Op != "added" {
		t.Errorf("since before the project there differs %+v, want its four tickets added", early)
	}
	for path, want := range map[string]int{base + "/changes/tickets?from=someday": http.StatusUnprocessableEntity, base + "/changes/tickets?from=" + from + "&filter=nofield:1": http.StatusUnprocessableEntity, "/api/projects/prj_none/changes/tickets?from=" + from: http.StatusNotFound} {
		if code, said, _ := e.send(viewer, http.MethodGet, path, ""); code != want {
			t.Errorf("%s answers %d %s, want %d", path, code, said, want)
		}
	}
}
