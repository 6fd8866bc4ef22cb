package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// cookieName is the name of the cookie of a login. It holds which organization's it is, as all
// ports of a host share their cookies.
func (a *api) cookieName() string { return "chela_session_" + cmp.Or(a.Instance, "local") }

// cookieLife is how long a login lasts.
const cookieLife = 30 * 24 * time.Hour

type personKey struct{}

// person returns who asks; the middleware has put it there.
func person(ctx context.Context) org.Person {
	p, _ := ctx.Value(personKey{}).(org.Person) // the zero person may do nothing
	return p
}

func party(ctx context.Context) event.Party { return person(ctx).Party() }

// NewToken returns 32 random bytes as text. It begins with a word, so that people and
// scanners know it, and no command takes it for a flag.
func NewToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return "chela_" + base64.RawURLEncoding.EncodeToString(b)
}

// who finds the person behind a request by its token or cookie.
func (a *api) who(ctx context.Context, authorization, cookie string) (org.Person, error) {
	token, ok := strings.CutPrefix(authorization, "Bearer ")
	if !ok {
		token = cookie
	}
	if token == "" {
		return org.Person{}, fault.New(fault.Unauthenticated, "Nobody is logged in. Send the token as `Authorization: Bearer …`, or open a login link (`chela login`).")
	}
	p, access, err := a.Store.Guest(ctx, token)
	if access.Purpose == org.LoginToken || access.Purpose == org.InviteToken {
		err = fault.New(fault.Unauthenticated, "That link opens a login; it is no token.")
	}
	if err != nil {
		return org.Person{}, a.wrongToken(ctx, err)
	}
	if !p.Enabled {
		return org.Person{}, fault.New(fault.Denied, "%s is disabled; an admin can enable them.", p.Name)
	}
	return p, nil
}

// authenticate lets an operation through when its asker has the role it needs.
func (a *api) authenticate(c huma.Context, next func(huma.Context)) {
	need, _ := c.Operation().Metadata["role"].(org.Role) // set by route
	if need == "" {
		next(c)
		return
	}
	var cookie string
	if ck, err := huma.ReadCookie(c, a.cookieName()); err == nil {
		cookie = ck.Value
	}
	p, err := a.who(c.Context(), c.Header("Authorization"), cookie)
	if err == nil && !p.Role.AtLeast(need) {
		err = fault.New(fault.Denied, "This needs the role %s; %s has the role %s.", need, p.Name, p.Role)
	}
	if err != nil {
		a.refuse(c, err)
		return
	}
	if b, ok := c.BodyReader().(*paced); ok {
		b.known = true
	}
	next(huma.WithValue(c, personKey{}, p))
}

func (a *api) refuse(c huma.Context, err error) {
	p := a.shown(c.Context(), err)
	if after := retryOf(err); after != "" {
		c.SetHeader("Retry-After", after)
	}
	details := make([]error, len(p.Errors))
	for i, d := range p.Errors {
		details[i] = d
	}
	_ = huma.WriteErr(a.huma, c, p.Status, p.Detail, details...) // the client is gone
}

// asker finds the person behind a request outside the route table.
func (a *api) asker(r *http.Request) (org.Person, error) {
	var cookie string
	if c, err := r.Cookie(a.cookieName()); err == nil {
		cookie = c.Value
	}
	return a.who(r.Context(), r.Header.Get("Authorization"), cookie)
}

// asPerson authenticates a request outside the route table.
func (a *api) asPerson(w http.ResponseWriter, r *http.Request, need org.Role) (org.Person, bool) {
	p, err := a.asker(r)
	if err == nil && !p.Role.AtLeast(need) {
		err = fault.New(fault.Denied, "This needs the role %s; %s has the role %s.", need, p.Name, p.Role)
	}
	if err != nil {
		a.fail(w, r, err)
		return p, false
	}
	return p, true
}

func (a *api) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := a.shown(r.Context(), err)
	if after := retryOf(err); after != "" {
		w.Header().Set("Retry-After", after)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone
}

// hosts refuses requests that a page from elsewhere makes in somebody's browser: the
// Host must be one of ours, and the page of the same origin.
func (a *api) hosts(next http.Handler) http.Handler {
	var crossOrigin http.CrossOriginProtection
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.ours(r.Host) {
			a.fail(w, r, fault.New(fault.Denied, "The host %q is not one of this daemon's; name it with --host.", r.Host))
			return
		}
		if crossOrigin.Check(r) != nil || foreign(r) {
			a.fail(w, r, fault.New(fault.Denied, "Pages from %q may not call this daemon.", cmp.Or(r.Header.Get("Origin"), "elsewhere")))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// foreign reports whether a page of another origin makes the request, be it only one that reads.
// Another port is another origin. A link from elsewhere may lead here.
func foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
		o := r.Header.Get("Origin")
		if o == "" {
			return false
		}
		u, err := url.Parse(o)
		return err != nil || u.Scheme != "http" && u.Scheme != "https" || r.TLS != nil && u.Scheme != "https" || !strings.EqualFold(u.Host, r.Host)
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return !reads || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Origin") != ""
}

func (a *api) ours(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() {
		return true
	}
	return name == "localhost" || slices.Contains(a.Hosts, name)
}

// headers set what every answer says to a browser.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", nothing) // the page itself may more, see page.go
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

func (a *api) recoverer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler { //nolint:errorlint // the server's own sentinel, thrown bare
					panic(p)
				}
				a.Log.Error("panic in a request", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
				a.fail(w, r, fault.New(fault.Internal, "Chela made a mistake with this request; the daemon's log has the details."))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// login opens a one-time link and sets the cookie.
func (a *api) login(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("t")
	access, err := a.Store.Access(r.Context(), token)
	if err == nil && access.Purpose != org.LoginToken {
		err = fault.New(fault.Unauthenticated, "That is no login link.")
	}
	if err == nil {
		err = a.Store.RedeemToken(r.Context(), token)
	}
	if err != nil {
		a.fail(w, r, a.wrongToken(r.Context(), err))
		return
	}
	if err := a.setCookie(w, r, access.Person); err != nil {
		a.fail(w, r, err)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (a *api) setCookie(w http.ResponseWriter, r *http.Request, person string) error {
	value := NewToken()
	if err := a.Store.GrantCookie(r.Context(), value, person, a.Store.Mint().Now().Add(cookieLife)); err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure when the request was; loopback is plain
		Name: a.cookieName(), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil, MaxAge: int(cookieLife.Seconds()),
	})
	return nil
}
