package notify

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"chela/internal/approval"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/session"
	"chela/internal/tracker"
)

// A Concern is one person with what concerns them.
type Concern struct {
	Person string
	key    string // of what is told at most once
	told   bool   // in a chat, already
	Notification
}

// Known is what is known beside an event.
type Known struct {
	People []org.Person
	Agents []org.AgentID
	// Record is what the event is about: the record of a comment, the ticket of an assignment.
	Record desk.Record
	// Owners are the resources that do the record, and Spoke who commented on it before, as senders.
	Owners   []desk.ResourceBody
	Spoke    []string
	Run      run.Run          // of an approval
	Question approval.Request // that nobody answered
}

// Concerns returns who is told of an event, and what.
func Concerns(e event.Event, k Known) ([]Concern, error) {
	if p, ok, err := approval.RequestedKind.Open(e); ok || err != nil {
		return asked(e, p, k), err
	}
	if a, ok, err := lapsed(e); ok || err != nil {
		return unanswered(e, a, k), err
	}
	if f, ok, err := tracker.FailedKind.Open(e); ok || err != nil {
		return unread(e, f, k.People), err
	}
	if p, ok, err := schedule.EndedKind.Open(e); ok || err != nil {
		return answered(e, p), err
	}
	c, ok, err := desk.ChangeOf(e)
	if err != nil || !ok || c.Op != desk.Created {
		return nil, err
	}
	switch c.Kind {
	case desk.Comment:
		return commented(e, c, k)
	case desk.Assignment:
		return assigned(e, c, k)
	case desk.Blindspot:
		return found(e, c, k)
	default:
		return nil, nil
	}
}

// asked tells of a question who began the run and may answer, and the admins. When nobody of them may,
// everybody is told who may.
func asked(e event.Event, q approval.Request, k Known) []Concern {
	least := q.Role
	if !least.AtLeast(org.Editor) {
		least = org.Editor
	}
	may := func(p org.Person) bool { return p.Enabled && p.Role.AtLeast(least) }
	near := func(p org.Person) bool {
		return may(p) && (p.Role.AtLeast(org.Admin) || p.Party().AgentID == k.Run.By.AgentID)
	}
	if !slices.ContainsFunc(k.People, near) {
		near = may
	}
	if q.Kind == approval.Elicitation {
		near = func(p org.Person) bool { return p.Enabled && slices.Contains(q.Only, p.ID) }
	}
	var out []Concern
	for _, p := range k.People {
		if near(p) {
			out = append(out, Concern{Person: p.ID, key: q.ID, Notification: Notification{
				Reason: Approval, Title: q.Question, Text: effects(q), By: e.Message.From.AgentID, Project: q.Project,
				Run: string(q.Run), Approval: q.ID, Thread: e.Message.ThreadID,
			}})
		}
	}
	return out
}

// effects says in a line what the calls of a question would do.
func effects(q approval.Request) string {
	var out []string
	for _, c := range q.Calls {
		shown := c.Shown
		if line, _, more := strings.Cut(shown, "\n"); more {
			shown = line + " …"
		}
		out = append(out, strings.TrimSpace(c.Tool+" "+shown))
	}
	return short(strings.Join(out, "; "), 300)
}

func commented(e event.Event, c desk.Change, k Known) ([]Concern, error) {
	b, err := bodyOf[desk.CommentBody](c)
	if err != nil {
		return nil, err
	}
	title, err := titleOf(k.Record)
	if err != nil {
		return nil, err
	}
	said := Notification{Title: title, Text: short(b.Text, 500), By: e.Message.From.AgentID, Project: c.Project, Record: b.RecordID}
	var out []Concern
	tell := func(person string, r Reason) {
		if slices.ContainsFunc(out, func(o Concern) bool { return o.Person == person }) || personOf(k.People, said.By) == person {
			return
		}
		n := said
		n.Reason = r
		out = append(out, Concern{Person: person, key: c.ID, Notification: n})
	}
	for _, id := range Mentioned(b.Text, k.People, k.Agents) {
		if strings.HasPrefix(id, "per_") && !strings.HasPrefix(e.Message.IdempotencyKey, answerKey) {
			tell(id, Mention)
		}
	}
	for _, p := range k.People {
		if p.Enabled && (slices.ContainsFunc(k.Owners, func(o desk.ResourceBody) bool { return is(p, o) }) || slices.Contains(k.Spoke, p.Party().AgentID)) {
			tell(p.ID, Comment)
		}
	}
	return out, nil
}

func assigned(e event.Event, c desk.Change, k Known) ([]Concern, error) {
	if len(k.Owners) == 0 {
		return nil, nil // nobody who is here
	}
	title, err := titleOf(k.Record)
	if err != nil {
		return nil, err
	}
	var out []Concern
	for _, p := range k.People {
		if !p.Enabled || p.Party().AgentID == e.Message.From.AgentID || !slices.ContainsFunc(k.Owners, func(o desk.ResourceBody) bool { return is(p, o) }) {
			continue
		}
		out = append(out, Concern{Person: p.ID, key: c.ID, Notification: Notification{Reason: Assigned, Title: title, By: e.Message.From.AgentID, Project: c.Project, Record: k.Record.ID}})
	}
	return out, nil
}

// Refreshed is a notification as its record has it by now: a finding says other numbers after the next import. What people did stays as it was told.
func (n Notification) Refreshed(r desk.Record) (Notification, error) {
	if n.Reason != Finding || r.ID != n.Record || r.Deleted {
		return n, nil
	}
	b, err := desk.Open[desk.BlindspotBody](r)
	if err == nil {
		n.Title, n.Text = b.Title, short(b.Description, 300)
	}
	return n, err
}

// found tells of a grave finding the admins, and who it says owns what it is about.
func found(e event.Event, c desk.Change, k Known) ([]Concern, error) {
	b, err := bodyOf[desk.BlindspotBody](c)
	if err != nil || b.Severity != desk.High && b.Severity != desk.Critical {
		return nil, err
	}
	owner := called(k.People, nil)[strings.ToLower(strings.TrimSpace(b.Owner))]
	var out []Concern
	for _, p := range k.People {
		if p.Enabled && (p.Role.AtLeast(org.Admin) || p.ID == owner) {
			out = append(out, Concern{Person: p.ID, key: c.ID, Notification: Notification{Reason: Finding, Title: b.Title, Text: short(b.Description, 300), By: e.Message.From.AgentID, Project: c.Project, Record: c.ID}})
		}
	}
	return out, nil
}

// attention is how long somebody who said something looks where the answer comes.
const attention = time.Minute

// failure tells who began a run that it failed, and the owners when nobody did. A program hears it where it asked, and so does who said something in a
// conversation a moment ago.
func failure(r run.Run, people []org.Person) []Concern {
	id := personOf(people, r.By.AgentID)
	if r.By.Key != "" || id != "" && r.Kind == session.ChatRun && r.EndedAt.Sub(r.CreatedAt) < attention && !elsewhere(r) {
		return nil
	}
	if r.Kind == tracker.RunKind && id == "" {
		return nil // the tracker says how often, see unread
	}
	said := Notification{Reason: Failed, Title: r.Title, Text: short(r.Reason, 300), Project: r.Project, Run: string(r.ID), Thread: r.Thread}
	if id != "" {
		return []Concern{{Person: id, key: string(r.ID), Notification: said}}
	}
	var out []Concern
	for _, p := range people {
		if p.Enabled && p.Role == org.Owner {
			out = append(out, Concern{Person: p.ID, key: string(r.ID), Notification: said})
		}
	}
	return out
}

// elsewhere reports whether who said what a run answers does not look at its conversation, as who mentions an agent in a comment does not.
func elsewhere(r run.Run) bool {
	var in session.TurnInput
	return len(r.Input) > 0 && json.Unmarshal(r.Input, &in) == nil && in.Background
}

// is reports whether a person of the organization is the one who does work under that name.
func is(p org.Person, r desk.ResourceBody) bool {
	if r.Answers(p.Name) {
		return true
	}
	for _, identity := range p.Identities {
		if mail, ok := strings.CutPrefix(identity, "email:"); ok && r.Answers(mail) {
			return true
		}
	}
	return false
}

// personOf returns the id of the enabled person behind a sender, "" when it is none.
func personOf(people []org.Person, sender string) string {
	for _, p := range people {
		if p.Enabled && p.Party().AgentID == sender {
			return p.ID
		}
	}
	return ""
}

func bodyOf[B any](c desk.Change) (B, error) {
	return desk.Open[B](desk.Record{ID: c.ID, Kind: c.Kind, Body: c.Set})
}

func titleOf(r desk.Record) (string, error) {
	if r.ID == "" {
		return "", nil
	}
	s, err := desk.Summarize(r)
	return s.Title, err
}

// short cuts a text to so many characters.
func short(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
