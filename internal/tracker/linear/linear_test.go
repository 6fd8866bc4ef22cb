package linear

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"chela/internal/fault"
	"chela/internal/tracker"
)

// FuzzRead holds that whatever a server answers is read or refused, and that what is read can be kept.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"data":{"issues":{"nodes":[{"identifier":"ENG-1","title":"A","updatedAt":"2026-03-05T09:30:00.000Z","estimate":3,"cycle":{"number":4},"labels":{"nodes":[{"name":"Bug"}]}}],"pageInfo":{"hasNextPage":true,"endCursor":"c"}}}}`))
	f.Add([]byte(`{"errors":[{"message":"x","extensions":{"code":"RATELIMITED"}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, _, err := read(raw)
		if err != nil {
			return
		}
		for _, i := range p.Issues {
			if i.Key == "" || !json.Valid(i.Record) {
				t.Errorf("the issue %q is kept as %s", i.Key, i.Record)
			}
		}
	})
}

func TestLinear_WhatIsRefusedIsSaid(t *testing.T) {
	t.Parallel()
	answers := []string{`{"errors":[{"message":"secret words","extensions":{"code":"RATELIMITED"}}]}`, `{"errors":[{"extensions":{"code":"AUTHENTICATION_ERROR"}}]}`, `{"errors":[{"extensions":{"code":"<b>x</b>"}}]}`}
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(raw)+r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(answers[len(bodies)-1]))
	}))
	defer s.Close()
	src, err := Open(s.Client(), tracker.Tracker{Address: s.URL, Scope: "ENG"}, "lin_api_1")
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC)
	_, err = src.Changed(t.Context(), from, "", "")
	if w, ok := errors.AsType[*tracker.Waits](err); !ok || w.After != time.Minute {
		t.Errorf("asked too often: %v", err)
	}
	if _, err = src.Changed(t.Context(), from, "c1", ""); fault.KindOf(err) != fault.Denied {
		t.Errorf("a token that is not known: %v", err)
	}
	if _, err = src.Changed(t.Context(), from, "", ""); err == nil || strings.Contains(err.Error(), "<b>") {
		t.Errorf("a code of their own: %v", err)
	}
	if !strings.Contains(bodies[0], `"gte":"2026-03-05T09:00:00Z"`) || !strings.Contains(bodies[1], `"after":"c1"`) || !strings.HasSuffix(bodies[0], "lin_api_1") {
		t.Errorf("it is asked %s", bodies[0])
	}
}
