package whatsapp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"chela/internal/channel"
)

// maxBody is the largest that WhatsApp sends
// (developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview).
const maxBody = 3 << 20

// takeTimeout is how long one body may take, with the files in it.
const takeTimeout = time.Minute

// signatureHeader has the HMAC-SHA256 of the body under the app's secret.
const signatureHeader = "X-Hub-Signature-256"

// heard is the last message of a chat that came.
type heard struct {
	id string
	at time.Time
}

// Listen takes what WhatsApp sends to our address: a question whether it is ours, and updates.
// What is not answered with 200 comes again, for days.
func (a *Adapter) Listen(w http.ResponseWriter, r *http.Request, in channel.Inbox) {
	switch r.Method {
	case http.MethodGet:
		a.confirm(w, r)
	case http.MethodPost:
		w.WriteHeader(a.listen(w, r, in))
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// confirm answers the question that is put when the address is set on the app's page
// (developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/create-webhook-endpoint).
func (a *Adapter) confirm(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	given, challenge := q.Get("hub.verify_token"), q.Get("hub.challenge")
	same := subtle.ConstantTimeCompare([]byte(given), []byte(a.verify)) == 1
	if q.Get("hub.mode") != "subscribe" || !same || challenge == "" || len(challenge) > 1000 {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = io.WriteString(w, challenge) // who has gone does not read it
}

func (a *Adapter) listen(w http.ResponseWriter, r *http.Request, in channel.Inbox) int {
	given, ok := strings.CutPrefix(r.Header.Get(signatureHeader), "sha256=")
	sum, err := hex.DecodeString(given)
	if !ok || err != nil || len(sum) != sha256.Size {
		return http.StatusUnauthorized
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return http.StatusBadRequest
	}
	mac := hmac.New(sha256.New, a.secret)
	mac.Write(raw)
	if !hmac.Equal(sum, mac.Sum(nil)) {
		return http.StatusUnauthorized
	}
	// WhatsApp may hang up before a large file is here. It is taken all the same, and the next
	// attempt finds it.
	ctx, end := context.WithTimeout(context.WithoutCancel(r.Context()), takeTimeout)
	defer end()
	if err := a.take(ctx, in, raw); err != nil {
		a.log.WarnContext(r.Context(), "an update of WhatsApp was not taken and will come again", "channel", a.name, "error", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// take hands all that came in one body to in, in its order. What cannot be read is passed over:
// it would come again and could be read no better.
func (a *Adapter) take(ctx context.Context, in channel.Inbox, raw []byte) error {
	var d delivery
	if err := json.Unmarshal(raw, &d); err != nil || d.Object != "whatsapp_business_account" || !d.Entry.Has {
		a.log.WarnContext(ctx, "an update of WhatsApp cannot be read", "channel", a.name, "object", oneLine(d.Object), "error", err)
		return nil
	}
	for _, e := range d.Entry.V {
		for _, c := range e.V.Changes.V {
			if c.V.Field != "messages" || c.V.Value.V.Metadata.V.Number != a.number {
				a.log.DebugContext(ctx, "an update of WhatsApp is not for this channel", "channel", a.name, "field", oneLine(c.V.Field))
				continue
			}
			if err := a.takeValue(ctx, in, &c.V.Value.V); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *Adapter) takeValue(ctx context.Context, in channel.Inbox, v *value) error {
	for _, e := range v.Errors.V {
		a.log.WarnContext(ctx, "WhatsApp reports an error", "channel", a.name, "why", e.V.text())
	}
	read := readerOf(v, a.media)
	for _, raw := range v.Messages.V {
		m, ok := read.message(&raw.V)
		if !raw.Has || !ok {
			a.log.WarnContext(ctx, "a message of WhatsApp is passed over", "channel", a.name, "type", oneLine(raw.V.Type), "message", oneLine(raw.V.ID))
			continue
		}
		if m.What == channel.Said || m.What == channel.Pressed {
			a.hear(m)
		}
		taken := a.ledger.taking(raw.V.At.time())
		err := in.Take(ctx, m)
		taken()
		if err != nil {
			return fmt.Errorf("take a message: %w", err)
		}
	}
	for _, raw := range v.Statuses.V {
		taken := a.ledger.taking(raw.V.At.time())
		err := a.takeStatus(ctx, in, &raw.V)
		taken()
		if err != nil {
			return fmt.Errorf("take a status: %w", err)
		}
	}
	return nil
}

// hear keeps the id of the newest message of a chat: we are shown to write under it.
func (a *Adapter) hear(m channel.Message) {
	if had, ok := a.newest.Get(m.Chat); !ok || !m.At.Before(had.at) {
		a.newest.Put(m.Chat, heard{m.ID, m.At})
	}
}

func (a *Adapter) takeStatus(ctx context.Context, in channel.Inbox, s *status) error {
	r := channel.Receipt{ID: s.ID, At: s.At.time(), Chat: s.Recipient}
	if r.Chat == "" {
		r.Chat = s.User
	}
	if sentTo, ok := a.chats.Get(s.ID); ok {
		r.Chat = sentTo
	}
	if s.ID == "" || r.Chat == "" {
		a.log.WarnContext(ctx, "a status of WhatsApp is passed over", "channel", a.name, "status", oneLine(s.Status))
		return nil
	}
	switch s.Status {
	case "sent":
		r.Fate = channel.Taken
	case "delivered":
		r.Fate = channel.Arrived
	case "read", "played":
		r.Fate = channel.Seen
	case "failed":
		if s.Participant != "" { // of a group, one person did not get it
			a.log.WarnContext(ctx, "a message did not reach somebody in a group", "channel", a.name, "chat", r.Chat, "why", s.failure().Text)
			return nil
		}
		r.Fate, r.Why = channel.Lost, s.failure().Text
	default:
		a.log.DebugContext(ctx, "a status of WhatsApp is of no use", "channel", a.name, "status", oneLine(s.Status))
		return nil
	}
	var lost *failure
	if r.Fate == channel.Lost {
		lost = s.failure()
	}
	a.ledger.status(s.Key, s.ID, lost) // before it is recorded: who sends may wait for it
	return in.Receive(ctx, r)
}
