package tracker

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"chela/internal/fault"
)

func caller(t *testing.T, fn http.HandlerFunc) (*Caller, string) {
	t.Helper()
	s := httptest.NewServer(fn)
	t.Cleanup(s.Close)
	c, err := NewCaller(s.Client(), s.URL, http.Header{"Authorization": {"Bearer secret"}})
	if err != nil {
		t.Fatal(err)
	}
	return c, s.URL
}

func TestCaller_TheTokenStaysWithTheHost(t *testing.T) {
	t.Parallel()
	var heard []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { heard = append(heard, r.Header.Get("Authorization")) }))
	defer elsewhere.Close()
	c, _ := caller(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/x", http.StatusMovedPermanently)
	})
	_, err := c.Get(t.Context(), "a", nil, "")
	if fault.KindOf(err) != fault.Denied || len(heard) > 0 {
		t.Errorf("sent elsewhere: %v, and there came %v", err, heard)
	}
	n := 0
	c, _ = caller(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; r.URL.Path == "/a" {
			http.Redirect(w, r, "/b?x=1", http.StatusMovedPermanently)
		}
	})
	if a, err := c.Get(t.Context(), "a", nil, ""); err != nil || a.Code != http.StatusOK || n != 2 {
		t.Errorf("sent to another place of the host: %v, %d requests", err, n)
	}
	c, _ = caller(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/a", http.StatusFound) })
	if _, err := c.Get(t.Context(), "a", nil, ""); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.TextOf(err), "without an end") {
		t.Errorf("sent around: %v", err)
	}
}

func TestCaller_WhatIsRefusedIsASentence(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]fault.Kind{401: fault.Denied, 403: fault.Denied, 404: fault.NotFound, 410: fault.NotFound, 500: fault.Unavailable, 302: fault.Unavailable, 400: fault.Unavailable} {
		c, _ := caller(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = w.Write([]byte("words of theirs"))
		})
		_, err := c.Get(t.Context(), "a", url.Values{"x": {"1"}}, "")
		if fault.KindOf(err) != want || strings.Contains(fault.TextOf(err), "words of theirs") || strings.Contains(fault.TextOf(err), "secret") {
			t.Errorf("%d: %v", code, err)
		}
	}
	c, at := caller(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range maxAnswer>>20 + 1 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	if _, err := c.Get(t.Context(), "a", nil, ""); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("too much: %v", err)
	}
	gone, err := NewCaller(http.DefaultClient, strings.Replace(at, "127.0.0.1", "127.0.0.1.invalid", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Get(t.Context(), "a", url.Values{"token": {"x1y2"}}, ""); fault.KindOf(err) != fault.Unavailable || strings.Contains(fault.TextOf(err), "x1y2") {
		t.Errorf("nobody there: %v", err)
	}
}

func TestCaller_LeavesATrackerAloneThatAsksForIt(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	stamp := now.Format(http.TimeFormat)
	for _, x := range []struct {
		code int
		head http.Header
		want time.Duration
		pass bool
	}{
		{429, http.Header{"Retry-After": {"7"}}, 7 * time.Second, false},
		{429, http.Header{}, time.Minute, false},
		{429, http.Header{"Retry-After": {"-3"}}, time.Second, false},
		{429, http.Header{"Retry-After": {"99999999"}}, time.Hour, false},
		{429, http.Header{"Retry-After": {now.Add(30 * time.Second).Format(http.TimeFormat)}}, 30 * time.Second, false},
		{403, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {now.Add(90 * time.Second).Format("15:04")}}, time.Minute, false},
		{403, http.Header{"Retry-After": {"5"}}, 5 * time.Second, false},
		{403, http.Header{"X-Ratelimit-Remaining": {"12"}}, 0, true},
		{503, http.Header{"Retry-After": {"2"}}, 2 * time.Second, false},
		{503, http.Header{}, 0, true},
	} {
		c, _ := caller(t, func(w http.ResponseWriter, _ *http.Request) {
			for k, v := range x.head {
				w.Header()[k] = v
			}
			w.Header().Set("Date", stamp)
			w.WriteHeader(x.code)
		})
		_, err := c.Get(t.Context(), "a", nil, "")
		w, ok := errors.AsType[*Waits](err)
		if ok == x.pass || ok && w.After != x.want {
			t.Errorf("%d %v: %v, want %s", x.code, x.head, err, x.want)
		}
	}
}
