package gateway

import (
	"encoding/json"
	"net/http"
	"strings"

	"chela/internal/fault"
	"chela/internal/org"
)

// A Door is one protocol at one path, or at all below it.
type Door struct {
	Path string // the whole path; all below it when it ends in a slash
	http.Handler
}

// Open returns the handler of the doors, and of rest for all other paths, behind the hall.
func (h *Hall) Open(rest http.Handler, doors ...Door) http.Handler {
	at := make(map[string]http.Handler, len(doors))
	for _, d := range doors {
		at[d.Path] = d.Handler
	}
	return h.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		for at[path] == nil && path != "" {
			path = path[:strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/')+1]
			if path == "/" { // the page's
				path = ""
			}
		}
		if door := at[path]; door != nil {
			door.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	}))
}

// Post is a door's handler of one POST: it permits the caller, receives the body, JSON of at most so
// many bytes, and answers what answer returns as JSON with 202, or its error.
func (h *Hall) Post(need org.Role, most int64, answer func(r *http.Request, body []byte) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, err := h.post(r, need, most, answer)
		if err != nil {
			if r.Method != http.MethodPost {
				w.Header().Set("Allow", http.MethodPost)
			}
			h.Fail(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusAccepted)
		_ = json.NewEncoder(w).Encode(out) // the client is gone
	})
}

func (h *Hall) post(r *http.Request, need org.Role, most int64, answer func(r *http.Request, body []byte) (any, error)) (any, error) {
	c, raw, err := h.Take(r, need, most)
	if err != nil {
		return nil, err
	}
	return answer(r.WithContext(c.With(r.Context())), raw)
}

// Take permits the caller of a POST and receives its body, JSON of at most so many bytes.
func (h *Hall) Take(r *http.Request, need org.Role, most int64) (Caller, []byte, error) {
	if r.Method != http.MethodPost {
		return Caller{}, nil, WithStatus(http.StatusMethodNotAllowed, fault.New(fault.Invalid, "%s takes POST, not %s.", r.URL.Path, r.Method))
	}
	c, err := h.PermitScoped(r, need)
	if err != nil {
		return c, nil, err
	}
	if err := CheckMedia(r.Header.Get("Content-Type"), false); err != nil {
		return c, nil, err
	}
	sent, ok := r.Body.(*Paced)
	if !ok {
		return c, nil, fault.New(fault.Invalid, "The body is missing.")
	}
	b, err := h.Receive(sent, r.URL.Path, most)
	if err != nil {
		return c, nil, err
	}
	raw, err := b.Bytes()
	b.Close()
	return c, raw, err
}
