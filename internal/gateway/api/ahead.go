package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"chela/internal/pattern"
)

// An ahead has the questions that the page asks first, by its path; those of "" it asks
// everywhere. {project} is the project of the page's address. The file is web/public/ahead.json.
type ahead map[string][]string

func readAhead(files fs.FS) ahead {
	if files == nil {
		return nil
	}
	raw, err := fs.ReadFile(files, "ahead.json")
	var a ahead
	if err != nil || json.Unmarshal(raw, &a) != nil {
		return nil // the page asks itself
	}
	return a
}

var projectID = pattern.New(`^\w{1,64}$`)

// of returns the questions for an address of the page.
func (a ahead) of(at *url.URL) (out []string) {
	project := at.Query().Get("project")
	for _, path := range []string{"", at.Path} {
		for _, q := range a[path] {
			if strings.Contains(q, "{project}") && !projectID.MatchString(project) {
				continue
			}
			out = append(out, strings.ReplaceAll(q, "{project}", project))
		}
	}
	return out
}

// An answered is an answer that is kept instead of sent.
type answered struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (a *answered) Header() http.Header { return a.header }

func (a *answered) WriteHeader(code int) {
	if a.code == 0 {
		a.code = code
	}
}

func (a *answered) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// tellAhead writes the answers to what the page asks first, each as a script that is data. They
// are asked for as the person who is given the page; what is not answered the page asks itself.
func (p *page) tellAhead(w io.Writer, r *http.Request) {
	for _, q := range p.ahead.of(r.URL) {
		// The router goes by what is in the context when there is something.
		ctx := context.WithValue(r.Context(), chi.RouteCtxKey, (*chi.Context)(nil))
		ask, err := http.NewRequestWithContext(ctx, http.MethodGet, q, http.NoBody)
		if err != nil {
			continue
		}
		ask.Host, ask.RemoteAddr, ask.Header["Cookie"] = r.Host, r.RemoteAddr, r.Header["Cookie"]
		got := &answered{header: make(http.Header)}
		p.api.ServeHTTP(got, ask)
		if got.code != http.StatusOK || !strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
			continue
		}
		var safe bytes.Buffer
		json.HTMLEscape(&safe, got.body.Bytes()) // nothing in it ends the script
		_, err = fmt.Fprintf(w, `<script type="application/json" data-ahead="%s">%s</script>`, html.EscapeString(q), &safe)
		if err != nil {
			return // nobody reads on
		}
	}
}
