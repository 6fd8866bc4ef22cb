package telegram

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"chela/internal/channel"
	"chela/internal/fault"
)

const (
	batch = 100 // the most updates that come at once
	// maxUpdate is more than an update can have: some texts of 4096 characters, each of
	// them up to twelve bytes in JSON, with as many entities.
	maxUpdate    = 1 << 20
	secretHeader = "X-Telegram-Bot-Api-Secret-Token"
)

// wanted are the kinds of updates that we take anything of.
func wanted() []string {
	return []string{models.AllowedUpdateMessage, models.AllowedUpdateEditedMessage, models.AllowedUpdateCallbackQuery, models.AllowedUpdateMessageReaction}
}

// Run receives until ctx is done.
func (a *Adapter) Run(ctx context.Context, in channel.Inbox) error {
	err := a.receive(ctx, in)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (a *Adapter) receive(ctx context.Context, in channel.Inbox) error {
	if _, err := a.ask(ctx); err != nil {
		return err
	}
	if a.hook != "" {
		return a.watchHook(ctx, in)
	}
	if err := a.api.call(ctx, "deleteWebhook", &bot.DeleteWebhookParams{}, nil); err != nil {
		return a.trouble(err)
	}
	return a.pollUpdates(ctx, in)
}

type getUpdates struct {
	Offset         int64    `json:"offset,omitempty"`
	Limit          int      `json:"limit"`
	Timeout        int      `json:"timeout"`
	AllowedUpdates []string `json:"allowed_updates"`
}

// pollUpdates asks for updates, one batch after the other. An offset confirms all before it;
// it is sent once and not kept, because after a quiet week Telegram numbers anew.
func (a *Adapter) pollUpdates(ctx context.Context, in channel.Inbox) error {
	ask := getUpdates{Limit: batch, AllowedUpdates: wanted()} // at once, to see whether it stands
	for first := true; ; first = false {
		var updates []json.RawMessage
		hold := time.Duration(ask.Timeout) * time.Second
		if err := a.api.held(ctx, hold, "getUpdates", ask, &updates); err != nil {
			return a.trouble(err)
		}
		if first {
			in.Up()
		}
		ask.Offset, ask.Timeout = 0, int(a.poll.Seconds())
		for _, raw := range updates {
			id, err := a.take(ctx, in, raw)
			if err != nil {
				return err
			}
			ask.Offset = max(ask.Offset, id+1)
		}
	}
}

// take hands an update to in and returns its number. What cannot be read but for its number
// is passed over: it would come again for ever and hold up all others.
func (a *Adapter) take(ctx context.Context, in channel.Inbox, raw []byte) (int64, error) {
	u, err := decode(raw)
	if errors.Is(err, errNoUpdate) {
		return 0, fault.Wrap(err, fault.Unavailable, "What answers the channel %s is no Bot API: an update has no number. Look at base_url.", a.name)
	}
	if err != nil {
		a.log.WarnContext(ctx, "an update of Telegram cannot be read", "channel", a.name, "update", u.ID, "error", err)
		return u.ID, nil
	}
	m, ok := a.reader().message(u)
	if ok {
		if err := in.Take(ctx, m); err != nil {
			return 0, fmt.Errorf("take update %d of Telegram: %w", u.ID, err)
		}
	}
	if u.Press != nil {
		a.release(ctx, u.Press.ID)
	}
	return u.ID, nil
}

// release lets a pressed button stop turning. It does so only for a minute after the press; nothing
// depends on it.
func (a *Adapter) release(ctx context.Context, press string) {
	err := a.api.call(ctx, "answerCallbackQuery", &bot.AnswerCallbackQueryParams{CallbackQueryID: press}, nil)
	if err != nil {
		a.log.DebugContext(ctx, "a press was not answered", "channel", a.name, "error", err)
	}
}

// watchHook has updates sent to our address and looks from time to time whether they come:
// whoever polls with the same token takes the webhook away, and a wrong address or certificate
// is told to nobody who does not ask.
func (a *Adapter) watchHook(ctx context.Context, in channel.Inbox) error {
	set := &bot.SetWebhookParams{
		URL:            a.hook,
		SecretToken:    a.secret,
		MaxConnections: 1, // over several there is no order
		AllowedUpdates: wanted(),
	}
	if err := a.api.call(ctx, "setWebhook", set, nil); err != nil {
		if f := failureOf(err); f.Status == http.StatusBadRequest {
			return fault.Wrap(err, fault.Invalid, "Telegram does not take %s as the webhook_url of the channel %s: %s", a.hook, a.name, f.Text)
		}
		return a.trouble(err)
	}
	in.Up()
	var before hookState
	tick := time.NewTicker(a.poll)
	defer tick.Stop()
	for first := true; ; first = false {
		var now hookState
		if err := a.api.call(ctx, "getWebhookInfo", nil, &now); err != nil {
			return a.trouble(err)
		}
		switch {
		case now.URL != a.hook:
			return fault.New(fault.Conflict, "The webhook of the channel %s was changed by another program that has the token of its bot. Stop it, or revoke the token with @BotFather.", a.name)
		case !first && now.ErrorAt != before.ErrorAt:
			return fault.New(fault.Unavailable, "Telegram does not reach the channel %s under its webhook_url: %s", a.name, a.api.hide(now.Error))
		}
		before = now
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// hookState is what Telegram says of a webhook.
type hookState struct {
	URL     string `json:"url"`
	ErrorAt int64  `json:"last_error_date"`
	Error   string `json:"last_error_message"`
}

// Listen takes an update that Telegram sends to our address. Telegram sends it again until
// the answer is 200.
func (a *Adapter) Listen(w http.ResponseWriter, r *http.Request, in channel.Inbox) {
	w.WriteHeader(a.listen(w, r, in))
}

func (a *Adapter) listen(w http.ResponseWriter, r *http.Request, in channel.Inbox) int {
	switch {
	case a.hook == "":
		return http.StatusNotFound
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed
	case subtle.ConstantTimeCompare([]byte(r.Header.Get(secretHeader)), []byte(a.secret)) != 1:
		return http.StatusUnauthorized
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxUpdate))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return http.StatusBadRequest
	}
	if _, err := decode(raw); errors.Is(err, errNoUpdate) {
		return http.StatusBadRequest
	}
	if a.me.Load() == nil { // Run has not come to it yet
		if _, err := a.ask(r.Context()); err != nil {
			return http.StatusServiceUnavailable
		}
	}
	if _, err := a.take(r.Context(), in, raw); err != nil {
		a.log.WarnContext(r.Context(), "an update of Telegram was not taken and will come again", "channel", a.name, "error", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}
