// Package importtest scores how much of a tracker's export is found again after it was
// imported and the project exported: a folder for each shape of export, with the file
// and facts.json, which says beside it what the file tells. The facts were written with the files, before any rule. The shapes in seen are those that
// rules were written from; those in heldout have other tickets in the same forms, and were first read when the rules were done.
package importtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// A Shape is an export of one tracker in one format.
type Shape struct {
	Dir        string      `json:"-"`
	Raw        []byte      `json:"-"`
	Name       string      `json:"name"`
	File       string      `json:"file"`
	Tickets    []Ticket    `json:"tickets"`
	Sprints    []Sprint    `json:"sprints"`
	Milestones []Milestone `json:"milestones"`
}

// A Ticket is what the file tells of a ticket. What it does not tell is empty.
type Ticket struct {
	Key         string    `json:"key"`
	Title       string    `json:"title"`
	Description []string  `json:"description"` // its lines, as text
	Status      string    `json:"status"`
	Outcome     string    `json:"outcome"`
	Type        string    `json:"type"`
	Priority    string    `json:"priority"`
	Owners      []string  `json:"owners"`
	Unassigned  bool      `json:"unassigned"`
	Reporter    string    `json:"reporter"`
	Labels      []string  `json:"labels"`
	Points      *float64  `json:"points"`
	Due         string    `json:"due"`
	Created     string    `json:"created"`
	Resolved    string    `json:"resolved"`
	Sprint      string    `json:"sprint"`
	Earlier     []string  `json:"earlierSprints"`
	Milestone   string    `json:"milestone"`
	Parent      string    `json:"parent"`
	BlockedBy   []string  `json:"blockedBy"`
	DuplicateOf string    `json:"duplicateOf"`
	RelatedTo   []string  `json:"relatedTo"`
	Comments    []Comment `json:"comments"`
	Checklist   []Item    `json:"checklist"`
}

// A Comment was made on a ticket.
type Comment struct {
	Author string `json:"author"`
	Date   string `json:"date"`
	Text   string `json:"text"`
}

// An Item is one thing of a ticket's checklists; Done is nil where the file does not tell.
type Item struct {
	Text string `json:"text"`
	Done *bool  `json:"done"`
}

// A Sprint is one that the file names.
type Sprint struct {
	Name   string `json:"name"`
	Start  string `json:"start"`
	End    string `json:"end"`
	Status string `json:"status"`
	Goal   string `json:"goal"`
}

// A Milestone is one that the file names.
type Milestone struct {
	Name   string `json:"name"`
	Due    string `json:"due"`
	Status string `json:"status"`
}

// Load reads the suite in a folder.
func Load(dir fs.FS) ([]Shape, error) {
	files, err := fs.Glob(dir, "*/facts.json")
	if err != nil {
		return nil, fmt.Errorf("list the shapes: %w", err)
	}
	if len(files) == 0 {
		return nil, errors.New("no shapes are there, and none would score everything")
	}
	var out []Shape
	for _, f := range files {
		raw, err := fs.ReadFile(dir, f)
		if err != nil {
			return nil, fmt.Errorf("read the facts: %w", err)
		}
		s := Shape{Dir: path.Dir(f)}
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, fmt.Errorf("read %s: %w", f, err)
		}
		if s.Raw, err = fs.ReadFile(dir, path.Join(s.Dir, s.File)); err != nil {
			return nil, fmt.Errorf("read the export: %w", err)
		}
		out = append(out, s)
	}
	return out, nil
}
