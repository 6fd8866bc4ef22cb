// Package desk gives agents the desk's records as tools, through the same clerk that
// people's edits go through.
package desk

import (
	"context"
	"embed"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/extract"
	"chela/internal/fault"
	"chela/internal/flow"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/session"
	"chela/internal/tool"
)

//go:embed *.md
var help embed.FS

// Conversations reads what was said in a thread.
type Conversations interface {
	Session(ctx context.Context, thread string) (session.Thread, error)
	Messages(ctx context.Context, thread string, after event.Seq, limit int) ([]session.Message, error)
}

type tools struct {
	clerk     *clerk.Clerk
	conv      Conversations
	artifacts Artifacts
	mem       Memories
}

// Memories find what was remembered and said.
type Memories interface {
	Recall(ctx context.Context, who memory.Reader, q memory.Question) ([]memory.Hit, error)
	Notes(ctx context.Context, person string) ([]memory.Note, error)
	Teams(ctx context.Context, agent org.AgentID) ([]string, error)
}

// Tools returns the tools over a clerk.
func Tools(c *clerk.Clerk, conv Conversations, arts Artifacts, mem Memories) []*tool.Tool {
	t := tools{c, conv, arts, mem}
	read := func(name string) tool.Spec {
		return tool.Spec{Name: name, Help: tool.HelpFile(help, name), Risk: tool.ReadOnly, Role: org.Viewer, Repeatable: true, Private: true}
	}
	// What is computed over many records comes from wherever any of them did.
	from := func(origin, name string) tool.Spec {
		s := read(name)
		s.Untrusted = origin
		return s
	}
	write := func(name string) tool.Spec {
		return tool.Spec{Name: name, Help: tool.HelpFile(help, name), Risk: tool.WriteRecords, Role: org.Editor}
	}
	return append(t.planTools(read, from, write), []*tool.Tool{
		tool.Func(read("read_threads"), t.readThreads),
		tool.Func(from(tool.FromConversations, "read_thread_messages"), t.readMessages),
		tool.Func(read("read_tickets"), t.readTickets),
		tool.Func(read("read_objectives"), t.readObjectives),
		tool.Func(read("read_resources"), t.readResources),
		tool.Func(read("read_blindspots"), t.readBlindspots),
		tool.Func(from(tool.FromDocuments, "read_uploads"), t.readUploads),
		tool.Func(from(tool.FromDocuments, "read_upload"), t.readUpload),
		tool.Func(from(tool.FromImports, "capacity_report"), t.capacityReport),
		tool.Func(from(tool.FromImports, "suggest_assignments"), t.suggest),
		tool.Func(from(tool.FromImports, "compute_coverage"), t.coverage),
		tool.Func(read("classify_content"), t.classify),
		tool.Record(memorySpec(), t.memory),
		tool.Record(write("create_thread"), t.createThread),
		tool.Record(write("rename_thread"), t.renameThread),
		tool.Record(write("merge_threads"), t.mergeThreads),
		tool.Record(write("attach_evidence"), t.attachEvidence),
		tool.Record(write("create_ticket"), t.createTicket),
		tool.Record(write("update_ticket"), t.updateTicket),
		tool.Record(write("create_objective"), t.createObjective),
		tool.Record(write("update_objective"), t.updateObjective),
		tool.Record(write("create_resource"), t.createResource),
		tool.Record(write("assign_resource"), t.assign),
		tool.Record(write("unassign_resource"), t.unassign),
		tool.Record(write("create_delta_pack"), t.createDeltaPack),
		tool.Record(write("create_blindspot"), t.createBlindspot),
	}...)
}

// Made is what a tool that creates returns.
type Made struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Status  string `json:"status"` // created, already_exists, updated, unproven
	Related string `json:"related,omitempty"`
	Note    string `json:"note,omitempty"`
}

func made(r desk.Record, isNew bool) Made {
	s, err := desk.Summarize(r)
	if err != nil {
		return Made{ID: r.ID}
	}
	status := "already_exists"
	if isNew {
		status = "created"
	}
	return Made{ID: r.ID, Title: s.Title, Status: status}
}

// errNoProject says what to do for a tool that works in a project: in a conversation, and as a client of MCP, which has none.
func errNoProject() error {
	return fault.New(fault.Invalid, "This is done in a project, and there is none. In a conversation say `use project NAME` first; a client of MCP gives the project's id as projectId, or in its address as ?project=ID.")
}

// plan runs fn over the call's project and returns the events it planned.
func plan[T any](ctx context.Context, t tools, c tool.Call, fn func(*clerk.Work) (T, error)) (T, []event.Draft, error) {
	var none T
	if c.Run.Project == "" {
		return none, nil, errNoProject()
	}
	w, err := t.clerk.Begin(ctx, c.Place, c.Run.Project)
	if err != nil {
		return none, nil, err
	}
	w.For(c.Run.By)
	w.ByHand()
	if len(tool.Untrusted(c.Origins)) > 0 {
		w.FromOutside()
	}
	out, err := fn(w)
	if err != nil {
		return none, nil, err
	}
	drafts, err := w.Drafts()
	return out, drafts, err
}

// source says that a model made the record, with the words it gave.
func source(c tool.Call, quote string) []desk.Source {
	return []desk.Source{{By: "model:" + string(c.Agent), Quote: strings.TrimSpace(quote)}}
}

func (t tools) list(ctx context.Context, c tool.Call, q clerk.Query) (clerk.Page, error) {
	if c.Run.Project == "" {
		return clerk.Page{}, errNoProject()
	}
	q.Project = c.Run.Project
	return t.clerk.Store().Records(ctx, q)
}

// Narrow narrows a list.
type Narrow struct {
	Text   string `json:"text,omitempty" doc:"words in the title"`
	Status string `json:"status,omitempty" doc:"only this status"`
	Cursor string `json:"cursor,omitempty" doc:"the next of an earlier answer"`
}

// List is one part of a list.
type List[T any] struct {
	Items []T    `json:"items"`
	Total int    `json:"total"`
	Next  string `json:"next,omitempty"`
	from  []string
}

// From implements [tool.Sourced].
func (l List[T]) From() []string { return l.from }

// fromOf says where records came from when that is outside.
func fromOf(records ...desk.Record) []string {
	if slices.ContainsFunc(records, func(r desk.Record) bool { return r.Outside }) {
		return []string{tool.FromImports}
	}
	return nil
}

func listOf[B, T any](p clerk.Page, row func(desk.Record, B) T) (List[T], error) {
	out := List[T]{Items: []T{}, Total: p.Total, Next: p.Next, from: fromOf(p.Records...)}
	for _, r := range p.Records {
		b, err := desk.Open[B](r)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, row(r, b))
	}
	return out, nil
}

// ThreadRow is a thread in a list.
type ThreadRow struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Summary   string `json:"summary,omitempty"`
	Decisions int    `json:"decisions"`
	Actions   int    `json:"actions"`
	*ThreadWhole
}

func (t tools) readThreads(ctx context.Context, c tool.Call, in ThreadsIn) (List[ThreadRow], error) {
	ask := func() (clerk.Page, error) { return t.one(ctx, c, desk.Thread, in.Thread, nil) }
	if in.Thread == "" {
		ask = func() (clerk.Page, error) {
			return t.list(ctx, c, clerk.Query{Kind: desk.Thread, Text: in.Text, Status: in.Status, Cursor: in.Cursor, Limit: 50, Newest: true})
		}
	}
	p, err := ask()
	if err != nil {
		return List[ThreadRow]{}, err
	}
	return listOf(p, func(r desk.Record, b desk.ThreadBody) ThreadRow {
		row := ThreadRow{r.ID, b.Title, b.Summary, len(b.Decisions), len(b.Actions), nil}
		if in.Thread != "" {
			row.ThreadWhole = threadWhole(b)
		}
		return row
	})
}

// MessagesIn asks for messages.
type MessagesIn struct {
	Thread string `json:"threadId" doc:"the thread"`
	After  int64  `json:"after,omitempty" doc:"only messages past this position"`
	Offset int    `json:"offset,omitempty" doc:"leave out so many first"`
	Limit  int    `json:"limit,omitempty" doc:"at most 200, which is the default"`
}

// MessageRow is one message.
type MessageRow struct {
	Seq  int64  `json:"seq"`
	From string `json:"from"`
	Text string `json:"text"`
}

func (t tools) readMessages(ctx context.Context, c tool.Call, in MessagesIn) (List[MessageRow], error) {
	if in.Thread != c.Run.Thread {
		switch at, err := t.conv.Session(ctx, in.Thread); {
		case err != nil && fault.KindOf(err) != fault.NotFound:
			return List[MessageRow]{}, err
		case err == nil && at.Project != c.Run.Project:
			return List[MessageRow]{}, fault.New(fault.NotFound, "The conversation %s is not of this project.", in.Thread)
		}
	}
	limit := min(max(in.Limit, 0), 200)
	if limit == 0 {
		limit = 200
	}
	skip := min(max(in.Offset, 0), 10_000)
	messages, err := t.conv.Messages(ctx, in.Thread, event.Seq(in.After), skip+limit+1)
	out := List[MessageRow]{Items: []MessageRow{}, Total: len(messages)}
	messages = messages[min(skip, len(messages)):]
	for i, m := range messages {
		if i == limit {
			out.Next = strconv.FormatInt(int64(messages[i-1].Seq), 10) // to be asked for with after
			break
		}
		out.Items = append(out.Items, MessageRow{int64(m.Seq), m.Actor, m.Message})
	}
	return out, err
}

// TicketRow is a ticket in a list.
type TicketRow struct {
	ID       string            `json:"id"`
	Key      string            `json:"key,omitempty"`
	Title    string            `json:"title"`
	Status   desk.TicketStatus `json:"status"`
	Priority desk.Level        `json:"priority"`
	Points   *float64          `json:"storyPoints,omitempty"`
	Owner    string            `json:"owner"`
	*TicketWhole
}

func (t tools) readTickets(ctx context.Context, c tool.Call, in TicketsIn) (List[TicketRow], error) {
	ask := func() (clerk.Page, error) {
		return t.one(ctx, c, desk.Ticket, in.Ticket, &desk.TicketBody{ExternalRef: in.Ticket})
	}
	if in.Ticket == "" {
		ask = func() (clerk.Page, error) {
			return t.list(ctx, c, clerk.Query{Kind: desk.Ticket, Text: in.Text, Status: in.Status, Cursor: in.Cursor, Limit: 50, Newest: true})
		}
	}
	p, err := ask()
	if err != nil {
		return List[TicketRow]{}, err
	}
	owners, err := clerk.Owners(ctx, t.clerk.Store(), c.Run.Project, p.Records)
	if err != nil {
		return List[TicketRow]{}, err
	}
	out, err := listOf(p, func(r desk.Record, b desk.TicketBody) TicketRow {
		return TicketRow{r.ID, b.ExternalRef, b.Title, b.Status, b.Priority, b.StoryPoints, owners[r.ID].Line(), nil}
	})
	if err == nil && in.Ticket != "" {
		err = t.whole(ctx, c, p.Records[0], &out.Items[0])
	}
	return out, err
}

// ObjectiveRow is an objective in a list.
type ObjectiveRow struct {
	ID       string               `json:"id"`
	Sprint   string               `json:"sprintName,omitempty"`
	Outcome  string               `json:"outcome"`
	Signal   string               `json:"measurableSignal,omitempty"`
	Status   desk.ObjectiveStatus `json:"status"`
	Coverage float64              `json:"coveragePercent"`
	Tickets  []string             `json:"ticketIds"`
}

func (t tools) readObjectives(ctx context.Context, c tool.Call, in Narrow) (List[ObjectiveRow], error) {
	p, err := t.list(ctx, c, clerk.Query{Kind: desk.Objective, Text: in.Text, Status: in.Status, Cursor: in.Cursor})
	if err != nil {
		return List[ObjectiveRow]{}, err
	}
	return listOf(p, func(r desk.Record, b desk.ObjectiveBody) ObjectiveRow {
		return ObjectiveRow{r.ID, b.SprintName, b.Outcome, b.Signal, b.Status, b.Coverage, b.TicketIDs}
	})
}

// PersonRow is a person in a list.
type PersonRow struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Role         string   `json:"role"`
	Capacity     float64  `json:"capacity"`
	Availability float64  `json:"availability"`
	Skills       []string `json:"skills,omitempty"`
}

func (t tools) readResources(ctx context.Context, c tool.Call, in Narrow) (List[PersonRow], error) {
	p, err := t.list(ctx, c, clerk.Query{Kind: desk.Resource, Text: in.Text, Cursor: in.Cursor, Limit: 200})
	if err != nil {
		return List[PersonRow]{}, err
	}
	return listOf(p, func(r desk.Record, b desk.ResourceBody) PersonRow {
		return PersonRow{r.ID, b.Name, b.Role, *b.Capacity, *b.Availability, b.Skills}
	})
}

// BlindspotRow is a blindspot in a list.
type BlindspotRow struct {
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	Category string     `json:"category"`
	Severity desk.Level `json:"severity"`
}

func (t tools) readBlindspots(ctx context.Context, c tool.Call, in Narrow) (List[BlindspotRow], error) {
	p, err := t.list(ctx, c, clerk.Query{Kind: desk.Blindspot, Text: in.Text, Status: "OPEN", Cursor: in.Cursor})
	if err != nil {
		return List[BlindspotRow]{}, err
	}
	return listOf(p, func(r desk.Record, b desk.BlindspotBody) BlindspotRow {
		return BlindspotRow{r.ID, b.Title, b.Category, b.Severity}
	})
}

// Nothing is the input of a tool that takes none.
type Nothing struct{}

func (t tools) capacityReport(ctx context.Context, c tool.Call, _ Nothing) (capacity.Report, error) {
	s, err := clerk.LoadStaffing(ctx, t.clerk.Store(), c.Run.Project)
	return t.capacity(s), err
}

// capacity is who has room now.
func (t tools) capacity(s clerk.Staffing) capacity.Report {
	return capacity.Estimated(s.People, s.Tickets, s.Shares, t.clerk.Store().Mint().Now())
}

// Suggested is what suggest_assignments returns.
type Suggested struct {
	Suggestions []capacity.Suggestion `json:"suggestions"`
}

// SuggestIn may name one ticket.
type SuggestIn struct {
	Ticket string `json:"ticketId,omitempty" doc:"only for this one"`
}

func (t tools) suggest(ctx context.Context, c tool.Call, in SuggestIn) (Suggested, error) {
	s, err := clerk.LoadStaffing(ctx, t.clerk.Store(), c.Run.Project)
	if err != nil {
		return Suggested{}, err
	}
	report := t.capacity(s)
	if in.Ticket != "" {
		s.Tickets = slices.DeleteFunc(s.Tickets, func(t capacity.Ticket) bool { return t.ID != in.Ticket })
	}
	return Suggested{append([]capacity.Suggestion{}, capacity.Suggest(report, slices.Values(s.Tickets), 20)...)}, nil
}

// CoverageOut is what compute_coverage returns.
type CoverageOut struct {
	Objectives []flow.Coverage `json:"objectives"`
	Unmapped   int             `json:"unmappedTickets"`
	Examples   []string        `json:"unmappedExamples"`
}

// CoverageIn may name one sprint.
type CoverageIn struct {
	Sprint string `json:"sprintName,omitempty" doc:"only its objectives"`
}

func (t tools) coverage(ctx context.Context, c tool.Call, in CoverageIn) (CoverageOut, error) {
	out := CoverageOut{Objectives: []flow.Coverage{}, Examples: []string{}}
	objectives, tickets, err := clerk.LoadObjectives(ctx, t.clerk.Store(), c.Run.Project)
	if err != nil {
		return out, err
	}
	covers, unmapped := flow.Coverages(objectives, tickets)
	for i, o := range objectives {
		if in.Sprint == "" || strings.EqualFold(o.SprintName, in.Sprint) {
			out.Objectives = append(out.Objectives, covers[i])
		}
	}
	out.Unmapped, out.Examples = len(unmapped), unmapped[:min(len(unmapped), 20)]
	return out, nil
}

// Content is a text to classify.
type Content struct {
	Content string `json:"content" doc:"the text"`
	Hint    string `json:"sourceHint,omitempty" doc:"what somebody says it is, such as jira or minutes"`
}

// Class is what a text is.
type Class struct {
	Type       string   `json:"contentType"`
	Confidence float64  `json:"confidence"`
	People     []string `json:"extractedPeople"`
	Keys       []string `json:"extractedKeys"`
	Projects   []string `json:"extractedProjects"` // what comes before the number in keys
	Dates      []string `json:"extractedDates"`
}

func (tools) classify(_ context.Context, _ tool.Call, in Content) (Class, error) {
	out := Class{People: []string{}, Keys: []string{}, Projects: []string{}, Dates: []string{}}
	out.Type, out.Confidence = extract.Classify(in.Content, false)
	if said, ok := extract.Hinted(in.Hint); ok {
		out.Type, out.Confidence = said, 0.9
	}
	m := extract.ReadMinutes(in.Content)
	for _, a := range m.Attendees {
		out.People = append(out.People, a.Name)
	}
	for _, k := range m.Keys {
		out.Keys = append(out.Keys, k.Key)
		project, _, _ := strings.Cut(k.Key, "-")
		out.Projects = union(out.Projects, []string{project})
	}
	out.Dates = dated(out.Dates, m.Date)
	for _, a := range m.Actions {
		out.Dates = dated(out.Dates, a.Due)
	}
	return out, nil
}

// dated adds the day of t, when there is one.
func dated(days []string, t time.Time) []string {
	if t.IsZero() {
		return days
	}
	return union(days, []string{t.Format(time.DateOnly)})
}
