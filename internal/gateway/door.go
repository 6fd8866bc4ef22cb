package gateway

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5/middleware"

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
		w, end := h.count(w, r)
		whole := false
		defer func() { end(path, whole) }()
		for at[path] == nil && path != "" {
			path = path[:strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/')+1]
			if path == "/" { // the page's
				path = ""
			}
		}
		if door := at[path]; door != nil {
			door.ServeHTTP(w, r)
		} else {
			rest.ServeHTTP(w, r)
		}
		whole = true
	}))
}

// count counts a request, when the function that it returns is called with the path of its door. What was
// not answered whole is an error of the server.
func (h *Hall) count(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, func(door string, whole bool)) {
	if h.opts.Answered == nil {
		return w, func(string, bool) {}
	}
	seen, began := middleware.NewWrapResponseWriter(w, r.ProtoMajor), time.Now()
	return seen, func(door string, whole bool) {
		if door == "" {
			door = "/"
			if strings.HasPrefix(r.URL.Path, "/api/") {
				door = "/api/"
			}
		}
		code := cmp.Or(seen.Status(), http.StatusOK)
		if !whole {
			code = http.StatusInternalServerError
		}
		h.opts.Answered(door, r.Method, code, time.Since(began))
	}
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
