// Package story writes what a team did over some weeks into a new daemon: each act through the API, by
// whom the story says, at its own time. The days count from today, so that a story is always as old. The
// daemon's clock is a mint that is moved from act to act and ends at the present; the log is one that
// could have been written on those days, and its promises hold as ever.
package story

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"chela/internal/budget"
	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/model"
	"chela/internal/org"
)

// A Story is what happened. Numbers of days count from today: -1 is yesterday.
type Story struct {
	Project     string         `json:"project"`
	Description string         `json:"description"`
	Begins      int            `json:"begins"` // the day of the first act
	People      []Person       `json:"people"`
	Agents      []org.Agent    `json:"agents"`
	Records     []Record       `json:"records"`
	Tickets     []Ticket       `json:"tickets"`
	Intakes     []Intake       `json:"intakes"`
	Talks       []Talk         `json:"talks"`
	Keys        []Key          `json:"keys,omitempty"`
	Schedules   []Key          `json:"schedules,omitempty"` // what people have agents asked by the clock
	Secrets     []Secret       `json:"secrets,omitempty"`
	Hooks       []Hook         `json:"hooks,omitempty"`
	Skills      []Skill        `json:"skills,omitempty"`
	Workflows   []Workflow     `json:"workflows,omitempty"`
	Builds      []Build        `json:"builds,omitempty"`
	Tour        bool           `json:"tour,omitempty"` // the page shows itself to the owner when they first open it
	Budgets     []budget.Limit `json:"budgets"`        // of an agent, or of the project when it says project
}

// A Person is a member of the team and of the organization.
type Person struct {
	Name     string          `json:"name"`
	Role     string          `json:"role"`     // in the organization
	Resource json.RawMessage `json:"resource"` // how they work
}

// A Record is one that somebody makes on a day, or changes later.
type Record struct {
	Day  int             `json:"day"`
	By   string          `json:"by"`
	Kind string          `json:"kind"` // as the address of its list ends
	As   string          `json:"as,omitempty"`
	ID   string          `json:"id,omitempty"` // of one that is there: {{name}}
	Body json.RawMessage `json:"body"`
}

// A Ticket is a ticket, what became of it and who did it.
type Ticket struct {
	Key    string          `json:"key"`
	Day    int             `json:"day"` // on which it was made; of one that an intake makes, 0
	By     string          `json:"by"`
	Owner  string          `json:"owner,omitempty"`
	Share  float64         `json:"share,omitempty"` // of the owner's time, in percent
	Body   json.RawMessage `json:"body,omitempty"`
	Status []Move          `json:"moves,omitempty"`
}

// A Move is a change of a ticket's fields by its owner, or by who made it.
type Move struct {
	Day int             `json:"day"`
	By  string          `json:"by,omitempty"`
	Set json.RawMessage `json:"set"`
}

// An Intake is a document that somebody hands in.
type Intake struct {
	Day  int    `json:"day"`
	By   string `json:"by"`
	File string `json:"file"` // beside the story; what it says of days is filled in
}

// A Talk is a message to agents.
type Talk struct {
	Day    int    `json:"day"`
	By     string `json:"by"`
	Thread string `json:"thread,omitempty"` // a name: talks that share it are one conversation
	Agent  string `json:"agent,omitempty"`
	Text   string `json:"text"`
	Goes   bool   `json:"goesOn,omitempty"` // the answer is not waited for: the run is under way at the end
}

// Read reads a story strictly.
func Read(raw []byte) (s Story, err error) {
	return s, event.DecodeStrict(raw, &s)
}

// A Told is what came of a story.
type Told struct {
	Project string // its id
	Acts    int
	Token   string // the owner's
}

// Tell writes a story into the daemon of a configuration whose log is empty. files holds the documents
// that the story names.
func Tell(ctx context.Context, s Story, files fs.FS, cfg config.Config, now time.Time) (out Told, err error) {
	acts, err := s.acts(files, now)
	if err != nil {
		return out, err
	}
	mint := event.NewMint(acts[0].at.Add(-time.Hour))
	cfg.Listen, cfg.NoSchedules = "127.0.0.1:0", true
	d, err := daemon.New(ctx, cfg, slog.New(slog.DiscardHandler), daemon.Options{Mint: mint, Grace: 100 * time.Millisecond, Play: func(m model.Model) model.Model { return writing{m, mint, now} }})
	if err != nil {
		return out, err
	}
	if d.Token() == "" {
		return out, errors.Join(fault.New(fault.Conflict, "A story is told to a daemon that has just begun; the log in %s is not empty.", cfg.Data), d.Close())
	}
	addr, err := d.Listen(ctx)
	if err != nil {
		return out, errors.Join(err, d.Close())
	}
	t := &teller{base: "http://" + addr.String(), now: now, tokens: map[string]string{"": d.Token()}, ids: make(map[string]string)}
	if t.project, err = d.Project(ctx, s.Project, s.Description); err != nil {
		return out, errors.Join(err, d.Close())
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- d.Run(serving) }()
	for _, a := range acts {
		mint.Forward(max(a.at.Sub(mint.Now()), 0))
		if err = a.do(ctx, t); err != nil {
			err = fault.Wrap(err, fault.KindOf(err), "%s, day %d: %s", a.name, a.day, fault.TextOf(err))
			break
		}
	}
	mint.Forward(max(now.Sub(mint.Now()), 0))
	stop()
	return Told{t.project, len(acts), d.Token()}, errors.Join(err, <-ended)
}

// writing is a model that takes as long for an answer as one does that thinks and writes: the clock of the story moves on, up to the
// present.
type writing struct {
	model.Model

	mint *event.Mint
	now  time.Time
}

// How long a model of the story thinks, and writes a byte.
const (
	thinking = 1200 * time.Millisecond
	perByte  = 12 * time.Millisecond // some 80 bytes a second
)

// Generate implements [model.Model].
func (w writing) Generate(ctx context.Context, r model.Request, show func(model.Delta)) (model.Answer, error) {
	a, err := w.Model.Generate(ctx, r, show)
	if err != nil {
		return a, err
	}
	size := len(a.Text)
	for _, c := range a.Calls {
		size += len(c.Args)
	}
	w.mint.Forward(min(thinking+time.Duration(size)*perByte, max(w.now.Sub(w.mint.Now()), 0)))
	return a, nil
}

// A teller does the acts.
type teller struct {
	base    string
	now     time.Time
	project string
	tokens  map[string]string // name → token; the owner has none
	ids     map[string]string // names in the story → ids
}

// as is the client of a person.
func (t *teller) as(name string) (*client.Client, error) {
	token, ok := t.tokens[name]
	if !ok {
		return nil, fault.New(fault.Invalid, "The story has no person named %q.", name)
	}
	return client.New(t.base, token), nil
}

// call calls the API as a person, with what the body names filled in.
func (t *teller) call(ctx context.Context, by, method, path string, body, out any) error {
	c, err := t.as(by)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if raw, err = t.filled(raw); err != nil {
		return err
	}
	return c.Call(ctx, method, path, json.RawMessage(raw), out)
}

func (t *teller) path(rest string) string { return "/api/projects/" + t.project + "/" + rest }

// An act is one thing that somebody does.
type act struct {
	day  int
	at   time.Time
	name string
	do   func(ctx context.Context, t *teller) error
}

// acts are all of a story in the order of their times.
func (s Story) acts(files fs.FS, now time.Time) ([]act, error) {
	var all []act
	add := func(day int, name string, do func(ctx context.Context, t *teller) error) {
		all = append(all, act{day: day, name: name, do: do})
	}
	for _, p := range s.People {
		add(s.Begins, p.Name, p.join)
	}
	for _, a := range s.Agents {
		add(s.Begins, string(a.Card.AgentID), func(ctx context.Context, t *teller) error {
			return t.call(ctx, "", http.MethodPost, "/api/agents", a, nil)
		})
	}
	for _, r := range s.Records {
		add(r.Day, cmp.Or(r.As, r.Kind), r.write)
	}
	for _, in := range s.Intakes {
		raw, err := fs.ReadFile(files, in.File)
		if err != nil {
			return nil, fault.Wrap(err, fault.NotFound, "The story's document %s cannot be read.", in.File)
		}
		add(in.Day, in.File, func(ctx context.Context, t *teller) error { return in.hand(ctx, t, Dated(raw, now)) })
	}
	for _, k := range s.Tickets {
		if k.Day != 0 {
			add(k.Day, k.Key, k.make)
		}
		for _, m := range k.Status {
			add(m.Day, k.Key, func(ctx context.Context, t *teller) error { return k.move(ctx, t, m) })
		}
	}
	for _, k := range s.Talks {
		add(k.Day, k.Text, k.say)
	}
	s.outside(add)
	for i := range s.Workflows {
		w := &s.Workflows[i]
		if err := w.read(files); err != nil {
			return nil, err
		}
		add(w.Day, w.File, w.deploy)
		if len(w.With) > 0 {
			add(w.Runs, w.File+" runs", w.run)
		}
	}
	for _, b := range s.Builds {
		add(b.Day, "build", b.build)
	}
	for _, b := range s.Budgets {
		add(0, b.ID(), func(ctx context.Context, t *teller) error {
			if b.Scope == budget.Project {
				b.Of = t.project
			}
			return t.call(ctx, "", http.MethodPut, "/api/budgets", b, nil)
		})
	}
	if s.Tour {
		add(0, "tour", func(ctx context.Context, t *teller) error {
			return t.call(ctx, "", http.MethodPut, "/api/me/tour", org.Tour{Step: 1}, nil)
		})
	}
	if len(all) == 0 {
		return nil, fault.New(fault.Invalid, "The story has no acts.")
	}
	slices.SortStableFunc(all, func(a, b act) int { return cmp.Compare(a.day, b.day) })
	timed(all, now)
	return all, nil
}

// timed gives acts that are sorted by their days their times: working hours of working days, and the last
// ones before now. What falls on a weekend is done on the Friday before.
func timed(all []act, now time.Time) {
	perDay := make(map[time.Time]int)
	date := func(day int) time.Time {
		at := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, day)
		if back := (int(at.Weekday()) + 1) % 7; day != 0 && back < 2 { // Saturday 0, Sunday 1
			at = at.AddDate(0, 0, -1-back)
		}
		return at
	}
	for _, a := range all {
		perDay[date(a.day)]++
	}
	done := make(map[time.Time]int)
	for i := range all {
		day := date(all[i].day)
		begin, long := day.Add(8*time.Hour), 9*time.Hour
		if all[i].day == 0 || begin.Add(long).After(now) {
			begin, long = now.Add(-3*time.Hour), 3*time.Hour
		}
		all[i].at = begin.Add(time.Duration(done[day]+1) * long / time.Duration(perDay[day]+1))
		done[day]++
	}
	for i := 1; i < len(all); i++ { // yesterday's evening may lie after today's morning
		if all[i].at.Before(all[i-1].at) {
			all[i].at = all[i-1].at
		}
	}
}

// join invites a person, who accepts, and writes down how they work.
func (p Person) join(ctx context.Context, t *teller) error {
	owner, err := t.as("")
	if err != nil {
		return err
	}
	link, err := owner.Invite(ctx, client.InviteBody{Name: p.Name, Role: p.Role})
	if err != nil {
		return err
	}
	got, err := client.New(t.base, "").AcceptInvite(ctx, client.AcceptBody{Token: link.Token})
	if err != nil {
		return err
	}
	t.tokens[p.Name] = got.Token
	return Record{By: p.Name, Kind: "resources", As: p.Name, Body: p.Resource}.write(ctx, t)
}

// write makes a record, or changes one.
func (r Record) write(ctx context.Context, t *teller) error {
	method, path := http.MethodPost, t.path(r.Kind)
	if r.ID != "" {
		id, err := t.filled([]byte(r.ID))
		if err != nil {
			return err
		}
		method, path = http.MethodPatch, path+"/"+string(id)
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := t.call(ctx, r.By, method, path, r.Body, &made); err != nil {
		return err
	}
	if r.As != "" {
		t.ids[r.As] = made.ID
	}
	return nil
}

// make makes a ticket.
func (k Ticket) make(ctx context.Context, t *teller) error {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(k.Body, &body); err != nil {
		return err
	}
	key, err := json.Marshal(k.Key)
	if err != nil {
		return err
	}
	body["externalRef"] = key
	if k.Owner != "" && k.Share == 0 {
		if body["owner"], err = json.Marshal(k.Owner); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if err := (Record{By: k.By, Kind: "tickets", As: k.Key, Body: raw}).write(ctx, t); err != nil || k.Share == 0 {
		return err
	}
	return t.call(ctx, k.By, http.MethodPost, t.path("assignments"), map[string]any{"ticketId": t.ids[k.Key], "resourceId": t.ids[k.Owner], "percentageAllocation": k.Share}, nil)
}

// move changes a ticket.
func (k Ticket) move(ctx context.Context, t *teller, m Move) error {
	return Record{By: cmp.Or(m.By, k.Owner, k.By), Kind: "tickets", ID: "{{" + k.Key + "}}", Body: m.Set}.write(ctx, t)
}

// hand hands a document in, waits for what comes of it and learns the tickets' keys.
func (in Intake) hand(ctx context.Context, t *teller, raw []byte) error {
	c, err := t.as(in.By)
	if err != nil {
		return err
	}
	var got struct {
		Run string `json:"runId"`
	}
	file := map[string]string{"name": in.File, "data": base64.StdEncoding.EncodeToString(raw)}
	if err := c.Call(ctx, http.MethodPost, "/api/intake", map[string]any{"projectId": t.project, "files": []any{file}}, &got); err != nil {
		return err
	}
	if err := t.over(ctx, c, got.Run); err != nil {
		return err
	}
	all, err := c.ListTickets(ctx, t.project, client.ListTicketsQuery{Limit: 500})
	for _, i := range all.Items {
		if ref := i.Body.ExternalRef; ref != "" {
			t.ids[ref] = i.ID
		}
	}
	return err
}

// pollEvery is how often a run is looked at.
const pollEvery = 5 * time.Millisecond

// over waits until a run is over, or waits for a person.
func (t *teller) over(ctx context.Context, c *client.Client, id string) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		r, err := c.GetRun(ctx, id)
		if err != nil {
			return err
		}
		switch string(r.Run.State) {
		case "done", "failed", "cancelled", "waiting":
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// say says something to agents.
func (k Talk) say(ctx context.Context, t *teller) error {
	body := client.ChatBody{ProjectID: &t.project, Text: k.Text, Wait: new(!k.Goes)}
	if k.Agent != "" {
		body.Agent = &k.Agent
	}
	if id := t.ids["thread "+k.Thread]; k.Thread != "" && id != "" {
		body.ThreadID, body.ProjectID = &id, nil
	}
	c, err := t.as(k.By)
	if err != nil {
		return err
	}
	said, err := c.Chat(ctx, body)
	if err != nil {
		return err
	}
	t.ids["thread "+k.Thread] = said.Thread
	return nil
}

// unknown is a name that the story does not give.
func unknown(name string) error {
	return fault.New(fault.Invalid, "Nothing in the story is called %q before it is named.", name)
}
