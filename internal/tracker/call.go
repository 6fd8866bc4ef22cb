package tracker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"chela/internal/fault"
)

// Bounds of one call.
const (
	answerTime  = 60 * time.Second
	maxAnswer   = 24 << 20 // bytes of an answer
	maxRedirect = 5
	longestWait = time.Hour // that a tracker is left alone when it asks to
	usualWait   = time.Minute
)

// A Caller asks one tracker. The token goes to its host only, and nowhere else is anything asked.
type Caller struct {
	base   *url.URL
	client *http.Client
	head   http.Header
}

// NewCaller returns a caller of a tracker. head goes with each call, the token among it.
func NewCaller(client *http.Client, address string, head http.Header) (*Caller, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The address of the tracker cannot be read.")
	}
	own := *client
	own.Timeout = answerTime
	own.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != base.Scheme || r.URL.Host != base.Host {
			return fault.New(fault.Denied, "The tracker sends to %s, to which nothing is sent. If it has moved, give its new address.", r.URL.Host)
		}
		if len(via) >= maxRedirect {
			return fault.New(fault.Unavailable, "The tracker sends from one address to the next without an end.")
		}
		return nil
	}
	return &Caller{base, &own, head}, nil
}

// An Answer is what came of a call.
type Answer struct {
	Code int
	Body []byte
	Head http.Header
}

// Waits is the error of a tracker that asks to be left alone for some time.
type Waits struct{ After time.Duration }

func (w *Waits) Error() string {
	return fmt.Sprintf("The tracker was asked as often as it allows; it is asked again in %s.", w.After.Round(time.Second))
}

// Get asks for a path below the address. check is a validator to send, "" for none.
func (c *Caller) Get(ctx context.Context, path string, query url.Values, check string) (Answer, error) {
	return c.do(ctx, http.MethodGet, path, query, nil, check)
}

// Ask puts a question of GraphQL. What the tracker has against it stands in the answer.
func (c *Caller) Ask(ctx context.Context, path, query string, variables map[string]any) (Answer, error) {
	raw, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return Answer{}, fmt.Errorf("encode a question to a tracker: %w", err)
	}
	a, err := c.do(ctx, http.MethodPost, path, nil, raw, "")
	if a.Code == http.StatusBadRequest && len(a.Body) > 0 {
		return a, nil
	}
	return a, err
}

func (c *Caller) do(ctx context.Context, method, path string, query url.Values, body []byte, check string) (Answer, error) {
	at := c.base.JoinPath(path)
	at.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return Answer{}, fmt.Errorf("prepare a call of a tracker: %w", err)
	}
	for name, values := range c.head {
		r.Header[name] = values
	}
	r.Header.Set("User-Agent", "Chela")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if check != "" {
		r.Header.Set("If-None-Match", check)
	}
	res, err := c.client.Do(r)
	if err != nil {
		return Answer{}, c.unreached(ctx, err)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	_ = res.Body.Close() // it was read
	if err != nil {
		return Answer{}, c.unreached(ctx, err)
	}
	if len(raw) > maxAnswer {
		return Answer{}, fault.New(fault.TooLarge, "%s answers with more than %d MB at once, which is not read.", c.base.Host, maxAnswer>>20)
	}
	a := Answer{res.StatusCode, raw, res.Header}
	return a, c.refused(a)
}

// unreached is why there is no answer, a sentence without anything of the request.
func (c *Caller) unreached(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && ctx.Err() != nil {
		return cause
	}
	var known *fault.Error
	var failed *url.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &failed) && failed.Timeout():
		return fault.Wrap(err, fault.Unavailable, "%s did not answer within %s.", c.base.Host, answerTime)
	case errors.As(err, &failed):
		err = failed.Err // without the address, which may name what nobody here shall read
	}
	return fault.Wrap(err, fault.Unavailable, "%s cannot be reached: %s.", c.base.Host, err)
}

// refused is the error of an answer that is none.
func (c *Caller) refused(a Answer) error {
	if a.Code >= 200 && a.Code < 300 || a.Code == http.StatusNotModified {
		return nil
	}
	if after, ok := pause(a, time.Now()); ok {
		return &Waits{after}
	}
	switch a.Code {
	case http.StatusUnauthorized:
		return fault.New(fault.Denied, "%s does not know the token. Put a new one into the vault under the name that the tracker has for it.", c.base.Host)
	case http.StatusForbidden:
		return fault.New(fault.Denied, "%s does not let the token read this. Give it the right to read issues.", c.base.Host)
	case http.StatusNotFound, http.StatusGone:
		return fault.New(fault.NotFound, "%s has nothing there that the token may read. See whether the name of the project is right, and whether the token may read it.", c.base.Host)
	}
	return fault.New(fault.Unavailable, "%s answered %d %s.", c.base.Host, a.Code, http.StatusText(a.Code))
}

// pause reports for how long a tracker asks to be left alone. now counts where the answer does not say when it was given.
func pause(a Answer, now time.Time) (time.Duration, bool) {
	limited := a.Code == http.StatusTooManyRequests || a.Code == http.StatusServiceUnavailable && a.Head.Get("Retry-After") != "" ||
		a.Code == http.StatusForbidden && (a.Head.Get("X-Ratelimit-Remaining") == "0" || a.Head.Get("Retry-After") != "")
	if !limited {
		return 0, false
	}
	if said := a.Asked(); !said.IsZero() {
		now = said
	}
	after := usualWait
	if n, err := strconv.Atoi(a.Head.Get("Retry-After")); err == nil {
		after = time.Duration(min(n, int(longestWait/time.Second))) * time.Second
	} else if at, err := http.ParseTime(a.Head.Get("Retry-After")); err == nil {
		after = at.Sub(now)
	} else {
		for _, name := range []string{"X-Ratelimit-Reset", "Ratelimit-Reset"} {
			if n, err := strconv.ParseInt(a.Head.Get(name), 10, 64); err == nil && n > now.Unix() {
				after = time.Unix(n, 0).Sub(now)
				break
			}
		}
	}
	return min(max(after, time.Second), longestWait), true
}

// Asked is the time of an answer by the clock of the tracker; zero when it does not say.
func (a Answer) Asked() time.Time {
	at, err := http.ParseTime(a.Head.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// Unread is the error of an answer that cannot be read.
func (c *Caller) Unread(err error) error {
	return fault.Wrap(err, fault.Unavailable, "The answer of %s cannot be read: it is not what its API promises.", c.base.Host)
}
