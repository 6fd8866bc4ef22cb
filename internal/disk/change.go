package disk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A How says what became of a file.
type How string

// What becomes of files.
const (
	Made    How = "made"
	Changed How = "changed"
	Deleted How = "deleted"
)

// A Change is what became of one file.
type Change struct {
	Path string `json:"path" doc:"absolute"`
	How  How    `json:"how" enum:"made,changed,deleted"`
}

// Changes are what a call did to the files of the folders in which it may write. Its zero value is nothing; a nil one
// takes nothing in. It is for one call, whose programs run one after the other.
type Changes struct {
	Files    []Change `json:"files" nullable:"false" doc:"at most 100: first those that were there before"`
	More     int      `json:"more,omitempty" doc:"how many there were beside these"`
	Unseen   string   `json:"unseen,omitempty" doc:"a sentence: why it is not known what else changed"`
	Surveyed bool     `json:"-"` // it was found by comparing the folders before and after
	Beside   bool     `json:"beside,omitempty" doc:"another call wrote in the same folders meanwhile: some of it may be that one's"`
}

// mostChanges is how many files are listed.
const mostChanges = 100

// Add takes in what became of files afterwards, each of which it is given once.
func (c *Changes) Add(more ...Change) {
	if c == nil || len(more) == 0 {
		return
	}
	at := make(map[string]int, len(c.Files))
	for i, f := range c.Files {
		at[f.Path] = i
	}
	for _, f := range more {
		i, known := at[f.Path]
		if !known {
			c.Files = append(c.Files, f)
			continue
		}
		switch was := c.Files[i].How; {
		case was == Made && f.How == Changed: // it is as new as before
		case was == Made && f.How == Deleted:
			c.Files[i].How = "" // it came and went
		case was == Deleted && f.How == Made:
			c.Files[i].How = Changed
		default:
			c.Files[i].How = f.How
		}
	}
	c.Files = slices.DeleteFunc(c.Files, func(f Change) bool { return f.How == "" })
	slices.SortFunc(c.Files, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.How.order(), b.How.order()), cmp.Compare(a.Path, b.Path))
	})
	if n := len(c.Files); n > mostChanges {
		c.More += n - mostChanges
		c.Files = slices.Clip(c.Files[:mostChanges])
	}
}

// order puts what was there before first.
func (h How) order() int {
	if h == Made {
		return 1
	}
	return 0
}

// None reports whether there is nothing to tell.
func (c *Changes) None() bool {
	return c == nil || len(c.Files) == 0 && c.More == 0 && c.Unseen == ""
}

// Noted is a copy to be kept; nil when there is nothing to tell.
func (c *Changes) Noted() *Changes {
	if c.None() {
		return nil
	}
	out := *c
	out.Files = append([]Change{}, c.Files...)
	return &out
}

// Old are the paths of the files that were there before.
func (c *Changes) Old() []string {
	if c == nil {
		return nil
	}
	var out []string
	for _, f := range c.Files {
		if f.How != Made {
			out = append(out, f.Path)
		}
	}
	return out
}

// Join takes in what another call did.
func (c *Changes) Join(o *Changes) {
	if o.None() {
		return
	}
	c.Add(o.Files...)
	c.More += o.More
	c.Unseen = cmp.Or(c.Unseen, o.Unseen)
	c.Beside = c.Beside || o.Beside
}

// Words tells it in a line.
func (c *Changes) Words() string {
	if c.None() {
		return ""
	}
	var parts []string
	for _, f := range c.Files {
		switch f.How {
		case Made, Deleted:
			parts = append(parts, fmt.Sprintf("%s (%s)", f.Path, f.How))
		case Changed:
			parts = append(parts, f.Path)
		}
	}
	if c.More > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", c.More))
	}
	out := strings.Join(parts, ", ")
	if c.Beside {
		out += "; another call wrote in the same folders meanwhile, so some of it may be that one's"
	}
	return strings.TrimSpace(strings.TrimPrefix(out+"; "+c.Unseen, "; "))
}
