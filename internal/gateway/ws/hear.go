package ws

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"chela/internal/approval"
	"chela/internal/builder"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/router"
)

// A happening is an event as programs hear it.
type happening struct {
	Subscription string          `json:"subscription"`
	Seq          event.Seq       `json:"seq"` // the cursor
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	At           time.Time       `json:"at"`
	Stream       string          `json:"stream"`
	Thread       string          `json:"threadId,omitempty"`
	Run          string          `json:"runId,omitempty"`
	From         event.Party     `json:"from"`
	Payload      json.RawMessage `json:"payload"`
}

// subscribe hears what happens in one thread, project or run, or everywhere, after a position of the log.
func (c *client) subscribe(ctx context.Context, raw json.RawMessage) (any, error) {
	p, err := paramsOf[struct {
		Thread  string     `json:"threadId"`
		Project string     `json:"projectId"`
		Run     string     `json:"runId"`
		Type    string     `json:"type"`
		After   *event.Seq `json:"after"`
	}](raw)
	if err != nil {
		return nil, err
	}
	if p.Type != "" {
		if err := event.CheckPattern("type", p.Type, c.Kinds); err != nil {
			return nil, err
		}
	}
	f := event.Filter{Thread: p.Thread, Run: p.Run, Type: p.Type}
	if p.Project != "" {
		f.Stream = event.ProjectStream(p.Project)
	}
	after, err := c.from(ctx, p.After)
	if err != nil {
		return nil, err
	}
	name := "sub" + strconv.FormatInt(c.count.Add(1), 10)
	err = c.hear(ctx, name, f, after, func(e event.Exported) {
		c.send(note("event", happening{name, e.Seq, e.Message.ID, e.Message.Type, e.At, e.Stream, e.Message.ThreadID, e.Message.RunID, e.Message.From, e.Message.Payload}))
	})
	return map[string]any{"subscription": name, "after": after}, err
}

// mostSessions bounds the people of a conversation that are told of.
const mostSessions = 100

// watch tells what becomes of a conversation in the words of systems that build workflows by chat, see [builder.Watch]. The
// answer has where its people stand with the router.
func (c *client) watch(ctx context.Context, raw json.RawMessage) (any, error) {
	p, err := paramsOf[struct {
		Session string     `json:"sessionId"`
		After   *event.Seq `json:"after"`
	}](raw)
	if err != nil {
		return nil, err
	}
	if p.Session == "" {
		return nil, fault.BadField("sessionId", "Name a conversation.")
	}
	stand, err := c.Sessions.RouterSessions(ctx, p.Session, mostSessions)
	if err != nil {
		return nil, err
	}
	after, err := c.from(ctx, p.After)
	if err != nil {
		return nil, err
	}
	name := "sub" + strconv.FormatInt(c.count.Add(1), 10)
	w := builder.NewWatch(c.Sessions, p.Session)
	w.Plays(stand)
	err = c.hear(ctx, name, event.Filter{}, after, func(e event.Exported) {
		told, err := w.Tell(ctx, e.Event)
		if err != nil {
			c.end() // the program comes again with its cursor
			return
		}
		for _, t := range told {
			c.send(note(t.Name, t.Data))
		}
	})
	return map[string]any{"subscription": name, "after": after, "sessions": append([]router.Session{}, stand...)}, err
}

// from is the position after which a program hears: the one that it says, else the newest.
func (c *client) from(ctx context.Context, after *event.Seq) (event.Seq, error) {
	if after != nil {
		return *after, nil
	}
	return c.Log.End(ctx)
}

func (c *client) unsubscribe(_ context.Context, raw json.RawMessage) (any, error) {
	p, err := paramsOf[struct {
		Subscription string `json:"subscription"`
	}](raw)
	if err != nil {
		return nil, err
	}
	if !c.forget(p.Subscription) {
		return nil, fault.New(fault.NotFound, "There is no subscription %s.", p.Subscription)
	}
	return map[string]any{"subscription": p.Subscription}, nil
}

func (c *client) forget(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	stop := c.subjects[name]
	delete(c.subjects, name)
	if stop != nil {
		stop()
	}
	return stop != nil
}

// hear tells of what the filter admits after a position, until it is unsubscribed or the program leaves.
func (c *client) hear(ctx context.Context, name string, f event.Filter, after event.Seq, tell func(event.Exported)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.subjects) >= mostSubjects {
		return fault.New(fault.Conflict, "You hear %d subjects, which is the most. Unsubscribe one.", len(c.subjects))
	}
	ctx, stop := context.WithCancel(ctx)
	c.subjects[name] = stop
	grown, leave := c.Log.Subscribe(event.LogGrew)
	c.all.Go(func() {
		defer leave()
		for ctx.Err() == nil {
			found, upTo, err := c.Log.Events(ctx, after, f)
			if err != nil {
				c.end() // the program comes again with its cursor
				return
			}
			for _, e := range found {
				if ctx.Err() == nil && !e.Erased {
					e.Event = gateway.Shown(c.caller.Person, e.Event)
					tell(e)
				}
			}
			if after = max(after, upTo); len(found) > 0 {
				continue
			}
			select {
			case <-ctx.Done():
			case <-grown:
				pause(ctx, gather)
			}
		}
	})
	return nil
}

// gather is how long events are gathered before the log is read for them.
const gather = 20 * time.Millisecond

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// older answers the messages of older programs, which have no ids.
func (c *client) older(ctx context.Context, m message) {
	refuse := func(text string) { c.send(map[string]any{"type": "ERROR", "payload": text}) }
	f, name := event.Filter{}, m.Session
	switch m.Type {
	case "SUBSCRIBE_SESSION":
		f.Thread = m.Session
	case "SUBSCRIBE_PROJECT":
		f.Stream, name = event.ProjectStream(m.Project), m.Project
	case "UNSUBSCRIBE":
		if name == "" {
			name = m.Project
		}
		c.forget("older " + name)
		return
	default:
		refuse("The message " + m.Type + " is not known.")
		return
	}
	if name == "" {
		refuse("Name a sessionId or a projectId.")
		return
	}
	after, err := c.from(ctx, nil)
	if err == nil {
		c.forget("older " + name)
		err = c.hear(ctx, "older "+name, f, after, func(e event.Exported) {
			c.send(map[string]any{"type": "EVENT", "sessionId": e.Message.ThreadID, "payload": map[string]any{
				"eventId": e.Message.ID, "type": e.Message.Type, "payload": e.Message.Payload, "timestamp": e.At, "seq": e.Seq,
			}})
		})
	}
	if err != nil {
		refuse(c.hall.Problem(ctx, err).Detail)
		return
	}
	c.send(map[string]any{"type": "SUBSCRIBED", "sessionId": m.Session, "projectId": m.Project})
}

// askMe has the program be asked the questions that wait for people, now and from now on: a call of the method
// approval.decide, whose result is the choice. It answers as the person whose token it has.
func (c *client) askMe(ctx context.Context, _ json.RawMessage) (any, error) {
	open, err := c.Questions.Approvals(ctx, approval.Pending, mostQuestions)
	if err != nil {
		return nil, err
	}
	after, err := c.from(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, a := range open {
		c.ask(ctx, a)
	}
	c.forget("approvals")
	return map[string]any{"asked": len(open)}, c.hear(ctx, "approvals", event.Filter{Type: approval.RequestedKind.Name}, after, func(e event.Exported) {
		p, ok, err := approval.RequestedKind.Open(e.Event)
		if !ok || err != nil {
			return
		}
		if a, err := c.Questions.Approval(ctx, p.ID); err == nil && a.Status == approval.Pending {
			c.ask(ctx, a)
		}
	})
}

// ask calls the program.
func (c *client) ask(ctx context.Context, a approval.Approval) {
	id, err := json.Marshal(a.ID)
	if err != nil {
		return // a text is always JSON
	}
	c.mu.Lock()
	c.asked[a.ID] = func(result json.RawMessage) {
		said, err := paramsOf[approval.Answer](result)
		if said.ID = a.ID; said.Digest == "" {
			said.Digest = a.Digest
		}
		if err == nil {
			err = c.Answers.Decide(ctx, approval.Approver{Party: c.caller.Party(), Role: c.caller.Person.Role}, said)
		}
		if err != nil {
			c.send(note("approval.refused", map[string]any{"id": a.ID, "reason": c.hall.Problem(ctx, err).Detail}))
		}
	}
	c.mu.Unlock()
	c.send(reply{Version: "2.0", ID: id, Method: "approval.decide", Params: a})
}

// answered takes the program's answer to a call of ours. One that is not known, or an error, decides nothing.
func (c *client) answered(m message) {
	var id string
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	c.mu.Lock()
	do := c.asked[id]
	delete(c.asked, id)
	c.mu.Unlock()
	if do != nil && m.Result != nil {
		do(m.Result)
	}
}
