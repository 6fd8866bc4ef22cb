package openapitest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5/middleware"
)

// tell reports an answer that is not of the document.
func (j *Judge) tell(a answer, report func(string)) {
	if err := j.judge(a); err != nil {
		report(fmt.Sprintf("%s %s: an answer is not of the OpenAPI document: %v", a.method, a.path, err))
	}
}

// Handler returns next with a look at what it answers, before the caller has all of it. report is told of each
// answer that is not of the document.
func (j *Judge) Handler(next http.Handler, report func(string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ours(r.URL) || r.Header.Get("Upgrade") != "" {
			next.ServeHTTP(w, r)
			return
		}
		seen, kept := middleware.NewWrapResponseWriter(w, r.ProtoMajor), new(bounded)
		seen.Tee(kept)
		method, path := r.Method, pathOf(r.URL)
		next.ServeHTTP(seen, r)
		status := cmp.Or(seen.Status(), http.StatusOK)
		if j.wanted(method, path, status) {
			j.tell(answer{method, path, status, w.Header().Get("Content-Type"), kept.Bytes(), !kept.over}, report)
		}
	})
}

// ours says whether an address is one of the API. Other doors have documents of others, and the Clutch Protocol is
// described in docs/protocol.md.
func ours(u *url.URL) bool {
	return strings.HasPrefix(u.Path, "/api/") && u.Path != "/api/clutch" && !strings.HasPrefix(u.Path, "/api/clutch/") || u.Path == "/health" || u.Path == "/version"
}

// pathOf is the path of an address as routes are found by it.
func pathOf(u *url.URL) string { return cmp.Or(u.RawPath, u.Path) }

// bounded keeps what is written to it up to a bound.
type bounded struct {
	bytes.Buffer

	over bool
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || b.Len()+len(p) > mostBody; !b.over {
		b.Buffer.Write(p)
	}
	return len(p), nil
}

type transport struct {
	judge  *Judge
	next   http.RoundTripper
	report func(string)
}

// Transport returns next with a look at what is answered, when the caller has read it. report is told of each answer
// that is not of the document.
func (j *Judge) Transport(next http.RoundTripper, report func(string)) http.RoundTripper {
	return transport{j, next, report}
}

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(r)
	if err != nil || !ours(r.URL) || !t.judge.wanted(r.Method, pathOf(r.URL), res.StatusCode) {
		return res, err
	}
	a := answer{r.Method, pathOf(r.URL), res.StatusCode, res.Header.Get("Content-Type"), nil, false}
	if !strings.Contains(a.kind, "json") { // a stream, or a file
		t.judge.tell(a, t.report)
		return res, nil
	}
	res.Body = &read{ReadCloser: res.Body, done: func(body []byte, whole bool) {
		a.body, a.whole = body, whole
		t.judge.tell(a, t.report)
	}}
	return res, nil
}

// read keeps what is read of a body, and tells it once it has ended.
type read struct {
	io.ReadCloser

	kept bounded
	done func(body []byte, whole bool) // nil once it was told
}

// Read implements [io.Reader].
func (r *read) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	_, _ = r.kept.Write(p[:n]) // it has no error
	if err == io.EOF && r.done != nil {
		r.done(r.kept.Bytes(), !r.kept.over)
		r.done = nil
	}
	return n, err
}
