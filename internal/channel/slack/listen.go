package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/slack-go/slack"

	"chela/internal/channel"
)

// maxBody is more than an event or interaction can have.
const maxBody = 4 << 20

// errLater says that a message cannot be taken yet and that the connection is good all the same.
var errLater = errors.New("it cannot be taken yet")

// A callback is what the Events API sends (docs.slack.dev/apis/events-api). An interaction has
// the same place for its type.
type callback struct {
	Type      string          `json:"type"`
	ID        string          `json:"event_id"` // the same when it comes again
	Challenge string          `json:"challenge"`
	Event     json.RawMessage `json:"event"`
}

// take hands what came in a request of the type to in, in the turn of its chat. What cannot be
// read is passed over: it would come again and could be read no better.
func (a *Adapter) take(ctx context.Context, in channel.Inbox, kind string, payload []byte) error {
	return a.inTurn(ctx, in, a.letter(ctx, kind, payload))
}

// letter reads what came in an envelope or a request of the type.
func (a *Adapter) letter(ctx context.Context, kind string, payload []byte) letter {
	l := letter{size: len(payload), came: time.Now()}
	var err error
	switch kind {
	case "events_api":
		err = l.readEvent(payload)
	case "interactive":
		err = l.readPress(payload)
	default:
		a.log.DebugContext(ctx, "something of Slack is of no use", "channel", a.name, "type", oneLine(kind))
	}
	if err != nil {
		a.log.WarnContext(ctx, "something of Slack cannot be read", "channel", a.name, "type", oneLine(kind), "error", err)
	}
	return l
}

func (l *letter) readEvent(payload []byte) error {
	var c callback
	if err := json.Unmarshal(payload, &c); err != nil || c.Type != "event_callback" {
		return err
	}
	e := new(event)
	if err := json.Unmarshal(c.Event, e); err != nil {
		return err
	}
	l.event, l.id, l.chat = e, c.ID, cmp.Or(e.Channel, e.Item.Channel)
	return nil
}

func (l *letter) readPress(payload []byte) error {
	p := new(press)
	if err := json.Unmarshal(payload, p); err != nil {
		return err
	}
	l.press, l.chat = p, p.Container.Channel
	if len(p.Actions) > 0 {
		l.id = p.Actions[0].TS + ":" + p.User.ID
	}
	return nil
}

// give hands what a letter says to in.
func (a *Adapter) give(ctx context.Context, in channel.Inbox, l letter) error {
	if l.press != nil {
		if m, ok := a.reader().pressed(ctx, l.press); ok {
			return in.Take(ctx, m)
		}
		return nil
	}
	m, ok, err := a.reader().message(ctx, l.event)
	if err != nil {
		a.log.WarnContext(ctx, "it is not known yet whether a message of Slack is for us", "channel", a.name, "error", err)
		return fmt.Errorf("%w: %w", errLater, err)
	}
	if !ok {
		return nil
	}
	return a.hand(ctx, in, m)
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
