package desk_test

import (
	"fmt"
	"testing"

	"chela/internal/desk"
	"chela/internal/fault"
)

func TestSummary_Summaries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind                    desk.Kind
		body                    string
		identity, title, status string
		refs                    string
	}{
		"project": {desk.Project, `{"name":"  Pay  Ment "}`, "pay ment", "Pay  Ment", "ACTIVE", "[]"},
		"thread": {
			desk.Thread, `{"title":"T","objectiveIds":["obj_1","obj_1",""],"mergedFromThreadIds":["thr_1"],"actions":[{"text":"a","ticketId":"tkt_1"},{"text":"b"}],"evidence":[{"snippet":"s","uploadId":"upl_1"}]}`,
			"t", "T", "ACTIVE", "[{objectiveIds obj_1} {mergedFromThreadIds thr_1} {actions.ticketId tkt_1} {evidence.uploadId upl_1}]",
		},
		"ticket": {
			desk.Ticket, `{"title":"Fix it","linkedThreadIds":["thr_1"],"blockedBy":["tkt_1"],"objectiveIds":["obj_1"],"parentTicketId":"tkt_1"}`,
			"fix it", "Fix it", "TODO", "[{linkedThreadIds thr_1} {blockedBy tkt_1} {objectiveIds obj_1} {parentTicketId tkt_1}]",
		},
		"ticket from outside": {desk.Ticket, `{"title":"Fix it","externalRef":"PAY-201"}`, "pay-201", "Fix it", "TODO", "[]"},
		"objective":           {desk.Objective, `{"outcome":"Ship","sprintName":"S 1","threadIds":["thr_1"],"ticketIds":["tkt_1"]}`, "s 1 | ship", "Ship", "PROPOSED", "[{threadIds thr_1} {ticketIds tkt_1}]"},
		"resource":            {desk.Resource, `{"name":"ÄNN","role":"QA"}`, "änn", "ÄNN", "QA", "[]"},
		"assignment":          {desk.Assignment, `{"resourceId":"res_1","ticketId":"tkt_1"}`, "tkt_1 res_1", "tkt_1 res_1", "", "[{resourceId res_1} {ticketId tkt_1}]"},
		"delta pack": {
			desk.DeltaPack, `{"title":"D","deltas":[{"deltaType":"DATE_DRIFT","title":"a","recordIds":["tkt_1","tkt_2"]},{"deltaType":"DATE_DRIFT","title":"b","recordIds":["tkt_1"]}]}`,
			"", "D", "FINAL", "[{deltas.recordIds tkt_1} {deltas.recordIds tkt_2}]",
		},
		"blindspot": {desk.Blindspot, `{"title":"B","category":"EMPTY_PHASE","recordIds":["tkt_1"],"deltaPackId":"dlt_1"}`, "b", "B", "OPEN", "[{recordIds tkt_1} {deltaPackId dlt_1}]"},
		"upload":    {desk.Upload, `{"title":"U","binaryRef":"SHA","intakeId":"int_1"}`, "sha", "U", "INBOX", "[{intakeId int_1}]"},
		"intake":    {desk.Intake, `{"title":"I","digest":"d","uploadIds":["upl_1"]}`, "d", "I", "RECEIVED", "[{uploadIds upl_1}]"},
		"memory":    {desk.Memory, `{"key":"K","content":"c","scope":"THREAD","threadId":"thr_1"}`, "thread thr_1 k", "K", "THREAD", "[]"},
		"phase":     {desk.Phase, `{"name":"Beta","checklistIds":["chk_1"],"objectiveIds":["obj_1"]}`, "beta", "Beta", "NOT_STARTED", "[{checklistIds chk_1} {objectiveIds obj_1}]"},
		"milestone": {
			desk.Milestone, `{"name":"M","objectiveIds":["obj_1"],"ticketIds":["tkt_1"],"dependencies":["mls_1"],"phaseId":"phs_1"}`, "m", "M", "UPCOMING",
			"[{objectiveIds obj_1} {ticketIds tkt_1} {dependencies mls_1} {phaseId phs_1}]",
		},
		"checklist": {
			desk.Checklist, `{"name":"C","ticketIds":["tkt_1"],"templateId":"clt_1","phaseId":"phs_1","sourceThreadId":"thr_1","items":[{"text":"a","linkedTicketId":"tkt_2"}]}`, "c", "C", "IN_PROGRESS",
			"[{ticketIds tkt_1} {templateId clt_1} {phaseId phs_1} {sourceThreadId thr_1} {items.linkedTicketId tkt_2}]",
		},
		"template":       {desk.ChecklistTemplate, `{"name":"T","items":[{"text":"a"}]}`, "t", "T", "CUSTOM", "[]"},
		"idea":           {desk.Idea, `{"title":"I","threadId":"thr_1","sourceUploadId":"upl_1"}`, "i", "I", "NEW", "[{threadId thr_1} {sourceUploadId upl_1}]"},
		"link":           {desk.Link, `{"url":"https://Example.com/A","threadIds":["thr_1"],"objectiveIds":["obj_1"],"phaseIds":["phs_1"],"category":"docs"}`, "https://example.com/a", "https://Example.com/A", "docs", "[{threadIds thr_1} {objectiveIds obj_1} {phaseIds phs_1}]"},
		"reminder":       {desk.Reminder, `{"message":"Call Bob","triggerAt":"2026-03-01","sourceThreadId":"thr_1"}`, "call bob", "Call Bob", "WAITING", "[{sourceThreadId thr_1}]"},
		"reconciliation": {desk.Reconciliation, `{"sourceUploadId":"upl_1","mappings":[{"sourceRow":"2","ticketId":"tkt_1"}]}`, "", "Reconciliation: 1 rows, 0 conflicts", "DRAFT", "[{sourceUploadId upl_1} {mappings.ticketId tkt_1}]"},
		"reconciliation of an intake": {
			desk.Reconciliation, `{"intakeId":"int_1","part":"A","conflicts":[{"field":"status","ticketId":"tkt_2","sourceValue":"","ticketValue":""}]}`, "int_1 a", "Reconciliation: 0 rows, 1 conflicts", "DRAFT",
			"[{intakeId int_1} {conflicts.ticketId tkt_2}]",
		},
		"a zero": {desk.Ticket, `{"title":"a\u0000b"}`, "ab", "ab", "TODO", "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := desk.Summarize(create(t, c.kind, c.body))
			if err != nil || got.Identity != c.identity || got.Title != c.title || got.Status != c.status || fmt.Sprint(got.Refs) != c.refs {
				t.Errorf("%+v %v\nwant %+v", got, err, c)
			}
		})
	}
	if _, err := desk.Summarize(desk.Record{Kind: "stage"}); fault.KindOf(err) != fault.NotFound || err == nil {
		t.Errorf("an unknown kind: %v", err)
	}
	if desk.Identity(&desk.TicketBody{Title: "A  b"}) != desk.Identity(&desk.TicketBody{Title: " a B"}) {
		t.Error("two texts that people take for the same differ")
	}
}

func TestSummary_AResourceAnswersToItsNames(t *testing.T) {
	t.Parallel()
	r := desk.ResourceBody{Name: "Joe Martinez", Email: "joe@example.com", Aliases: []string{"Joe M.", "jm"}}
	for name, want := range map[string]bool{
		"Joe Martinez": true, "joe  martinez ": true, "JOE@example.com": true, "joe m.": true, "JM": true,
		"Joe": false, "": false, "Martinez": false, "joe@example": false,
	} {
		if r.Answers(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	if (&desk.ResourceBody{Name: "Ann"}).Answers("") {
		t.Error("without an address, the empty name is theirs")
	}
}
