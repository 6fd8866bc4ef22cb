package sqlite_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"chela/internal/budget"
	"chela/internal/run"
	"chela/internal/store"
)

// TestWriter_IsNotHeldByWhoReserves: what a budget counted is summed now and then, which reads. While all readers are busy
// others write all the same.
func TestWriter_IsNotHeldByWhoReserves(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	free := occupy(t, db)
	const many = 64 // after so many it is summed
	most := int64(10 * many)
	limit := budget.Limit{Scope: budget.Organization, Per: budget.Total, Bound: budget.Bound{Calls: &most}}
	reserved := make(chan error, 1)
	go func() {
		var all error
		for i := range many {
			_, short, err := db.Budgets.ReserveCalls(t.Context(), []budget.Limit{limit}, budget.Calls{Run: run.ID("run_1"), Each: []budget.Call{{Step: fmt.Sprint("m", i)}}})
			if short != nil {
				err = errors.Join(err, errors.New(short.Text))
			}
			all = errors.Join(all, err)
		}
		reserved <- all
	}()
	written := make(chan error, 1)
	go func() {
		for n := 0; n < many; {
			err := inside(t, db, func(c store.Conn) error {
				rows, err := c.Query(t.Context(), nil, store.Statement{SQL: "SELECT count(*) FROM budget_reservations"})
				if err != nil {
					return err
				}
				for rows.Next() {
					err = errors.Join(err, rows.Scan(&n))
				}
				return errors.Join(err, rows.Close())
			})
			if err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	select {
	case err := <-written:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("nobody can write while who reserved waits for a reader")
	}
	free()
	if err := <-reserved; err != nil {
		t.Error(err)
	}
}
