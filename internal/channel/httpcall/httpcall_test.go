package httpcall_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
)

// client returns a client of a server that answers with answer.
func client(t *testing.T, answer http.HandlerFunc) (httpcall.Client, string) {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return httpcall.Client{
		HTTP: httpcall.Direct(s.Client()), Within: 10 * time.Second, Most: 16,
		Hide: func(text string) string { return strings.ReplaceAll(text, "s3cret", "***") },
	}, s.URL
}

func TestClientDo_ReturnsWhateverWasAnswered(t *testing.T) {
	t.Parallel()
	c, at := client(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTeapot)
		_, _ = fmt.Fprintf(w, "%s %s %s and more than may be read", r.Method, r.Header.Get("X-Ours"), body)
	})
	got, err := c.Do(t.Context(), httpcall.Request{Method: http.MethodPut, Address: at, Header: http.Header{"X-Ours": {"yes"}}, Body: []byte("hello")})
	if err != nil {
		t.Fatal(err)
	}
	if want := "PUT yes hello an"; string(got.Body) != want || got.Status != http.StatusTeapot {
		t.Errorf("got %d %q, want %d %q", got.Status, got.Body, http.StatusTeapot, want)
	}
	if got := httpcall.RetryAfter(got.Header); got != 7*time.Second {
		t.Errorf("RetryAfter = %v, want 7s", got)
	}
}

func TestClientDo_SaysWhetherARequestLeft(t *testing.T) {
	t.Parallel()
	c, at := client(t, func(_ http.ResponseWriter, r *http.Request) {
		panic(http.ErrAbortHandler) // the connection breaks without an answer
	})
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, tc := range map[string]struct {
		q       httpcall.Request
		written bool
	}{
		"no address":    {httpcall.Request{Method: http.MethodGet, Address: "http://s3cret:x"}, false},
		"no server":     {httpcall.Request{Method: http.MethodGet, Address: gone.URL + "/s3cret"}, false},
		"a broken call": {httpcall.Request{Method: http.MethodPost, Address: at + "/s3cret", Body: []byte("x")}, true},
	} {
		_, err := c.Do(t.Context(), tc.q)
		f := httpcall.FailureOf(err)
		if f.Written != tc.written || f.Status != 0 {
			t.Errorf("%s: written %v, status %d; want %v, 0", name, f.Written, f.Status, tc.written)
		}
		if all := f.Text + errors.Unwrap(f).Error(); strings.Contains(all, "s3cret") || strings.Contains(all, "http://") {
			t.Errorf("%s: the failure shows the address: %q", name, all)
		}
	}
}

func TestClientDo_EndsInTime(t *testing.T) {
	t.Parallel()
	c, at := client(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err := c.Do(t.Context(), httpcall.Request{Method: http.MethodGet, Address: at, Within: 20 * time.Millisecond})
	if f := httpcall.FailureOf(err); f.Text != "no answer in time" || !f.Written {
		t.Errorf("got %q, written %v; want %q, true", f.Text, f.Written, "no answer in time")
	}
}

func TestHttpcall_ClientOpen(t *testing.T) {
	t.Parallel()
	c, at := client(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/file" {
			http.Redirect(w, r, "/file", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, strings.Repeat("x", 1000))
	})
	resp, err := c.Open(t.Context(), httpcall.Request{Method: http.MethodGet, Address: at + "/file"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil || len(raw) != 1000 {
		t.Errorf("read %d bytes, %v; want 1000", len(raw), err)
	}
	if resp, err = c.Open(t.Context(), httpcall.Request{Method: http.MethodGet, Address: at + "/elsewhere"}); err == nil {
		_ = resp.Body.Close() // it was to fail
	}
	if f := httpcall.FailureOf(err); err == nil || f.Status != http.StatusFound || f.Text != "it answers with status 302" {
		t.Errorf("a redirect: got %v, want a failure of status 302: it is not followed", err)
	}
}

func TestHttpcall_FailureOf(t *testing.T) {
	t.Parallel()
	f := &httpcall.Failure{Status: 500, Text: "no"}
	if got := httpcall.FailureOf(fault.Wrap(f, fault.Unavailable, "It failed.")); got != f {
		t.Errorf("got %+v, want the failure that is wrapped", got)
	}
	got := httpcall.FailureOf(io.ErrUnexpectedEOF)
	if got.Text != io.ErrUnexpectedEOF.Error() || !got.Written || !errors.Is(got, io.ErrUnexpectedEOF) {
		t.Errorf("got %+v, want one that may have been written and says %q", got, io.ErrUnexpectedEOF)
	}
}

func TestFailure_Refusal(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		f    httpcall.Failure
		want *channel.Refusal
	}{
		"it never left":        {httpcall.Failure{}, &channel.Refusal{}},
		"it may have left":     {httpcall.Failure{Written: true}, nil},
		"too many":             {httpcall.Failure{Status: 429, Written: true}, &channel.Refusal{After: time.Second}},
		"too many for a while": {httpcall.Failure{Status: 429, Written: true, After: time.Minute}, &channel.Refusal{After: time.Minute}},
		"a proxy's no":         {httpcall.Failure{Status: 403, Written: true, After: time.Second}, &channel.Refusal{After: time.Second}},
		"a redirect":           {httpcall.Failure{Status: 302, Written: true}, &channel.Refusal{}},
		"a timeout":            {httpcall.Failure{Status: 408, Written: true}, nil},
		"a broken server":      {httpcall.Failure{Status: 502, Written: true}, nil},
		"an unreadable yes":    {httpcall.Failure{Status: 200, Written: true}, nil},
	} {
		got := tc.f.Refusal()
		if (got == nil) != (tc.want == nil) || got != nil && *got != *tc.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tc.want)
		}
	}
}

func TestHttpcall_RetryAfter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0": 0, "-1": 0, "99999": time.Hour, "1.5": 0, "Wed, 21 Oct 2015 07:28:00 GMT": 0,
	} {
		if got := httpcall.RetryAfter(http.Header{"Retry-After": {text}}); got != want {
			t.Errorf("RetryAfter(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestHttpcall_Duration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"": 20 * time.Second, "50ms": 50 * time.Millisecond, "5m": 5 * time.Minute} {
		got, err := httpcall.Duration(map[string]string{"timeout": text}, "timeout", 20*time.Second, 50*time.Millisecond, 5*time.Minute)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"49ms", "301s", "soon", "-1s"} {
		_, err := httpcall.Duration(map[string]string{"timeout": text}, "timeout", 20*time.Second, 50*time.Millisecond, 5*time.Minute)
		if want := "It is a time from 50ms to 5m, such as 20s."; fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestHttpcall_Base(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": "https://home.example", "http://127.0.0.1:8/x/": "http://127.0.0.1:8/x"} {
		got, err := httpcall.Base(channel.Config{Options: channel.Options{BaseURL: given}}, "https://home.example")
		if err != nil || got.String() != want {
			t.Errorf("%q: got %v, %v; want %s", given, got, err, want)
		}
	}
	if _, err := httpcall.Base(channel.Config{Options: channel.Options{BaseURL: "no address"}}, ""); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v, want an error about base_url", err)
	}
}

func TestDirect_LeavesTheClientItWasGiven(t *testing.T) {
	t.Parallel()
	given := &http.Client{Timeout: time.Second}
	got := httpcall.Direct(given)
	if got.Timeout != 0 || got.CheckRedirect(nil, nil) != http.ErrUseLastResponse || given.Timeout != time.Second || given.CheckRedirect != nil { //nolint:errorlint // nobody wraps it
		t.Errorf("got timeout %v of the new client and %v of the given one", got.Timeout, given.Timeout)
	}
}

func TestClientDialer_GoesTheWayOfTheClient(t *testing.T) {
	t.Parallel()
	way := &url.URL{Scheme: "http", Host: "proxy.example:3128"}
	transport := &http.Transport{Proxy: http.ProxyURL(way), DialContext: nil}
	c := httpcall.Client{HTTP: &http.Client{Transport: transport}, Within: time.Second}
	d := c.Dialer()
	got, err := d.Proxy(&http.Request{URL: &url.URL{Scheme: "https", Host: "x.example"}})
	if err != nil || got.String() != way.String() || d.HandshakeTimeout != time.Second {
		t.Errorf("got proxy %v, %v and %v; want %v and 1s", got, err, d.HandshakeTimeout, way)
	}
}

func TestHttpcall_Written(t *testing.T) {
	t.Parallel()
	ctx, written := httpcall.Written(context.WithoutCancel(t.Context()))
	if written() {
		t.Error("it is written before it began")
	}
	c, at := client(t, func(http.ResponseWriter, *http.Request) {})
	resp, err := c.Open(ctx, httpcall.Request{Method: http.MethodGet, Address: at})
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // not read
	if !written() {
		t.Error("it is not written, want that it is")
	}
}
