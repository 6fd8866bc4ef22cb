// Package telemetry shows a daemon from outside: metrics for Prometheus, and traces, metrics and logs to
// an OpenTelemetry collector, by OTLP over HTTP. Without a collector spans cost nothing and messages
// carry no trace.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"chela/internal/fault"
)

// Options say who sends, and where to.
type Options struct {
	Collector string // its base URL, such as http://localhost:4318; empty: none
	Version   string
	Node      string
	Log       *slog.Logger
	Backlog   func(context.Context) (Backlog, error) // what waits, for metrics
}

// metricsEvery is how often metrics are sent to a collector.
const metricsEvery = 15 * time.Second

// A Telemetry is how this process is seen from outside.
type Telemetry struct {
	Metrics *Metrics
	logs    slog.Handler // of the collector; nil is none
	stops   []func(context.Context) error
}

// Start begins to count, and to send where there is a collector.
func Start(ctx context.Context, o Options) (*Telemetry, error) {
	otel.SetTextMapPropagator(propagation.TraceContext{})
	of := resource.NewSchemaless(
		attribute.String("service.name", "chela"), attribute.String("service.version", o.Version), attribute.String("service.instance.id", o.Node),
	)
	t := new(Telemetry)
	var push []metric.Reader
	if o.Collector != "" {
		reader, err := t.send(ctx, o, of)
		if err != nil {
			return nil, errors.Join(err, t.Stop(ctx))
		}
		push = append(push, reader)
	}
	var err error
	if t.Metrics, err = NewMetrics(of, o.Backlog, push...); err != nil {
		return nil, errors.Join(err, t.Stop(ctx))
	}
	t.stops = append(t.stops, t.Metrics.provider.Shutdown)
	return t, nil
}

// send begins to send traces and logs, and returns what sends metrics.
func (t *Telemetry) send(ctx context.Context, o Options, of *resource.Resource) (metric.Reader, error) {
	at := make(map[string]string)
	for _, what := range []string{"traces", "metrics", "logs"} {
		var err error
		if at[what], err = endpoint(o.Collector, what); err != nil {
			return nil, err
		}
	}
	spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(at["traces"]))
	if err != nil {
		return nil, fmt.Errorf("prepare the sending of traces: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { o.Log.Warn("send to the collector", "collector", o.Collector, "err", err) }))
	p := trace.NewTracerProvider(trace.WithBatcher(spans, trace.WithBatchTimeout(time.Second)), trace.WithResource(of))
	otel.SetTracerProvider(p)
	t.stops = append(t.stops, p.Shutdown)
	lines, err := otlploghttp.New(ctx, otlploghttp.WithEndpointURL(at["logs"]))
	if err != nil {
		return nil, fmt.Errorf("prepare the sending of logs: %w", err)
	}
	logs := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(lines)), sdklog.WithResource(of))
	t.logs, t.stops = otelslog.NewHandler("chela", otelslog.WithLoggerProvider(logs)), append(t.stops, logs.Shutdown)
	sums, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(at["metrics"]))
	if err != nil {
		return nil, fmt.Errorf("prepare the sending of metrics: %w", err)
	}
	return metric.NewPeriodicReader(sums, metric.WithInterval(metricsEvery)), nil
}

// Stop sends what is left. A second call does nothing.
func (t *Telemetry) Stop(ctx context.Context) error {
	var errs []error
	for _, stop := range t.stops {
		errs = append(errs, stop(ctx))
	}
	t.stops = nil
	return errors.Join(errs...)
}

// Logs returns a handler that hands lines to h, and to the collector when there is one.
func (t *Telemetry) Logs(h slog.Handler) slog.Handler {
	if t.logs == nil {
		return h
	}
	return slog.NewMultiHandler(h, t.logs)
}

// endpoint is where traces, metrics or logs go.
func endpoint(collector, what string) (string, error) {
	u, err := url.Parse(collector)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fault.New(fault.Invalid, "trace: %q is no address of a collector; write http://localhost:4318.", collector)
	}
	u.Path = strings.TrimSuffix(u.Path, "/v1/traces")
	return u.JoinPath("v1", what).String(), nil
}

// Check reports whether the collector answers.
func Check(ctx context.Context, collector string) error {
	target, err := endpoint(collector, "traces")
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask the collector: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "trace: the collector %s does not answer. Start it, or take trace out of chela.yaml.", collector)
	}
	return res.Body.Close()
}
