package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/capacity"
	"chela/internal/desk"
	"chela/internal/pattern"
)

// checkbox is the mark before an action in a list: "- [x] ".
var checkbox = pattern.New(`^[\s*+•-]*(?:\[[ xX✓✔]?\]\s*)?`)

// words are an action as its minutes write it, without the mark before it.
func words(a desk.Action) string {
	quote := a.Text
	if len(a.Sources) > 0 {
		quote = cmp.Or(a.Sources[0].Quote, a.Text)
	}
	return plain(checkbox.ReplaceAllString(quote, ""))
}

// An assertion is an action of a thread that names a ticket.
type assertion struct {
	thread *Thread
	desk.Action
}

// asserted is what the actions of the threads say of each ticket that they name, the earliest meeting first.
func (d *Desk) asserted() map[string][]assertion {
	out := make(map[string][]assertion)
	for i := range d.Threads {
		th := &d.Threads[i]
		for _, a := range th.Actions {
			if a.TicketID == "" {
				continue
			}
			all := append(out[a.TicketID], assertion{th, a})
			for k := len(all) - 1; k > 0 && all[k].day() < all[k-1].day(); k-- {
				all[k], all[k-1] = all[k-1], all[k]
			}
			out[a.TicketID] = all
		}
	}
	return out
}

// day is that of the meeting.
func (a assertion) day() desk.Date { return a.thread.day() }

func (t *Thread) day() desk.Date { return t.Date[:min(len(t.Date), len("2026-03-01"))] }

// minutes are the minutes as a sentence begins with them.
func (t *Thread) minutes() string {
	if day := t.day(); day != "" {
		return "The minutes of " + string(day)
	}
	return "The minutes “" + t.Title + "”"
}

// quoted is a line with the words that say something, and where they stand; "" where none are kept.
func (t *Thread) quoted(of []desk.Source) string {
	if len(of) == 0 || of[0].Quote == "" {
		return ""
	}
	return fmt.Sprintf("\n“%s” (%s, line %d)", strings.TrimSpace(of[0].Quote), cmp.Or(of[0].Document, t.Title), of[0].Line)
}

// away finds of whom minutes say that they are away, on working days to come that their days away do not have.
func (f *finder) away(d Desk) {
	seen := make(map[string]bool)
	for i := range d.Threads {
		th := &d.Threads[i]
		for _, a := range th.Away {
			at := slices.IndexFunc(d.People, func(p capacity.Person) bool { return p.ID == a.ResourceID })
			from, to, ok := a.Left(d.Now.UTC().Truncate(24 * time.Hour))
			key := a.ResourceID + " " + a.Days
			if at < 0 || !ok || seen[key] {
				continue
			}
			seen[key] = true
			p := &d.People[at]
			whole := desk.ResourceBody{Away: []string{desk.AwaySpan(from, to)}}
			if p.DaysAway(from, to) == whole.DaysAway(from, to) {
				continue // they are known, or no working days
			}
			f.add("absences are in the minutes alone", func() desk.Delta {
				return desk.Delta{
					Type: desk.AbsenceSaid, Severity: desk.Medium, Title: "Away in the minutes: " + p.Name + ", " + a.Days,
					Text: fmt.Sprintf("%s say that %s is away; these days are not among their days away.", th.minutes(), p.Name) + th.quoted(a.Sources), Field: "away",
					SourceA: th.ID, ValueA: a.Days, SourceB: p.ID, Suggestion: "Add the days to the days away of " + p.Name + ".", Records: []string{th.ID, p.ID},
				}
			})
		}
	}
}

// again reports an action that an earlier meeting said in the same words: "by Friday" is the Friday that was meant then.
func again(all []assertion, a desk.Action, in *Thread) bool {
	for _, x := range all {
		if x.thread.ID == in.ID {
			return false
		}
		if x.DueDate != "" && words(x.Action) == words(a) {
			return true
		}
	}
	return false
}

// finished finds open tickets of which the last minutes that name them say that they are done or cancelled.
func (f *finder) finished(d Desk) {
	if len(d.Threads) == 0 {
		return
	}
	seen := make(map[string]bool)
	for i := range d.Threads {
		for _, a := range d.Threads[i].Actions {
			n, ok := f.named[a.TicketID]
			if !ok || n < 0 || seen[a.TicketID] || !d.Tickets[n].Status.Open() {
				continue
			}
			seen[a.TicketID] = true
			last := f.said[a.TicketID][len(f.said[a.TicketID])-1]
			if end := ended(f.said[a.TicketID]); end.minutes != "" {
				f.add("open tickets are "+end.minutes+" in the minutes", func() desk.Delta { return last.ended(end, d.Tickets[n].Title, d.Tickets[n].Status) })
			}
		}
	}
}

// An ending is how minutes say that something ended, and what the ticket would be then.
type ending struct {
	minutes, suggestion string
	status              desk.TicketStatus
}

// endings are those of actions, by their status.
var endings = map[string]ending{
	"DONE":    {"done", "Close the ticket as done.", desk.Done},
	"DROPPED": {"cancelled", "Close the ticket as won't do.", desk.Closed},
}

// ended is how the last meeting that names a ticket says that it ended; none when anything of it is still to be done.
func ended(all []assertion) ending {
	last := all[len(all)-1]
	for _, x := range all {
		if x.thread.ID == last.thread.ID && x.Status != last.Status {
			return ending{}
		}
	}
	return endings[last.Status]
}

// ended is the finding that an action ended whose ticket is open.
func (a assertion) ended(end ending, title string, status desk.TicketStatus) desk.Delta {
	text := fmt.Sprintf("%s say it is %s; the ticket is %s.", a.thread.minutes(), end.minutes, statusWords[status]) + a.thread.quoted(a.Sources)
	return desk.Delta{
		Type: "STATUS_MISMATCH", Severity: desk.Medium, Title: strings.ToUpper(end.minutes[:1]) + end.minutes[1:] + " in the minutes: " + title, Text: text, Field: "status",
		SourceA: a.thread.ID, ValueA: string(end.status), SourceB: a.TicketID, ValueB: string(status), Suggestion: end.suggestion, Records: []string{a.thread.ID, a.TicketID},
	}
}

// statusWords are the states of open tickets as sentences say them.
var statusWords = map[desk.TicketStatus]string{desk.Todo: "To do", desk.InProgress: "In progress", desk.InReview: "In review", desk.Blocked: "Blocked"}

// stated finds tickets of which the last minutes that say how they stand say otherwise than they do, as long as they stand as they did when it
// was said. What an action says that ended is found with the actions.
func (f *finder) stated(d Desk) {
	last := make(map[string]int) // the thread that has the last word, by ticket
	var order []string
	for i := range d.Threads {
		for _, s := range d.Threads[i].Statuses {
			at, is := last[s.TicketID]
			if !is {
				order = append(order, s.TicketID)
			}
			if !is || d.Threads[at].day() <= d.Threads[i].day() {
				last[s.TicketID] = i
			}
		}
	}
	for _, id := range order {
		n, is := f.named[id]
		if !is || n < 0 {
			continue
		}
		th, t := &d.Threads[last[id]], d.Tickets[n]
		s := th.Statuses[slices.IndexFunc(th.Statuses, func(s desk.SaidStatus) bool { return s.TicketID == id })]
		if t.Status != s.Was || t.Status == s.Status || s.Status == desk.Todo && t.Status.Open() || !s.Status.Open() && !t.Status.Open() || len(f.said[id]) > 0 && ended(f.said[id]).minutes != "" {
			continue
		}
		f.add("tickets stand otherwise in the minutes", func() desk.Delta {
			return desk.Delta{
				Type: "STATUS_MISMATCH", Severity: desk.Medium, Title: stands[s.Status] + " in the minutes: " + t.Title,
				Text: fmt.Sprintf("%s say that it is %s; the ticket is %s.", th.minutes(), strings.ToLower(stands[s.Status]), strings.ToLower(stands[t.Status])) + th.quoted(s.Sources), Field: "status",
				SourceA: th.ID, ValueA: string(s.Status), SourceB: id, ValueB: string(t.Status), Suggestion: "Set the ticket's status to " + string(s.Status) + ".", Records: []string{th.ID, id},
			}
		})
	}
}

// stands are the states of tickets as minutes say them.
var stands = map[desk.TicketStatus]string{
	desk.Todo: "Reopened", desk.InProgress: "In progress", desk.InReview: "In review", desk.Blocked: "Blocked", desk.Done: "Done", desk.Closed: "Closed",
}
