package intake

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMinutes_CostGrowsWithTheirLength takes in a list of actions and one that is eight times as long, each into an empty project, and
// compares the processor time. Were each compared with all that are planned, the second would take some forty times as long.
func TestMinutes_CostGrowsWithTheirLength(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cost := func(lines int) time.Duration {
		b := newNotebook(t)
		var text strings.Builder
		for i := range lines {
			fmt.Fprintf(&text, "- Ann to check invoice number %d and send it to the bank\n", i)
		}
		began := spent(t)
		made := b.take(text.String(), false)
		if made["tickets"]+made["ticket"] != lines {
			t.Fatalf("%v was made of %d lines", made, lines)
		}
		return spent(t) - began
	}
	cost(20) // patterns are compiled when they are first used
	short, long := cost(150), cost(1200)
	if long > 20*short {
		t.Errorf("150 lines took %s of the processor and 1,200 took %s, want less than 20 times as much", short, long)
	}
}

// spent is the processor time of the calling thread. What else the machine does is not in it.
func spent(t *testing.T) time.Duration {
	t.Helper()
	const thread = 1 // RUSAGE_THREAD of getrusage(2)
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
