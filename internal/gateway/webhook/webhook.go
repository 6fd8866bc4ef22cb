// Package webhook is the door for what systems outside send: POST /webhooks/NAME, where NAME is an incoming
// webhook of package webhook, which says who signs and how. Nobody logs in here; the signature is the way in.
package webhook

import (
	"encoding/json"
	"net/http"
	"strings"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/webhook"
)

// Path is below which the door is.
const Path = "/webhooks/"

// New returns the door.
func New(h *gateway.Hall, r *webhook.Receiver) gateway.Door {
	return gateway.Door{Path: Path, Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		out, err := take(h, r, q)
		if err != nil {
			if fault.KindOf(err) == fault.Unauthenticated {
				err = h.WrongToken(q.Context(), err)
			}
			h.Fail(w, q, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // the sender is gone
	})}
}

// An answer says what became of a delivery.
type answer struct {
	Event string `json:"event"`
	Known bool   `json:"known"`
	Again bool   `json:"again,omitempty"` // it had come before
}

func take(h *gateway.Hall, r *webhook.Receiver, q *http.Request) (answer, error) {
	if q.Method != http.MethodPost {
		return answer{}, gateway.WithStatus(http.StatusMethodNotAllowed, fault.New(fault.Invalid, "A webhook takes POST, not %s.", q.Method))
	}
	in, err := r.Find(q.Context(), strings.TrimPrefix(q.URL.Path, Path))
	if err != nil {
		return answer{}, err
	}
	if err := in.Promises(q.Header); err != nil {
		return answer{}, err
	}
	sent, ok := q.Body.(*gateway.Paced)
	if !ok {
		return answer{}, fault.New(fault.Invalid, "The body is missing.")
	}
	b, err := h.Receive(sent, q.URL.Path, webhook.MaxBody)
	if err != nil {
		return answer{}, err
	}
	raw, err := b.Bytes()
	b.Close()
	if err != nil {
		return answer{}, err
	}
	got, again, err := r.Take(q.Context(), in, q.Header, raw)
	return answer{got.Event, got.Known, again}, err
}
