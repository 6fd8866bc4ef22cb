package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/session"
	"chela/internal/tool"
)

// The tools of the server by which an agent is given work that works elsewhere.
const (
	askAbroad  = "ask"
	lookAbroad = "task"
)

// What an agent elsewhere is given.
const (
	mostBefore = 8 << 10          // bytes of what was said before in the conversation
	mostWait   = 25 * time.Minute // for a task within a run, which takes half an hour at most; then the conversation is told
)

// An abroad is what an agent is sent that works elsewhere. It has no model of ours: each of its steps is an answer with one call of
// its server, which is decided about, asked about, recorded and repeated as that of a model is.
type abroad struct {
	task   string          // what it is asked for, when another agent asks
	said   string          // the newest words of the conversation
	before []model.Message // what was said before them
	next   model.Answer    // the step to be recorded
	stands tool.Standing   // how its last task stands
}

// A messageAbroad is what the tools of the server take.
type messageAbroad struct {
	Message string `json:"message,omitempty"`
	Context string `json:"context,omitempty"`
	Task    string `json:"task,omitempty"`
}

// loopAbroad begins the loop of an assignment of an agent that works elsewhere.
func (sc *Scope) loopAbroad(a Assignment) *loop {
	l := &loop{
		Scope: sc, t: a.Task, who: &sc.who, shown: a.Shown, history: a.History, job: model.Job(a.Task.agent.Kind),
		hearing: hearing{steer: a.Hears, seen: a.Seen, later: a.Later, ends: a.Ends}, allowance: allowance{steps: sc.g.opts.Steps},
		pending: a.Before, asked: askedOf(a), abroad: &abroad{},
	}
	last := lastOf(a.History)
	if l.abroad.before = a.History; last >= 0 {
		first := last
		for first > 0 && a.History[first-1].Role == model.User {
			first--
		}
		l.abroad.before, l.abroad.said = a.History[:first], wordsOf(a.History[first:last+1])
	}
	if a.From != (event.Party{}) {
		l.abroad.task = a.Request
		l.pending = append(l.pending, a.Task.request(sc.s, a.From, a.Request))
	}
	l.pending = append(l.pending, a.Task.accept(sc.s))
	return l
}

// wordsOf joins messages.
func wordsOf(all []model.Message) string {
	var said []string
	for _, m := range all {
		said = append(said, strings.TrimSpace(textOf(m)))
	}
	return strings.Join(said, "\n\n")
}

// answer is the step to be recorded, shown as a model's words are.
func (a *abroad) answer(show func(model.Delta)) model.Answer {
	if show != nil && a.next.Text != "" {
		show(model.Delta{Text: a.next.Text})
	}
	return a.next
}

// elsewhere sends the task to the agent and waits for what comes of it.
func (l *loop) elsewhere(ctx context.Context) (Reply, error) {
	if more, err := l.meanwhile(ctx, 0); err != nil {
		return Reply{}, err
	} else if more != "" {
		l.abroad.said = strings.TrimSpace(l.abroad.said + "\n\n" + more)
	}
	if text, ok := l.brought(); ok {
		r, more, err := l.closes(ctx, 0, text)
		if err != nil || more == "" {
			return r, err
		}
		return l.send(ctx, 1, messageAbroad{Message: more})
	}
	last, ok, err := l.g.conv.LastResult(ctx, l.s.Run.Thread, l.agentID(), l.s.Run.ID)
	if err != nil {
		return Reply{}, err
	}
	out := messageAbroad{Message: l.abroad.message(l.output)}
	if ok && last.Success && last.Stands != nil && (last.Stands.Context != "" || last.Stands.Asks()) {
		out = out.goesOn(*last.Stands)
	} else if l.abroad.task == "" {
		out.Message = before(l.abroad.before) + out.Message
	}
	return l.send(ctx, 0, out)
}

// message is what the agent is told: a task with the words that it comes from, else the words.
func (a *abroad) message(form *model.Schema) string {
	text := a.said
	if a.task != "" && strings.TrimSpace(a.task) != strings.TrimSpace(a.said) {
		text = a.task
		if a.said != "" {
			text += "\n\nThe words that this comes from:\n\n" + a.said
		}
	}
	if form != nil {
		text += "\n\nAnswer with one JSON object and nothing else. It fits this schema:\n" + string(form.Schema)
	}
	return text
}

// before is what was said before, the newest of it.
func before(said []model.Message) string {
	var lines []string
	size := 0
	for i := len(said) - 1; i >= 0; i-- {
		who := "Person"
		if said[i].Role == model.Assistant {
			who = "Agent"
		}
		line := who + ": " + strings.TrimSpace(textOf(said[i]))
		if size += len(line); size > mostBefore {
			break
		}
		lines = append([]string{line}, lines...)
	}
	if len(lines) == 0 {
		return ""
	}
	return "What was said before:\n\n" + strings.Join(lines, "\n\n") + "\n\nWhat is said now:\n\n"
}

// goesOn is a message in the conversation in which a task stands, as its answer when the task asks.
func (m messageAbroad) goesOn(now tool.Standing) messageAbroad {
	m.Context, m.Task = now.Context, ""
	if now.Asks() {
		m.Task = now.Task
	}
	return m
}

// brought is what came of a task that took longer than its run, when the run begins with that.
func (l *loop) brought() (text string, ok bool) {
	var in session.TurnInput
	if json.Unmarshal(l.s.Run.Input, &in) != nil || in.Row == 0 {
		return "", false
	}
	return prompt.DataIn(l.abroad.said)
}

// send gives the agent a message as step i, waits until its task has ended or asks, and answers with that. What people say
// meanwhile is sent then.
func (l *loop) send(ctx context.Context, i int, out messageAbroad) (Reply, error) {
	name := askAbroad
	for ; ; i++ {
		if err := l.still(ctx); err != nil {
			return Reply{}, err
		}
		r, err := l.step(ctx, i, name, out)
		if err != nil {
			return Reply{}, err
		}
		if r.IsError {
			return Reply{}, fault.New(fault.Unavailable, "%s did not do it. %s", l.agentID().Name(), head(r.said, mostReason))
		}
		now := l.abroad.stands
		goesOn := now.Task != "" && now.State == ""
		if goesOn && l.spent.time < l.patience() {
			name, out = lookAbroad, messageAbroad{Task: now.Task}
			continue
		}
		more, err := l.meanwhile(ctx, i+1)
		if err != nil {
			return Reply{}, err
		}
		if more == "" {
			text := wordsAbroad(r.said, now)
			if goesOn {
				text = fmt.Sprintf("The task %s goes on. What comes of it is told here.", now.Task)
			}
			var a Reply
			if a, more, err = l.closes(ctx, i+1, text); err != nil || more == "" {
				return a, err
			}
			i++
		}
		name, out = askAbroad, messageAbroad{Message: more}.goesOn(now)
	}
}

// wordsAbroad is what the agent said, without the notes for models behind it.
func wordsAbroad(said string, now tool.Standing) string {
	for {
		said = strings.TrimSpace(said)
		at := strings.LastIndex(said, "\n") + 1
		if last := said[at:]; last != fmt.Sprintf("[The context is %s.]", now.Context) && (now.Task == "" || !strings.HasPrefix(last, "[The task "+now.Task+" ")) {
			return said
		}
		said = said[:at]
	}
}

// meanwhile is what people have said before step i since the last one, "" for nothing.
func (l *loop) meanwhile(ctx context.Context, i int) (string, error) {
	had := len(l.history)
	err := l.listen(ctx, i)
	return wordsOf(l.history[had:]), err
}

// closes ends the work with a text as step i. more is what somebody said while it was recorded: the work goes on with that.
func (l *loop) closes(ctx context.Context, i int, text string) (r Reply, more string, err error) {
	l.abroad.next = l.says(model.Part{Text: text})
	a, _, fresh, err := l.ask(ctx, i, nil)
	if err != nil {
		return r, "", err
	}
	l.history = append(l.history, model.Message{Role: model.Assistant, Parts: a.Parts})
	if !fresh || !l.ends {
		if more, err = l.meanwhile(ctx, i+1); err != nil || more != "" {
			return r, more, err
		}
	}
	return l.replied(a, i, 0), "", nil
}

// repairAbroad tells the agent what is wrong with its answer, and returns the next one.
func (l *loop) repairAbroad(ctx context.Context, r Reply, wrong string) (string, error) {
	if l.output != nil {
		wrong += " It fits this schema:\n" + string(l.output.Schema)
	}
	again, err := l.send(ctx, r.Calls, messageAbroad{Message: wrong}.goesOn(l.abroad.stands))
	return again.Text, err
}

// says is a step in the agent's name. No model was called for it.
func (l *loop) says(p model.Part) model.Answer {
	a := model.Answer{Parts: []model.Part{p}, Stop: model.StopEnd, Provider: "a2a", Model: l.t.agent.Server, CostKnown: true, Attempts: 1}
	a.Finish()
	return a
}

// patience is how long a task is waited for.
func (l *loop) patience() time.Duration {
	if limit := l.limits().MaxRuntimeSec; limit > 0 {
		return min(time.Duration(limit)*time.Second, mostWait)
	}
	return mostWait
}

// step calls a tool of the agent's server as step i.
func (l *loop) step(ctx context.Context, i int, name string, in messageAbroad) (result, error) {
	args, err := json.Marshal(in)
	if err != nil {
		return result{}, fmt.Errorf("encode a message: %w", err)
	}
	call := model.ToolCall{ID: fmt.Sprintf("call_%d_0", i), Name: l.t.agent.Server + org.Of + name, Args: args}
	if _, ok := l.named(call.Name); !ok {
		return result{}, fault.New(fault.Unavailable, "The agent %s is reached by the server %s, which is not there, is disabled, or says something else of itself than an owner accepted. `chela mcp list` shows it.", l.agentID().Name(), l.t.agent.Server)
	}
	l.abroad.next = l.says(model.Part{Call: &call})
	a, plans, fresh, err := l.ask(ctx, i, nil)
	if err != nil {
		return result{}, err
	}
	if plans == nil {
		if plans, err = l.planned(ctx, i, a.Calls); err != nil {
			return result{}, err
		}
	}
	if err := l.permit(ctx, i, plans); err != nil {
		return result{}, err
	}
	r, err := l.one(ctx, i, plans[0], fresh)
	if err != nil {
		return result{}, err
	}
	l.seenFrom.take(plans[0], r)
	if l.abroad.stands = (tool.Standing{}); r.stands != nil {
		l.abroad.stands = *r.stands
	}
	return r, nil
}
