package desk

import (
	"fmt"
	"reflect"
)

// A Source says where a record comes from, with the exact words.
type Source struct {
	Document string `json:"document,omitempty"` // a name people know
	Artifact string `json:"artifact,omitempty"` // the raw bytes
	Intake   string `json:"intakeId,omitempty"`
	Line     int    `json:"line,omitempty"` // from 1
	EndLine  int    `json:"endLine,omitempty"`
	Quote    string `json:"quote,omitempty"`
	By       string `json:"by"` // "rule:actions", "model:agent:pm", "person"
}

// Evidence is what a thread or a ticket rests on.
type Evidence struct {
	UploadID  string   `json:"uploadId,omitempty"`
	Type      string   `json:"type,omitempty"` // file, url, upload, design, quote, comment
	Reference string   `json:"reference,omitempty"`
	Snippet   string   `json:"snippet"`
	Author    string   `json:"author,omitempty"` // of a comment
	Date      Date     `json:"date,omitempty"`   // of a comment
	Relevance float64  `json:"relevance,omitempty"`
	Sources   []Source `json:"sources,omitempty"`
}

func checkEvidence(all []Evidence) error {
	for i, e := range all {
		if err := e.Date.check(fmt.Sprintf("evidence.%d.date", i)); err != nil {
			return err
		}
	}
	return nil
}

// SourcesOf returns what a record rests on; the evidence of a ticket or thread that names no sources counts as such.
func SourcesOf(t Thing) []Source {
	v := reflect.ValueOf(t).Elem()
	if f := v.FieldByName("Sources"); f.IsValid() {
		if s, ok := f.Interface().([]Source); ok && len(s) > 0 {
			return s
		}
	}
	f := v.FieldByName("Evidence")
	if !f.IsValid() {
		return nil
	}
	var out []Source
	all, _ := f.Interface().([]Evidence)
	for _, e := range all {
		out = append(out, e.Sources...)
		if len(e.Sources) == 0 {
			out = append(out, Source{Document: e.Reference, Quote: e.Snippet, By: "person"})
		}
	}
	return out
}
