package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/slack-go/slack"

	"chela/internal/channel"
)

// maxBody is more than an event or interaction can have.
const maxBody = 4 << 20

// errLater says that a message is to come again and that the connection is good all the same.
var errLater = errors.New("it is to come again")

// A callback is what the Events API sends (docs.slack.dev/apis/events-api). An interaction has
// the same place for its type.
type callback struct {
	Type      string          `json:"type"`
	Challenge string          `json:"challenge"`
	Event     json.RawMessage `json:"event"`
}

// take hands what came in an envelope of the type to in. What cannot be read is passed over: it
// would come again and could be read no better.
func (a *Adapter) take(ctx context.Context, in channel.Inbox, kind string, payload []byte) error {
	switch kind {
	case "events_api":
		return a.takeEvent(ctx, in, payload)
	case "interactive":
		return a.takePress(ctx, in, payload)
	}
	a.log.DebugContext(ctx, "something of Slack is of no use", "channel", a.name, "type", oneLine(kind))
	return nil
}

func (a *Adapter) takeEvent(ctx context.Context, in channel.Inbox, payload []byte) error {
	var c callback
	var e event
	err := json.Unmarshal(payload, &c)
	if err == nil && c.Type != "event_callback" {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(c.Event, &e)
	}
	if err != nil {
		a.log.WarnContext(ctx, "an event of Slack cannot be read", "channel", a.name, "error", err)
		return nil
	}
	m, ok, err := a.reader().message(ctx, &e)
	if err != nil {
		a.log.WarnContext(ctx, "it is not known whether a message of Slack is for us; it will come again", "channel", a.name, "error", err)
		return errLater
	}
	if !ok {
		return nil
	}
	return in.Take(ctx, m)
}

func (a *Adapter) takePress(ctx context.Context, in channel.Inbox, payload []byte) error {
	var p press
	if err := json.Unmarshal(payload, &p); err != nil {
		a.log.WarnContext(ctx, "an interaction of Slack cannot be read", "channel", a.name, "error", err)
		return nil
	}
	m, ok := a.reader().pressed(ctx, &p)
	if !ok {
		return nil
	}
	return in.Take(ctx, m)
}

// Listen takes what Slack sends to our address: events as JSON, interactions as a form. Slack
// waits three seconds for an answer and sends again what was not answered with 2xx.
func (a *Adapter) Listen(w http.ResponseWriter, r *http.Request, in channel.Inbox) {
	code, challenge := a.listen(w, r, in)
	if challenge != "" {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, challenge) // who has gone does not read it
		return
	}
	w.WriteHeader(code)
}

func (a *Adapter) listen(w http.ResponseWriter, r *http.Request, in channel.Inbox) (code int, challenge string) {
	switch {
	case a.signing == "":
		return http.StatusNotFound, ""
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, ""
	}
	signature, err := slack.NewSecretsVerifier(r.Header, a.signing) // it looks at the time, too
	if err != nil {
		return http.StatusUnauthorized, ""
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return http.StatusRequestEntityTooLarge, ""
	}
	if err != nil {
		return http.StatusBadRequest, ""
	}
	if _, err := signature.Write(raw); err != nil || signature.Ensure() != nil {
		return http.StatusUnauthorized, ""
	}
	kind, payload := "events_api", raw
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == "application/x-www-form-urlencoded" {
		form, err := url.ParseQuery(string(raw))
		if err != nil || form.Get("payload") == "" {
			return http.StatusBadRequest, ""
		}
		kind, payload = "interactive", []byte(form.Get("payload"))
	}
	var c callback
	if err := json.Unmarshal(payload, &c); err != nil || c.Type == "" {
		return http.StatusBadRequest, ""
	}
	if c.Type == "url_verification" && c.Challenge != "" && len(c.Challenge) <= 1000 {
		return http.StatusOK, c.Challenge
	}
	if a.me.Load() == nil { // Run has not come to it yet
		if _, err := a.ask(r.Context()); err != nil {
			return http.StatusServiceUnavailable, ""
		}
	}
	if err := a.take(r.Context(), in, kind, payload); err != nil {
		a.log.WarnContext(r.Context(), "an event of Slack was not taken and will come again", "channel", a.name, "error", err)
		return http.StatusServiceUnavailable, ""
	}
	return http.StatusOK, ""
}
