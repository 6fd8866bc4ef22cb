package storetest

import (
	"reflect"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/store"
)

// minted holds that times and ids are the mint's: two databases in which the same happens
// have the same log, and what expires does so by its clock.
func minted(t *testing.T, open Opener) {
	start := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	play := func() (out []event.Event) {
		opened, _ := open(t)
		db := store.New(opened.Backend, store.Options{Mint: event.NewMint(start)})
		for range 2 {
			events, err := db.Log.Append(t.Context(), draft("org", "a"), draft("org", "a"), draft("thread:thr_1", "b"))
			check(t, err)
			out = append(out, events...)
			db.Mint().Forward(time.Minute)
		}
		check(t, db.Credentials.Grant(t.Context(), "short", org.Access{Person: "per_1", Purpose: org.APIToken, ExpiresAt: db.Mint().Now().Add(time.Minute)}))
		_, err := db.Credentials.Access(t.Context(), "short")
		check(t, err)
		db.Mint().Forward(2 * time.Minute)
		if _, err := db.Credentials.Access(t.Context(), "short"); fault.KindOf(err) != fault.Unauthenticated || err == nil {
			t.Errorf("a token that has expired: %v", err)
		}
		return out
	}
	first, again := play(), play()
	if len(first) != 6 || len(again) != 6 {
		t.Fatalf("%d and %d events", len(first), len(again))
	}
	for i := range first {
		a, b := first[i], again[i]
		a.Seq, b.Seq = 0, 0 // a database may begin anywhere
		if want := start.Add(time.Duration(i/3) * time.Minute); !a.At.Equal(want) || !a.Message.TS.Equal(want) || !reflect.DeepEqual(a, b) {
			t.Errorf("%d\n%+v\n%+v", i, a, b)
		}
	}
}
