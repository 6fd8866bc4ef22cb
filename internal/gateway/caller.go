package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// How says by what a caller was authenticated.
type How string

// The ways.
const (
	ByCookie How = "cookie" // a browser that has logged in
	ByBearer How = "bearer" // a program with a token
	ByKey    How = "key"    // a program with a key of its own
)

// Channel is the channel of the messages of such callers. It follows from how they were
// authenticated: a body cannot claim another.
func (h How) Channel() string {
	if h == ByCookie {
		return "page"
	}
	return "api"
}

// A Caller is who makes a request. The zero value may do nothing.
type Caller struct {
	Person org.Person // with the role of the key, where it is less
	How    How
	Key    *org.Key // by which a program acts for the person; nil for people
}

// Party is the caller as a sender.
func (c Caller) Party() event.Party {
	p := c.Person.Party()
	if c.Key != nil {
		p.Key = c.Key.ID
	}
	return p
}

type callerKey struct{}

// With returns a context that knows the caller.
func (c Caller) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns who makes the request of ctx; the zero Caller where nobody is known.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// cookieLife is how long a login lasts.
const cookieLife = 30 * 24 * time.Hour

// CookieName is the name of the cookie of a login. It holds which organization's it is, as all
// ports of a host share their cookies.
func (h *Hall) CookieName() string { return "chela_session_" + cmp.Or(h.opts.Instance, "local") }

// NewToken returns 32 random bytes as text. It begins with a word, so that people and
// scanners know it, and no command takes it for a flag.
func NewToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return "chela_" + base64.RawURLEncoding.EncodeToString(b)
}

// Authenticate finds out who makes a request: by its token, else by its cookie. A
// fault.Unauthenticated says that nobody does, a fault.Denied that the person is disabled. An address
// with a NUL character, which PostgreSQL takes in no text, is refused.
func (h *Hall) Authenticate(r *http.Request) (Caller, error) {
	c, err := h.look(r)
	if err != nil {
		return c, err
	}
	if strings.ContainsRune(r.URL.Path, 0) || strings.Contains(r.URL.RawQuery, "%00") {
		return Caller{}, fault.New(fault.Invalid, "The address has a NUL character (%%00), which no name has. Take it out.")
	}
	if b, ok := r.Body.(*Paced); ok {
		b.known = true
	}
	return c, nil
}

func (h *Hall) look(r *http.Request) (Caller, error) {
	token, bears := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if key := r.Header.Get("X-Api-Key"); key != "" && !bears { // where Anthropic's clients have it
		token, bears = key, true
	}
	c := Caller{How: ByBearer}
	if !bears {
		c.How = ByCookie
		if ck, err := r.Cookie(h.CookieName()); err == nil {
			token = ck.Value
		}
	}
	if token == "" {
		return Caller{}, fault.New(fault.Unauthenticated, "Nobody is logged in. Send the token as `Authorization: Bearer …`, or open a login link (`chela login`).")
	}
	p, access, err := h.store.Guest(r.Context(), token)
	if access.Purpose == org.LoginToken || access.Purpose == org.InviteToken {
		err = fault.New(fault.Unauthenticated, "That link opens a login; it is no token.")
	}
	if err != nil {
		return Caller{}, h.WrongToken(r.Context(), err)
	}
	if !p.Enabled {
		return Caller{}, org.Disabled(p)
	}
	h.use(r.Context(), token, access)
	if a := arrivalOf(r.Context()); a.doubted {
		h.doubts.note(a.from, h.store.Mint().Now())
	}
	if c.Person = p; access.Key != nil {
		c.How, c.Key, c.Person.Role = ByKey, access.Key, access.Key.Least(p.Role)
		if c.Key.Agent != "" && !ofWorkers(r.URL.Path) {
			return Caller{}, fault.New(fault.Denied, "The key %q fetches the tasks of %s at %s, and reaches nothing else.", c.Key.Name, c.Key.Agent.Name(), WorkersPath)
		}
	}
	return c, nil
}

// WorkersPath is the only door, with all below it, that keys of agents elsewhere open.
const WorkersPath = "/api/clutch"

func ofWorkers(path string) bool {
	return path == WorkersPath || strings.HasPrefix(path, WorkersPath+"/")
}

// Permit authenticates a request and refuses callers below a role, and those whose key is for one
// project: what is permitted here is the whole organization's.
func (h *Hall) Permit(r *http.Request, need org.Role) (Caller, error) {
	c, err := h.PermitScoped(r, need)
	if err == nil && c.Key != nil && c.Key.Project != "" {
		err = fault.New(fault.Denied, "The key %q is for one project, and %s is not of it.", c.Key.Name, r.URL.Path)
	}
	return c, err
}

// PermitScoped is Permit for a door that keeps callers to the project of their key, as all do that
// say and invoke through package talk.
func (h *Hall) PermitScoped(r *http.Request, need org.Role) (Caller, error) {
	c, err := h.Authenticate(r)
	if err == nil && c.Key != nil {
		err = h.paces.enter(r.Context(), *c.Key, h.store.Mint().Now())
	}
	if err == nil && !c.Person.Role.AtLeast(need) {
		err = fault.New(fault.Denied, "This needs the role %s; %s has the role %s.", need, c.name(), c.Person.Role)
	}
	return c, err
}

// name is who calls, for a sentence.
func (c Caller) name() string {
	if c.Key != nil {
		return "the key " + strconv.Quote(c.Key.Name)
	}
	return c.Person.Name
}

// For lets callers through that have at least a role, and answers the others.
func (h *Hall) For(need org.Role, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := h.Permit(r, need)
		if err != nil {
			h.Fail(w, r, err)
			return
		}
		next(w, r.WithContext(c.With(r.Context())))
	}
}

// Login opens a one-time link, sets the cookie and leads to the page. A browser with a link that opens
// nothing is led to the page, too, which says so; one that is logged in does not need it.
func (h *Hall) Login(w http.ResponseWriter, r *http.Request) {
	link := r.URL.Query().Get("t")
	access, err := h.store.Access(r.Context(), link)
	if err == nil && access.Purpose != org.LoginToken {
		err = fault.New(fault.Unauthenticated, "That is no login link.")
	}
	cookie := NewToken()
	if err == nil {
		a := org.Access{Person: access.Person, Purpose: org.CookieToken, Label: "page", ExpiresAt: h.store.Mint().Now().Add(cookieLife)}
		err = h.store.LogIn(r.Context(), link, cookie, a, func(id string) []event.Draft {
			return []event.Draft{h.LoggedIn(r.Context(), org.LoggedInKind, org.Login{Person: access.Person, How: org.ByLink, Token: id}, org.Person{ID: access.Person}.Party())}
		})
	}
	if err != nil {
		h.closed(w, r, h.WrongToken(r.Context(), err))
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure when the request was; loopback is plain
		Name: h.CookieName(), Value: cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: Secure(r), MaxAge: int(cookieLife.Seconds()),
	})
	http.Redirect(w, r, within(r.URL.Query().Get("to")), http.StatusSeeOther)
}

// closed answers a link that opens nothing.
func (h *Hall) closed(w http.ResponseWriter, r *http.Request, err error) {
	if fault.KindOf(err) != fault.Unauthenticated || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		h.Fail(w, r, err)
		return
	}
	to := "/?login=closed"
	if _, err := h.Authenticate(r); err == nil {
		to = within(r.URL.Query().Get("to"))
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// within is the view of the page to which a login leads; anything but one of ours is the first.
func within(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/"
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}
