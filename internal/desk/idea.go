package desk

import (
	"fmt"

	"chela/internal/fault"
)

// IdeaStatus is where an idea stands.
type IdeaStatus string

// The values of IdeaStatus.
const (
	IdeaNew      IdeaStatus = "NEW"
	IdeaReviewed IdeaStatus = "REVIEWED"
	IdeaPromoted IdeaStatus = "PROMOTED" // it became a ticket; final
	IdeaArchived IdeaStatus = "ARCHIVED"
)

// IdeaStatuses lists all values.
func IdeaStatuses() []IdeaStatus {
	return []IdeaStatus{IdeaNew, IdeaReviewed, IdeaPromoted, IdeaArchived}
}

// Idea is the kind of thoughts that may become work.
const Idea Kind = "idea"

// An IdeaBody is a thought that may become work.
type IdeaBody struct {
	Title    string     `json:"title"`
	Content  string     `json:"content,omitempty"`
	Tags     []string   `json:"tags,omitempty"`
	Status   IdeaStatus `json:"status"`
	TicketID string     `json:"promotedToTicketId,omitempty"`
	ThreadID string     `json:"threadId,omitempty"`
	UploadID string     `json:"sourceUploadId,omitempty"`
	Sources  []Source   `json:"sources,omitempty"`
}

// Check implements [Thing].
func (i *IdeaBody) Check() error {
	i.Title = named(i.Title)
	orDefault(&i.Status, IdeaNew)
	return firstOf(required("title", i.Title), oneOf("status", i.Status, IdeaStatuses()))
}
func (i *IdeaBody) identity() string { return i.Title }
func (i *IdeaBody) title() string    { return i.Title }
func (i *IdeaBody) status() string   { return string(i.Status) }
func (i *IdeaBody) refs() []Ref {
	return []Ref{{"promotedToTicketId", i.TicketID}, {"threadId", i.ThreadID}, {"sourceUploadId", i.UploadID}}
}

func followIdea(old, next Thing) error {
	a, aok := old.(*IdeaBody)
	b, bok := next.(*IdeaBody)
	if aok && bok && a.Status == IdeaPromoted && a.TicketID != "" && b.TicketID != "" && b.Status != IdeaPromoted {
		return fault.New(fault.Conflict, "The idea became the ticket %s; it cannot become %s again.", a.TicketID, b.Status)
	}
	return nil
}

func (*IdeaBody) facets() facets {
	return facets{
		kind:    Idea,
		prefix:  "ida",
		word:    "idea",
		follow:  followIdea,
		section: "IDEAS",
		merged:  true,
		form: []Input{
			{Name: "title"}, {Name: "status"}, {Name: "tags"}, {Name: "content", Long: true},
		},
		asked: Asked{
			Open: "status:NEW,REVIEWED", Done: "status:PROMOTED", Day: "created", Titled: true,
			Columns: []string{"title", "status", "tags"}, Values: []string{"tags"},
		},
	}
}

func (i *IdeaBody) line(_ string) string {
	return fmt.Sprintf("%s [%s] %.300s", i.Title, i.Status, i.Content)
}
