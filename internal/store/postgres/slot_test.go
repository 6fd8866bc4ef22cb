package postgres_test

import (
	"context"
	"testing"
	"time"

	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/store"
)

// TestSlots_WhoTakesOneWaitsForNobody has a transaction take a slot and stay open while others take theirs.
func TestSlots_WhoTakesOneWaitsForNobody(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const who, most = org.AgentID("agent:pm"), 2
	ids := []run.ID{"run_1", "run_2", "run_3"}
	write := func(fn func(*store.Tx) error) {
		t.Helper()
		if err := db.Write(ctx, fn); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range ids {
		write(func(tx *store.Tx) error {
			return tx.Claims().Ready(run.Job{Run: id, Segment: 1, Kind: "chat", Lane: run.UserLane, Partition: "thr_" + string(id)})
		})
	}
	has := func(want bool, id run.ID) {
		t.Helper()
		if ok, err := db.Slots.HasSlot(ctx, id, who); err != nil || ok != want {
			t.Errorf("%s has a slot: %v, %v", id, ok, err)
		}
	}
	take := func(id run.ID) func(*store.Tx) error {
		return func(tx *store.Tx) error { return tx.Slots().TakeSlot(id, who, most) }
	}
	write(func(tx *store.Tx) error {
		if err := take(ids[0])(tx); err != nil {
			return err
		}
		if _, err := tx.Runs().LastSaid("thr_1"); err != nil { // what it writes is with the server
			return err
		}
		write(take(ids[1]))
		has(true, ids[1])
		write(take(ids[2])) // one has the other, and one is about to be taken
		has(false, ids[2])
		return nil
	})
	has(true, ids[0])
	write(func(tx *store.Tx) error { return tx.Claims().Park(ids[1], time.Time{}) })
	has(false, ids[1])
	if next, err := db.Slots.WaitsForSlot(ctx, who, most); err != nil || next != "" {
		t.Errorf("a run that is ready waits for a slot: %s, %v", next, err)
	}
	write(take(ids[2]))
	has(true, ids[2])
}

// TestSlots_AreTakenWithTheMessage has runs that become ready on a node sit down with an agent.
func TestSlots_AreTakenWithTheMessage(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	for i, c := range []struct {
		way  run.Way
		want bool
	}{{run.Direct, true}, {run.ByQueue, false}, {run.Direct, true}, {run.Direct, false}} {
		id := run.ID("run_" + string(rune('a'+i)))
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			if err := tx.Claims().Ready(run.Job{Run: id, Segment: 1, Kind: "chat", Lane: run.UserLane, Partition: "thr_" + string(id)}); err != nil {
				return err
			}
			if err := tx.Claims().Route(id, c.way, "a"); err != nil {
				return err
			}
			return tx.Claims().AssignSlot(id, "agent:pm", 2)
		}); err != nil {
			t.Fatal(err)
		}
		if ok, err := db.Slots.HasSlot(t.Context(), id, "agent:pm"); err != nil || ok != c.want {
			t.Errorf("%s, which goes by %s, has a slot: %v, %v", id, c.way, ok, err)
		}
	}
}
