package drift

import (
	"fmt"

	"chela/internal/desk"
	"chela/internal/flow"
)

// plan finds milestones that are late or will be, phases that are past their end, and those that are called completed before their work is.
func (f *finder) plan(d Desk, tickets []flow.Ticket) {
	criteria := make(map[string][]string, len(d.Plan.Phases))
	for _, p := range d.Plan.Phases {
		criteria[p.ID] = p.ExitCriteria
	}
	for _, x := range d.Plan.Delays(d.Objectives, tickets, d.Now) {
		of, rule := "phases are past their end", pastEnd
		switch {
		case !x.Ends && x.Why == flow.Late:
			of, rule = "milestones are overdue", overdue
		case !x.Ends:
			of, rule = "milestones are at risk", atRisk
		case x.Why == flow.Unfinished:
			of, rule = "phases are completed before their work", unfinished
		}
		f.add(of, func() desk.Delta {
			one := rule(x, d)
			one.SourceA, one.Text, one.Records = x.ID, x.Left(), append([]string{x.ID}, x.Open...)
			for _, c := range criteria[x.ID] {
				one.Text += "\nTo end it: " + c
			}
			return one
		})
		if !x.Ends {
			f.blind = append(f.blind, milestoneRisk(x))
		}
	}
}

func overdue(x flow.Delay, d Desk) desk.Delta {
	return desk.Delta{
		Type: "DATE_DRIFT", Severity: desk.High, Title: "Milestone overdue: " + x.Name, Field: "targetDate", ValueA: string(x.Day),
		SourceB: "today", ValueB: string(desk.DateOf(d.Now)), Suggestion: "Agree on a new date, or say that it was reached.",
	}
}

func atRisk(x flow.Delay, _ Desk) desk.Delta {
	return desk.Delta{
		Type: "DATE_DRIFT", Severity: desk.Medium, Title: "Milestone at risk: " + x.Name, Field: "targetDate", ValueA: string(x.Day),
		SourceB: "open tickets", ValueB: fmt.Sprint(x.Tickets), Suggestion: "Finish what is open, or agree on a new date.",
	}
}

func pastEnd(x flow.Delay, d Desk) desk.Delta {
	return desk.Delta{
		Type: "DATE_DRIFT", Severity: desk.High, Title: "Phase past its end: " + x.Name, Field: "endDate", ValueA: string(x.Day),
		SourceB: "today", ValueB: string(desk.DateOf(d.Now)), Suggestion: "Agree on a new end, or say that it is completed.",
	}
}

func unfinished(x flow.Delay, _ Desk) desk.Delta {
	return desk.Delta{
		Type: "STATUS_MISMATCH", Severity: desk.Medium, Title: "Phase completed before its work: " + x.Name, Field: "status", ValueA: string(desk.PhaseCompleted),
		SourceB: "open work", ValueB: string(desk.PhaseInProgress), Suggestion: "Open the phase again, or finish what is open.",
	}
}

// milestoneRisk is what somebody has to look at. Its title names the day, so that another day is another one, of which people are told anew.
func milestoneRisk(x flow.Delay) desk.BlindspotBody {
	how := "overdue"
	if x.Why == flow.AtRisk {
		how = "at risk"
	}
	return desk.BlindspotBody{Title: fmt.Sprintf("Milestone of %s %s: %s", desk.DateOf(x.Day.Time()), how, x.Name), Category: desk.MilestoneRisk, Severity: desk.High, Description: x.Left(), Owner: x.Owner, RecordIDs: append([]string{x.ID}, x.Open...)}
}
