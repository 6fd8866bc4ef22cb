package desk

import (
	"context"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/tool"
)

// TicketsIn narrows a list of tickets, or names one that is read whole.
type TicketsIn struct {
	Ticket string `json:"ticketId,omitempty" doc:"one ticket, by id or key, with all that it says"`
	Narrow
}

// TicketWhole is what a list of tickets leaves out of each.
type TicketWhole struct {
	Type        desk.TicketType `json:"type,omitempty"`
	Description string          `json:"description,omitempty"`
	Due         desk.Date       `json:"dueDate,omitempty"`
	Sprint      string          `json:"sprint,omitempty"`
	Labels      []string        `json:"labels,omitempty"`
	Reporter    string          `json:"reporter,omitempty"`
	Parent      string          `json:"parentTicketId,omitempty"`
	BlockedBy   []string        `json:"blockedBy,omitempty"`
	Related     []string        `json:"relatedTo,omitempty"`
	Objectives  []string        `json:"objectiveIds,omitempty"`
	Threads     []string        `json:"linkedThreadIds,omitempty"`
	Links       []string        `json:"evidenceLinks,omitempty"`
	Evidence    []Said          `json:"evidence,omitempty"`
	Quotes      []string        `json:"quotes,omitempty"` // the words that it was made of
	Contract    []desk.Term     `json:"contract,omitempty"`
	Proof       desk.Proof      `json:"proof,omitempty"`
	Comments    int             `json:"comments"` // which read_comments reads
}

// Said is what a record rests on.
type Said struct {
	By   string    `json:"by,omitempty"`
	Date desk.Date `json:"date,omitempty"`
	Text string    `json:"text"`
}

func saidIn(all []desk.Evidence) (out []Said) {
	for _, e := range all {
		out = append(out, Said{e.Author, e.Date, strings.TrimSpace(e.Snippet + " " + e.Reference)})
	}
	return out
}

func quotes(all []desk.Source) (out []string) {
	for _, s := range all {
		if s.Quote != "" {
			out = append(out, s.Quote)
		}
	}
	return out
}

// one returns the record of a kind that is named by its id or, where keyed has one, by its key.
func (t tools) one(ctx context.Context, c tool.Call, k desk.Kind, name string, keyed desk.Thing) (clerk.Page, error) {
	q := clerk.Query{Kind: k, IDs: []string{name}, Limit: 1}
	if keyed != nil && !strings.HasPrefix(name, k.Prefix()+"_") {
		q.IDs, q.Identity = nil, desk.SummaryOf(keyed).Identity
	}
	p, err := t.list(ctx, c, q)
	if err == nil && len(p.Records) == 0 {
		err = fault.New(fault.NotFound, "The %s %s does not exist here.", k.Word(), name)
	}
	return p, err
}

// whole adds to a row what a list leaves out.
func (t tools) whole(ctx context.Context, c tool.Call, r desk.Record, row *TicketRow) error {
	b, err := desk.Open[desk.TicketBody](r)
	if err != nil {
		return err
	}
	said, err := t.list(ctx, c, clerk.Query{Kind: desk.Comment, RefField: "recordId", RefTo: []string{r.ID}, Limit: 1})
	if err != nil {
		return err
	}
	row.TicketWhole = &TicketWhole{
		b.Type, b.Description, b.DueDate, b.Sprint, b.Labels, b.Reporter, b.ParentID, b.BlockedBy, b.RelatedTo, b.ObjectiveIDs, b.LinkedThreads,
		b.EvidenceLinks, saidIn(b.Evidence), quotes(b.Sources), b.Contract, b.Proof, said.Total,
	}
	return nil
}

// ThreadsIn narrows a list of threads, or names one that is read whole.
type ThreadsIn struct {
	Thread string `json:"threadId,omitempty" doc:"one thread, with all that it says"`
	Narrow
}

// ThreadWhole is what a list of threads leaves out of each.
type ThreadWhole struct {
	Date      desk.Date       `json:"date,omitempty"`
	Attendees []string        `json:"attendees,omitempty"`
	Content   string          `json:"content,omitempty"`
	Decided   []desk.Decision `json:"decided,omitempty"`
	ToDo      []desk.Action   `json:"toDo,omitempty"`
	Questions []string        `json:"openQuestions,omitempty"`
	Evidence  []Said          `json:"evidence,omitempty"`
}

func threadWhole(b desk.ThreadBody) *ThreadWhole {
	return &ThreadWhole{b.Date, b.Attendees, b.Content, b.Decisions, b.Actions, b.Questions, saidIn(b.Evidence)}
}
