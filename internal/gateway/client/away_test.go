package client_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// TestCall_ADaemonThatGoesAwayMayHaveDoneIt: a call whose connection ends before its answer does not say that there is no daemon.
func TestCall_ADaemonThatGoesAwayMayHaveDoneIt(t *testing.T) {
	t.Parallel()
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/half" {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"a":`)) // the client sees the rest missing
		}
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(cut.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, c := range []struct{ url, method, path, says string }{
		{cut.URL, "POST", "/x", "may have been done"},
		{cut.URL, "POST", "/half", "may have been done"},
		{cut.URL, "GET", "/x", "Ask again"},
		{gone.URL, "POST", "/x", "No daemon answers"},
	} {
		var out map[string]any
		err := client.New(c.url, "t").Call(t.Context(), c.method, c.path, nil, &out)
		if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.TextOf(err), c.says) {
			t.Errorf("%s %s: %v, want it to say %q", c.method, c.path, err, c.says)
		}
	}
}
