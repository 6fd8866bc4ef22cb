package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"chela/internal/gateway"

	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
)

// TestLoad_WhatWaitsHoldsNothing begins more operations than there is memory for bodies to come:
// one that has its body decoded holds none, however long it then takes.
func TestLoad_WhatWaitsHoldsNothing(t *testing.T) {
	t.Parallel()
	const many, small = 128, 256 << 10 // twice as many as there is memory for, of bodies that stay in it
	log := slog.New(slog.DiscardHandler)
	a := &api{Parts: Parts{Log: log}, hall: gateway.New(nil, gateway.Options{Incoming: t.TempDir(), Log: log})}
	r := chi.NewRouter()
	a.huma = humachi.New(r, document("test"))
	a.huma.UseMiddleware(a.takeBody)
	a.add = func(_, _ string, register func()) { register() }
	doors := a.hall.Wrap(r)
	began, goOn := make(chan struct{}, many), make(chan struct{})
	route(a, http.MethodPost, "/wait", "wait", "Wait", "", func(ctx context.Context, in *struct{ Body ChatBody }) (*Body[Version], error) {
		began <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return body(Version{in.Body.Key}, nil)
	})
	text := `{"text":"` + strings.Repeat("a", small+1) + `"}`
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			r0 := httptest.NewRequest(http.MethodPost, "http://localhost/wait", strings.NewReader(text))
			r0.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			doors.ServeHTTP(w, r0)
			if w.Code != http.StatusOK {
				t.Errorf("%d: %d %s, want 200", i, w.Code, w.Body)
				began <- struct{}{}
			}
		})
		<-began // the body of the next comes when this one waits
	}
	close(goOn)
	wg.Wait()
}
