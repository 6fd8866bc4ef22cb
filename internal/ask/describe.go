package ask

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"chela/internal/desk"
)

// sections are shown in this order.
var sections = []string{"OBJECTIVES", "TICKETS", "RESOURCES", "THREADS", "BLINDSPOTS", "PHASES", "MILESTONES", "CHECKLISTS", "DELTA PACKS", "MEMORIES", "IDEAS", "REMINDERS", "LINKS", "RECONCILIATIONS", "UPLOADS", "INTAKES"}

// describe puts a record into one line of a section; owners are a ticket's. Records that
// say nothing by themselves have no section.
func describe(t desk.Thing, owners string) (section, text string) {
	switch b := t.(type) {
	case *desk.TicketBody:
		section, text = "TICKETS", fmt.Sprintf("%s %s [%s] priority=%s sp=%s assignee=%s%s%s%s", b.ExternalRef, b.Title, b.Status, b.Priority, num(b.StoryPoints), cmp.Or(owners, "UNASSIGNED"), opt(" due=", string(b.DueDate)), opt(" sprint=", b.Sprint), opt(" blockedBy=", strings.Join(b.BlockedBy, ",")))
	case *desk.ObjectiveBody:
		section, text = "OBJECTIVES", fmt.Sprintf("%s%s [%s] coverage=%s%%%s%s%s", opt("", b.SprintName+": "), b.Outcome, b.Status, num(b.Coverage), opt(" signal=", b.Signal), opt(" end=", string(b.EndDate)), opt(" risks=", strings.Join(b.Risks, "; ")))
	case *desk.ResourceBody:
		section, text = "RESOURCES", fmt.Sprintf("%s role=%s capacity=%s availability=%s%s", b.Name, b.Role, num(*b.Capacity), num(*b.Availability), opt(" skills=", strings.Join(b.Skills, ",")))
	case *desk.ThreadBody:
		section, text = "THREADS", threadLine(b)
	case *desk.BlindspotBody:
		section, text = "BLINDSPOTS", fmt.Sprintf("%s [%s] severity=%s category=%s %.200s", b.Title, b.Status, b.Severity, b.Category, b.Description)
	case *desk.DeltaPackBody:
		var d []string
		for _, x := range b.Deltas[:min(len(b.Deltas), 15)] {
			d = append(d, string(x.Type)+": "+x.Title)
		}
		section, text = "DELTA PACKS", fmt.Sprintf("%s [%s] deltas=%d: %s", b.Title, b.Status, len(b.Deltas), strings.Join(d, "; "))
	case *desk.MemoryBody:
		section, text = "MEMORIES", fmt.Sprintf("%s: %.400s", b.Key, b.Content)
	case *desk.UploadBody:
		section, text = "UPLOADS", fmt.Sprintf("%s source=%s bytes=%d", b.Title, b.Source, b.Bytes)
	case *desk.IntakeBody:
		section, text = "INTAKES", fmt.Sprintf("%s [%s]", b.Title, b.Status)
	case *desk.ReconciliationBody:
		section, text = "RECONCILIATIONS", fmt.Sprintf("%s [%s]", desk.SummaryOf(b).Title, b.Status)
	default:
		section, text = describePlan(t)
	}
	return section, oneLine(text)
}

// describePlan puts what is planned and noted into one line.
func describePlan(t desk.Thing) (section, text string) {
	switch b := t.(type) {
	case *desk.PhaseBody:
		return "PHASES", fmt.Sprintf("%d. %s [%s]%s%s%s%s", b.SortOrder, b.Name, b.Status, opt(" start=", string(b.StartDate)), opt(" end=", string(b.EndDate)), opt(" entry=", strings.Join(b.EntryCriteria, "; ")), opt(" exit=", strings.Join(b.ExitCriteria, "; ")))
	case *desk.MilestoneBody:
		return "MILESTONES", fmt.Sprintf("%s [%s]%s%s%s tickets=%d", b.Name, b.Status, opt(" target=", string(b.TargetDate)), opt(" actual=", string(b.ActualDate)), opt(" owner=", b.Owner), len(b.TicketIDs))
	case *desk.ChecklistBody:
		var open []string
		for _, i := range b.Items {
			if !i.Checked {
				open = append(open, i.Text+whose(i))
			}
		}
		return "CHECKLISTS", fmt.Sprintf("%s [%s] items=%d checked=%d%s", b.Name, b.Status, len(b.Items), b.Checked(), opt(" open=", strings.Join(open, "; ")))
	case *desk.IdeaBody:
		return "IDEAS", fmt.Sprintf("%s [%s] %.300s", b.Title, b.Status, b.Content)
	case *desk.ReminderBody:
		return "REMINDERS", fmt.Sprintf("%s [%s]%s%s", b.Message, b.Type, opt(" at=", string(b.TriggerAt)), opt(" when=", b.Condition))
	case *desk.LinkBody:
		return "LINKS", fmt.Sprintf("%s %s%s %.200s", b.Title, b.URL, opt(" category=", b.Category), b.Description)
	default:
		return "", ""
	}
}

func whose(i desk.Item) string {
	if i.Assignee == "" {
		return ""
	}
	return " (" + i.Assignee + ")"
}

func threadLine(b *desk.ThreadBody) string {
	var parts []string
	for _, d := range b.Decisions {
		parts = append(parts, "decided: "+d.Text)
	}
	for _, a := range b.Actions {
		parts = append(parts, fmt.Sprintf("action (%s): %s", cmp.Or(a.Assignee, "nobody"), a.Text))
	}
	for _, q := range b.Questions {
		parts = append(parts, "open: "+q)
	}
	return fmt.Sprintf("%s [%s]%s %.300s %s", b.Title, b.Lifecycle, opt(" date=", string(b.Date)), b.Content, strings.Join(parts, "; "))
}

// num has at most one decimal.
func num(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func opt(label, value string) string {
	if value == "" || value == ": " {
		return ""
	}
	return label + value
}
