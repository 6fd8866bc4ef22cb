package trace

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/hook"
	"chela/internal/mcp"
	"chela/internal/prompt"
	"chela/internal/route"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
	"chela/internal/worker"
)

// A builder puts spans together, event by event.
type builder struct {
	run   run.Run
	now   time.Time
	root  string
	spans []Span
	at    map[string]int // where the span of an id is
	calls []string       // of tools that have ended, for together
	wait  string         // the open wait, if any
}

func (b *builder) open(s Span) {
	if _, known := b.at[s.ID]; known {
		return
	}
	b.at[s.ID] = len(b.spans)
	b.spans = append(b.spans, s)
}

// with changes the span of an id, if there is one.
func (b *builder) with(id string, change func(*Span)) {
	if i, ok := b.at[id]; ok {
		change(&b.spans[i])
	}
}

// ended says how and when an open span ended.
func (b *builder) ended(id string, e event.Event, state State, text string) {
	b.with(id, func(s *Span) {
		if s.end.IsZero() {
			s.end, s.Seq, s.State = e.Said(), e.Seq, state
			s.Text = clip(cmp.Or(text, s.Text))
		}
	})
}

// within is the span that what happens in a task belongs to.
func (b *builder) within(task string) string {
	if _, ok := b.at[task]; ok {
		return task
	}
	return b.root
}

// instant adds what has no duration.
func (b *builder) instant(e event.Event, kind Kind, name, text string, state State) {
	b.open(Span{
		ID: e.Message.ID, Parent: b.within(e.Message.TaskID), Kind: kind, Seq: e.Seq, Name: name, Agent: short(e.Message.From.AgentID),
		At: e.At, end: e.At, State: state, Text: clip(text),
	})
}

// take takes in the next event.
func (b *builder) take(e event.Event) {
	space, _, _ := strings.Cut(e.Message.Type, ".")
	switch space {
	case "run":
		b.life(e)
	case "task":
		b.task(e)
	case "model":
		b.model(e)
	case "tool":
		b.tool(e)
	case "routing":
		b.routing(e)
	case "router":
		with(e, router.DecidedKind, func(d router.Decided) { b.instant(e, Routing, "message: "+string(d.Kind), d.Explain(), Done) })
	case "approval":
		b.approval(e)
	case "chat":
		b.chat(e)
	case "mcp":
		with(e, mcp.FollowedKind, func(f mcp.Followed) {
			b.instant(e, Note, f.Server+" works on", "Its task "+f.Task+" goes on. The conversation is told when it ends.", Done)
		})
		with(e, mcp.SettledKind, func(s mcp.Settled) {
			if s.Why != "" {
				b.instant(e, Note, s.Server+" is not followed", s.Why, Failed)
				return
			}
			b.instant(e, Note, s.Server+" "+s.State, "The conversation knows what came of the task "+s.Task+".", Done)
		})
	case "worker":
		b.worker(e)
	case "hook":
		with(e, hook.AnsweredKind, func(p hook.Answered) {
			text, state := cmp.Or(p.Denied, p.Failed, "It altered what was asked."), Done
			if p.Denied != "" || p.Failed != "" {
				state = Failed
			}
			b.instant(e, Note, "hook "+p.Hook+" at "+string(p.Point), text, state)
		})
	}
}

// worker takes in a task that an agent elsewhere fetches.
func (b *builder) worker(e event.Event) {
	m := e.Message
	with(e, worker.GivenKind, func(p worker.Given) {
		b.open(Span{ID: m.TaskID, Parent: b.within(m.ParentTaskID), Kind: Task, Seq: e.Seq, Name: "task of " + p.Worker, Agent: p.Worker, At: e.At, State: Waiting, Text: clip(p.Text)})
	})
	with(e, worker.TakenKind, func(worker.Took) { b.with(m.TaskID, func(s *Span) { s.State = Running }) })
	with(e, worker.ProgressedKind, func(p worker.Progressed) {
		if p.Message != "" {
			b.instant(e, Note, "progress", p.Message, Done)
		}
	})
	with(e, worker.EndedKind, func(p worker.Ended) {
		b.ended(m.TaskID, e, map[worker.State]State{worker.Done: Done, worker.Failed: Failed, worker.Cancelled: Cancelled}[p.State], cmp.Or(p.Output, p.Reason))
	})
}

// with opens e's payload when it is of the kind. One that cannot be read is passed over:
// the log view shows it as it is.
func with[P any](e event.Event, k event.Kind[P], then func(P)) {
	if p, ok, err := k.Open(e); ok && err == nil {
		then(p)
	}
}

// life takes in when the run was worked and what it waited for.
func (b *builder) life(e event.Event) {
	begin := func(name, text string) {
		b.wait = e.Message.ID
		b.open(Span{ID: b.wait, Parent: b.root, Kind: Wait, Seq: e.Seq, Name: name, At: e.At, State: Waiting, Text: clip(text)})
	}
	with(e, run.QueuedKind, func(run.Spec) { begin("queued", "") })
	with(e, run.WaitingKind, func(p run.Waits) {
		b.ended(b.wait, e, Done, "") // it may be paused while it waits

		if !strings.HasPrefix(p.For, run.ForPerson) { // the question has a span of its own
			begin("waits for "+p.For, p.Reason)
		}
	})
	with(e, run.ResumedKind, func(p run.Resumed) {
		b.ended(b.wait, e, Done, "")
		begin("queued again", p.Reason)
	})
	with(e, run.StartedKind, func(p run.Started) {
		b.ended(b.wait, e, Done, "")
		if p.Attempt > 1 {
			b.instant(e, Note, "begun again", "The worker before it died; what it had recorded stands. Node "+p.Node+".", Done)
		}
	})
	with(e, run.FinishedKind, func(p run.Finished) {
		b.ended(b.wait, e, Cancelled, "")
		b.ended(b.root, e, stateOf(p.State), p.Reason)
	})
}

func stateOf(s run.State) State {
	switch s {
	case run.Done:
		return Done
	case run.Cancelled:
		return Cancelled
	case run.Failed:
		return Failed
	case run.Queued, run.Running, run.Waiting:
	}
	return Running
}

// task takes in delegations, and the phases of an intake.
func (b *builder) task(e event.Event) {
	m := e.Message
	with(e, run.RequestKind, func(p run.TaskRequest) {
		if m.TaskID == b.root {
			return
		}
		to := ""
		if len(m.To) > 0 {
			to = short(m.To[0].AgentID)
		}
		b.open(Span{ID: m.TaskID, Parent: b.within(m.ParentTaskID), Kind: Task, Seq: e.Seq, Name: p.Title, Agent: to, At: e.At, State: Running})
	})
	with(e, run.AcceptKind, func(p run.TaskAccept) {
		b.with(m.TaskID, func(s *Span) {
			s.Agent = short(m.From.AgentID)
			if m.TaskID != b.root && !p.StartedAt.IsZero() && p.StartedAt.Before(s.At) { // it was recorded with its first answer
				s.At = p.StartedAt
			}
		})
	})
	if m.TaskID != b.root { // the run's own end says how that ended
		with(e, run.ResultKind, func(p run.TaskResult) { b.ended(m.TaskID, e, Done, p.Summary) })
		with(e, run.ErrorKind, func(p run.TaskError) { b.ended(m.TaskID, e, Failed, p.Message) })
		with(e, run.TimeoutKind, func(p run.Timeout) { b.ended(m.TaskID, e, Failed, p.Message) })
		with(e, run.CancelKind, func(p run.Cancel) { b.ended(m.TaskID, e, Cancelled, p.Reason) })
	}
	with(e, run.ResultKind, func(p run.TaskResult) { b.chosen(m.TaskID, p.Output) })
	with(e, run.ProgressKind, func(p run.TaskProgress) { b.phase(e, p) })
}

// chosen notes on a routing decision what the controller had asked for.
func (b *builder) chosen(task string, output json.RawMessage) {
	var c prompt.Choice
	if json.Unmarshal(output, &c) != nil {
		return
	}
	b.with(task+"/route", func(s *Span) {
		s.Routing.Requires = c.Requires
		if c.Delegate != "" {
			s.Routing.By = ByModel
		}
	})
}

// phase takes in "extract running", "extract done" and the like.
func (b *builder) phase(e event.Event, p run.TaskProgress) {
	name, state, ok := strings.Cut(p.Status, " ")
	if !ok {
		b.instant(e, Note, p.Status, p.Message, Done)
		return
	}
	id := e.Message.TaskID + "/phase/" + name
	b.open(Span{ID: id, Parent: b.within(e.Message.TaskID), Kind: Phase, Seq: e.Seq, Name: name, At: e.At, State: Running})
	switch s := State(state); s {
	case Done, Skipped, Failed:
		b.ended(id, e, s, p.Message)
	case Running, Waiting, Cancelled, Unknown:
		b.with(id, func(s *Span) { s.end, s.State = time.Time{}, Running }) // it is tried again
	}
}

func (b *builder) model(e event.Event) {
	with(e, agent.AnsweredKind, func(p agent.Answered) {
		a := p.Answer
		u := a.Usage
		id := e.Message.ID
		if mark, ok := run.MarkOf(e.Message); ok {
			id = mark.Key
		}
		b.open(Span{
			ID: id, Parent: b.within(e.Message.TaskID), Kind: Model, Seq: e.Seq, Name: cmp.Or(a.Model, "model"), Agent: short(cmp.Or(p.Agent, e.Message.From.AgentID)),
			At: e.Said().Add(-a.Duration), end: e.Said(), State: Done, Text: clip(a.Text),
			Answer: &Answer{
				Provider: a.Provider, Model: a.Model, Input: u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens, Cached: u.CacheReadTokens, Output: u.OutputTokens,
				CostUSD: a.CostUSD, CostKnown: a.CostKnown, Attempts: a.Attempts, Stop: string(a.Stop), Calls: len(a.Calls),
			},
		})
	})
}

// callOf is the id of the span of a call of a tool, and of the span that it is within:
// the answer of the model that asked for it.
func (b *builder) callOf(e event.Event, call string) (id, parent string) {
	id, parent = e.Message.TaskID+"/"+call, b.within(e.Message.TaskID)
	mark, ok := run.MarkOf(e.Message)
	if !ok {
		return id, parent
	}
	if i := strings.LastIndex(mark.Key, "/c"); i > 0 {
		if _, known := b.at[mark.Key[:i]]; known {
			parent = mark.Key[:i]
		}
	}
	return mark.Key, parent
}

func (b *builder) tool(e event.Event) {
	begin := func(call, name string) string {
		id, parent := b.callOf(e, call)
		b.open(Span{ID: id, Parent: parent, Kind: Tool, Seq: e.Seq, Name: name, Agent: short(e.Message.From.AgentID), At: e.Said(), State: Running, Call: new(Call)})
		return id
	}
	end := func(id string, ms int64, state State, text string) {
		b.with(id, func(s *Span) { s.At = e.Said().Add(-time.Duration(ms) * time.Millisecond) })
		b.ended(id, e, state, text)
		b.calls = append(b.calls, id)
	}
	with(e, tool.CallKind, func(p tool.CallPayload) {
		b.with(begin(p.Call, p.Tool), func(s *Span) {
			s.Call.Risk, s.Call.Rule = p.Risk, p.Rule
			if len(p.Args) <= longest {
				s.Call.Args = p.Args
			}
		})
	})
	with(e, tool.ResultKind, func(p tool.ResultPayload) {
		id := begin(p.Call, p.Tool)
		b.with(id, func(s *Span) { s.Call.Rest, s.Call.From, s.Call.Changed = p.Rest, p.From, p.Changed })
		end(id, p.MS, Done, p.Result)
	})
	with(e, tool.ErrorKind, func(p tool.ErrorPayload) {
		id := begin(p.Call, p.Tool)
		b.with(id, func(s *Span) { s.Call.Changed = p.Changed })
		end(id, p.MS, Failed, p.Error)
	})
}

func (b *builder) routing(e event.Event) {
	put := func(sel *Selection, name string, state State) {
		task := e.Message.TaskID
		b.open(Span{
			ID: task + "/route", Parent: b.within(task), Kind: Routing, Seq: e.Seq, Name: name, Agent: short(e.Message.From.AgentID), At: e.At, end: e.At,
			State: state, Text: clip(sel.Reason), Routing: sel,
		})
	}
	with(e, route.DecisionKind, func(d route.Decision) { put(selection(d, "", nil), "chose "+d.Selected.Name(), Done) })
	with(e, route.FailureKind, func(f route.Failure) {
		put(selection(route.Decision{Reason: f.Reason, Rejected: f.Rejected}, "", f.Requires), "chose nobody", Failed)
	})
}

func (b *builder) approval(e event.Event) {
	with(e, approval.RequestedKind, func(p approval.Request) {
		b.open(Span{ID: p.ID, Parent: b.within(e.Message.TaskID), Kind: Approval, Seq: e.Seq, Name: "asks a person", At: e.At, State: Waiting, Text: clip(p.Question)})
	})
	with(e, approval.AnsweredKind, func(p approval.Answer) {
		b.with(p.ID, func(s *Span) { s.Name, s.Agent = "a person answers "+p.Choice, short(e.Message.From.AgentID) })
		state := Done
		if p.Choice == approval.Refuse || p.Choice == approval.Expired || p.Choice == approval.Stop {
			state = Failed
		}
		b.ended(p.ID, e, state, p.Note)
	})
}

func (b *builder) chat(e event.Event) {
	with(e, session.SaidKind, func(p session.Said) {
		state := Done
		if p.Confirmed != nil && !*p.Confirmed {
			state = Failed
		}
		b.instant(e, Message, "says", p.Message, state)
	})
	with(e, session.NoticeKind, func(p session.Notice) { b.instant(e, Message, "notes", p.Message, Failed) })
}

// together moves calls that were made beside each other, whose results were recorded at
// once, to where the longest of them began.
func (b *builder) together() {
	groups := make(map[[2]string][]string)
	for _, id := range b.calls {
		s := b.spans[b.at[id]]
		key := [2]string{s.Parent, s.end.String()}
		groups[key] = append(groups[key], id)
	}
	for _, ids := range groups {
		began := b.spans[b.at[ids[0]]].At
		for _, id := range ids {
			if at := b.spans[b.at[id]].At; at.Before(began) {
				began = at
			}
		}
		for _, id := range ids {
			b.with(id, func(s *Span) { s.At, s.end = began, began.Add(s.end.Sub(s.At)) })
		}
	}
}

// close ends what is open and counts from the run's beginning.
func (b *builder) close(end time.Time) {
	for i := range b.spans {
		s := &b.spans[i]
		if s.end.IsZero() {
			s.end = end
			if b.run.State.Final() && s.Kind != Approval {
				s.State = Unknown
			}
			if b.run.State.Final() && s.Kind == Approval {
				s.State = Cancelled
			}
			if s.Kind == Task && b.run.State.Final() {
				s.State = stateOf(b.run.State)
			}
		}
		s.Start, s.MS = millis(s.At.Sub(b.run.CreatedAt)), millis(s.end.Sub(s.At))
	}
}

// shortest is the shortest wait that is told, in milliseconds: every run is claimed within
// less.
const shortest = 100

func (b *builder) sorted() []Span {
	b.spans = slices.DeleteFunc(b.spans, func(s Span) bool { return s.Kind == Wait && s.State != Waiting && s.MS < shortest })
	slices.SortStableFunc(b.spans, func(x, y Span) int { return cmp.Compare(x.Start, y.Start) })
	return b.spans
}

func (s *Selection) sort() {
	slices.SortFunc(s.Agents, func(x, y Option) int {
		return cmp.Or(cmp.Compare(place(s, x), place(s, y)), cmp.Compare(y.Score, x.Score), cmp.Compare(x.Agent, y.Agent))
	})
}

// place puts the chosen agent first and those that do not fit last.
func place(s *Selection, o Option) int {
	switch {
	case o.Agent == s.Selected:
		return 0
	case o.Fits:
		return 1
	}
	return 2
}

func short(id string) string { return strings.TrimPrefix(id, "agent:") }

// clip is the beginning of a text, whole characters.
func clip(s string) string {
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest], "") + "…"
}
