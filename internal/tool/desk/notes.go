package desk

import (
	"context"
	"slices"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/extract"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/tool"
)

// union returns a and what of b it does not have.
func union(a, b []string) []string {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

// NewItem is an item of a new checklist.
type NewItem struct {
	Text     string `json:"text"`
	Assignee string `json:"assignee,omitempty"`
}

// NewChecklist is a checklist to create.
type NewChecklist struct {
	Name     string    `json:"name"`
	Items    []NewItem `json:"items,omitempty"`
	Template string    `json:"templateId,omitempty" doc:"its items come first"`
	Phase    string    `json:"phaseId,omitempty"`
	Thread   string    `json:"sourceThreadId,omitempty"`
	Quote    string    `json:"quote,omitempty" doc:"the exact words it comes from"`
}

func (t tools) createChecklist(ctx context.Context, c tool.Call, in NewChecklist) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		b := &desk.ChecklistBody{Name: in.Name, TemplateID: in.Template, PhaseID: in.Phase, ThreadID: in.Thread, Sources: source(c, in.Quote)}
		if in.Template != "" {
			var err error
			if b.Items, err = w.FromTemplate(in.Template); err != nil {
				return Made{}, err
			}
		}
		for _, i := range in.Items {
			b.Items = append(b.Items, desk.Item{Text: i.Text, Assignee: i.Assignee})
		}
		if len(b.Items) == 0 {
			return Made{}, fault.BadField("items", "A checklist needs items, or a template that has some.")
		}
		r, isNew, err := clerk.EnsureNamed(w, desk.Checklist, b)
		return made(r, isNew), err
	})
}

// ItemChange changes one item.
type ItemChange struct {
	Action string `json:"action" enum:"check,uncheck,assign,add,remove,update_notes"`
	Index  int    `json:"itemIndex,omitempty" doc:"from 0; not for add"`
	Value  string `json:"value,omitempty" doc:"the person, the new item's text, or the notes"`
}

// ChecklistChange changes the items of a checklist.
type ChecklistChange struct {
	Checklist  string       `json:"checklistId"`
	Operations []ItemChange `json:"operations"`
}

// Ticked is how a checklist stands after a change.
type Ticked struct {
	Applied  int                  `json:"operationsApplied"`
	Complete int                  `json:"itemsComplete"`
	Total    int                  `json:"itemsTotal"`
	Status   desk.ChecklistStatus `json:"status"`
}

func (t tools) updateChecklist(ctx context.Context, c tool.Call, in ChecklistChange) (Ticked, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Ticked, error) {
		var ops []clerk.ItemOp
		for _, o := range in.Operations {
			ops = append(ops, clerk.ItemOp{Action: o.Action, Index: o.Index, Value: o.Value})
		}
		b, err := w.Tick(in.Checklist, ops)
		return Ticked{len(ops), b.Checked(), len(b.Items), b.Status}, err
	})
}

// NewTemplate is a template to create.
type NewTemplate struct {
	Name        string            `json:"name"`
	Category    string            `json:"category" enum:"ORR,RELEASE_READINESS,ONBOARDING,SPRINT_CLOSE,DEPLOYMENT,ROLLBACK,CUSTOM"`
	Items       []NewTemplateItem `json:"items"`
	Description string            `json:"description,omitempty"`
	Global      bool              `json:"global,omitempty" doc:"for all projects"`
}

// NewTemplateItem is an item of a new template.
type NewTemplateItem struct {
	Text     string `json:"text"`
	Role     string `json:"defaultAssigneeRole,omitempty"`
	Required bool   `json:"required,omitempty"`
}

func (t tools) createTemplate(ctx context.Context, c tool.Call, in NewTemplate) (Made, []event.Draft, error) {
	b := &desk.ChecklistTemplateBody{Name: in.Name, Category: in.Category, Description: in.Description, Global: in.Global}
	for _, i := range in.Items {
		b.Items = append(b.Items, desk.TemplateItem{Text: i.Text, Role: i.Role, Required: i.Required})
	}
	return ensured(ctx, t, c, desk.ChecklistTemplate, b)
}

// NewIdea is an idea to keep.
type NewIdea struct {
	Title   string   `json:"title"`
	Content string   `json:"content,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	Thread  string   `json:"threadId,omitempty"`
	Quote   string   `json:"quote,omitempty" doc:"the exact words it comes from"`
}

func (t tools) createIdea(ctx context.Context, c tool.Call, in NewIdea) (Made, []event.Draft, error) {
	return ensured(ctx, t, c, desk.Idea, &desk.IdeaBody{Title: in.Title, Content: in.Content, Tags: in.Tags, ThreadID: in.Thread, Sources: source(c, in.Quote)})
}

// Idea names an idea.
type Idea struct {
	Idea string `json:"ideaId"`
}

func (t tools) promoteIdea(ctx context.Context, c tool.Call, in Idea) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, err := w.Promote(in.Idea)
		out := made(r, false)
		out.Status, out.Related = "promoted", in.Idea
		return out, err
	})
}

// NewReminder is a reminder to keep.
type NewReminder struct {
	Message   string    `json:"message" doc:"what to be reminded of, and who"`
	Type      string    `json:"type,omitempty" enum:"TIME_BASED,CONDITION_BASED"`
	TriggerAt desk.Date `json:"triggerAt,omitempty" doc:"of TIME_BASED, and to come: an instant, or a day, on which it rings at 9 o'clock where who asked is"`
	Condition string    `json:"condition,omitempty" doc:"of CONDITION_BASED: the kind of record and a filter; it rings when a record fits, such as kind:ticket status:BLOCKED owner:\"Joe\""`
	Recurring bool      `json:"recurring,omitempty"`
	Interval  int       `json:"intervalSeconds,omitempty" doc:"of a recurring one; 60 or more"`
	Every     string    `json:"every,omitempty" doc:"of a recurring one, in place of a time and an interval: daily at 9, every Friday, every weekday at 8:30, each month on the 1st"`
	Timezone  string    `json:"timezone,omitempty" doc:"of one that recurs after whole days, such as Europe/Berlin: it comes at the same time of the clock there, in summer and in winter"`
	Thread    string    `json:"sourceThreadId,omitempty"`
	Quote     string    `json:"quote,omitempty" doc:"the exact words it comes from"`
}

func (t tools) createReminder(ctx context.Context, c tool.Call, in NewReminder) (Made, []event.Draft, error) {
	asked := "" // the schedule of an agent is nobody who is told
	if org.PersonOf(c.Run.By) != "" {
		asked = c.Run.By.AgentID
	}
	b := &desk.ReminderBody{
		Message: in.Message, Type: in.Type, TriggerAt: in.TriggerAt, Condition: in.Condition, Recurring: in.Recurring, Interval: in.Interval, Timezone: in.Timezone,
		ThreadID: in.Thread, SessionID: c.Run.Thread, Person: asked, Sources: source(c, in.Quote),
	}
	if in.Every != "" {
		if in.TriggerAt != "" || in.Interval != 0 || in.Condition != "" {
			return Made{}, nil, fault.BadField("every", "It says when and how often: leave out triggerAt, intervalSeconds and condition.")
		}
		if err := extract.Recur(b, in.Every, in.Timezone, t.clerk.Store().Mint().Now()); err != nil {
			return Made{}, nil, err
		}
	}
	return ensured(ctx, t, c, desk.Reminder, b)
}

// NewLink is an address to keep.
type NewLink struct {
	URL         string   `json:"url"`
	Title       string   `json:"title,omitempty"`
	Category    string   `json:"category,omitempty"`
	Description string   `json:"description,omitempty"`
	ThreadIDs   []string `json:"threadIds,omitempty"`
	Tags        []string `json:"tags,omitempty"`
}

func (t tools) createLink(ctx context.Context, c tool.Call, in NewLink) (Made, []event.Draft, error) {
	return ensured(ctx, t, c, desk.Link, &desk.LinkBody{
		URL: in.URL, Title: in.Title, Category: in.Category, Description: in.Description, ThreadIDs: in.ThreadIDs, Tags: in.Tags, Sources: source(c, ""),
	})
}
