package desk

import (
	"context"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/flow"
	"chela/internal/tool"
)

// planTools are the tools for what is planned and noted. read, from and write declare them.
func (t tools) planTools(read func(name string) tool.Spec, from func(origin, name string) tool.Spec, write func(name string) tool.Spec) []*tool.Tool {
	return []*tool.Tool{
		tool.Func(from(tool.FromImports, "read_phases"), t.readPhases),
		tool.Func(from(tool.FromImports, "read_milestones"), t.readMilestones),
		tool.Func(read("read_checklists"), t.readChecklists),
		tool.Func(read("read_ideas"), t.readIdeas),
		tool.Func(read("read_comments"), t.readComments),
		tool.Func(read("read_reminders"), t.readReminders),
		tool.Func(from(tool.FromImports, "checklist_progress"), t.checklistProgress),
		tool.Func(from(tool.FromImports, "generate_plan_artifact"), t.outline),
		tool.Record(write("create_phase"), t.createPhase),
		tool.Record(write("update_phase"), t.updatePhase),
		tool.Record(write("create_milestone"), t.createMilestone),
		tool.Record(write("update_milestone"), t.updateMilestone),
		tool.Record(write("create_checklist"), t.createChecklist),
		tool.Record(write("update_checklist"), t.updateChecklist),
		tool.Record(write("create_checklist_template"), t.createTemplate),
		tool.Record(write("create_idea"), t.createIdea),
		tool.Record(write("promote_idea"), t.promoteIdea),
		tool.Record(write("create_reminder"), t.createReminder),
		tool.Record(write("create_link"), t.createLink),
		tool.Record(write("add_comment"), t.addComment),
	}
}

// PhaseRow is a phase in a list.
type PhaseRow struct {
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	Status    desk.PhaseStatus `json:"status"`
	SortOrder int              `json:"sortOrder"`
	StartDate desk.Date        `json:"startDate,omitempty"`
	EndDate   desk.Date        `json:"endDate,omitempty"`
}

func (t tools) readPhases(ctx context.Context, c tool.Call, _ Nothing) (List[PhaseRow], error) {
	p, err := t.plan(ctx, c)
	out := List[PhaseRow]{Items: []PhaseRow{}, Total: len(p.Phases)}
	for _, x := range p.Phases {
		out.Items = append(out.Items, PhaseRow{x.ID, x.Name, x.Status, x.SortOrder, x.StartDate, x.EndDate})
	}
	return out, err
}

func (t tools) plan(ctx context.Context, c tool.Call) (clerk.Plan, error) {
	if c.Run.Project == "" {
		return clerk.Plan{}, errNoProject()
	}
	return clerk.LoadPlan(ctx, t.clerk.Store(), c.Run.Project)
}

// MilestoneRow is a milestone in a list.
type MilestoneRow struct {
	ID         string               `json:"id"`
	Name       string               `json:"name"`
	Status     desk.MilestoneStatus `json:"status"`
	TargetDate desk.Date            `json:"targetDate,omitempty"`
	ActualDate desk.Date            `json:"actualDate,omitempty"`
	Owner      string               `json:"owner,omitempty"`
	PhaseID    string               `json:"phaseId,omitempty"`
}

func (t tools) readMilestones(ctx context.Context, c tool.Call, _ Nothing) (List[MilestoneRow], error) {
	p, err := t.plan(ctx, c)
	out := List[MilestoneRow]{Items: []MilestoneRow{}, Total: len(p.Milestones)}
	for _, x := range p.Milestones {
		out.Items = append(out.Items, MilestoneRow{x.ID, x.Name, x.Status, x.TargetDate, x.ActualDate, x.Owner, x.PhaseID})
	}
	return out, err
}

// ChecklistRow is a checklist in a list.
type ChecklistRow struct {
	ID     string               `json:"id"`
	Name   string               `json:"name"`
	Status desk.ChecklistStatus `json:"status"`
	Items  []desk.Item          `json:"items"`
}

func (t tools) readChecklists(ctx context.Context, c tool.Call, in Narrow) (List[ChecklistRow], error) {
	p, err := t.list(ctx, c, clerk.Query{Kind: desk.Checklist, Text: in.Text, Status: in.Status, Cursor: in.Cursor, Limit: 50})
	if err != nil {
		return List[ChecklistRow]{}, err
	}
	return listOf(p, func(r desk.Record, b desk.ChecklistBody) ChecklistRow {
		return ChecklistRow{r.ID, b.Name, b.Status, b.Items}
	})
}

// IdeaRow is an idea in a list.
type IdeaRow struct {
	ID     string          `json:"id"`
	Title  string          `json:"title"`
	Status desk.IdeaStatus `json:"status"`
	Ticket string          `json:"promotedToTicketId,omitempty"`
}

func (t tools) readIdeas(ctx context.Context, c tool.Call, in Narrow) (List[IdeaRow], error) {
	p, err := t.list(ctx, c, clerk.Query{Kind: desk.Idea, Text: in.Text, Status: in.Status, Cursor: in.Cursor, Limit: 100, Newest: true})
	if err != nil {
		return List[IdeaRow]{}, err
	}
	return listOf(p, func(r desk.Record, b desk.IdeaBody) IdeaRow { return IdeaRow{r.ID, b.Title, b.Status, b.TicketID} })
}

// ReminderRow is a reminder in a list.
type ReminderRow struct {
	ID        string    `json:"id"`
	Message   string    `json:"message"`
	TriggerAt desk.Date `json:"triggerAt,omitempty"`
	Condition string    `json:"condition,omitempty"`
	Triggered bool      `json:"triggered,omitempty"`
}

func (t tools) readReminders(ctx context.Context, c tool.Call, in Narrow) (List[ReminderRow], error) {
	p, err := t.list(ctx, c, clerk.Query{Kind: desk.Reminder, Text: in.Text, Status: in.Status, Cursor: in.Cursor, Limit: 100})
	if err != nil {
		return List[ReminderRow]{}, err
	}
	return listOf(p, func(r desk.Record, b desk.ReminderBody) ReminderRow {
		return ReminderRow{r.ID, b.Message, b.TriggerAt, b.Condition, b.Triggered}
	})
}

// ProgressIn narrows the checklists.
type ProgressIn struct {
	Phase  string `json:"phaseId,omitempty"`
	Status string `json:"status,omitempty" enum:"TEMPLATE,PENDING,IN_PROGRESS,COMPLETED"`
}

func (t tools) checklistProgress(ctx context.Context, c tool.Call, in ProgressIn) (List[flow.Progress], error) {
	p, err := t.plan(ctx, c)
	out := List[flow.Progress]{Items: []flow.Progress{}}
	for _, x := range p.Checklists {
		if (in.Phase == "" || x.PhaseID == in.Phase) && (in.Status == "" || string(x.Status) == in.Status) {
			out.Items = append(out.Items, flow.ProgressOf(x))
		}
	}
	out.Total = len(out.Items)
	return out, err
}

// OutlineIn says what the plan shall show.
type OutlineIn struct {
	Timeline *bool `json:"includeTimeline,omitempty" doc:"false leaves the milestones out"`
}

// OutlineOut is the plan.
type OutlineOut struct {
	Markdown   string `json:"markdown"`
	Phases     int    `json:"phaseCount"`
	Milestones int    `json:"milestoneCount"`
}

func (t tools) outline(ctx context.Context, c tool.Call, in OutlineIn) (OutlineOut, error) {
	p, err := t.plan(ctx, c)
	return OutlineOut{flow.Outline(p.Phases, p.Milestones, in.Timeline == nil || *in.Timeline), len(p.Phases), len(p.Milestones)}, err
}

// ensured plans a record unless one of its identity is there.
func ensured[T desk.Thing](ctx context.Context, t tools, c tool.Call, k desk.Kind, b T) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, isNew, err := clerk.EnsureNamed(w, k, b)
		return made(r, isNew), err
	})
}

// NewPhase is a phase to create.
type NewPhase struct {
	Name         string    `json:"name"`
	SortOrder    int       `json:"sortOrder" doc:"its place among the phases, from 1"`
	Description  string    `json:"description,omitempty"`
	Entry        []string  `json:"entryCriteria,omitempty" doc:"what lets it begin"`
	Exit         []string  `json:"exitCriteria,omitempty" doc:"what lets it end"`
	StartDate    desk.Date `json:"startDate,omitempty"`
	EndDate      desk.Date `json:"endDate,omitempty"`
	ObjectiveIDs []string  `json:"objectiveIds,omitempty"`
}

func (t tools) createPhase(ctx context.Context, c tool.Call, in NewPhase) (Made, []event.Draft, error) {
	return ensured(ctx, t, c, desk.Phase, &desk.PhaseBody{
		Name: in.Name, SortOrder: in.SortOrder, Description: in.Description, EntryCriteria: in.Entry, ExitCriteria: in.Exit,
		StartDate: in.StartDate, EndDate: in.EndDate, ObjectiveIDs: in.ObjectiveIDs, Sources: source(c, ""),
	})
}

// PhaseChange changes a phase.
type PhaseChange struct {
	Phase     string    `json:"phaseId"`
	Status    string    `json:"status,omitempty" enum:"NOT_STARTED,PENDING,ACTIVE,IN_PROGRESS,BLOCKED,COMPLETED"`
	Entry     []string  `json:"entryCriteria,omitempty"`
	Exit      []string  `json:"exitCriteria,omitempty"`
	StartDate desk.Date `json:"startDate,omitempty"`
	EndDate   desk.Date `json:"endDate,omitempty"`
}

func (t tools) updatePhase(ctx context.Context, c tool.Call, in PhaseChange) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, err := clerk.Edit(w, desk.Phase, in.Phase, func(b *desk.PhaseBody) {
			replace(&b.Status, desk.PhaseStatus(in.Status))
			replace(&b.StartDate, in.StartDate)
			replace(&b.EndDate, in.EndDate)
			if in.Entry != nil {
				b.EntryCriteria = in.Entry
			}
			if in.Exit != nil {
				b.ExitCriteria = in.Exit
			}
		})
		return changedTo(r, err)
	})
}

// replace sets v to what was said, when something was.
func replace[T comparable](v *T, said T) {
	var nothing T
	if said != nothing {
		*v = said
	}
}

func changedTo(r desk.Record, err error) (Made, error) {
	out := made(r, false)
	out.Status = "updated"
	return out, err
}

// NewMilestone is a milestone to create.
type NewMilestone struct {
	Name         string    `json:"name"`
	TargetDate   desk.Date `json:"targetDate" doc:"the day"`
	Description  string    `json:"description,omitempty"`
	Phase        string    `json:"phaseId,omitempty"`
	ObjectiveIDs []string  `json:"objectiveIds,omitempty"`
	Owner        string    `json:"owner,omitempty"`
}

func (t tools) createMilestone(ctx context.Context, c tool.Call, in NewMilestone) (Made, []event.Draft, error) {
	return ensured(ctx, t, c, desk.Milestone, &desk.MilestoneBody{
		Name: in.Name, TargetDate: in.TargetDate, Description: in.Description, PhaseID: in.Phase, ObjectiveIDs: in.ObjectiveIDs, Owner: in.Owner, Sources: source(c, ""),
	})
}

// MilestoneChange changes a milestone.
type MilestoneChange struct {
	Milestone  string    `json:"milestoneId"`
	Status     string    `json:"status,omitempty" enum:"UPCOMING,ON_TRACK,AT_RISK,MISSED,COMPLETED"`
	TargetDate desk.Date `json:"targetDate,omitempty"`
	ActualDate desk.Date `json:"actualDate,omitempty"`
	Owner      string    `json:"owner,omitempty"`
	TicketIDs  []string  `json:"ticketIds,omitempty" doc:"added to those it has"`
}

func (t tools) updateMilestone(ctx context.Context, c tool.Call, in MilestoneChange) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, err := clerk.Edit(w, desk.Milestone, in.Milestone, func(b *desk.MilestoneBody) {
			replace(&b.Status, desk.MilestoneStatus(in.Status))
			replace(&b.TargetDate, in.TargetDate)
			replace(&b.ActualDate, in.ActualDate)
			replace(&b.Owner, in.Owner)
			b.TicketIDs = union(b.TicketIDs, in.TicketIDs)
		})
		return changedTo(r, err)
	})
}
