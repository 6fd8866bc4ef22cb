package desk

import (
	"context"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/tool"
)

// Commented names a record whose comments are read.
type Commented struct {
	Record string `json:"recordId" doc:"the record"`
	Cursor string `json:"cursor,omitempty"`
}

// CommentRow is a comment in a list.
type CommentRow struct {
	ID      string    `json:"id"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Text    string    `json:"text"`
	ReplyTo string    `json:"replyTo,omitempty"`
}

func (t tools) readComments(ctx context.Context, c tool.Call, in Commented) (List[CommentRow], error) {
	p, err := t.list(ctx, c, clerk.Query{Kind: desk.Comment, RefField: "recordId", RefTo: []string{in.Record}, Cursor: in.Cursor, Limit: 50})
	if err != nil {
		return List[CommentRow]{}, err
	}
	return listOf(p, func(r desk.Record, b desk.CommentBody) CommentRow {
		return CommentRow{r.ID, r.CreatedBy, r.CreatedAt, b.Text, b.ReplyTo}
	})
}

// NewComment is something to say about a record.
type NewComment struct {
	Record  string `json:"recordId" doc:"the record"`
	Text    string `json:"text" doc:"Markdown; @NAME mentions a person or an agent"`
	ReplyTo string `json:"replyTo,omitempty" doc:"the comment that is answered"`
}

func (t tools) addComment(ctx context.Context, c tool.Call, in NewComment) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		r, err := clerk.Add(w, desk.Comment, &desk.CommentBody{RecordID: in.Record, Text: in.Text, ReplyTo: in.ReplyTo})
		return made(r, true), err
	})
}
