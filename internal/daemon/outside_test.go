package daemon

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/model"
	"chela/internal/netaddr"
)

// TestOutside_WhateverANameResolvesTo dials what is inside: it is refused where it is connected to,
// also behind a redirect, unless the policy lists it.
func TestOutside_WhateverANameResolvesTo(t *testing.T) {
	t.Parallel()
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(inside.Close)
	for text, want := range map[string]bool{"version: 1\n": false, "version: 1\nnetwork: [127.0.0.1]\n": true} {
		p, err := guard.ParsePolicy([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		out := clientOutside(func(context.Context) (netaddr.Reach, error) { return p.Reach(), nil })
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, inside.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := out.Do(r)
		if err == nil {
			_ = res.Body.Close()
		}
		if (err == nil) != want || err != nil && fault.KindOf(err) != fault.Denied {
			t.Errorf("with %q: %v, want reached: %v", text, err, want)
		}
	}
}

func TestOutside_ProvidersThatNobodyGranted(t *testing.T) {
	t.Parallel()
	own, out := new(http.Client), new(http.Client)
	for _, c := range []struct {
		p    model.Provider
		want *http.Client
	}{
		{model.Provider{From: "settings", BaseURL: "http://x"}, out},
		{model.Provider{From: "settings", BaseURL: "http://x", Inside: true}, own},
		{model.Provider{From: "settings"}, own},
		{model.Provider{From: "file", BaseURL: "http://x"}, own},
		{model.Provider{From: "environment", BaseURL: "http://x"}, own},
	} {
		var got *http.Client
		open := guarded(func(_ model.Provider, given *http.Client) (model.Model, error) { got = given; return nil, nil }, out)
		if _, err := open(c.p, own); err != nil || got != c.want {
			t.Errorf("%+v is opened with another client than wanted", c.p)
		}
	}
}
