package notify

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"chela/internal/approval"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/session"
	"chela/internal/tracker"
)

// A Log is where it is heard what happens, and where it is recorded who is told.
type Log interface {
	event.Notifier
	Mint() *event.Mint
	End(ctx context.Context) (event.Seq, error)
	Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error)
	Append(ctx context.Context, drafts ...event.Draft) ([]event.Event, error)
	Cursor(ctx context.Context, name string) (event.Seq, error)
	MoveCursor(ctx context.Context, name string, from, to event.Seq) (bool, error)
	ByKey(ctx context.Context, sender, key string) (event.Event, error)
}

// An Inbox is what people were told.
type Inbox interface {
	// Preferences returns what a person said of where they are told, [Usual] when they said nothing.
	Preferences(ctx context.Context, person string) (Preferences, error)
	// Over lists the open notifications that need nobody any more, by person: of questions that were answered, and of records that ended (see
	// [Notification.Ending]).
	Over(ctx context.Context) (map[string][]string, error)
	// OpenDue lists the open notifications that a ticket is due, by person: of some tickets, or of all when tickets is nil.
	OpenDue(ctx context.Context, tickets []string) (map[string][]View, error)
	// OpenReminders lists the open notifications that some reminders rang, by person.
	OpenReminders(ctx context.Context, reminders []string) (map[string][]View, error)
	// InChat reports whether a conversation is one of a chat platform.
	InChat(ctx context.Context, thread string) (bool, error)
	// ForChats lists what is due to go to the chats of people, but of some not, by person, oldest first.
	ForChats(ctx context.Context, now time.Time, except []string) (map[string][]View, error)
	// ChatOf returns the conversation that a person last had with us in a chat of their own, "" when there is none.
	ChatOf(ctx context.Context, person string) (thread string, err error)
}

// Runs finds runs.
type Runs interface {
	Run(ctx context.Context, id run.ID) (run.Run, error)
	RunList(ctx context.Context, f run.Filter) ([]run.Run, error)
}

// Conversations reads what was said.
type Conversations interface {
	Messages(ctx context.Context, thread string, after event.Seq, limit int) ([]session.Message, error)
}

// Parts are what a [Keeper] reads and writes.
type Parts struct {
	Log      Log
	Inbox    Inbox
	Runs     Runs
	Asked    approval.Reader
	Desk     clerk.Store
	People   func(ctx context.Context) ([]org.Person, error)
	Agents   func(ctx context.Context) ([]org.AgentID, error)
	Projects func(ctx context.Context) ([]desk.Record, error)
	// Ask says to an agent, as who mentioned it, what they said about a record, in the one conversation that the agent has about it.
	Ask  func(ctx context.Context, a Asked) error
	Said Conversations
	Out  *slog.Logger // nil means slog.Default
}

// A Keeper tells people what concerns them. Any number of keepers may work on one store: what is told
// is recorded under a key, once.
type Keeper struct {
	Parts
	since time.Time // runs that failed before were told of
	day   desk.Date // whose due tickets were told of
}

// NewKeeper returns a keeper.
func NewKeeper(p Parts) *Keeper {
	if p.Out == nil {
		p.Out = slog.Default()
	}
	return &Keeper{Parts: p, since: p.Log.Mint().Now().Add(-24 * time.Hour)}
}

const (
	cursor     = "notifications"
	settle     = 300 * time.Millisecond // changes are gathered for so long
	most       = 500                    // events that are read at once
	mostFailed = 50                     // failed runs that are looked at
	severally  = 3                      // of more things alike of one act a person is told at once
)

// heardKinds are the kinds of records whose creation may concern somebody.
var heardKinds = []desk.Kind{desk.Comment, desk.Assignment, desk.Blindspot}

// Heard reports whether a change of a record, made at a time, may concern somebody at once, or be the end of what did.
func Heard(c desk.Change, at time.Time) bool {
	return c.Op == desk.Created && slices.Contains(heardKinds, c.Kind) || movedTo(c, desk.DateOf(at.UTC())) || endedBy(c) || mayEndDue(c) || rings(c)
}

// heard are the events that may concern somebody.
func heard() []string {
	out := []string{approval.RequestedKind.Name, approval.AnsweredKind.Name, tracker.FailedKind.Name, schedule.EndedKind.Name}
	for _, k := range heardKinds {
		out = append(out, desk.EventType(k, desk.Created))
	}
	return out
}

// Run works until ctx is done. What happened before its first start concerns nobody any more.
func (k *Keeper) Run(ctx context.Context) error {
	concerned, stop := k.Log.Subscribe(event.PeopleConcerned)
	defer stop()
	for {
		if err := k.Pass(ctx); err != nil && ctx.Err() == nil {
			k.Out.Warn("tell people what concerns them; it is tried again", "err", err)
		}
		timer := time.NewTimer(time.Minute) // for what goes to chats later, and the day
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		case <-concerned:
			timer.Stop()
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(settle):
			}
		}
	}
}

// Pass tells of everything that has happened since the last pass of any keeper.
func (k *Keeper) Pass(ctx context.Context) error {
	people, err := k.People(ctx)
	if err != nil {
		return fmt.Errorf("list the people: %w", err)
	}
	for _, step := range []func(context.Context, []org.Person) error{k.hear, k.failed, k.due} {
		if err := step(ctx, people); err != nil {
			return err
		}
	}
	if err := k.settleOver(ctx); err != nil {
		return err
	}
	return k.chats(ctx)
}

// hear reads what was recorded since the cursor, and raises what concerns people.
func (k *Keeper) hear(ctx context.Context, people []org.Person) error {
	from, err := k.Log.Cursor(ctx, cursor)
	if err != nil {
		return fmt.Errorf("read how far people were told: %w", err)
	}
	end, err := k.Log.End(ctx)
	if err != nil || end == from {
		return err
	}
	if from > 0 {
		var all []event.Event
		for _, kind := range heard() {
			events, err := k.events(ctx, kind, from, end)
			if err != nil {
				return err
			}
			all = append(all, events...)
		}
		slices.SortFunc(all, func(a, b event.Event) int { return int(a.Seq - b.Seq) })
		assigned, err := k.tell(ctx, people, all)
		if err != nil {
			return err
		}
		if err := k.answers(ctx, people, from, end); err != nil {
			return err
		}
		if err := k.wentBy(ctx, people, from, end); err != nil {
			return err
		}
		if err := k.cameDue(ctx, people, assigned, from, end); err != nil {
			return err
		}
		if err := k.rang(ctx, people, from, end); err != nil {
			return err
		}
	}
	_, err = k.Log.MoveCursor(ctx, cursor, from, end)
	return err
}

func (k *Keeper) events(ctx context.Context, kind string, from, end event.Seq) (out []event.Event, err error) {
	err = k.each(ctx, kind, from, end, func(e event.Event) error {
		out = append(out, e)
		return nil
	})
	return out, err
}

// each calls fn with the events of a type between two positions.
func (k *Keeper) each(ctx context.Context, kind string, from, end event.Seq, fn func(event.Event) error) error {
	for {
		batch, upTo, err := k.Log.Events(ctx, from, event.Filter{Type: kind, Limit: most})
		if err != nil {
			return fmt.Errorf("read what happened: %w", err)
		}
		for _, e := range batch {
			if e.Seq > end {
				return nil
			}
			if err := fn(e.Event); err != nil {
				return err
			}
		}
		if len(batch) < most || upTo >= end {
			return nil
		}
		from = upTo
	}
}

// tell raises what events concern people. Of many alike of one act a person is told once. It returns the tickets that came to somebody.
func (k *Keeper) tell(ctx context.Context, people []org.Person, events []event.Event) (assigned []string, err error) {
	if len(events) == 0 {
		return nil, nil
	}
	agents, err := k.Agents(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the agents: %w", err)
	}
	var all []Concern
	alike := make(map[string]int)
	act, seen := make([]string, 0, len(events)), make(map[string]desk.ResourceBody)
	for _, e := range events {
		known, err := k.know(ctx, e, Known{People: people, Agents: agents}, seen)
		if fault.KindOf(err) == fault.NotFound && err != nil {
			continue // it is gone again
		}
		if err != nil {
			return nil, err
		}
		if e.Message.Type == assignedType() {
			if len(known.Owners) == 0 {
				continue // to somebody who is not here
			}
			assigned = append(assigned, known.Record.ID)
		}
		concerns, err := Concerns(e, known)
		if err != nil {
			return nil, err
		}
		if err := k.ask(ctx, e, known); err != nil {
			return nil, err
		}
		for _, c := range concerns {
			all, act = append(all, c), append(act, e.Message.RunID)
			alike[e.Message.RunID+" "+c.Person+" "+string(c.Reason)]++
		}
	}
	told := make(map[string]bool)
	out := all[:0]
	for i, c := range all {
		group := act[i] + " " + c.Person + " " + string(c.Reason)
		if n := alike[group]; n > severally && c.Reason != Approval {
			if told[group] {
				continue
			}
			told[group] = true
			c.key, c.Title, c.Text, c.Record, c.Run = act[i], many(c.Reason, n), "", "", act[i]
		}
		out = append(out, c)
	}
	return assigned, k.raise(ctx, out)
}

// many is the title of what stands for so many.
func many(r Reason, n int) string {
	switch r {
	case Assigned:
		return fmt.Sprintf("%d tickets are assigned to you", n)
	case Finding:
		return fmt.Sprintf("%d grave findings", n)
	default:
		return fmt.Sprintf("%d comments", n)
	}
}

// know looks up what is to be known beside an event. seen are the resources that were read.
func (k *Keeper) know(ctx context.Context, e event.Event, out Known, seen map[string]desk.ResourceBody) (Known, error) {
	if q, ok, err := approval.RequestedKind.Open(e); ok || err != nil {
		if err == nil {
			out.Run, err = k.Runs.Run(ctx, q.Run)
		}
		return out, err
	}
	if e.Message.Type == schedule.EndedKind.Name {
		return out, nil // it says whom it tells
	}
	if a, ok, err := lapsed(e); ok || err != nil {
		if err == nil {
			out, err = k.knowLapsed(ctx, a, out)
		}
		return out, err
	}
	c, _, err := desk.ChangeOf(e)
	if err != nil {
		return out, err
	}
	switch c.Kind {
	case desk.Comment:
		b, err := bodyOf[desk.CommentBody](c)
		if err != nil {
			return out, err
		}
		if out.Record, err = k.Desk.Record(ctx, b.RecordID); err != nil {
			return out, err
		}
		if out.Owners, err = k.owners(ctx, out.Record); err != nil {
			return out, err
		}
		out.Spoke, err = k.spoke(ctx, out.Record)
		return out, err
	case desk.Assignment:
		b, err := bodyOf[desk.AssignmentBody](c)
		if err != nil {
			return out, err
		}
		who, err := k.resource(ctx, b.ResourceID, seen)
		if err != nil || !slices.ContainsFunc(out.People, func(p org.Person) bool { return is(p, who) }) {
			return out, err // an import assigns many to people who are not here
		}
		out.Owners = []desk.ResourceBody{who}
		out.Record, err = k.Desk.Record(ctx, b.TicketID)
		return out, err
	default:
		return out, nil
	}
}

// resource reads who does work, each once.
func (k *Keeper) resource(ctx context.Context, id string, seen map[string]desk.ResourceBody) (desk.ResourceBody, error) {
	if who, ok := seen[id]; ok {
		return who, nil
	}
	r, err := k.Desk.Record(ctx, id)
	if err != nil {
		return desk.ResourceBody{}, err
	}
	seen[id], err = desk.Open[desk.ResourceBody](r)
	return seen[id], err
}

// owners are who does a record.
func (k *Keeper) owners(ctx context.Context, r desk.Record) ([]desk.ResourceBody, error) {
	if !r.Kind.Owned() {
		return nil, nil
	}
	owners, err := clerk.Owners(ctx, k.Desk, r.Project, []desk.Record{r})
	if err != nil {
		return nil, err
	}
	var out []desk.ResourceBody
	for _, id := range owners[r.ID].ResourceIDs {
		p, err := k.Desk.Record(ctx, id)
		if err != nil {
			return nil, err
		}
		b, err := desk.Open[desk.ResourceBody](p)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// spoke are who commented on a record.
func (k *Keeper) spoke(ctx context.Context, r desk.Record) ([]string, error) {
	p, err := k.Desk.Records(ctx, clerk.Query{Project: r.Project, Kind: desk.Comment, RefField: "recordId", RefTo: []string{r.ID}, Limit: most})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range p.Records {
		if !slices.Contains(out, c.CreatedBy) {
			out = append(out, c.CreatedBy)
		}
	}
	return out, nil
}

// failed tells of runs that failed.
func (k *Keeper) failed(ctx context.Context, people []org.Person) error {
	runs, err := k.Runs.RunList(ctx, run.Filter{State: run.Failed, Limit: mostFailed})
	if err != nil {
		return fmt.Errorf("list the failed runs: %w", err)
	}
	var out []Concern
	for _, r := range runs {
		if r.EndedAt.After(k.since) {
			out = append(out, failure(r, people)...)
		}
	}
	if err := k.raise(ctx, out); err != nil {
		return err
	}
	for _, r := range runs {
		if r.EndedAt.After(k.since) {
			k.since = r.EndedAt
		}
	}
	return nil
}

// raise records what people are told, each once.
func (k *Keeper) raise(ctx context.Context, all []Concern) error {
	now := k.Log.Mint().Now()
	wants := make(map[string]Preferences)
	var drafts []event.Draft
	for _, c := range all {
		p, ok := wants[c.Person]
		if !ok {
			var err error
			if p, err = k.Inbox.Preferences(ctx, c.Person); err != nil {
				return err
			}
			wants[c.Person] = p
		}
		if !p.Wants(c.Reason) {
			continue
		}
		n := c.Notification
		if n.ID = k.Log.Mint().ID("ntf"); !c.told {
			n.ChatAt = p.ChatAt(c.Reason, now)
		}
		at := k.place(c.Person)
		at.Key = raisedKey(c)
		drafts = append(drafts, RaisedKind.Draft(at, n))
	}
	if len(drafts) == 0 {
		return nil
	}
	if _, err := k.Log.Append(ctx, drafts...); err != nil {
		return fmt.Errorf("record what people are told: %w", err)
	}
	return nil
}

// raisedKey is the key under which a person is told, once.
func raisedKey(c Concern) string {
	return strings.Join([]string{"notify", string(c.Reason), c.key, c.Person}, "/")
}

// place is where what a person is told belongs.
func (k *Keeper) place(person string) event.Place {
	id := k.Log.Mint().ID("run")
	return event.Place{Stream: event.PersonStream(person), Thread: k.Log.Mint().ID("thr"), Run: id, Task: run.RootTask(run.ID(id)), From: run.Chela()}
}

// settleOver settles the notifications that need nobody any more, each once: what its person makes new again stays so.
func (k *Keeper) settleOver(ctx context.Context) error {
	over, err := k.Inbox.Over(ctx)
	if err != nil {
		return fmt.Errorf("list what needs nobody any more: %w", err)
	}
	return k.settle(ctx, over, "notify/over/")
}

// settle settles notifications of people, each once under a key that begins so.
func (k *Keeper) settle(ctx context.Context, over map[string][]string, key string) error {
	var drafts []event.Draft
	for person, ids := range over {
		for _, id := range ids {
			at := k.place(person)
			at.Key = key + id
			drafts = append(drafts, SettledKind.Draft(at, Settled{IDs: []string{id}, State: Done}))
		}
	}
	if len(drafts) == 0 {
		return nil
	}
	_, err := k.Log.Append(ctx, drafts...)
	return err
}
