package answer_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// managed is a desk of a team of three. One ticket was done on each working day of the 13 weeks before: 65.
func managed(t *testing.T) *answer.Snapshot {
	t.Helper()
	c := func(id string, k desk.Kind, body string) desk.Change {
		return desk.Change{ID: id, Kind: k, Set: json.RawMessage(body)}
	}
	all := []desk.Change{
		c("res_amy", desk.Resource, `{"name":"Amy Adams","role":"ENGINEER","capacity":40}`),
		c("res_ida", desk.Resource, `{"name":"Ida Frey","role":"ENGINEER","capacity":40,"skills":["ledger"]}`),
		c("res_zoe", desk.Resource, `{"name":"Zoe Zimmer","role":"QA","capacity":40}`),
		c("spr_old", desk.SprintPlan, `{"name":"Sprint 9","startDate":"2026-02-16","endDate":"2026-03-01"}`),
		c("spr_new", desk.SprintPlan, `{"name":"Sprint 10","startDate":"2026-03-02","endDate":"2026-03-18"}`),
		c("tkt_late", desk.Ticket, `{"title":"Late","externalRef":"T-1","status":"IN_PROGRESS","dueDate":"2026-03-09","priority":"CRITICAL","sprint":"Sprint 10","externalCreated":"2025-10-01"}`),
		c("tkt_stuck", desk.Ticket, `{"title":"Stuck","externalRef":"T-2","status":"BLOCKED","priority":"LOW","sprint":"Sprint 10","externalCreated":"2025-10-01"}`),
		c("tkt_soon", desk.Ticket, `{"title":"Soon","externalRef":"T-3","status":"REVIEW","dueDate":"2026-03-13","sprint":"Sprint 10","externalCreated":"2025-10-01"}`),
		c("tkt_slow", desk.Ticket, `{"title":"Slow","externalRef":"T-4","status":"IN_PROGRESS","sprint":"Sprint 10","externalCreated":"2025-10-01"}`),
		c("tkt_free", desk.Ticket, `{"title":"Book the ledger","externalRef":"T-5","status":"TODO","sprint":"Sprint 10","externalCreated":"2025-10-01"}`),
		c("tkt_past", desk.Ticket, `{"title":"Long ago","externalRef":"T-6","status":"CLOSED","externalCreated":"2025-10-01","externalResolved":"2025-10-02"}`),
		c("asg_a", desk.Assignment, `{"resourceId":"res_amy","ticketId":"tkt_late"}`),
		c("asg_b", desk.Assignment, `{"resourceId":"res_amy","ticketId":"tkt_slow"}`),
		c("asg_c", desk.Assignment, `{"resourceId":"res_ida","ticketId":"tkt_soon"}`),
		c("asg_d", desk.Assignment, `{"resourceId":"res_zoe","ticketId":"tkt_stuck"}`),
		c("bsp_low", desk.Blindspot, `{"title":"No owner of the pager","category":"MISSING_OWNER","severity":"LOW","status":"OPEN","description":"Nobody has it."}`),
		c("bsp_high", desk.Blindspot, `{"title":"The bank changes its file","category":"DEPENDENCY_RISK","severity":"CRITICAL","status":"OPEN"}`),
		c("bsp_done", desk.Blindspot, `{"title":"It was","category":"DEPENDENCY_RISK","severity":"CRITICAL","status":"RESOLVED"}`),
		c("bsp_seen", desk.Blindspot, `{"title":"Somebody has seen it","category":"DEPENDENCY_RISK","severity":"HIGH","status":"ACKNOWLEDGED"}`),
		c("mls_late", desk.Milestone, `{"name":"Beta","status":"UPCOMING","targetDate":"2026-03-01"}`),
		c("mls_next", desk.Milestone, `{"name":"Launch","status":"UPCOMING","targetDate":"2026-04-01"}`),
		c("obj_a", desk.Objective, `{"outcome":"Nothing is lost","sprintName":"Sprint 10","status":"COMMITTED","risks":["The vendor is slow"]}`),
	}
	for n, sprints := 1, 0; n <= 91; n++ {
		day := asktest.Now().AddDate(0, 0, -n)
		if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
			continue
		}
		sprint := ""
		if sprints++; sprints <= 3 {
			sprint = `,"sprint":"Sprint 10","storyPoints":2`
		} else if sprints <= 5 {
			sprint = `,"sprint":"Sprint 9","storyPoints":1`
		}
		all = append(all, c(fmt.Sprintf("tkt_done%d", n), desk.Ticket, fmt.Sprintf(`{"title":"Done %d","status":"DONE","externalCreated":"2025-10-01","externalResolved":"%s"%s}`, n, day.Format(time.DateOnly), sprint)))
	}
	return deskOf(t, all...)
}

// TestCompute_WholeQuestions answers the everyday questions of managers over a small desk.
func TestCompute_WholeQuestions(t *testing.T) {
	t.Parallel()
	s, now := managed(t), asktest.Now()
	beyond := answer.Beyond{Usual: 5, Begun: func(id string) time.Time {
		return map[string]time.Time{"tkt_slow": now.AddDate(0, 0, -9), "tkt_stuck": now.AddDate(0, 0, -3), "tkt_soon": now.AddDate(0, 0, -1)}[id]
	}}
	const past = " From 65 tickets done between 2025-12-10 and 2026-03-10, 5 a week; 0 a week came."
	for text, want := range map[string]struct {
		says    []string
		rows    int
		sources int
	}{
		"When will we be done?":       {[]string{"85 % likely all 5 open tickets are done by 2026-03-18." + past}, 3, 5},
		"Wann sind wir fertig?":       {[]string{"85 % likely all 5 open tickets are done by 2026-03-18." + past}, 3, 5},
		"will we be done by Friday":   {[]string{"By 2026-03-13: 0 % likely all 5 open tickets are done; 85 % likely 2 or more. "}, 4, 5},
		"Will Sprint 10 end in time?": {[]string{"Sprint 10: By 2026-03-18: 100 % likely all 5 open tickets are done. "}, 4, 5},
		"Will we finish Sprint 9?":    {[]string{"Sprint 9 has no open ticket; 2 tickets of it are closed. There is nothing to forecast."}, 2, 2},
		"who works on what":           {[]string{"3 tickets: in progress or review. Amy Adams: Late (T-1), Slow (T-4); Ida Frey: Soon (T-3).", "Zoe Zimmer has open tickets, but none of these."}, 2, 3},
		"what are the top risks": {[]string{
			"6 risks (2 open blindspots; tickets: 1 overdue, 1 blocked; 2 milestones, phases and objectives): The bank changes its file (blindspot, critical), Late (T-1) (overdue for 2 days), Beta (its day was 2026-03-01), " +
				"Nothing is lost (names the risk: The vendor is slow), No owner of the pager (blindspot, low) and 1 more.",
			"what nobody has recorded is none of them", "1 acknowledged blindspot is left out.",
		}, 6, 6},
		"top 2 risks":                {[]string{"6 risks (", "): The bank changes its file (blindspot, critical), Late (T-1) (overdue for 2 days) and 4 more."}, 2, 2},
		"what will slip":             {[]string{"4 open tickets are late or may be: 1 overdue, 1 blocked, 1 due within a week, 1 in work for long. Late (T-1) (overdue for 2 days), Stuck (T-2) (blocked, in work for 3 days), Soon (T-3) (due in 2 days, and not done), Slow (T-4) (in work for 9 days, and 85 % of the others took 5 days at most). 1 milestone is late or may be: Beta (10 days over, 3 tickets of the project are open)."}, 5, 5},
		"which milestones will slip": {[]string{"1 milestone is late or may be: Beta (10 days over, 3 tickets of the project are open)."}, 1, 1},
		"which phases will slip":     {[]string{"The project has no phases."}, 0, 0},
		"is Beta at risk":            {[]string{"Beta: status Upcoming.", "Beta: 10 days over; 3 tickets of the project are open."}, 1, 1},
		"give me a summary": {[]string{
			"71 tickets: 5 open, 65 done, 1 closed otherwise. Of those that are open, 3 are in work or in review, 1 is blocked, 1 is overdue and 1 is unassigned. 4 tickets were done in the last 7 days. ",
			"In Sprint 10, which ends on 2026-03-18, 3 of 8 tickets and 6 of 6 points are done. The next milestone is Launch on 2026-04-01. 1 milestone is past its day. 2 blindspots are open. 85 % likely all 5 open tickets are done by 2026-03-18.",
		}, 18, 6},
		"who should take T-5":         {[]string{"Ida Frey could take Book the ledger (T-5): ", "knows ledger. Then "}, 3, 4},
		"wer soll T-1 übernehmen":     {[]string{"Amy Adams has it now."}, 2, 3},
		"who should take T-6":         {[]string{"Long ago (T-6) is closed: closed."}, 0, 1},
		"what is the velocity":        {[]string{", by sprint: Sprint 9 2, Sprint 10 6 so far, as it is running", "1 sprint is over: 2 a sprint on average."}, 3, 65},
		"which tickets are in danger": {[]string{"4 open tickets are late or may be: "}, 4, 4},
	} {
		r := question.Read(text, s, now)
		a, err := s.ComputeWith(r.Plans[0], now, beyond)
		if err != nil {
			t.Fatal(err)
		}
		all := a.Sentence + "\n" + strings.Join(a.Notes, "\n")
		for _, say := range want.says {
			if !strings.Contains(all, say) {
				t.Errorf("%s: got %q, want %q", text, all, say)
			}
		}
		rows := 0
		if a.Table != nil {
			rows = len(a.Table.Rows)
		}
		if rows != want.rows || len(a.Sources) != want.sources || len(r.Ignored) > 0 {
			t.Errorf("%s: got %d rows and %d sources, left out %q; want %d and %d", text, rows, len(a.Sources), r.Ignored, want.rows, want.sources)
		}
	}
	a, err := s.Compute(question.Read("what will slip", s, now).Plans[0], now)
	if err != nil || !slices.Contains(a.Notes, "How long tickets have been in work was not looked at.") || strings.Contains(a.Sentence, "Slow") {
		t.Errorf("without the log: got %q, %q, %v", a.Sentence, a.Notes, err)
	}
}

// TestCompute_WholeQuestionsOfNothing answers them where there is nothing to tell.
func TestCompute_WholeQuestionsOfNothing(t *testing.T) {
	t.Parallel()
	none := deskOf(t, desk.Change{ID: "res_ida", Kind: desk.Resource, Set: json.RawMessage(`{"name":"Ida Frey"}`)})
	few := deskOf(t, desk.Change{ID: "tkt_a", Kind: desk.Ticket, Set: json.RawMessage(`{"title":"One","status":"TODO"}`)})
	for text, want := range map[string][2]string{
		"When will we be done?":  {"No ticket is open, so there is nothing to forecast.", "Too little is known for a forecast: 0 tickets were done in 0 days before today, of which days are known. It takes 5 tickets in 14 days."},
		"who works on what":      {"The project has no tickets.", "0 of 1 ticket: in progress or review."},
		"what are the top risks": {"No blindspot is open, no ticket is blocked or overdue, and no milestone, phase or objective is late or has a risk.", "No blindspot is open, no ticket is blocked or overdue, and no milestone, phase or objective is late or has a risk."},
		"what will slip":         {"None of 0 tickets is overdue, blocked, due within a week or in work for long.", "None of 1 ticket is overdue, blocked, due within a week or in work for long."},
		"give me a summary":      {"The project has no tickets.", "1 ticket: 1 open, 0 done, 0 closed otherwise. Of those that are open, 0 are in work or in review, 0 are blocked, 0 are overdue and 1 is unassigned. 0 tickets were done in the last 7 days."},
	} {
		for i, s := range []*answer.Snapshot{none, few} {
			a, err := s.Compute(question.Read(text, s, asktest.Now()).Plans[0], asktest.Now())
			if err != nil || a.Sentence != want[i] {
				t.Errorf("%s: got %q, %v, want %q", text, a.Sentence, err, want[i])
			}
		}
	}
}
