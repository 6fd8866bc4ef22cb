package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"chela/internal/store"
)

// commits holds that what waits for a commit is called once for each that is
// recorded, finds what it wrote, and is not called for one that fails.
func commits(t *testing.T, open Opener) {
	db, _ := open(t)
	var wait sync.WaitGroup
	var calls [40]atomic.Int32
	for i := range calls {
		wait.Go(func() {
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				out, err := tx.Append(draft(fmt.Sprintf("s%d", i), "x"))
				if err != nil {
					return err
				}
				tx.OnCommit(func() {
					calls[i].Add(1)
					if e, err := db.Log.EventByID(t.Context(), out[0].Message.ID); err != nil || e.Seq != out[0].Seq {
						t.Errorf("%v, %v", e, err)
					}
				})
				if i%4 == 0 {
					return errors.New("refused")
				}
				return nil
			})
			if want := int32(min(1, i%4)); calls[i].Load() != want || (err == nil) != (want == 1) {
				t.Errorf("called %d times, want %d: %v", calls[i].Load(), want, err)
			}
		})
	}
	wait.Wait()
}
