package api_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/api"
)

// ailing is a store that can be read, and records only when writable is nil.
type ailing struct {
	api.Log
	writable error
}

func (ailing) End(context.Context) (event.Seq, error) { return 7, nil }
func (ailing) Name() string                           { return "sqlite" }
func (a ailing) Writable() error                      { return a.writable }

// TestHealth_SaysWhetherAnythingIsRecorded: a daemon that can be read and records nothing is not well.
func TestHealth_SaysWhetherAnythingIsRecorded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		writable error
		code     int
		says     string
	}{
		{nil, http.StatusOK, `"status":"ok"`},
		{fault.Wrap(errors.New("input/output error"), fault.Unavailable, "The disk is broken."), http.StatusServiceUnavailable, "The disk is broken."},
	} {
		w, ill := httptest.NewRecorder(), ailing{writable: c.writable}
		store := api.Store{Log: ill, Database: ill}
		api.DoorsOf(api.Parts{Version: "0.1", Store: store}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/health", http.NoBody))
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%d %s, want %d and %s", w.Code, w.Body, c.code, c.says)
		}
	}
}
