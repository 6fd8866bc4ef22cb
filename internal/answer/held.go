package answer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/question"
)

// A stay is a ticket with since when it has had its status.
type stay struct {
	*Record
	at   time.Time
	came bool
}

// held answers which tickets have had their status for so long: since the day To or before, or since the day From or later. They come in the order
// of that, the longest first.
func (c *computation) held() error {
	all, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		c.none()
		return nil
	}
	var stays []stay
	unknown := 0
	for _, r := range all {
		at, came, ok := c.sinceOf(r.ID)
		if !ok || came && c.plan.From != "" { // since when it has it nobody knows
			unknown++
			continue
		}
		day := at.UTC().Format(time.DateOnly)
		switch {
		case c.plan.To != "" && day > c.plan.To:
			if came {
				unknown++
			}
		case c.plan.From != "" && day < c.plan.From:
		default:
			stays = append(stays, stay{r, at, came})
		}
	}
	slices.SortStableFunc(stays, func(a, b stay) int { return a.at.Compare(b.at) })
	if unknown > 0 {
		c.note("Of %s no record tells since when: they came here with that status.", counted(unknown, "more ticket", "more tickets"))
	}
	if len(stays) == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("0 of %s%s%s.", c.nouns(len(all)), c.which(), c.heldFor())
		return nil
	}
	c.heldSaid(stays, len(all))
	return nil
}

func (c *computation) heldSaid(stays []stay, of int) {
	total := len(stays)
	if c.plan.Limit > 0 && c.plan.Limit < total {
		if more := came(stays[c.plan.Limit:]); more > 0 {
			c.note("%s with that status, and may have had it longer.", counted(more, "other ticket came here", "other tickets came here"))
		}
		stays = stays[:c.plan.Limit]
	}
	t := &Table{Columns: []string{"Ticket", "Status", "Owner", "Since", "Days"}, Total: len(stays)}
	var records []*Record
	var said []string
	for i, s := range stays {
		records = append(records, s.Record)
		since, n := s.at.UTC().Format(time.DateOnly), num(max(days(s.at, c.now), 0))
		if s.came {
			since += " or before"
			n += " or more"
		}
		if i < maxRows {
			t.Rows = append(t.Rows, Row{ID: s.ID, Cells: []string{label(s.Record), Word(s.Status), c.show(s.Record, "owner"), since, n}})
		}
		if i < 5 {
			said = append(said, fmt.Sprintf("%s since %s (%s days)", label(s.Record), since, n))
		}
	}
	c.citeAll(records)
	c.out.Table = t
	if c.plan.Limit > 0 && total > len(stays) {
		c.out.Sentence = fmt.Sprintf("%s: the longest of %s%s.", strings.Join(said, "; "), c.nouns(of), c.which())
		return
	}
	c.out.Sentence = fmt.Sprintf("%s%s%s: %s.", c.nouns(total), c.which(), c.heldFor(), andMore(said, total))
}

// came is how many of some tickets came here with their status.
func came(stays []stay) (n int) {
	for _, s := range stays {
		if s.came {
			n++
		}
	}
	return n
}

// heldFor says how long the plan asks for.
func (c *computation) heldFor() string {
	switch {
	case c.plan.To != "":
		return ", since " + c.plan.To + " or before"
	case c.plan.From != "":
		return ", since " + c.plan.From + " or later"
	}
	return ""
}

// entered is since when a ticket has had its status, as a fact.
func (c *computation) entered(r *Record) fact {
	at, came, ok := c.sinceOf(r.ID)
	if _, ticket := r.Thing.(*desk.TicketBody); !ok || !ticket {
		return fact{question.FieldWord(question.Entered), ""}
	}
	text := fmt.Sprintf("%s (%s days)", at.UTC().Format(time.DateOnly), num(max(days(at, c.now), 0)))
	if came {
		text = at.UTC().Format(time.DateOnly) + " or before: it came here so"
	}
	return fact{question.FieldWord(question.Entered), text}
}
