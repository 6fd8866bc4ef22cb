package talk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// What a program may bring of tools, and what an agent sees of a result.
const (
	mostOffers     = 128
	mostOfferBytes = 256 << 10
	mostOfferName  = 64
	mostResult     = 16 << 10
)

// An Offer is a tool that a program brings with a call.
type Offer struct {
	Name, Help string
	Schema     json.RawMessage // of its arguments; empty takes none
}

// Client makes of offers what an agent is given. A tool that is called as one of ours gets another name for the agent.
// Of no offers it makes nil. A fault.Invalid says what is wrong with an offer.
func (t *Talk) Client(offers []Offer, single bool) (*session.ClientTools, error) {
	if len(offers) == 0 {
		return nil, nil //nolint:nilnil // none are brought
	}
	if len(offers) > mostOffers {
		return nil, fault.BadField("tools", fmt.Sprintf("A call brings at most %d tools.", mostOffers))
	}
	out := &session.ClientTools{Single: single}
	size, taken := 0, make(map[string]bool)
	for _, o := range offers {
		if taken[o.Name] {
			return nil, fault.BadField("tools", "Two tools are named "+o.Name+".")
		}
		taken[o.Name] = true
	}
	for _, o := range offers {
		if !offerName(o.Name) {
			return nil, fault.BadField("tools", fmt.Sprintf("%q is no name of a tool: it has 1 to %d letters, digits, _ and -.", o.Name, mostOfferName))
		}
		if len(o.Schema) == 0 || string(o.Schema) == "null" {
			o.Schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		if !bytes.HasPrefix(bytes.TrimSpace(o.Schema), []byte("{")) || !json.Valid(o.Schema) {
			return nil, fault.BadField("tools", "The arguments of "+o.Name+" are described by a JSON Schema, an object.")
		}
		if size += len(o.Name) + len(o.Help) + len(o.Schema); size > mostOfferBytes {
			return nil, fault.New(fault.TooLarge, "The tools of a call have at most %d bytes together.", mostOfferBytes)
		}
		out.Tools = append(out.Tools, session.ClientTool{Name: t.freeName(o.Name, taken), As: o.Name, Help: o.Help, Schema: o.Schema})
	}
	return out, nil
}

func offerName(s string) bool {
	return s != "" && len(s) <= mostOfferName && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// freeName is how an agent calls a tool of a program: by its name, unless we have one of that name.
func (t *Talk) freeName(name string, taken map[string]bool) string {
	set := t.Tools.Now()
	for n := 0; ; n++ {
		free := name
		if n > 0 {
			end := ""
			if n > 1 {
				end = "_" + strconv.Itoa(n)
			}
			free = "client_" + name[:min(len(name), mostOfferName-len("client_")-len(end))] + end
			if taken[free] {
				continue
			}
		}
		if _, ours := set.Find(free); !ours && !agent.OwnName(tool.Sanitize(free)) {
			taken[free] = true
			return free
		}
	}
}

// MustCall is how an agent is told that a program wants a call of its tools; name is how the program calls one, "" is any.
func MustCall(in *session.ClientTools, name string) string {
	if in == nil {
		return ""
	}
	for _, own := range in.Tools {
		if own.As == name {
			return "\n\nCall the tool " + own.Name + " before you answer."
		}
	}
	return "\n\nCall one of the tools of the program that asks before you answer."
}

// A ClientResult is what a program got from a call that it made.
type ClientResult struct {
	Call   string // by which it was asked
	Text   string
	Failed bool
	Images []string // artifact references
}

// Known reports whether a run of ours asked for the call of a result. A program may bring a history of elsewhere.
func (t *Talk) Known(ctx context.Context, by event.Party, results []ClientResult) (bool, error) {
	for _, r := range results {
		of, err := t.asker(ctx, by, r.Call)
		if err != nil || of.ID == "" {
			return false, err
		}
	}
	return len(results) > 0, nil
}

// asker is the run that asked a program for a call; none when no run of who brings it did.
func (t *Talk) asker(ctx context.Context, by event.Party, call string) (run.Run, error) {
	id, ok := agent.RunOfClientCall(call)
	if !ok {
		return run.Run{}, nil
	}
	r, err := t.Store.Runs.Run(ctx, id)
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			err = nil
		}
		return run.Run{}, err
	}
	if r.By.AgentID != by.AgentID || r.By.Key != by.Key {
		return run.Run{}, nil
	}
	return r, nil
}

// Return brings a run the results of the calls for which it waits, and what is said with them; it goes on then. Results
// that it has already are no error: the answer is the run's.
func (t *Talk) Return(ctx context.Context, m Message, results []ClientResult) (inbox.Accepted, error) {
	r, err := t.asker(ctx, m.From, results[0].Call)
	if err != nil {
		return inbox.Accepted{}, err
	}
	acc := inbox.Accepted{Thread: r.Thread, Run: string(r.ID), Message: t.Store.Desk.Mint().ID("msg"), Joined: true}
	stages, err := t.ClientCalls(ctx, r.ID)
	if err != nil {
		return acc, err
	}
	if m.Text != "" || len(m.Images) > 0 {
		m.Thread = r.Thread
		if m.Message, err = t.Inbox.Vet(ctx, m.Message); err != nil {
			return acc, err
		}
	}
	if len(stages) > 0 && r.State == run.Waiting && r.WaitsFor == run.ForClient+stages[len(stages)-1].ID {
		return acc, t.giveBack(ctx, r, stages[len(stages)-1], m, results)
	}
	for _, s := range stages {
		if s.Asks(results[0].Call) && r.State != run.Failed && r.State != run.Cancelled {
			return acc, nil // it has them
		}
	}
	return acc, fault.New(fault.Conflict, "The run that asked for the call %s has ended: %s Ask again without it.", results[0].Call, r.Reason)
}

// giveBack records results and has the run go on.
func (t *Talk) giveBack(ctx context.Context, r run.Run, of Stage, m Message, results []ClientResult) error {
	given := make(map[string]ClientResult, len(results))
	for _, res := range results {
		if given[res.Call].Call != "" || !of.Asks(res.Call) {
			return fault.BadField("messages", "The run does not wait for a result of "+res.Call+", or there are two.")
		}
		given[res.Call] = res
	}
	var drafts []event.Draft
	for _, c := range of.Calls {
		res, ok := given[c.ID]
		if !ok {
			return fault.BadField("messages", "The result of the call "+c.ID+" of "+c.As+" is missing: all calls of an answer are answered together.")
		}
		d, err := t.resultOf(r, c, m.From, res)
		if err != nil {
			return err
		}
		drafts = append(drafts, d)
	}
	if m.Text != "" || len(m.Images) > 0 {
		at := event.Place{Stream: event.ThreadStream(r.Thread), Thread: r.Thread, Run: string(r.ID), Task: run.RootTask(r.ID), From: m.From, Trace: run.TraceOf(ctx)}
		drafts = append(drafts, session.SaidKind.Draft(at, session.Said{Message: m.Text, Images: m.Images, Key: m.From.Key}))
	}
	err := t.Runs.Write(ctx, func(b *run.Batch) error {
		now, err := b.Runs().Run(r.ID)
		if err != nil {
			return err
		}
		if now.WaitsFor != r.WaitsFor {
			return errMoved
		}
		if _, err := b.Append(drafts...); err != nil {
			return err
		}
		return b.Resume(r.ID, m.From, "The program brought the results of its calls.")
	})
	if now, lookErr := t.Store.Runs.Run(ctx, r.ID); err != nil && lookErr == nil && now.WaitsFor != r.WaitsFor {
		return nil // another request brought them meanwhile
	}
	return err
}

// errMoved undoes the bringing of results for which a run does not wait any more.
var errMoved = fault.New(fault.Conflict, "The run does not wait for these results any more.")

// resultOf drafts the result of a call: data from outside, whole in an artifact when it is long.
func (t *Talk) resultOf(r run.Run, c session.ClientCall, by event.Party, res ClientResult) (event.Draft, error) {
	text, rest := res.Text, ""
	if res.Failed {
		text = "The tool failed: " + text
	}
	if len(text) > mostResult {
		ref, err := t.Files.Put([]byte(text))
		if err != nil {
			return event.Draft{}, err
		}
		rest = string(ref)
		text = strings.ToValidUTF8(text[:mostResult], "") + "\n[The result was cut here. All of it is in " + rest + ".]"
	}
	at := event.Place{Stream: event.ThreadStream(r.Thread), Thread: r.Thread, Run: string(r.ID), Task: c.Task, From: by, To: []event.Party{{AgentID: c.By}}}
	if root := run.RootTask(r.ID); c.Task != root {
		at.ParentTask = root
	}
	p := tool.ResultPayload{Tool: c.Tool, Success: !res.Failed, Result: text, Call: c.Call, Rest: rest, From: []string{tool.FromClient}, Shows: res.Images}
	return run.AsStep(tool.ResultKind.Draft(at, p), c.Step, true), nil
}

// callsOf fills in what the program has to call, and what the agent said with that.
func (t *Talk) callsOf(ctx context.Context, out *Reply, id string) error {
	stages, err := t.ClientCalls(ctx, run.ID(out.Run))
	if err != nil {
		return err
	}
	for _, s := range stages {
		if s.ID == id {
			out.Reply, out.Calls = s.Text, s.Calls
			return nil
		}
	}
	return fmt.Errorf("nothing is recorded of the calls %s for which %s waits", id, out.Run)
}

// A Stage is what a run asked its program for at one time.
type Stage struct {
	session.ClientCalls
	At time.Time
}

// Asks reports whether a call is one of the stage's.
func (s Stage) Asks(call string) bool {
	return slices.ContainsFunc(s.Calls, func(c session.ClientCall) bool { return c.ID == call })
}

// ClientCalls are the stages of a run, the oldest first.
func (t *Talk) ClientCalls(ctx context.Context, id run.ID) ([]Stage, error) {
	events, _, err := t.Store.Log.Events(ctx, 0, event.Filter{Run: string(id), Type: session.ClientCallsKind.Name})
	if err != nil {
		return nil, err
	}
	out := make([]Stage, 0, len(events))
	for _, e := range events {
		p, _, err := session.ClientCallsKind.Open(e.Event)
		if err != nil {
			return nil, fmt.Errorf("read what %s asked its program for: %w", id, err)
		}
		out = append(out, Stage{p, e.At})
	}
	return out, nil
}

// Told are results of calls that no run here asked for, as an agent is told them: as data.
func Told(results []ClientResult) string {
	var b strings.Builder
	for _, r := range results {
		what := "the result of the program's call " + r.Call
		if r.Failed {
			what += ", which failed"
		}
		b.WriteString(prompt.Data(what, r.Text) + "\n\n")
	}
	return b.String()
}

// Called is how a call that an agent made before is told.
func Called(name, id, args string) string {
	return fmt.Sprintf("\n[It called the program's tool %s with %s, as %s.]", name, args, id)
}

// Less is what was spent since.
func Less(now, before agent.Spend) agent.Spend {
	now.InputTokens, now.OutputTokens = max(now.InputTokens-before.InputTokens, 0), max(now.OutputTokens-before.OutputTokens, 0)
	return now
}

// Accept takes what a program says: the results of calls for which a run waits, with what is said beside them, or a
// message in the conversation that place finds. before is what the run had spent by then.
func (t *Talk) Accept(ctx context.Context, m Message, results []ClientResult, place func(*Message)) (acc inbox.Accepted, before agent.Spend, err error) {
	known, err := t.Known(ctx, m.From, results)
	if err != nil {
		return acc, before, err
	}
	if known {
		if of, ok := agent.RunOfClientCall(results[0].Call); ok {
			before = t.Spent(ctx, of) // once it has the results it spends more
		}
		acc, err = t.Return(ctx, m, results)
		return acc, before, err
	}
	if len(results) > 0 {
		m.Text, m.Origins = strings.TrimSpace(m.Text+"\n\n"+Told(results)), append(m.Origins, tool.FromClient)
		for _, r := range results {
			m.Images = append(m.Images, r.Images...)
		}
	}
	place(&m)
	acc, err = t.Say(ctx, m)
	return acc, before, err
}
