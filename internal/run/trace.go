package run

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"chela/internal/event"
	"chela/internal/fault"
)

// Span begins a span; the function that it returns ends it. Names and attributes are
// those of OpenTelemetry's semantic conventions where there are any.
func Span(ctx context.Context, name string, attributes ...attribute.KeyValue) (context.Context, func(err error, more ...attribute.KeyValue)) {
	ctx, span := otel.Tracer("chela").Start(ctx, name, trace.WithAttributes(attributes...))
	return ctx, func(err error, more ...attribute.KeyValue) {
		span.SetAttributes(more...)
		if err != nil {
			span.SetStatus(codes.Error, fault.TextOf(err))
		}
		span.End()
	}
}

// TraceOf returns the trace that ctx belongs to as messages carry it, nil when there is
// none.
func TraceOf(ctx context.Context) *event.Trace {
	s := trace.SpanContextFromContext(ctx)
	if !s.IsValid() {
		return nil
	}
	return &event.Trace{TraceID: s.TraceID().String(), SpanID: s.SpanID().String()}
}

// Joined returns ctx within a trace, such as that in which a run was asked for. Ids of other forms
// than W3C's are kept in messages, but join no trace.
func Joined(ctx context.Context, t *event.Trace) context.Context {
	if t == nil {
		return ctx
	}
	id, err := trace.TraceIDFromHex(t.TraceID)
	if err != nil {
		return ctx
	}
	span, err := trace.SpanIDFromHex(t.SpanID)
	if err != nil {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: span, TraceFlags: trace.FlagsSampled, Remote: true}))
}
