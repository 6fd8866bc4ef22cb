package storetest

import (
	"errors"
	"maps"
	"sync"
	"testing"

	"chela/internal/event"
	"chela/internal/store"
)

// sealed: rows and events of the vault come together or not at all, one change at a time.
func sealed(t *testing.T, open Opener) {
	db, again := open(t)
	ctx := t.Context()
	put := func(name, value string) func(map[string]string) (map[string]string, []event.Draft, error) {
		return func(map[string]string) (map[string]string, []event.Draft, error) {
			return map[string]string{name: value}, []event.Draft{draft("org", name)}, nil
		}
	}
	check(t, db.Vault.Seal(ctx, put("a", "1")))
	check(t, db.Vault.Seal(ctx, put("b", "2")))
	check(t, db.Vault.Seal(ctx, put("a", "3")))
	check(t, db.Vault.Seal(ctx, put("b", "")))
	refused := errors.New("refused")
	if err := db.Vault.Seal(ctx, func(map[string]string) (map[string]string, []event.Draft, error) {
		return map[string]string{"a": "4"}, []event.Draft{draft("org", "a")}, refused
	}); !errors.Is(err, refused) {
		t.Errorf("it was not refused: %v", err)
	}
	bad := draft("org", "a")
	bad.Message.Type = ""
	if err := db.Vault.Seal(ctx, func(map[string]string) (map[string]string, []event.Draft, error) {
		return map[string]string{"a": "5"}, []event.Draft{bad}, nil
	}); err == nil {
		t.Error("an event that is none was recorded")
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if err := db.Vault.Seal(ctx, func(have map[string]string) (map[string]string, []event.Draft, error) {
				return map[string]string{"n": have["n"] + "x"}, nil, nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	same, err := again()
	check(t, err)
	for _, db := range []*store.DB{db, same} {
		got, err := db.Vault.Sealed(ctx)
		check(t, err)
		if !maps.Equal(got, map[string]string{"a": "3", "n": "xxxxxxxx"}) || count(t, db) != 4 {
			t.Errorf("%v, and %d events", got, count(t, db))
		}
	}
}

// unsealed: what an older version kept in clear is read once more, and then gone.
func unsealed(t *testing.T, open Opener) {
	db, _ := open(t)
	ctx := t.Context()
	check(t, db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO secrets (name, value) VALUES (?, ?)", "providers", "in clear")
		return err
	}))
	got, err := db.Vault.Unsealed(ctx)
	check(t, err)
	if !maps.Equal(got, map[string]string{"providers": "in clear"}) {
		t.Errorf("%v", got)
	}
	check(t, db.Vault.DropUnsealed(ctx))
	if got, err = db.Vault.Unsealed(ctx); err != nil || len(got) > 0 {
		t.Errorf("%v %v", got, err)
	}
}
