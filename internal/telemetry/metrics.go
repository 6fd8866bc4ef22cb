package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"

	"chela/internal/event"
)

// A Backlog is what waits in the whole organization.
type Backlog struct {
	Runs       map[[2]string]int // open ones by lane and state
	Approvals  int               // questions that nobody has answered
	Messages   int               // that wait for their turn in conversations
	Deliveries int               // to chats that are not out yet
}

// Metrics count what this process does. Safe for concurrent use; a nil one counts nothing.
type Metrics struct {
	handler  http.Handler
	provider *sdk.MeterProvider
	watch    *watch
	commit   metric.Float64Histogram
	requests metric.Float64Histogram
}

// none is what instruments are given where nobody asks for anything: they look in it for a span alone.
var none = context.Background() //nolint:forbidigo,gochecknoglobals // see above

// Bounds of histograms, in seconds: of commits and requests, and of what models and runs take.
var (
	short = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60}
	long  = []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600}
)

// NewMetrics returns metrics for Prometheus, and for a collector through more readers. backlog says what
// waits; it is asked when somebody looks.
func NewMetrics(res *resource.Resource, backlog func(context.Context) (Backlog, error), more ...sdk.Reader) (*Metrics, error) {
	reg := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("prepare metrics: %w", err)
		}
	}
	pull, err := exporter.New(exporter.WithRegisterer(reg), exporter.WithoutScopeInfo())
	if err != nil {
		return nil, fmt.Errorf("prepare metrics: %w", err)
	}
	opts := []sdk.Option{sdk.WithResource(res), sdk.WithReader(pull)}
	for _, r := range more {
		opts = append(opts, sdk.WithReader(r))
	}
	m := &Metrics{provider: sdk.NewMeterProvider(opts...), handler: promhttp.HandlerFor(reg, promhttp.HandlerOpts{})}
	meter := m.provider.Meter("chela")
	made := instruments{meter: meter}
	m.commit = made.seconds("chela.store.commit.duration", "From the beginning of a transaction that records events until it is durable.", short)
	m.requests = made.seconds("http.server.request.duration", "Requests, by the door that they came to.", short)
	m.watch = newWatch(&made)
	made.waits(backlog)
	return m, errors.Join(made.errs...)
}

// ServeHTTP shows the metrics in Prometheus' format.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.handler.ServeHTTP(w, r) }

// Recorded counts events that this process has recorded in one transaction.
func (m *Metrics) Recorded(events []event.Event, took time.Duration) {
	m.commit.Record(none, took.Seconds())
	m.watch.take(events)
}

// Answered counts a request that a door has answered.
func (m *Metrics) Answered(door, method string, status int, took time.Duration) {
	m.requests.Record(none, took.Seconds(), metric.WithAttributeSet(attribute.NewSet(
		attribute.String("door", door), attribute.String("http.request.method", methodOf(method)), attribute.Int("http.response.status_code", status),
	)))
}

// methodOf is a method of HTTP; what is none of them is one, so that nobody makes up series.
func methodOf(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "_OTHER"
}

// instruments makes instruments and keeps what goes wrong.
type instruments struct {
	meter metric.Meter
	errs  []error
}

func (i *instruments) keep(err error) {
	if err != nil {
		i.errs = append(i.errs, fmt.Errorf("prepare metrics: %w", err))
	}
}

func (i *instruments) seconds(name, what string, bounds []float64) metric.Float64Histogram {
	h, err := i.meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(what), metric.WithExplicitBucketBoundaries(bounds...))
	i.keep(err)
	return h
}

func (i *instruments) counter(name, what string) metric.Int64Counter {
	c, err := i.meter.Int64Counter(name, metric.WithDescription(what))
	i.keep(err)
	return c
}

// waits makes the gauges of what waits. They are the organization's, the same on each of its nodes.
func (i *instruments) waits(backlog func(context.Context) (Backlog, error)) {
	gauge := func(name, what string) metric.Int64ObservableGauge {
		g, err := i.meter.Int64ObservableGauge(name, metric.WithDescription(what))
		i.keep(err)
		return g
	}
	runs := gauge("chela.runs.open", "Runs of the organization that have not ended, by lane and state.")
	approvals := gauge("chela.approvals.pending", "Questions of the organization that nobody has answered.")
	messages := gauge("chela.messages.waiting", "Messages that wait for their turn in conversations.")
	deliveries := gauge("chela.deliveries.waiting", "Messages to chats that are not out yet.")
	_, err := i.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		b, err := backlog(ctx)
		if err != nil {
			return err
		}
		for of, n := range b.Runs {
			o.ObserveInt64(runs, int64(n), metric.WithAttributes(attribute.String("lane", of[0]), attribute.String("state", of[1])))
		}
		o.ObserveInt64(approvals, int64(b.Approvals))
		o.ObserveInt64(messages, int64(b.Messages))
		o.ObserveInt64(deliveries, int64(b.Deliveries))
		return nil
	}, runs, approvals, messages, deliveries)
	i.keep(err)
}
