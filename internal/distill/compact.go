package distill

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/meter"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/session"
)

// Compacted is what stands for the older parts of conversations.
type Compacted interface {
	Compacted(ctx context.Context, thread string, at event.Seq) (session.Compacted, error)
}

// A Roster knows the agents.
type Roster interface {
	Agent(ctx context.Context, id org.AgentID) (org.Agent, error)
	Agents(ctx context.Context) ([]org.Agent, error)
}

// A Compactor has something stand for the older part of a conversation before a model has no room for it: between its turns, and
// never in one, since a turn is shown what stood when it began. What is to be remembered of the part is kept first. Any number may
// work on one store.
type Compactor struct {
	keeper *Keeper
	shown  Compacted
	roster Roster
	every  time.Duration
	seen   map[string]time.Time // by conversation: when it last changed, of those that need nothing
}

// NewCompactor returns a compactor that keeps what is to be remembered as k does, and asks the model that k asks. It looks each 20 s.
func NewCompactor(k *Keeper, shown Compacted, roster Roster) *Compactor {
	return &Compactor{k, shown, roster, 20 * time.Second, make(map[string]time.Time)}
}

// Bounds of compaction.
const (
	compactThreads = 50  // of the conversations that changed last
	compactFrom    = 120 // messages since the last time, of which a summary is made before a history would be cut
	compactAt      = 80  // percent of the model's window
	keepShown      = 40  // the newest messages that are shown as they are, at most
	keepLeast      = 6
	keepPart       = 30     // percent of the window that they take, at most
	anyWindow      = 128000 // tokens, of a model of which none is known
	besides        = 6000   // tokens of a call beside the messages: what the agent is told, and its tools
	compactMost    = 400    // messages that are looked at
	compactStep    = "compact"
	maxSteps       = 20 // parts of one conversation at once
)

// Run works until ctx is done.
func (c *Compactor) Run(ctx context.Context) error {
	every := time.NewTicker(c.every)
	defer every.Stop()
	for {
		if _, err := c.Pass(ctx); err != nil && ctx.Err() == nil {
			c.keeper.opts.Log.Warn("make room in conversations; it is tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
	}
}

// Pass makes room in the conversations that need it, and returns in how many that was.
func (c *Compactor) Pass(ctx context.Context) (int, error) {
	all, err := c.keeper.conv.Sessions(ctx, "", "", compactThreads, 0)
	if err != nil {
		return 0, err
	}
	done := 0
	for _, s := range all {
		if s.Closed || c.seen[s.ID].Equal(s.UpdatedAt) {
			continue
		}
		n := 0
		for n < maxSteps {
			did, err := c.compact(ctx, s.Thread)
			if err != nil {
				return done, fmt.Errorf("make room in conversation %s: %w", s.ID, err)
			}
			if !did {
				break
			}
			n++
		}
		if done += min(n, 1); n < maxSteps {
			c.seen[s.ID] = s.UpdatedAt
		}
	}
	if len(c.seen) > 4*compactThreads {
		clear(c.seen)
	}
	return done, nil
}

// compact has something stand for the next part of a conversation, when that is needed.
func (c *Compactor) compact(ctx context.Context, t session.Thread) (bool, error) {
	last, err := c.shown.Compacted(ctx, t.ID, event.Newest)
	if err != nil || t.Messages-last.Messages <= keepLeast {
		return false, err
	}
	who, err := c.agent(ctx, t)
	if err != nil || who.Context == org.Sliding {
		return false, err
	}
	said, err := c.keeper.conv.Messages(ctx, t.ID, last.UpTo, compactMost)
	if err != nil {
		return false, err
	}
	n := c.covered(t, who, last, said)
	if n == 0 {
		return false, nil
	}
	next := session.Compacted{
		UpTo: said[n-1].Seq, Messages: last.Messages + n, Since: last.Since, Until: said[n-1].At.UTC(), Strategy: cmp.Or(string(who.Context), string(org.Summarize)), Origins: slices.Clone(last.Origins),
	}
	if last.Messages == 0 {
		next.Since = said[0].At.UTC()
	}
	for _, m := range said[:n] {
		for _, o := range m.Origins {
			if !slices.Contains(next.Origins, o) {
				next.Origins = append(next.Origins, o)
			}
		}
	}
	return c.record(ctx, t, last, next, said[:n])
}

// agent is whose strategy and model hold in a conversation: that of its agent, or of the controller.
func (c *Compactor) agent(ctx context.Context, t session.Thread) (org.Agent, error) {
	if t.Agent != "" {
		a, err := c.roster.Agent(ctx, org.AgentID(t.Agent))
		if fault.KindOf(err) != fault.NotFound || err == nil {
			return a, err
		}
	}
	all, err := c.roster.Agents(ctx)
	if i := slices.IndexFunc(all, func(a org.Agent) bool { return a.Kind == org.Controller && a.Ready() == nil }); i >= 0 {
		return all[i], err
	}
	return org.Agent{}, err
}

// covered is for how many messages something is to stand; 0 when all are shown. What follows begins at a message of a person.
func (c *Compactor) covered(t session.Thread, who org.Agent, last session.Compacted, said []session.Message) int {
	window := anyWindow
	if m := c.keeper.opts.Condenser; m != nil {
		if p, ok := m.Models.Price(cmp.Or(t.Model, who.Model), model.Job(who.Kind)); ok && p.Context > 0 {
			window = p.Context
		}
	}
	size := besides + prompt.Estimate(last.Summary)
	for _, m := range said {
		size += prompt.Estimate(m.Words())
	}
	full := size*100 >= window*compactAt
	if !full && (who.Context == org.Truncate || len(said) < compactFrom) {
		return 0
	}
	n, room := len(said), window*keepPart/100
	for n > 0 && len(said)-n < keepShown {
		room -= prompt.Estimate(said[n-1].Words())
		if room < 0 && len(said)-n >= keepLeast {
			break
		}
		n--
	}
	shown := 0 // of what a summary is made of
	for i := 0; i < n; i++ {
		if shown += len(said[i].Words()) + 100; shown > maxShown && who.Context != org.Truncate && i > 0 {
			n = i
		}
	}
	for n > 0 && n < len(said) && said[n].Role != session.FromPerson {
		n--
	}
	return n
}

// record keeps what is to be remembered of a part, and records what stands for it.
func (c *Compactor) record(ctx context.Context, t session.Thread, last, next session.Compacted, said []session.Message) (bool, error) {
	k := c.keeper
	mint := k.clerk.Store().Mint()
	id := mint.ID("run")
	at := event.Place{Thread: t.ID, Stream: event.ThreadStream(t.ID), Run: id, Task: "task_" + id[len("run_"):], From: run.Chela()}
	var more []event.Draft
	if next.Strategy == string(org.Summarize) {
		if t.Project != "" {
			if _, err := k.distil(ctx, t); err != nil {
				k.opts.Log.WarnContext(ctx, "a part of a conversation is left out before all of it is remembered", "thread", t.ID, "err", err)
			}
		}
		text, by, drafts, later, err := c.sum(ctx, at, t, last, said)
		if err != nil || later {
			return false, err
		}
		next.Summary, next.By, more = text, by, drafts
	}
	at.Key = fmt.Sprintf("compacted/%s/%d", t.ID, next.UpTo)
	done, err := k.log.Append(ctx, append([]event.Draft{session.CompactedKind.Draft(at, next)}, more...)...)
	if err != nil {
		return false, err
	}
	k.opts.Log.InfoContext(ctx, "the older part of a conversation is left out of what models are shown", "thread", t.ID, "messages", next.Messages, "strategy", next.Strategy, "by", next.By)
	return len(done) > 0, nil
}

// rules is who sums up where no model does.
const rules = "rules"

// sum sums up a part of a conversation and what was summed up before: a model, and rules where none is configured or it fails. later
// says that another daemon is at it.
func (c *Compactor) sum(ctx context.Context, at event.Place, t session.Thread, last session.Compacted, said []session.Message) (text, by string, drafts []event.Draft, later bool, err error) {
	k := c.keeper
	plain := clipped(strings.TrimSpace(last.Summary+"\n\n"+summary(t, said, read(said), "")), maxSummary)
	m := k.opts.Condenser
	if m == nil || !m.Models.Ready() {
		return plain, rules, nil, false, nil
	}
	who, err := m.Roster.Agent(ctx, Distiller)
	if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && who.Ready() != nil {
		return plain, rules, nil, false, nil
	}
	if err != nil {
		return "", "", nil, false, err
	}
	mine, later, err := k.claim(ctx, at, "compact", "Sum up a conversation", t, said)
	if err != nil || later {
		return "", "", nil, later, err
	}
	if !mine {
		return plain, rules, nil, false, nil
	}
	from := at
	from.From = Distiller.Party()
	a, err := m.sum(ctx, at, who, t, last, said, k.clerk.Store().Mint().Now())
	if err != nil {
		if ctx.Err() != nil {
			return "", "", nil, true, err
		}
		k.opts.Log.WarnContext(ctx, "a conversation was not summed up by a model; rules do", "thread", t.ID, "err", err)
		return plain, rules, []event.Draft{run.ErrorKind.Draft(from, run.TaskError{Code: "NOT_SUMMED_UP", Message: fault.TextOf(err)})}, false, nil
	}
	all := last.Summary
	for _, x := range said {
		all += " " + x.Words()
	}
	for _, s := range sentences(a.Text) {
		if backed(s, all) {
			text = strings.TrimSpace(text + " " + s)
		}
	}
	if by = "model:" + a.Provider + "/" + a.Model; text == "" {
		text, by = plain, rules
	}
	return clipped(text, maxSummary), by, []event.Draft{
		run.AcceptKind.Draft(from, run.TaskAccept{TaskID: at.Task, AgentID: string(Distiller), StartedAt: k.clerk.Store().Mint().Now().UTC()}),
		run.AsStep(agent.AnsweredKind.Draft(from, agent.Answered{Agent: string(Distiller), Answer: a}), compactStep, true),
		run.ResultKind.Draft(from, run.TaskResult{Success: true, Summary: fmt.Sprintf("%d messages are summed up.", len(said))}),
	}, false, nil
}

// sum makes the call.
func (c *Condenser) sum(ctx context.Context, at event.Place, who org.Agent, t session.Thread, last session.Compacted, said []session.Message, now time.Time) (model.Answer, error) {
	text := prompt.Data("the next part of the conversation, "+t.Title, lines(said))
	if last.Summary != "" {
		text = prompt.Data("what stands for the part before", last.Summary) + "\n\n" + text
	}
	r := model.Request{
		Model: who.Model, Job: model.Summing, Agent: string(Distiller), System: prompt.System(who, prompt.Context{Date: now.UTC(), Task: prompt.CompactTask}), MaxTokens: 1500,
		Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: text}}}},
	}
	purse := meter.Direct{Store: c.Limits, Run: run.ID(at.Run), Payer: budget.Payer{Project: t.Project, Agent: Distiller}}
	return meter.Model(c.Models, purse, c.Models.Price, compactStep, condenseTime).Generate(ctx, r, nil)
}
