package postgres_test

import (
	"context"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/store"
	"chela/internal/store/postgres"
	"chela/internal/testkit/pgtest"
)

// noted is an event to append.
func noted() event.Draft {
	return event.Draft{Stream: event.OrgStream, Message: event.Message{
		Type: "org.noted", ThreadID: "thr_1", RunID: "run_1", TaskID: "task_1", From: event.Party{AgentID: "agent:chela"}, Payload: []byte(`{}`),
	}}
}

// opened is a process on a database.
func opened(t *testing.T, url string) *store.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // the test is over
	return db
}

// TestBackend_ANodeThatStandsStill: a node that stands still in the middle of a transaction, as when its machine sleeps, holds up no
// other for long: not after it is struck off, not when it is started again elsewhere, and when nobody is there to end its connections the
// server does. When it wakes up, it does what it had begun again.
func TestBackend_ANodeThatStandsStill(t *testing.T) {
	t.Parallel()
	beat := time.UnixMicro(1000)
	for name, c := range map[string]struct {
		says string
		ends func(ctx context.Context, other *store.DB) error
	}{
		"struck off": {"idle_in_transaction_session_timeout=0", func(ctx context.Context, other *store.DB) error {
			_, _, err := other.Cluster.StrikeOff(ctx, "a", beat)
			return err
		}},
		"started again": {"idle_in_transaction_session_timeout=0&application_name=ours", func(ctx context.Context, other *store.DB) error {
			return other.Cluster.Return(ctx, "a", beat)
		}},
		"by the server": {"idle_in_transaction_session_timeout=300ms", func(context.Context, *store.DB) error { return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := with(pgtest.URL(t), c.says)
			still, other := opened(t, url), opened(t, url)
			if err := still.Cluster.Return(t.Context(), "a", beat); err != nil {
				t.Fatal(err)
			}
			asleep, awake, over := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			go func() {
				tries := 0
				over <- still.Write(t.Context(), func(tx *store.Tx) error {
					if _, err := tx.Append(noted()); err != nil {
						return err
					}
					if tries++; tries == 1 {
						close(asleep)
						<-awake
					}
					_, err := tx.Cursor("anything") // it reads, so what it has written goes to the server
					return err
				})
			}()
			<-asleep
			soon, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if err := c.ends(soon, other); err != nil {
				t.Fatal(err)
			}
			if _, err := other.Log.Append(soon, noted()); err != nil {
				t.Errorf("a write beside a node that stands still: %v", err)
			}
			if events, _, err := other.Log.Events(soon, 0, event.Filter{Limit: 100}); err != nil || len(events) != 1 {
				t.Errorf("beside a node that stands still %d events are seen (%v), want what the other has written: 1", len(events), err)
			}
			close(awake)
			if err := <-over; err != nil {
				t.Errorf("what the node did when it stood still: %v", err)
			}
			if events, _, err := other.Log.Events(t.Context(), 0, event.Filter{Limit: 100}); err != nil || len(events) != 2 {
				t.Errorf("got %d events (%v), want each write once: 2", len(events), err)
			}
		})
	}
}

// TestCluster_ReturnLeavesItsOwn: a process does not end its own connections, and not those of a node under another name.
func TestCluster_ReturnLeavesItsOwn(t *testing.T) {
	t.Parallel()
	url := with(pgtest.URL(t), "idle_in_transaction_session_timeout=0")
	one, two := opened(t, url), opened(t, url)
	for range 2 {
		err := one.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.Append(noted()); err != nil {
				return err
			}
			if err := one.Cluster.Return(t.Context(), "a", time.UnixMicro(1000)); err != nil {
				return err
			}
			if err := two.Cluster.Return(t.Context(), "b", time.UnixMicro(1000)); err != nil {
				return err
			}
			_, err := tx.Cursor("anything")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if events, _, err := two.Log.Events(t.Context(), 0, event.Filter{Limit: 100}); err != nil || len(events) != 2 {
		t.Errorf("got %d events (%v), want 2", len(events), err)
	}
}
