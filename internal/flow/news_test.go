package flow_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/flow"
)

func TestNewsOf_TellsEachChangeInAWord(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 10, 15, 0, 0, 0, time.UTC)
	of := func(minute int, id string, k desk.Kind, op desk.Op, fields ...string) desk.Diff {
		d := desk.Diff{ID: id, Kind: k, Op: op, Title: "T " + id, By: []string{"agent:person/1"}, At: at.Add(time.Duration(minute) * time.Minute)}
		for i := 0; i < len(fields); i += 3 {
			d.Fields = append(d.Fields, desk.FieldDiff{Field: fields[i], From: json.RawMessage(fields[i+1]), To: json.RawMessage(fields[i+2])})
		}
		return d
	}
	diffs := []desk.Diff{
		of(1, "new", desk.Ticket, desk.Created, "status", ``, `"DONE"`),
		of(2, "begun", desk.Ticket, desk.Updated, "status", `"TODO"`, `"IN_PROGRESS"`),
		of(3, "done", desk.Ticket, desk.Updated, "dueDate", `"2026-03-01"`, `"2026-03-08"`, "status", `"REVIEW"`, `"DONE"`),
		of(4, "done later", desk.Ticket, desk.Updated, "status", `"REVIEW"`, `"DONE"`),
		of(5, "stuck", desk.Ticket, desk.Updated, "status", `"TODO"`, `"BLOCKED"`),
		of(6, "again", desk.Ticket, desk.Updated, "status", `"DONE"`, `"TODO"`),
		of(7, "moved", desk.Milestone, desk.Updated, "targetDate", `"2026-03-01"`, `"2026-03-08"`),
		of(8, "review", desk.Ticket, desk.Updated, "status", `"IN_PROGRESS"`, `"REVIEW"`),
		of(9, "named", desk.Ticket, desk.Updated, "sources", `[]`, `[1]`, "title", `"A"`, `"B"`),
		of(10, "touched", desk.Ticket, desk.Updated, "sources", `[]`, `[1]`),
		of(11, "asg_1", desk.Assignment, desk.Created, "ticketId", ``, `"tkt_1"`, "resourceId", ``, `"res_1"`),
		of(12, "asg_2", desk.Assignment, desk.Deleted),
		of(13, "goal", desk.Objective, desk.Updated, "status", `"COMMITTED"`, `"AT_RISK"`),
		of(14, "in", desk.Intake, desk.Created),
		of(15, "gone", desk.Ticket, desk.Deleted),
		of(16, "closed", desk.Ticket, desk.Updated, "status", `"TODO"`, `"CLOSED"`),
	}
	name := func(of map[string]string) func(string) string { return func(id string) string { return of[id] } }
	type told struct {
		what     flow.What
		id       string
		from, to string
	}
	var got []told
	for _, n := range flow.NewsOf(diffs, name(map[string]string{"tkt_1": "Login"}), name(map[string]string{"res_1": "Dana"})) {
		got = append(got, told{n.What, n.ID, n.From, n.To})
	}
	want := []told{
		{flow.Stopped, "stuck", "TODO", "BLOCKED"},
		{flow.Finished, "done later", "REVIEW", "DONE"},
		{flow.Finished, "done", "REVIEW", "DONE"},
		{flow.Reopened, "again", "DONE", "TODO"},
		{flow.Postponed, "moved", "2026-03-01", "2026-03-08"},
		{flow.Handed, "tkt_1", "", "Dana"},
		{flow.Begun, "begun", "TODO", "IN_PROGRESS"},
		{flow.Left, "closed", "TODO", "CLOSED"},
		{flow.Removed, "gone", "", ""},
		{flow.Made, "new", "", ""},
		{flow.Edited, "goal", "COMMITTED", "AT_RISK"},
		{flow.Edited, "named", "A", "B"},
		{flow.Edited, "review", "IN_PROGRESS", "REVIEW"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("the news is\n%v\nwant\n%v", got, want)
	}
}
