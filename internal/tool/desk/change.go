package desk

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/tool"
)

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// NewThread is a thread to create.
type NewThread struct {
	Title     string      `json:"title" doc:"the topic"`
	Summary   string      `json:"summary,omitempty"`
	Content   string      `json:"content,omitempty" doc:"Markdown"`
	Decisions []string    `json:"decisions,omitempty"`
	Actions   []NewAction `json:"actions,omitempty"`
	Lifecycle string      `json:"lifecycle,omitempty" enum:"DRAFT,ACTIVE,CLOSED"`
	Quote     string      `json:"quote,omitempty" doc:"the exact words it comes from"`
}

// NewAction is an action of a thread.
type NewAction struct {
	Text     string    `json:"text"`
	Assignee string    `json:"assignee,omitempty"`
	DueDate  desk.Date `json:"dueDate,omitempty"`
}

func (t tools) createThread(ctx context.Context, c tool.Call, in NewThread) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		b := desk.ThreadBody{Title: in.Title, Summary: in.Summary, Content: in.Content, Lifecycle: desk.Lifecycle(in.Lifecycle), Sources: source(c, in.Quote)}
		for _, d := range in.Decisions {
			b.Decisions = append(b.Decisions, desk.Decision{Text: d, Sources: source(c, in.Quote)})
		}
		for _, a := range in.Actions {
			b.Actions = append(b.Actions, desk.Action{Text: a.Text, Assignee: a.Assignee, DueDate: a.DueDate, Sources: source(c, in.Quote)})
		}
		r, isNew, err := w.EnsureThread(b)
		out := made(r, isNew)
		if !isNew {
			out.Status = "updated_existing"
		}
		return out, err
	})
}

// Rename is a thread's new title.
type Rename struct {
	Thread string `json:"threadId"`
	Title  string `json:"newTitle"`
	Reason string `json:"reason,omitempty" doc:"the log keeps it with the call"`
}

func (t tools) renameThread(ctx context.Context, c tool.Call, in Rename) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, err := clerk.Edit(w, desk.Thread, in.Thread, func(b *desk.ThreadBody) { b.Title = in.Title })
		return Made{ID: r.ID, Title: in.Title, Status: "updated"}, err
	})
}

// Merge names threads to merge.
type Merge struct {
	Threads []string `json:"sourceThreadIds" doc:"at least two; the first takes in the others"`
	Title   string   `json:"targetTitle,omitempty"`
	Reason  string   `json:"reason,omitempty" doc:"the log keeps it with the call"`
}

func (t tools) mergeThreads(ctx context.Context, c tool.Call, in Merge) (Made, []event.Draft, error) {
	if len(in.Threads) < 2 {
		return Made{}, nil, fault.BadField("sourceThreadIds", "At least two threads are needed.")
	}
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, err := w.MergeThreads(in.Threads[0], in.Threads[1:], in.Title)
		out := made(r, false)
		out.Status = "merged"
		return out, err
	})
}

// NewEvidence is evidence for a thread.
type NewEvidence struct {
	Thread    string `json:"threadId"`
	Type      string `json:"evidenceType" enum:"file,url,upload,design,quote"`
	Reference string `json:"referenceId" doc:"id, path or address"`
	Label     string `json:"label,omitempty" doc:"what it shows"`
}

func (t tools) attachEvidence(ctx context.Context, c tool.Call, in NewEvidence) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		e := desk.Evidence{Type: in.Type, Reference: in.Reference, Snippet: in.Label, Relevance: 1, Sources: source(c, "")}
		if in.Type == "upload" {
			e.UploadID = in.Reference
		}
		made := Made{Status: "updated"}
		r, err := clerk.Edit(w, desk.Thread, in.Thread, func(b *desk.ThreadBody) {
			b.Evidence = append(b.Evidence, e)
			made.Title = b.Title
		})
		made.ID = r.ID
		return made, err
	})
}

// NewTicket is a ticket to create.
type NewTicket struct {
	Title        string    `json:"title" doc:"the outcome, short"`
	Description  string    `json:"description,omitempty"`
	Priority     string    `json:"priority,omitempty" enum:"LOW,MEDIUM,HIGH,CRITICAL"`
	Status       string    `json:"status,omitempty" enum:"TODO,IN_PROGRESS,REVIEW,DONE,BLOCKED,CLOSED"`
	Type         string    `json:"type,omitempty" enum:"INITIATIVE,EPIC,STORY,SUBTASK"`
	Owner        string    `json:"owner,omitempty" doc:"a person's name"`
	StoryPoints  *float64  `json:"storyPoints,omitempty"`
	DueDate      desk.Date `json:"dueDate,omitempty"`
	ExternalRef  string    `json:"externalRef,omitempty" doc:"a tracker's key"`
	Threads      []string  `json:"linkedThreadIds,omitempty"`
	ObjectiveIDs []string  `json:"objectiveIds,omitempty"`
	// Contract is what has to be true before it counts as done.
	Contract []desk.Term `json:"contract,omitempty" brief:"" doc:"what has to be true before it counts as done; each term one of {holds: CEL over ticket and result}, {file: {path}}, {command: {run, dir}}, {record: {id, when}}, {number: {value, min, max}}, {cites: {text, least}}, {verdict: {agent, person or role; criteria}}"`
	Quote    string      `json:"quote,omitempty" doc:"the exact words it comes from"`
}

func (t tools) createTicket(ctx context.Context, c tool.Call, in NewTicket) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, isNew, err := clerk.EnsureNamed(w, desk.Ticket, &desk.TicketBody{
			Title: in.Title, Description: in.Description, Priority: desk.Level(in.Priority), Status: desk.TicketStatus(in.Status), Type: desk.TicketType(in.Type),
			StoryPoints: in.StoryPoints, DueDate: in.DueDate, ExternalRef: in.ExternalRef, LinkedThreads: in.Threads, ObjectiveIDs: in.ObjectiveIDs, Contract: in.Contract, Sources: source(c, in.Quote),
		})
		if err == nil && isNew && in.Owner != "" {
			err = w.Own(r.ID, in.Owner)
		}
		return made(r, isNew), err
	})
}

// TicketChange changes a ticket.
type TicketChange struct {
	Ticket       string    `json:"ticketId" doc:"its id, or a tracker's key"`
	Title        string    `json:"title,omitempty"`
	Description  string    `json:"description,omitempty"`
	Priority     string    `json:"priority,omitempty" enum:"LOW,MEDIUM,HIGH,CRITICAL"`
	Status       string    `json:"status,omitempty" enum:"TODO,IN_PROGRESS,REVIEW,DONE,BLOCKED,CLOSED"`
	Owner        string    `json:"owner,omitempty" doc:"a person's name"`
	StoryPoints  *float64  `json:"storyPoints,omitempty"`
	DueDate      desk.Date `json:"dueDate,omitempty"`
	BlockedBy    []string  `json:"blockedBy,omitempty"`
	ObjectiveIDs []string  `json:"objectiveIds,omitempty"`
	// Contract takes the place of the one that is there; an agent takes no term away.
	Contract []desk.Term `json:"contract,omitempty" brief:"" doc:"what has to be true before it counts as done, with the terms that are there; as in create_ticket: holds, file, command, record, number, cites or verdict"`
	Result   string      `json:"result,omitempty" doc:"with status DONE: what was done and where it can be seen; the contract is checked against it"`
}

// Claim implements [tool.Claimer].
func (in TicketChange) Claim() (tool.Claim, bool) {
	return tool.Claim{Record: in.Ticket, Said: in.Result}, in.Status == string(desk.Done)
}

func (t tools) updateTicket(ctx context.Context, c tool.Call, in TicketChange) (Made, []event.Draft, error) {
	out, drafts, err := plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		without := []string{"ticketId", "result"}
		if c.Proof != nil {
			w.Proved(c.Proof.Found)
			if c.Proof.Found == desk.Unproven { // it is not done, whatever is said
				without = append(without, "status")
			}
		}
		fields, err := set(in, without...)
		if err != nil {
			return Made{}, err
		}
		id, err := ticketNamed(w, in.Ticket)
		if err != nil {
			return Made{}, err
		}
		r, err := w.Patch(desk.Ticket, id, fields)
		out := made(r, false)
		out.Status = "updated"
		if c.Proof != nil && c.Proof.Found == desk.Unproven {
			out.Status, out.Note = "unproven", "The ticket is not done: its contract is not met.\n"+c.Proof.Short
		}
		return out, err
	})
	if c.Proof != nil && err == nil {
		drafts = append(drafts, c.Proof.Drafts...)
	}
	return out, drafts, err
}

// ticketNamed is the id of a ticket that is named by it, or by a tracker's key.
func ticketNamed(w *clerk.Work, name string) (string, error) {
	if strings.HasPrefix(name, desk.Ticket.Prefix()+"_") {
		return name, nil
	}
	r, ok, err := w.Find(desk.Ticket, desk.SummaryOf(&desk.TicketBody{ExternalRef: name}).Identity)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "The ticket %s does not exist here.", name)
	}
	return r.ID, err
}

// set returns the fields of in that are filled in, as a patch.
func set(in any, without ...string) (json.RawMessage, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	for _, f := range without {
		delete(m, f)
	}
	return json.Marshal(m)
}

// NewObjective is an objective to create.
type NewObjective struct {
	Outcome   string    `json:"outcome" doc:"what will be true"`
	Signal    string    `json:"measurableSignal,omitempty" doc:"how one sees it"`
	Sprint    string    `json:"sprintName,omitempty"`
	Status    string    `json:"status,omitempty" enum:"PROPOSED,COMMITTED,AT_RISK,ACHIEVED,MISSED,DROPPED"`
	TicketIDs []string  `json:"ticketIds,omitempty"`
	StartDate desk.Date `json:"startDate,omitempty"`
	EndDate   desk.Date `json:"endDate,omitempty"`
	Quote     string    `json:"quote,omitempty" doc:"the exact words it comes from"`
}

func (t tools) createObjective(ctx context.Context, c tool.Call, in NewObjective) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, isNew, err := clerk.EnsureNamed(w, desk.Objective, &desk.ObjectiveBody{
			Outcome: in.Outcome, Signal: in.Signal, SprintName: in.Sprint, Status: desk.ObjectiveStatus(in.Status), TicketIDs: in.TicketIDs,
			StartDate: in.StartDate, EndDate: in.EndDate, Sources: source(c, in.Quote),
		})
		return made(r, isNew), err
	})
}

// ObjectiveChange changes an objective.
type ObjectiveChange struct {
	Objective string    `json:"objectiveId"`
	Outcome   string    `json:"outcome,omitempty"`
	Signal    string    `json:"measurableSignal,omitempty"`
	Status    string    `json:"status,omitempty" enum:"PROPOSED,COMMITTED,AT_RISK,ACHIEVED,MISSED,DROPPED"`
	Risks     []string  `json:"risks,omitempty" doc:"replaces the list"`
	TicketIDs []string  `json:"ticketIds,omitempty" doc:"added to the list"`
	EndDate   desk.Date `json:"endDate,omitempty"`
}

func (t tools) updateObjective(ctx context.Context, c tool.Call, in ObjectiveChange) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, err := w.Get(desk.Objective, in.Objective)
		if err != nil {
			return Made{}, err
		}
		b, err := desk.Open[desk.ObjectiveBody](r)
		if err != nil {
			return Made{}, err
		}
		for _, id := range b.TicketIDs {
			if len(in.TicketIDs) > 0 && !slices.Contains(in.TicketIDs, id) {
				in.TicketIDs = append(in.TicketIDs, id)
			}
		}
		fields, err := set(in, "objectiveId")
		if err != nil {
			return Made{}, err
		}
		r, err = w.Patch(desk.Objective, in.Objective, fields)
		out := made(r, false)
		out.Status = "updated"
		return out, err
	})
}

// NewPerson is a resource to create.
type NewPerson struct {
	Name         string   `json:"name"`
	Role         string   `json:"role,omitempty" enum:"ENGINEER,DESIGNER,PM,QA"`
	Email        string   `json:"email,omitempty"`
	Skills       []string `json:"skills,omitempty"`
	Capacity     *float64 `json:"capacity,omitempty" doc:"hours a week; 40 when not said"`
	Availability *float64 `json:"availability,omitempty" doc:"share of it for this project, 0 to 1"`
	Quote        string   `json:"quote,omitempty" doc:"the exact words it comes from"`
}

func (t tools) createResource(ctx context.Context, c tool.Call, in NewPerson) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, isNew, err := clerk.EnsureNamed(w, desk.Resource, &desk.ResourceBody{
			Name: in.Name, Role: in.Role, Email: in.Email, Skills: in.Skills, Capacity: in.Capacity, Availability: in.Availability, Sources: source(c, in.Quote),
		})
		return made(r, isNew), err
	})
}

// Share gives or takes a ticket.
type Share struct {
	Resource string  `json:"resourceId"`
	Ticket   string  `json:"ticketId"`
	Percent  float64 `json:"allocationPercent,omitempty" doc:"of their time, 0 to 100"`
}

func (t tools) assign(ctx context.Context, c tool.Call, in Share) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, err := w.Assign(in.Ticket, in.Resource, in.Percent, source(c, ""))
		return Made{ID: r.ID, Status: "created"}, err
	})
}

// Freed is what becomes free.
type Freed struct {
	Percent float64 `json:"freedPercent"`
}

func (t tools) unassign(ctx context.Context, c tool.Call, in Share) (Freed, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Freed, error) {
		p, err := w.Unassign(in.Ticket, in.Resource)
		return Freed{p}, err
	})
}

// NewDeltaPack is what a reconciliation found.
type NewDeltaPack struct {
	Title    string     `json:"title,omitempty"`
	Compared []string   `json:"sourcesCompared,omitempty"`
	Deltas   []NewDelta `json:"deltas"`
}

// NewDelta is a desk.Delta as a tool takes it, not decided yet, with tags that say what
// may be left out and which values there are.
type NewDelta struct {
	Type       desk.DeltaType `json:"deltaType" enum:"MISSING_EPIC,DATE_DRIFT,OWNER_MISMATCH,SCOPE_MISMATCH,DEPENDENCY_MISMATCH,COVERAGE_GAP,ORPHANED_WORK,CAPACITY_OVERLOAD,STALE_ARTIFACT,PRIORITY_MISMATCH,STATUS_MISMATCH,DUPLICATE_ENTRY,ABSENCE"`
	Severity   desk.Level     `json:"severity,omitempty" enum:"LOW,MEDIUM,HIGH,CRITICAL"`
	Title      string         `json:"title"`
	Text       string         `json:"description,omitempty"`
	SourceA    string         `json:"sourceA,omitempty"`
	SourceB    string         `json:"sourceB,omitempty"`
	Field      string         `json:"fieldName,omitempty"`
	ValueA     string         `json:"valueA,omitempty"`
	ValueB     string         `json:"valueB,omitempty"`
	Suggestion string         `json:"suggestedAction,omitempty"`
	Records    []string       `json:"recordIds,omitempty"`
	Auto       bool           `json:"autoResolvable,omitempty" doc:"the suggested action needs nobody's decision"`
}

func (t tools) createDeltaPack(ctx context.Context, c tool.Call, in NewDeltaPack) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		b := &desk.DeltaPackBody{Title: in.Title, Compared: in.Compared, RunID: string(c.Run.ID), Sources: source(c, "")}
		for _, d := range in.Deltas {
			b.Deltas = append(b.Deltas, desk.Delta{
				Type: d.Type, Severity: d.Severity, Title: d.Title, Text: d.Text, SourceA: d.SourceA, SourceB: d.SourceB,
				Field: d.Field, ValueA: d.ValueA, ValueB: d.ValueB, Suggestion: d.Suggestion, Records: d.Records, Auto: d.Auto,
			})
		}
		r, err := clerk.Add(w, desk.DeltaPack, b)
		return made(r, true), err
	})
}

// NewBlindspot is something nobody looks at.
type NewBlindspot struct {
	Title       string   `json:"title"`
	Category    string   `json:"category" enum:"ORPHANED_TICKET,UNCOVERED_OBJECTIVE,EMPTY_PHASE,UNASSIGNED_WORK,MISSING_OWNER,DEPENDENCY_RISK,CAPACITY_GAP,SCOPE_OVERLAP,MISSING_TEST_SIGNAL,STALE_ARTIFACT,MILESTONE_RISK,RISK"`
	Severity    string   `json:"severity,omitempty" enum:"LOW,MEDIUM,HIGH,CRITICAL"`
	Description string   `json:"description,omitempty"`
	Owner       string   `json:"owner,omitempty"`
	Records     []string `json:"recordIds,omitempty"`
	Pack        string   `json:"deltaPackId,omitempty" doc:"that tells of it"`
}

func (t tools) createBlindspot(ctx context.Context, c tool.Call, in NewBlindspot) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, isNew, err := clerk.EnsureNamed(w, desk.Blindspot, &desk.BlindspotBody{
			Title: in.Title, Category: in.Category, Severity: desk.Level(in.Severity), Description: in.Description, Owner: in.Owner, RecordIDs: in.Records,
			DeltaPackID: in.Pack, RunID: string(c.Run.ID), Sources: source(c, ""),
		})
		return made(r, isNew), err
	})
}
