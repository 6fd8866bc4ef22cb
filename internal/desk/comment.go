package desk

import (
	"strings"
	"unicode/utf8"

	"chela/internal/fault"
)

// Comment is the kind of what people and agents say about a record.
const Comment Kind = "comment"

// A CommentBody is something said about a record, in Markdown. Who says it is who creates the record.
// @NAME in it mentions a person or an agent.
type CommentBody struct {
	RecordID string `json:"recordId"`
	Text     string `json:"text"`
	ReplyTo  string `json:"replyTo,omitempty"` // another comment
}

// longestComment is in bytes.
const longestComment = 32 << 10

// Check implements [Thing].
func (c *CommentBody) Check() error {
	c.Text = strings.TrimSpace(c.Text)
	if len(c.Text) > longestComment {
		return fault.BadField("text", "A comment has at most 32 KiB. Attach longer texts as files.")
	}
	return firstOf(required("recordId", c.RecordID), required("text", c.Text))
}
func (c *CommentBody) identity() string { return "" }

// title is the first line, short.
func (c *CommentBody) title() string {
	line, _, _ := strings.Cut(c.Text, "\n")
	if utf8.RuneCountInString(line) > 80 {
		return string([]rune(line)[:79]) + "…"
	}
	return line
}
func (c *CommentBody) status() string { return "" }
func (c *CommentBody) refs() []Ref {
	return []Ref{{"recordId", c.RecordID}, {"replyTo", c.ReplyTo}}
}

func (*CommentBody) facets() facets {
	return facets{
		kind:     Comment,
		prefix:   "cmt",
		word:     "comment",
		attached: "recordId",
		authored: true,
	}
}
