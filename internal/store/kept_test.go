package store

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestKept_ManyAtOnceReadOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var db DB
		var by keptBy[int]
		var reads atomic.Int32
		read := func() (int, error) {
			time.Sleep(time.Millisecond)
			return int(reads.Add(1)), nil
		}
		ask := func() (first int) {
			var all sync.WaitGroup
			got := make([]int, 100)
			for i := range got {
				all.Go(func() { got[i], _ = by.of(&db, "key", true, read) })
			}
			all.Wait()
			for _, v := range got {
				if v != got[0] {
					t.Errorf("got %v, want the same for all", got)
				}
			}
			return got[0]
		}
		for want := range 3 {
			if got := ask(); got != want+1 {
				t.Errorf("got what read %d found, want %d", got, want+1)
			}
			if got := ask(); got != want+1 {
				t.Errorf("asked again: got what read %d found, want %d", got, want+1)
			}
			time.Sleep(keptFor)
		}
	})
}

func TestKept_AChangeIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var db DB
		var one kept[string]
		stored := "before"
		var slow sync.WaitGroup
		slow.Go(func() {
			_, _ = one.get(&db, func() (string, error) {
				was := stored
				time.Sleep(time.Second)
				return was, nil
			})
		})
		synctest.Wait()
		stored = "after"
		db.version.Add(1)
		for _, when := range []string{"while what was before is still read", "once it was read"} {
			if got, _ := one.get(&db, func() (string, error) { return stored, nil }); got != "after" {
				t.Errorf("%s: got %q, want %q", when, got, "after")
			}
			slow.Wait()
		}
	})
}

func TestKept_AFailureIsOfOneAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var db DB
		var by keptBy[int]
		gone := errors.New("the request was given up")
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := by.of(&db, "key", true, func() (int, error) {
				time.Sleep(time.Second)
				return 0, gone
			}); !errors.Is(err, gone) {
				t.Errorf("the first: got %v, want its own failure", err)
			}
		})
		synctest.Wait()
		for range 3 {
			all.Go(func() {
				if got, err := by.of(&db, "key", true, func() (int, error) { return 7, nil }); got != 7 || err != nil {
					t.Errorf("who waited: got %d, %v, want 7", got, err)
				}
			})
		}
		all.Wait()
		if got, err := by.of(&db, "key", true, func() (int, error) { return 7, nil }); got != 7 || err != nil {
			t.Errorf("who came later: got %d, %v, want 7", got, err)
		}
	})
}
