package answer

import (
	"strings"
	"time"

	"chela/internal/desk"
)

// A Beyond is what a plan may ask for that records as they stand do not say. What is nil is not known.
type Beyond struct {
	Since   Since
	History func(id string) ([]desk.Revised, error) // what became of a record, oldest first
	Held    func(ticket string) []string            // ids of all assignments that a ticket ever had
	Begun   func(id string) time.Time               // when the work on a ticket began that is in work; zero when that is not known
	Usual   float64                                 // in how many days most tickets were finished; zero when none was
	Scope   func(sprint string) Scope               // which tickets were in a sprint
	Name    func(sender string) string              // a person or an agent, as people call them
}

// Since returns since when a ticket has had its status. Of one that came here with it (came) no more is known than that it has had it since then; ok
// is false where nothing is known.
type Since func(id string) (at time.Time, came, ok bool)

// sinceOf is [Since], which may not be known.
func (c *computation) sinceOf(id string) (at time.Time, came, ok bool) {
	if c.beyond.Since == nil {
		return time.Time{}, false, false
	}
	return c.beyond.Since(id)
}

// called is a sender as people call it.
func (c *computation) called(sender string) string {
	if c.beyond.Name != nil {
		return c.beyond.Name(sender)
	}
	return strings.TrimPrefix(sender, "agent:")
}
