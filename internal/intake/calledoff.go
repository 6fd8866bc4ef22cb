package intake

import (
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/extract"
)

// Statuses of actions, as threads keep them.
const (
	actionOpen    = "OPEN"
	actionDone    = "DONE"
	actionDropped = "DROPPED"
)

// An off is a line that says that an open ticket is cancelled. People decide whether it is.
type off struct {
	topic  int
	action desk.Action
}

// mostOff is how many lines of one document are looked at that say that something is cancelled.
const mostOff = 200

// calledOff returns what the document says to be cancelled, where that is one open ticket, and takes the actions off those lines.
func (r *recorder) calledOff() (out []off, err error) {
	n, line := 0, 0
	for text := range strings.Lines(r.src.Text) {
		line++
		what, ok := extract.CalledOff(strings.TrimRight(text, "\r\n"))
		if !ok {
			continue
		}
		if n++; n > mostOff {
			break
		}
		ticket, err := r.open(what)
		if err != nil {
			return nil, err
		}
		if ticket == nil {
			continue
		}
		who, err := r.w.Doers(ticket.ID)
		if err != nil {
			return nil, err
		}
		s, err := desk.Summarize(*ticket)
		if err != nil {
			return nil, err
		}
		span := extract.Span{Line: line, EndLine: line, Quote: clipped(strings.TrimSpace(text), 500)}
		out = append(out, off{r.under(line), desk.Action{Text: clipped(s.Title, 2000), Assignee: who, TicketID: ticket.ID, Status: actionDropped, Sources: r.source("actions", span)}})
		r.m.Actions = slices.DeleteFunc(r.m.Actions, func(a extract.Action) bool { return a.Span.Line == line })
	}
	return out, nil
}

// under is the last topic that begins before a line, -1 when none does.
func (r *recorder) under(line int) int {
	at := -1
	for i, t := range r.m.Topics {
		if t.Span.Line < line {
			at = i
		}
	}
	return at
}

// open returns the one open ticket that a text names by its key or whole title, also behind the name of who does it; nil when there is none or
// several.
func (r *recorder) open(what string) (*desk.Record, error) {
	var found []desk.Record
	for _, key := range extract.Keys(what) {
		old, ok, err := r.w.Find(desk.Ticket, strings.ToLower(key))
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, old)
		}
	}
	titles := []string{what}
	if _, rest, ok := strings.Cut(what, ": "); ok {
		titles = append(titles, rest)
	}
	for _, title := range titles {
		body := &desk.TicketBody{Title: clipped(title, 200)}
		if len(found) > 0 || body.Check() != nil || body.Title == "" {
			break
		}
		meant, err := r.w.Meant(desk.Ticket, body)
		if err != nil {
			return nil, err
		}
		found = append(found, meant...)
	}
	var open []desk.Record
	for _, t := range found {
		b, err := desk.Open[desk.TicketBody](t)
		if err != nil {
			return nil, err
		}
		if b.Status.Open() {
			open = append(open, t)
		}
	}
	if len(open) != 1 {
		return nil, nil //nolint:nilnil // none is meant
	}
	return &open[0], nil
}
