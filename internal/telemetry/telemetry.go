// Package telemetry sends the spans of the engine to an OpenTelemetry collector, by
// OTLP over HTTP. Without a collector spans cost nothing and messages carry no trace.
package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"chela/internal/fault"
)

// Options say who sends spans, and where to.
type Options struct {
	Collector string // its base URL, such as http://localhost:4318; empty: none
	Version   string
	Node      string
	Log       *slog.Logger
}

// Start begins to send spans. The function that it returns sends what is left.
func Start(ctx context.Context, o Options) (stop func(context.Context) error, err error) {
	otel.SetTextMapPropagator(propagation.TraceContext{})
	if o.Collector == "" {
		return func(context.Context) error { return nil }, nil
	}
	target, err := endpoint(o.Collector)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(target))
	if err != nil {
		return nil, fmt.Errorf("prepare the sending of traces: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { o.Log.Warn("send traces", "collector", o.Collector, "err", err) }))
	p := trace.NewTracerProvider(
		trace.WithBatcher(exporter, trace.WithBatchTimeout(time.Second)),
		trace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "chela"), attribute.String("service.version", o.Version), attribute.String("service.instance.id", o.Node),
		)),
	)
	otel.SetTracerProvider(p)
	return p.Shutdown, nil
}

func endpoint(collector string) (string, error) {
	u, err := url.Parse(collector)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fault.New(fault.Invalid, "trace: %q is no address of a collector; write http://localhost:4318.", collector)
	}
	if !strings.HasSuffix(u.Path, "/v1/traces") {
		u = u.JoinPath("v1", "traces")
	}
	return u.String(), nil
}

// Check reports whether the collector answers.
func Check(ctx context.Context, collector string) error {
	target, err := endpoint(collector)
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
