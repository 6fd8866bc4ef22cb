package test

import (
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestExtract_ThreadsAreLookedThrough lets the thread extractor find a ticket in the minutes'
// threads.
func TestExtract_ThreadsAreLookedThrough(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(r request) any {
		n, said := r.since()
		if !strings.Contains(said, "Extract tickets from these threads") {
			return text("Nothing to add.")
		}
		if n == 0 {
			return toolCall("create_ticket", `{"title":"Call the vendor","owner":"Dana Reyes"}`)
		}
		return text("One ticket was missing.")
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	project := newProject(t, d)
	base := "/api/projects/" + project
	if err := d.try("POST", base+"/extract", map[string]any{}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("without threads: %v", err)
	}
	takeIn(t, d, project, "minutes.md", documents.Minutes)
	var x struct {
		ID      string   `json:"extractionId"`
		Status  string   `json:"status"`
		Summary string   `json:"summary"`
		Threads []string `json:"threadIds"`
	}
	if d.must(t, "POST", base+"/extract", map[string]any{"dryRun": true}, &x); x.Status != "DRY_RUN" || x.ID != "" || len(x.Threads) != 3 {
		t.Errorf("%+v", x)
	}
	for name, in := range map[string]map[string]any{"a thread that is not there": {"threadIds": []string{"thr_none"}}, "a type that is none": {"types": []string{"JOKES"}}} {
		if err := d.try("POST", base+"/extract", in, nil); err == nil {
			t.Errorf("%s: it went", name)
		}
	}
	x0 := x.Threads[0]
	d.must(t, "POST", base+"/extract", map[string]any{"types": []string{"TICKETS"}, "threadIds": []string{x0}}, &x)
	id := x.ID
	until(t, "the end of the extraction", func() bool {
		d.must(t, "GET", base+"/extractions/"+id, nil, &x)
		return x.Status == "COMPLETED" || x.Status == "FAILED"
	})
	if x.Status != "COMPLETED" || x.Summary != "One ticket was missing." {
		t.Errorf("%+v", x)
	}
	var thread struct {
		Body struct {
			At    string `json:"lastExtractedAt"`
			Count int    `json:"extractionCount"`
		} `json:"body"`
	}
	if d.must(t, "GET", base+"/threads/"+x0, nil, &thread); thread.Body.At == "" || thread.Body.Count != 1 {
		t.Errorf("%+v", thread)
	}
	var l list
	if d.must(t, "GET", base+"/tickets?q=vendor", nil, &l); l.Total != 1 || l.Items[0].Owner != "Dana Reyes" {
		t.Errorf("%+v", l)
	}
	var all []struct {
		ID string `json:"extractionId"`
	}
	if d.must(t, "GET", base+"/extractions", nil, &all); len(all) != 1 || all[0].ID != id {
		t.Errorf("%+v", all)
	}
	if err := d.try("GET", base+"/extractions/run_none", nil, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("one that is not there: %v", err)
	}
	if out, errs, code := s.chela(t, "", "extract", "-p", "Payments", "--dry-run"); code != 0 || strings.Count(out, "thr_") != 3 {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	d.stop()
	s.verified(t)
}
