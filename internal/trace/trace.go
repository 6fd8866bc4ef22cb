// Package trace tells what one run did, from its events alone: a tree of spans on one axis
// of time, each with the event that records it. [Of] is pure; durations are what was
// measured and recorded, never what a reader's clock says.
package trace

import (
	"encoding/json"
	"time"

	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/route"
	"chela/internal/run"
	"chela/internal/tool"
)

// A Kind says what a span is.
type Kind string

// The sorts of spans. A note is an instant, like a message.
const (
	Task     Kind = "task"
	Model    Kind = "model"
	Tool     Kind = "tool"
	Routing  Kind = "routing"
	Approval Kind = "approval"
	Wait     Kind = "wait"
	Phase    Kind = "phase"
	Message  Kind = "message"
	Note     Kind = "note"
)

// A State is where a span stands.
type State string

// The states. Unknown is that of a call whose run ended before its result was recorded.
const (
	Running   State = "running"
	Waiting   State = "waiting"
	Done      State = "done"
	Failed    State = "failed"
	Skipped   State = "skipped"
	Cancelled State = "cancelled"
	Unknown   State = "unknown"
)

// A Span is one thing that a run did.
type Span struct {
	ID     string    `json:"id"`
	Parent string    `json:"parent,omitempty" doc:"the span that it is within; the run's own task has none"`
	Kind   Kind      `json:"kind" enum:"task,model,tool,routing,approval,wait,phase,message,note"`
	Seq    event.Seq `json:"seq" doc:"the position of the event that records its end, or of its beginning while it has none"`
	Name   string    `json:"name"`
	Agent  string    `json:"agent,omitempty" doc:"who did it, without agent:"`
	At     time.Time `json:"at" doc:"when it began"`
	Start  float64   `json:"start_ms" doc:"after the run was asked for"`
	MS     float64   `json:"ms" doc:"how long it took, up to now while it is open"`
	State  State     `json:"state" enum:"running,waiting,done,failed,skipped,cancelled,unknown"`
	Text   string    `json:"text,omitempty" doc:"what was said, or what came of it, at most 2,000 bytes of it"`

	Call    *Call      `json:"call,omitempty" doc:"of a call of a tool"`
	Answer  *Answer    `json:"answer,omitempty" doc:"of a call of a model"`
	Routing *Selection `json:"routing,omitempty" doc:"why an agent was chosen"`

	end time.Time
}

// An Answer is what a model call took.
type Answer struct {
	Provider  string  `json:"provider"`
	Model     string  `json:"model"`
	Input     int     `json:"input_tokens" doc:"those read from the cache and written to it included"`
	Cached    int     `json:"cached_tokens,omitempty" doc:"of the input, read from the cache"`
	Output    int     `json:"output_tokens"`
	CostUSD   float64 `json:"cost_usd"`
	CostKnown bool    `json:"cost_known"`
	Attempts  int     `json:"attempts,omitempty" doc:"how often a model was asked until one answered"`
	Stop      string  `json:"stop"`
	Calls     int     `json:"calls" doc:"of tools that it asks for"`
}

// A Call is what a tool was asked for.
type Call struct {
	Args json.RawMessage `json:"args,omitempty" doc:"as the model gave them; left out when they are longer than 2,000 bytes"`
	Risk tool.Risk       `json:"risk,omitempty"`
	Rule string          `json:"rule,omitempty" doc:"of the policy, that allowed it"`
	Rest string          `json:"rest,omitempty" doc:"the artifact with the whole of a result that was cut"`
	From []string        `json:"from,omitempty" doc:"hosts that the result comes from"`

	Changed *disk.Changes `json:"changed,omitempty" doc:"what it did to files; left out for nothing"`
}

// A Selector says who chose an agent.
type Selector string

// The selectors: the controller named the agent, or the protocol's rules found it by what
// is required.
const (
	ByModel Selector = "model"
	ByRule  Selector = "rule"
)

// A Selection is a routing decision and who made it.
type Selection struct {
	By       Selector `json:"by" enum:"model,rule"`
	Selected string   `json:"selected,omitempty" doc:"nobody when none fitted"`
	Reason   string   `json:"reason"`
	Requires []string `json:"requires,omitempty" doc:"what the controller asked for"`
	Agents   []Option `json:"agents" nullable:"false" doc:"all that were looked at, the chosen one first, then by score"`
}

// An Option is an agent that was looked at.
type Option struct {
	Agent string  `json:"agent"`
	Fits  bool    `json:"fits"`
	Score float64 `json:"score"`
	Why   string  `json:"why,omitempty" doc:"why it was not taken"`
}

// A Trace is what a run did.
type Trace struct {
	Spans []Span  `json:"spans" nullable:"false" doc:"by their beginnings"`
	MS    float64 `json:"ms" doc:"from when the run was asked for until it ended, or now"`
}

// longest is how much of a text or of arguments a span holds, in bytes.
const longest = 2000

// Of tells what a run did. events are those of the run in their order, now is the daemon's
// clock.
func Of(r run.Run, events []event.Event, now time.Time) Trace {
	end := now
	if r.State.Final() {
		end = r.EndedAt
	}
	b := builder{run: r, now: now, at: make(map[string]int), root: run.RootTask(r.ID)}
	b.open(Span{ID: b.root, Kind: Task, Seq: r.Seq, Name: r.Title, Agent: short(r.Agent), At: r.CreatedAt, State: Running})
	for _, e := range events {
		b.take(e)
	}
	b.together()
	b.close(end)
	return Trace{Spans: b.sorted(), MS: millis(end.Sub(r.CreatedAt))}
}

func millis(d time.Duration) float64 { return float64(max(d, 0).Microseconds()) / 1000 }

// selection says why an agent was chosen; named is whom the controller named.
func selection(d route.Decision, named string, requires []string) *Selection {
	out := &Selection{By: ByRule, Selected: d.Selected.Name(), Reason: d.Reason, Requires: requires, Agents: []Option{}}
	if named != "" {
		out.By = ByModel
	}
	for id, s := range d.Scores {
		out.Agents = append(out.Agents, Option{Agent: id.Name(), Fits: true, Score: s, Why: d.Rejected[id]})
	}
	for id, why := range d.Rejected {
		if _, fits := d.Scores[id]; !fits {
			out.Agents = append(out.Agents, Option{Agent: id.Name(), Why: why})
		}
	}
	out.sort()
	return out
}
