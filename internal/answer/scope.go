package answer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/question"
)

// A Scope tells of each ticket when it came to a sprint and when it was taken out of it. Of one that came here in the sprint (came) it is only known
// when it was made.
type Scope interface {
	Joined(id string) (since time.Time, came, ok bool)
	Left(id string) (at time.Time, ok bool)
}

// A move is a ticket that came to a sprint, or left it.
type move struct {
	*Record
	at time.Time
}

// scope answers which tickets came to the sprint Words after the day From, or were taken out of it since.
func (c *computation) scope() error {
	all, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	if c.beyond.Scope == nil {
		c.out.Nothing, c.out.Sentence = true, "What became of the sprint is not known here."
		return nil
	}
	s := c.beyond.Scope(c.plan.Words)
	var moves []move
	unknown, is := 0, 0
	for _, r := range all {
		if c.plan.State == question.Removed {
			if at, ok := s.Left(r.ID); ok && at.UTC().Format(time.DateOnly) >= c.plan.From {
				moves = append(moves, move{r, at})
			}
			continue
		}
		at, came, ok := s.Joined(r.ID)
		if !ok {
			continue
		}
		is++
		switch day := at.UTC().Format(time.DateOnly); {
		case day > c.plan.From:
			moves = append(moves, move{r, at})
		case came:
			unknown++
		}
	}
	slices.SortStableFunc(moves, func(a, b move) int { return b.at.Compare(a.at) })
	if unknown > 0 {
		c.note("Of %s no record tells when: they came here in that sprint.", counted(unknown, "more ticket", "more tickets"))
	}
	c.moved(moves, is)
	return nil
}

// moved says which tickets came to the sprint, or left it. It has so many.
func (c *computation) moved(moves []move, of int) {
	what := fmt.Sprintf("came to %s after its first day, %s", c.plan.Words, c.plan.From)
	if c.plan.State == question.Removed {
		what = fmt.Sprintf("taken out of %s since its first day, %s", c.plan.Words, c.plan.From)
	}
	if len(moves) == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("The log has no ticket that was %s.", what)
		if c.plan.State != question.Removed {
			c.out.Sentence = fmt.Sprintf("0 of %s %s.", c.nouns(of), what)
		}
		return
	}
	t := &Table{Columns: []string{"Ticket", "Status", "Owner", "Story points", "Day"}, Total: len(moves)}
	points := 0.0
	var said []string
	for i, m := range moves {
		c.cite(m.Record)
		if b, ok := m.Thing.(*desk.TicketBody); ok && b.StoryPoints != nil {
			points += *b.StoryPoints
		}
		day := m.at.UTC().Format(time.DateOnly)
		if i < maxRows {
			t.Rows = append(t.Rows, Row{ID: m.ID, Cells: []string{label(m.Record), Word(m.Status), c.show(m.Record, "owner"), c.show(m.Record, "storyPoints"), day}})
		}
		if i < 5 {
			said = append(said, label(m.Record)+" on "+day)
		}
	}
	c.out.Table = t
	share := counted(len(moves), "ticket", "tickets")
	if c.plan.State != question.Removed {
		share = fmt.Sprintf("%s of %s", thousands(len(moves)), c.nouns(of))
	}
	if c.plan.State == question.Removed {
		what = "were " + what
	}
	c.out.Sentence = fmt.Sprintf("%s %s, with %s story points: %s.", share, what, figure(points), andMore(said, len(moves)))
	c.out.Sentence = strings.Replace(c.out.Sentence, "1 ticket were", "1 ticket was", 1)
}
