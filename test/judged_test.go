package test

import (
	"net/http"
	"net/url"
	"sync"
	"testing"

	"chela/internal/testkit/openapitest"
)

// judged is what the tests ask through: it holds what daemons answer against the API's document.
type judged struct {
	judge *openapitest.Judge
	next  http.RoundTripper

	mu   sync.Mutex          // guards the rest
	told map[string][]string // what is not of the document, by host
}

// asked is the one of this process.
var asked *judged //nolint:gochecknoglobals // set before all tests

// judge has all that tests ask pass a look at the answers.
func judge() {
	j, err := openapitest.Shared()
	if err != nil {
		panic(err)
	}
	asked = &judged{judge: j, next: http.DefaultTransport, told: make(map[string][]string)}
	http.DefaultTransport = asked
}

// RoundTrip implements [http.RoundTripper].
func (a *judged) RoundTrip(r *http.Request) (*http.Response, error) {
	return a.judge.Transport(a.next, func(what string) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.told[r.URL.Host] = append(a.told[r.URL.Host], what)
	}).RoundTrip(r)
}

// of fails the test of a daemon that answered what is not of the document.
func (a *judged) of(t *testing.T, address string) {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Error(err)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, what := range a.told[at.Host] {
		t.Error(what)
	}
	delete(a.told, at.Host)
}
