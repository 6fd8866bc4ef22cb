package drift

import (
	"cmp"
	"fmt"
	"strings"

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
func (a assertion) day() desk.Date { return a.thread.Date[:min(len(a.thread.Date), len("2026-03-01"))] }

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
	from := "The minutes “" + a.thread.Title + "”"
	if day := a.day(); day != "" {
		from = "The minutes of " + string(day)
	}
	text := fmt.Sprintf("%s say it is %s; the ticket is %s.", from, end.minutes, statusWords[status])
	if len(a.Sources) > 0 && a.Sources[0].Quote != "" {
		s := a.Sources[0]
		text += fmt.Sprintf("\n“%s” (%s, line %d)", strings.TrimSpace(s.Quote), cmp.Or(s.Document, a.thread.Title), s.Line)
	}
	return desk.Delta{
		Type: "STATUS_MISMATCH", Severity: desk.Medium, Title: strings.ToUpper(end.minutes[:1]) + end.minutes[1:] + " in the minutes: " + title, Text: text, Field: "status",
		SourceA: a.thread.ID, ValueA: string(end.status), SourceB: a.TicketID, ValueB: string(status), Suggestion: end.suggestion, Records: []string{a.thread.ID, a.TicketID},
	}
}

// statusWords are the states of open tickets as sentences say them.
var statusWords = map[desk.TicketStatus]string{desk.Todo: "To do", desk.InProgress: "In progress", desk.InReview: "In review", desk.Blocked: "Blocked"}
