package desk

import (
	"fmt"
)

// Upload is the kind of documents that came in.
const Upload Kind = "upload"

// An UploadBody is a document that came in.
type UploadBody struct {
	Source      string            `json:"source"` // paste, file, network
	SourceURL   string            `json:"sourceUrl,omitempty"`
	Title       string            `json:"title"`
	ContentType string            `json:"contentType,omitempty"` // csv, xlsx, markdown …
	Artifact    string            `json:"binaryRef"`             // the raw bytes
	Bytes       int               `json:"bytes"`
	Status      string            `json:"status"` // INBOX, THREADED, ARCHIVED
	Problems    []string          `json:"problems,omitempty"`
	IntakeID    string            `json:"intakeId,omitempty"`
	ThreadID    string            `json:"threadId,omitempty"` // what was made of it
	Class       string            `json:"classifiedAs,omitempty"`
	Confidence  float64           `json:"confidence,omitempty"` // of that
	People      []string          `json:"people,omitempty"`
	Systems     []string          `json:"systems,omitempty"`          // trackers' projects, products it is about
	Dated       Date              `json:"contentTimestamp,omitempty"` // as the content says
	Inferred    bool              `json:"inferredTimestamp,omitempty"`
	Tags        []string          `json:"tags,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

// Check implements [Thing].
func (u *UploadBody) Check() error {
	orDefault(&u.Status, "INBOX")
	orDefault(&u.Source, "file")
	return firstOf(required("title", u.Title), required("binaryRef", u.Artifact), u.Dated.check("contentTimestamp"), oneOf("status", u.Status, []string{"INBOX", "THREADED", "ARCHIVED"}))
}
func (u *UploadBody) identity() string { return u.Artifact }
func (u *UploadBody) title() string    { return u.Title }
func (u *UploadBody) status() string   { return u.Status }
func (u *UploadBody) refs() []Ref      { return []Ref{{"intakeId", u.IntakeID}, {"threadId", u.ThreadID}} }

func (*UploadBody) facets() facets {
	return facets{
		kind:    Upload,
		prefix:  "upl",
		word:    "upload",
		section: "UPLOADS",
		account: true,
	}
}

func (u *UploadBody) line(_ string) string {
	return fmt.Sprintf("%s source=%s bytes=%d", u.Title, u.Source, u.Bytes)
}
