package api

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	_ "embed" // for places.txt
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"chela/internal/fault"
	"chela/internal/gateway"
)

// What stands in the built page where something of each answer comes: its nonce, see
// web/vite.config.ts, the log's end and what is answered ahead, see web/index.html.
const (
	placeholder      = "__NONCE__"
	placeholderLog   = "__LOG__"
	placeholderAhead = "<!-- __AHEAD__ -->"
)

// policyOf lets a page run the scripts that carry the nonce, and what those load.
func policyOf(nonce string) string {
	return "default-src 'none'; script-src 'nonce-" + nonce + "' 'strict-dynamic'; style-src 'self' 'nonce-" + nonce + "'; img-src 'self' data: blob:; font-src 'self'; " +
		"connect-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// A page serves the built page. Its assets have names that change with their content; they
// are compressed when they are first asked for, and kept.
type page struct {
	files fs.FS                        // nil serves nothing
	end   func(r *http.Request) string // the log's end, for whom it may be told
	ahead ahead
	api   http.Handler
	small sync.Map // of *asset, by name
}

// An asset is a file as it is sent.
type asset struct {
	once  sync.Once
	plain []byte
	gz    []byte // nil when it is no smaller
	err   error
}

func newPage(files fs.FS, end func(*http.Request) string, api http.Handler) *page {
	return &page{files: files, end: end, ahead: readAhead(files), api: api}
}

// end is where the log ends as a member is given the page: the page's stream begins there,
// so that nothing it asks for in the meantime is asked for again. It is empty for others.
func (a *api) end(r *http.Request) string {
	if c, err := a.hall.Authenticate(r); err != nil || c.How != gateway.ByCookie {
		return ""
	}
	end, err := a.Store.Log.End(r.Context())
	if err != nil {
		return ""
	}
	return strconv.FormatInt(int64(end), 10)
}

// places are the addresses of the page: the paths of web/src/views.ts, where $id is any name. `make openapi`
// writes them.
//
//go:embed places.txt
var places string

// isPlace reports whether the page has something at a path.
func isPlace(at string) bool {
	if at != "/" {
		at = strings.TrimSuffix(at, "/")
	}
	parent, name := path.Split(at)
	all := strings.Fields(places)
	return slices.Contains(all, at) || name != "" && slices.Contains(all, parent+"$id")
}

// serve answers every path that no route has: an asset, a file beside the index, or, where the
// page has a place, the index, which finds its own way. It reports whether there is one of them.
func (p *page) serve(w http.ResponseWriter, r *http.Request) bool {
	if p.files == nil {
		return false
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	hashed := strings.HasPrefix(name, "assets/")
	info, err := fs.Stat(p.files, name)
	there := err == nil && !info.IsDir() && name != "index.html"
	switch {
	case there:
		if hashed {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		p.asset(w, r, name)
	case isPlace(r.URL.Path):
		p.index(w, r, http.StatusOK)
	default:
		if hashed { // of another version
			w.Header().Set("Cache-Control", "no-store")
		}
		return false
	}
	return true
}

// nowhere answers what no route has: with the page where that has a place, and else as the API
// answers, so that no client takes the page for what it has asked.
func (a *api) nowhere(p *page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			if p.serve(w, r) {
				return
			}
			if p.files != nil && isVisit(r) {
				p.index(w, r, http.StatusNotFound) // which says so, and where one may go
				return
			}
		} else if p.files != nil && isPlace(r.URL.Path) {
			a.otherMethod(w, r, []string{http.MethodGet, http.MethodHead})
			return
		}
		a.hall.Fail(w, r, fault.New(fault.NotFound, "There is nothing at %s. GET /openapi.json lists what there is.", r.URL.Path))
	}
}

// isVisit reports whether a browser asks for a page to show to a person: it says so itself, and no program that
// takes an address of ours for that of another interface does.
func isVisit(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Dest") == "document" && strings.Contains(r.Header.Get("Accept"), "text/html") &&
		!strings.HasPrefix(r.URL.Path, "/api/") && !strings.HasPrefix(r.URL.Path, "/assets/")
}

func (a *api) otherMethod(w http.ResponseWriter, r *http.Request, allowed []string) {
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	a.hall.Fail(w, r, gateway.WithStatus(http.StatusMethodNotAllowed, fault.New(fault.Invalid, "%s takes %s, not %s.", r.URL.Path, strings.Join(allowed, " and "), r.Method)))
}

// notSo answers a method that a path does not take, or that no path takes.
func (a *api) notSo(routes chi.Routes, nowhere http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			if routes.Match(chi.NewRouteContext(), m, r.URL.Path) {
				allowed = append(allowed, m)
			}
		}
		if len(allowed) == 0 {
			nowhere(w, r)
			return
		}
		a.otherMethod(w, r, allowed)
	}
}

// index sends the page with a nonce of its own, where the log ends, and for a member the answers
// to what it asks first, which are no older than that end.
func (p *page) index(w http.ResponseWriter, r *http.Request, status int) {
	raw, err := fs.ReadFile(p.files, "index.html")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	nonce := rand.Text()
	h := w.Header()
	h.Set("Content-Security-Policy", policyOf(nonce))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	end := p.end(r)
	w.WriteHeader(status)
	head, tail, _ := strings.Cut(strings.NewReplacer(placeholder, nonce, placeholderLog, end).Replace(string(raw)), placeholderAhead)
	_, _ = io.WriteString(w, head) // who has gone does not read it
	if end != "" && r.Method == http.MethodGet {
		_ = http.NewResponseController(w).Flush() // the browser fetches what the head names meanwhile
		p.tellAhead(w, r)
	}
	_, _ = io.WriteString(w, tail)
}

func (p *page) asset(w http.ResponseWriter, r *http.Request, name string) {
	kept, _ := p.small.LoadOrStore(name, new(asset))
	a, _ := kept.(*asset) // nothing else is stored
	a.once.Do(func() { a.plain, a.gz, a.err = pack(p.files, name) })
	if a.err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		h.Set("Content-Type", kind)
	}
	h.Add("Vary", "Accept-Encoding")
	body := a.plain
	if a.gz != nil && takesGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = a.gz
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

// pack reads a file and compresses it.
func pack(files fs.FS, name string) (plain, gz []byte, err error) {
	if plain, err = fs.ReadFile(files, name); err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, nil, err
	}
	if _, err := io.Copy(z, bytes.NewReader(plain)); err != nil {
		return nil, nil, err
	}
	if err := z.Close(); err != nil || b.Len() >= len(plain) {
		return plain, nil, err
	}
	return plain, b.Bytes(), nil
}

// takesGzip reads an Accept-Encoding header (RFC 9110, section 12.5.3). A weight that is no
// number is taken for zero: plain bytes are right for everybody.
func takesGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		_, value, weighed := strings.Cut(weight, "=")
		if !weighed {
			return true
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		return err == nil && q > 0
	}
	return false
}
