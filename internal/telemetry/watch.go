package telemetry

import (
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// watch counts events as they are recorded.
type watch struct {
	events   metric.Int64Counter
	runs     metric.Int64Counter
	took     metric.Float64Histogram
	waited   metric.Float64Histogram
	models   metric.Float64Histogram
	tokens   metric.Int64Counter
	cost     metric.Float64Counter
	tools    metric.Float64Histogram
	asked    metric.Int64Counter
	answered metric.Int64Counter
	switched metric.Int64Counter
	made     sync.Map // names and values → metric.MeasurementOption
	many     atomic.Int64

	mu   sync.Mutex // guards what follows
	open map[string]begun
}

// begun is a run that was asked for here.
type begun struct {
	kind    string
	at      time.Time
	started bool
}

// mostOpen bounds the runs whose beginning is remembered. One that is forgotten counts without its time.
const mostOpen = 100_000

func newWatch(i *instruments) *watch {
	cost, err := i.meter.Float64Counter("chela.model.cost", metric.WithUnit("USD"), metric.WithDescription("What calls of models cost, of models whose price is known."))
	i.keep(err)
	return &watch{
		events:   i.counter("chela.log.events", "Events that were recorded, by the first word of their type."),
		runs:     i.counter("chela.runs.ended", "Runs that have ended, by kind and state."),
		took:     i.seconds("chela.run.duration", "From when a run is asked for until it has ended.", long),
		waited:   i.seconds("chela.run.wait", "From when a run is asked for until a worker takes it.", short),
		models:   i.seconds("gen_ai.client.operation.duration", "Calls of models.", long),
		tokens:   i.counter("chela.model.tokens", "Tokens of calls of models."),
		tools:    i.seconds("chela.tool.duration", "Calls of tools, by tool and outcome.", long),
		asked:    i.counter("chela.approvals.requested", "Questions to people, by kind."),
		answered: i.counter("chela.approvals.answered", "Answers of people, by choice."),
		switched: i.counter("chela.model.failovers", "Calls that another model was asked for."),
		cost:     cost,
		open:     make(map[string]begun),
	}
}

func (w *watch) take(events []event.Event) {
	for i := range events {
		e := &events[i]
		domain, _, _ := strings.Cut(e.Message.Type, ".")
		w.events.Add(none, 1, w.of("domain", domain))
		w.one(e)
	}
}

// mostMade bounds what [watch.of] keeps.
const mostMade = 5000

// of is by what something is counted: names and values, one after the other. Each is made once.
func (w *watch) of(pairs ...string) metric.MeasurementOption {
	key := strings.Join(pairs, "\x00")
	if kept, ok := w.made.Load(key); ok {
		return kept.(metric.MeasurementOption) //nolint:forcetypeassert // only we store here
	}
	var of []attribute.KeyValue
	for i := 0; i+1 < len(pairs); i += 2 {
		of = append(of, attribute.String(pairs[i], pairs[i+1]))
	}
	made := metric.WithAttributeSet(attribute.NewSet(of...))
	if w.many.Add(1) <= mostMade {
		w.made.Store(key, made)
	}
	return made
}

// one counts an event. What cannot be read is not counted: the log is not for metrics to judge.
func (w *watch) one(e *event.Event) {
	id := e.Message.RunID
	switch e.Message.Type {
	case run.QueuedKind.Name:
		if p, ok, err := run.QueuedKind.Open(*e); ok && err == nil {
			w.begin(id, begun{kind: p.Kind, at: e.At})
		}
	case run.StartedKind.Name:
		w.start(id, e.At)
	case run.FinishedKind.Name:
		if p, ok, err := run.FinishedKind.Open(*e); ok && err == nil {
			w.end(id, string(p.State), e.At)
		}
	case agent.AnsweredKind.Name:
		var c called
		if json.Unmarshal(e.Message.Payload, &c) == nil {
			w.model(c)
		}
	case tool.ResultKind.Name:
		if p, ok, err := tool.ResultKind.Open(*e); ok && err == nil {
			w.tools.Record(none, float64(p.MS)/1e3, w.of("tool", p.Tool, "outcome", outcome(p.Success)))
		}
	case tool.ErrorKind.Name:
		if p, ok, err := tool.ErrorKind.Open(*e); ok && err == nil {
			w.tools.Record(none, float64(p.MS)/1e3, w.of("tool", p.Tool, "outcome", outcome(false)))
		}
	case approval.RequestedKind.Name:
		if p, ok, err := approval.RequestedKind.Open(*e); ok && err == nil {
			w.asked.Add(none, 1, w.of("kind", string(p.Kind)))
		}
	case approval.AnsweredKind.Name:
		if p, ok, err := approval.AnsweredKind.Open(*e); ok && err == nil {
			w.answered.Add(none, 1, w.of("choice", p.Choice))
		}
	case model.RotatedKind.Name:
		if p, ok, err := model.RotatedKind.Open(*e); ok && err == nil {
			w.switched.Add(none, 1, w.of("from", p.From, "to", p.To))
		}
	}
}

func outcome(ok bool) string {
	if ok {
		return "done"
	}
	return "failed"
}

// called is what is counted of an [agent.Answered]: what was said is not decoded.
type called struct {
	Agent  string `json:"agent"`
	Answer struct {
		Stop      model.StopReason `json:"stop"`
		Usage     model.Usage      `json:"usage"`
		Provider  string           `json:"provider"`
		Model     string           `json:"model"`
		CostUSD   float64          `json:"cost_usd"`
		CostKnown bool             `json:"cost_known"`
		Duration  time.Duration    `json:"duration_ns"`
	} `json:"answer"`
}

func (w *watch) model(c called) {
	a := c.Answer
	of := []string{
		"gen_ai.operation.name", "chat", "gen_ai.provider.name", a.Provider, "gen_ai.response.model", a.Model, "gen_ai.agent.name", org.AgentID(c.Agent).Name(),
	}
	w.models.Record(none, a.Duration.Seconds(), w.of(append(of, "outcome", outcome(a.Stop != model.StopBroken))...))
	for _, t := range []struct {
		kind string
		n    int
	}{{"input", a.Usage.InputTokens}, {"output", a.Usage.OutputTokens}, {"cache_read", a.Usage.CacheReadTokens}, {"cache_write", a.Usage.CacheWriteTokens}} {
		if t.n > 0 {
			w.tokens.Add(none, int64(t.n), w.of(append(of, "gen_ai.token.type", t.kind)...))
		}
	}
	if a.CostKnown {
		w.cost.Add(none, a.CostUSD, w.of(of...))
	}
}

func (w *watch) begin(id string, b begun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.open) >= mostOpen {
		clear(w.open)
	}
	w.open[id] = b
}

func (w *watch) start(id string, at time.Time) {
	w.mu.Lock()
	b, known := w.open[id]
	first := known && !b.started
	if first {
		b.started = true
		w.open[id] = b
	}
	w.mu.Unlock()
	if first {
		w.waited.Record(none, at.Sub(b.at).Seconds(), w.of("kind", b.kind))
	}
}

func (w *watch) end(id, state string, at time.Time) {
	w.mu.Lock()
	b, known := w.open[id]
	delete(w.open, id)
	w.mu.Unlock()
	if !known {
		b.kind = "unknown"
	}
	of := w.of("kind", b.kind, "state", state)
	w.runs.Add(none, 1, of)
	if known {
		w.took.Record(none, at.Sub(b.at).Seconds(), of)
	}
}
