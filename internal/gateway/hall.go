// Package gateway is the hall that every door stands in: the API, the Clutch Protocol and each
// other protocol over HTTP. It decides from which hosts and origins a request may come, who makes
// it, how much of it is taken, and how an error is answered. A door decodes, calls one function of
// the engine, and encodes.
package gateway

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// A Store knows who may come in.
type Store interface {
	// Guest returns the person behind a token; a fault.Unauthenticated says that there is none.
	Guest(ctx context.Context, token string) (org.Person, org.Access, error)
	Access(ctx context.Context, token string) (org.Access, error)
	// LogIn opens a link, keeps the token of a login, and records what made says of it, all or nothing.
	LogIn(ctx context.Context, link, token string, a org.Access, made func(id string) []event.Draft) error
	Record(ctx context.Context, drafts ...event.Draft) error
	// Use keeps that a token opened something now.
	Use(ctx context.Context, token string) error
	Mint() *event.Mint
}

// Options of a [Hall]. The zero value is the default.
type Options struct {
	Hosts    []string            // names under which the daemon may be called, beside loopback's
	Proxies  Proxies             // that are believed for whom a request comes
	Instance string              // which organization's daemon it is, the same on all its nodes
	Incoming string              // the folder of bodies while they arrive; empty is the system's for temporary files
	Stall    time.Duration       // how long a body may stand still; 0 is ten seconds
	Redact   func(string) string // takes secrets out of what an error says; nil leaves all
	// Answered is told of each request when it has been answered; nil is nobody.
	Answered func(door, method string, status int, took time.Duration)
	Log      *slog.Logger // nil means slog.Default
}

// usualStall is how long a body may stand still.
const usualStall = 10 * time.Second

// A Hall is what all doors share. Safe for concurrent use.
type Hall struct {
	store  Store
	opts   Options
	load   *load
	wrongs wrongs
	paces  paces
	uses   uses
	doubts doubts
}

// New returns a hall.
func New(s Store, o Options) *Hall {
	o.Stall = cmp.Or(o.Stall, usualStall)
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Hall{store: s, opts: o, load: newLoad(o.Incoming)}
}

// Wrap returns the handler of all doors with what every request passes before it comes to one.
func (h *Hall) Wrap(next http.Handler) http.Handler {
	for _, pass := range []func(http.Handler) http.Handler{h.paced, traced, headers, h.origins, h.arrived, h.recoverer} {
		next = pass(next)
	}
	return next
}

// nothing is the policy of what is no page: a browser that is shown it as one does nothing.
const nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// headers set what every answer says to a browser. The page itself allows itself more.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", nothing)
		next.ServeHTTP(w, r)
	})
}

// traced joins the trace of a caller that says which (W3C traceparent).
func traced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") != "" {
			r = r.WithContext(otel.GetTextMapPropagator().Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
		}
		next.ServeHTTP(w, r)
	})
}

func (h *Hall) recoverer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler { //nolint:errorlint // the server's own sentinel, thrown bare
					panic(p)
				}
				h.opts.Log.Error("panic in a request", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
				h.Fail(w, r, fault.New(fault.Internal, "Chela made a mistake with this request; the daemon's log has the details."))
			}
		}()
		next.ServeHTTP(w, r)
	})
}
