package dingtalk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"chela/internal/channel"
)

// tolerance is how far from now a signature may be. DingTalk says that one of an hour ago does
// not count any more; as it signs nothing but the time, a shorter one is safer.
const tolerance = 5 * time.Minute

// saysNothing is an answer by which the robot says nothing.
const saysNothing = `{"msgtype":"empty"}`

// wait is receiving when messages come to [Adapter.Listen].
func (a *Adapter) wait(ctx context.Context, in channel.Inbox) error {
	if _, err := a.api.renew(ctx); err != nil {
		return a.trouble(err)
	}
	in.Up()
	<-ctx.Done()
	return nil
}

// Listen takes a message that DingTalk sends to our address
// (open.dingtalk.com/document/development/receive-message).
func (a *Adapter) Listen(w http.ResponseWriter, r *http.Request, in channel.Inbox) {
	status := a.listen(w, r, in)
	if status != http.StatusOK {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, saysNothing) // who has gone asks again
}

func (a *Adapter) listen(w http.ResponseWriter, r *http.Request, in channel.Inbox) int {
	switch {
	case a.mode != modeHTTP:
		return http.StatusNotFound
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed
	case !a.genuine(r.Header.Get("timestamp"), r.Header.Get("sign")):
		return http.StatusUnauthorized
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxFrame))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return http.StatusBadRequest
	}
	m, ok, err := a.message(raw)
	if err != nil {
		a.log.WarnContext(r.Context(), "a message of DingTalk cannot be read", "channel", a.name, "error", err)
		return http.StatusBadRequest
	}
	if !ok {
		return http.StatusOK
	}
	if err := in.Take(r.Context(), m); err != nil {
		a.log.WarnContext(r.Context(), "a message of DingTalk was not taken", "channel", a.name, "error", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// genuine reports whether a time, in milliseconds, is near and DingTalk signed it.
func (a *Adapter) genuine(stamp, sign string) bool {
	ms, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return false
	}
	if age := a.now().UnixMilli() - ms; age > tolerance.Milliseconds() || age < -tolerance.Milliseconds() {
		return false
	}
	return hmac.Equal([]byte(sign), []byte(signature(stamp, a.api.secret)))
}

// signature is that of a time: in base64, HMAC-SHA256 of it and the secret, by the secret.
func signature(stamp, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "\n" + secret))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
