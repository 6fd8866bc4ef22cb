package api

import (
	"errors"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/run"
)

// fullDisk is a database that records nothing.
type fullDisk struct{}

func (fullDisk) Name() string    { return "sqlite" }
func (fullDisk) Writable() error { return fault.Full(errors.New("no space"), "/data") }

func TestWhy_SaysThatNothingCanBeRecorded(t *testing.T) {
	t.Parallel()
	a := &api{Parts: Parts{Store: Store{Database: fullDisk{}}}}
	why, err := a.why(t.Context(), run.Run{State: run.Running}, nil)
	if err != nil || !strings.Contains(why, "It cannot record what it does. The disk with the folder /data is full") {
		t.Errorf("why says %q, %v", why, err)
	}
}
