package desk

import (
	"context"
	"strings"

	"chela/internal/artifact"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/document"
	"chela/internal/fault"
	"chela/internal/tool"
)

// Artifacts has the raw bytes of what came in.
type Artifacts interface {
	Get(ref artifact.Ref) ([]byte, error)
}

// UploadRow is a document in a list.
type UploadRow struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Type   string `json:"contentType,omitempty"`
	Bytes  int    `json:"bytes"`
	Status string `json:"status"`
	Thread string `json:"threadId,omitempty"`
}

func (t tools) readUploads(ctx context.Context, c tool.Call, in Narrow) (List[UploadRow], error) {
	p, err := t.list(ctx, c, clerk.Query{Kind: desk.Upload, Text: in.Text, Status: in.Status, Cursor: in.Cursor, Limit: 50, Newest: true})
	if err != nil {
		return List[UploadRow]{}, err
	}
	return listOf(p, func(r desk.Record, b desk.UploadBody) UploadRow {
		return UploadRow{r.ID, b.Title, b.ContentType, b.Bytes, b.Status, b.ThreadID}
	})
}

// UploadIn asks for a part of a document.
type UploadIn struct {
	Upload string `json:"uploadId"`
	Part   string `json:"part,omitempty" doc:"a sheet, or a member of an archive or mail; the first when left out"`
	From   int    `json:"from,omitempty" doc:"the row of a table, or the line of a text, to begin with, from 1"`
}

// UploadOut is a part of a document: a table or a text.
type UploadOut struct {
	Title    string     `json:"title"`
	Part     string     `json:"part"`
	Parts    []string   `json:"parts"`
	Header   []string   `json:"header,omitempty"`
	Rows     [][]string `json:"rows,omitempty"`
	Text     string     `json:"text,omitempty"`
	Total    int        `json:"total"` // rows or lines
	Next     int        `json:"next,omitempty"`
	Problems []string   `json:"problems,omitempty"`
}

// How much of a document one call returns.
const (
	maxRows = 200
	maxText = 20_000
)

func (t tools) readUpload(ctx context.Context, c tool.Call, in UploadIn) (UploadOut, error) {
	out := UploadOut{Parts: []string{}}
	w, err := t.clerk.Begin(ctx, c.Place, c.Run.Project)
	if err != nil {
		return out, err
	}
	r, err := w.Get(desk.Upload, in.Upload)
	if err != nil {
		return out, err
	}
	b, err := desk.Open[desk.UploadBody](r)
	if err != nil {
		return out, err
	}
	raw, err := t.artifacts.Get(artifact.Ref(b.Artifact))
	if err != nil {
		return out, err
	}
	name := b.Title
	if b.Source == "paste" {
		name += ".txt"
	}
	docs, problems, err := document.ReadAll(name, raw, document.Limits{})
	if err != nil {
		return out, err
	}
	out.Title = b.Title
	for _, p := range problems {
		out.Problems = append(out.Problems, p.Text)
	}
	return out, out.fill(docs, in)
}

// fill takes the part that was asked for.
func (out *UploadOut) fill(docs []document.Doc, in UploadIn) error {
	from, found := max(in.From, 1), false
	take := func(part string) bool {
		out.Parts = append(out.Parts, part)
		if found || in.Part != "" && in.Part != part {
			return false
		}
		found, out.Part = true, part
		return true
	}
	for _, d := range docs {
		for _, t := range d.Tables {
			if take(strings.TrimSpace(d.Name + " " + t.Sheet)) {
				out.table(t, from)
			}
		}
		if d.Text != "" && take(d.Name) {
			out.text(d.Text, from)
		}
	}
	if !found {
		return fault.BadField("part", "The document has no such part.", out.Parts...)
	}
	return nil
}

func (out *UploadOut) table(t document.Table, from int) {
	out.Header, out.Total, out.Rows = t.Header, len(t.Rows), [][]string{}
	size := 0
	for i := from - 1; i < len(t.Rows); i++ {
		for _, cell := range t.Rows[i].Cells {
			size += len(cell)
		}
		if len(out.Rows) == maxRows || size > maxText && len(out.Rows) > 0 {
			out.Next = i + 1
			return
		}
		out.Rows = append(out.Rows, t.Rows[i].Cells)
	}
}

func (out *UploadOut) text(text string, from int) {
	lines := strings.SplitAfter(text, "\n")
	out.Total = len(lines)
	var b strings.Builder
	for i := from - 1; i < len(lines); i++ {
		if b.Len() > 0 && b.Len()+len(lines[i]) > maxText {
			out.Next = i + 1
			break
		}
		b.WriteString(lines[i])
	}
	out.Text = b.String()
}
