package flow

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"chela/internal/desk"
)

// A What is what became of a record, in a word.
type What string

// What may have become of a record. The first are those that people want to hear first.
const (
	Stopped   What = "BLOCKED"
	Finished  What = "DONE"
	Reopened  What = "REOPENED"
	Postponed What = "DATED" // it has another day
	Handed    What = "ASSIGNED"
	Begun     What = "STARTED"
	Left      What = "CLOSED" // without being done
	Removed   What = "DELETED"
	Made      What = "CREATED"
	Edited    What = "CHANGED"
)

// Whats lists all values, in the order of the news.
func Whats() []What {
	return []What{Stopped, Finished, Reopened, Postponed, Handed, Begun, Left, Removed, Made, Edited}
}

// News is what became of one record that people work on.
type News struct {
	What  What      `json:"what"`
	ID    string    `json:"id"`
	Kind  desk.Kind `json:"kind"`
	Title string    `json:"title"`
	Field string    `json:"field,omitempty" doc:"the field that says it"`
	From  string    `json:"from,omitempty"`
	To    string    `json:"to,omitempty"`
	By    []string  `json:"by" doc:"who did it, as senders"`
	At    time.Time `json:"at"`
}

// newsworthy reports whether changes of a kind are news: people edit it and no rule makes it anew, or it says who has what.
func newsworthy(k desk.Kind) bool {
	return k.Association() || len(k.Form()) > 0 && !k.Derived()
}

// Newsworthy lists the kinds whose changes are news.
func Newsworthy() []desk.Kind {
	return slices.DeleteFunc(desk.Kinds(), func(k desk.Kind) bool { return !newsworthy(k) })
}

// Making is what is told of a new record of a kind.
func Making(k desk.Kind) What {
	if k.Association() {
		return Handed
	}
	return Made
}

// NewsOf returns what of the differences of a project is news: what people hear first comes first, then the latest. title
// and name say how tickets and people are called.
func NewsOf(diffs []desk.Diff, title, name func(id string) string) []News {
	out := []News{}
	for _, d := range diffs {
		if !newsworthy(d.Kind) || d.Op == desk.Merged {
			continue
		}
		n := News{ID: d.ID, Kind: d.Kind, Title: d.Title, By: d.By, At: d.At}
		if d.Kind.Association() {
			n.handed(d, title, name)
		} else {
			n.read(d)
		}
		if n.What != "" {
			out = append(out, n)
		}
	}
	order := Whats()
	slices.SortStableFunc(out, func(a, b News) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.What), slices.Index(order, b.What)), b.At.Compare(a.At))
	})
	return out
}

// handed tells of a new assignment as of its ticket.
func (n *News) handed(d desk.Diff, title, name func(id string) string) {
	_, ticket := changed(d, "ticketId")
	_, person := changed(d, "resourceId")
	if d.Op != desk.Created || title(ticket) == "" {
		return
	}
	n.What, n.ID, n.Kind, n.Title, n.Field, n.To = Handed, ticket, desk.Ticket, title(ticket), "owner", name(person)
}

// read finds what is said first of a record's changes.
func (n *News) read(d desk.Diff) {
	switch d.Op {
	case desk.Created, desk.Restored:
		n.What = Made
		return
	case desk.Deleted:
		n.What = Removed
		return
	case desk.Updated, desk.Merged:
	}
	for _, field := range []string{"status", "lifecycle", "dueDate", "targetDate", "endDate"} {
		from, to := changed(d, field)
		if from == to {
			continue
		}
		n.Field, n.From, n.To, n.What = field, from, to, Postponed
		if field == "status" || field == "lifecycle" {
			n.What = stood(d.Kind, desk.TicketStatus(from), desk.TicketStatus(to))
		}
		return
	}
	if i := slices.IndexFunc(d.Fields, func(f desk.FieldDiff) bool { return f.Field != "sources" }); i >= 0 {
		n.What, n.Field = Edited, d.Fields[i].Field
		n.From, n.To = changed(d, n.Field)
	}
}

// stood is what another status means.
func stood(k desk.Kind, from, to desk.TicketStatus) What {
	switch {
	case !k.Owned():
		return Edited
	case to == desk.Done:
		return Finished
	case to == desk.Closed:
		return Left
	case to == desk.Blocked:
		return Stopped
	case !from.Open():
		return Reopened
	case from == desk.Todo || from == desk.Blocked:
		return Begun
	}
	return Edited
}

// longestNews is how much of a text the news tells, in letters.
const longestNews = 120

// changed is a field before and after, as text; what is no text is empty.
func changed(d desk.Diff, field string) (from, to string) {
	for _, f := range d.Fields {
		if f.Field == field {
			return short(f.From), short(f.To)
		}
	}
	return "", ""
}

func short(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	if letters := []rune(s); len(letters) > longestNews {
		return string(letters[:longestNews-1]) + "…"
	}
	return s
}
