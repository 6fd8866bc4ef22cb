package telemetry

import (
	"strings"
	"sync"
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
	domains  sync.Map // name → metric.MeasurementOption

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
		w.events.Add(none, 1, w.domain(domain))
		w.one(e)
	}
}

// domain is by what events of a domain are counted, made once: every event has one of a few.
func (w *watch) domain(name string) metric.MeasurementOption {
	if kept, ok := w.domains.Load(name); ok {
		return kept.(metric.MeasurementOption) //nolint:forcetypeassert // only we store here
	}
	made := metric.WithAttributeSet(attribute.NewSet(attribute.String("domain", name)))
	w.domains.Store(name, made)
	return made
}

func add(c metric.Int64Counter, of ...attribute.KeyValue) {
	c.Add(none, 1, metric.WithAttributeSet(attribute.NewSet(of...)))
}

func record(h metric.Float64Histogram, seconds float64, of ...attribute.KeyValue) {
	h.Record(none, seconds, metric.WithAttributeSet(attribute.NewSet(of...)))
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
		if p, ok, err := agent.AnsweredKind.Open(*e); ok && err == nil {
			w.model(p)
		}
	case tool.ResultKind.Name:
		if p, ok, err := tool.ResultKind.Open(*e); ok && err == nil {
			record(w.tools, float64(p.MS)/1e3, attribute.String("tool", p.Tool), attribute.String("outcome", outcome(p.Success)))
		}
	case tool.ErrorKind.Name:
		if p, ok, err := tool.ErrorKind.Open(*e); ok && err == nil {
			record(w.tools, float64(p.MS)/1e3, attribute.String("tool", p.Tool), attribute.String("outcome", outcome(false)))
		}
	case approval.RequestedKind.Name:
		if p, ok, err := approval.RequestedKind.Open(*e); ok && err == nil {
			add(w.asked, attribute.String("kind", string(p.Kind)))
		}
	case approval.AnsweredKind.Name:
		if p, ok, err := approval.AnsweredKind.Open(*e); ok && err == nil {
			add(w.answered, attribute.String("choice", p.Choice))
		}
	case model.RotatedKind.Name:
		if p, ok, err := model.RotatedKind.Open(*e); ok && err == nil {
			add(w.switched, attribute.String("from", p.From), attribute.String("to", p.To))
		}
	}
}

func outcome(ok bool) string {
	if ok {
		return "done"
	}
	return "failed"
}

func (w *watch) model(p agent.Answered) {
	a := p.Answer
	of := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", a.Provider),
		attribute.String("gen_ai.response.model", a.Model), attribute.String("gen_ai.agent.name", org.AgentID(p.Agent).Name()),
	}
	record(w.models, a.Duration.Seconds(), append(of, attribute.String("outcome", outcome(a.Stop != model.StopBroken)))...)
	for kind, n := range map[string]int{"input": a.Usage.InputTokens, "output": a.Usage.OutputTokens, "cache_read": a.Usage.CacheReadTokens, "cache_write": a.Usage.CacheWriteTokens} {
		if n > 0 {
			w.tokens.Add(none, int64(n), metric.WithAttributes(append(of, attribute.String("gen_ai.token.type", kind))...))
		}
	}
	if a.CostKnown {
		w.cost.Add(none, a.CostUSD, metric.WithAttributes(of...))
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
		record(w.waited, at.Sub(b.at).Seconds(), attribute.String("kind", b.kind))
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
	of := []attribute.KeyValue{attribute.String("kind", b.kind), attribute.String("state", state)}
	add(w.runs, of...)
	if known {
		record(w.took, at.Sub(b.at).Seconds(), of...)
	}
}
