package desk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestMemory_StoredUnderTheKeyOfAnExpiredOne: what takes the place of a memory that has expired has not expired itself.
func TestMemory_StoredUnderTheKeyOfAnExpiredOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	soon := time.Now().UTC().Add(time.Second).Format(time.RFC3339Nano)
	for _, args := range []string{
		fmt.Sprintf(`{"operation":"store","scope":"AGENT","key":"k","content":"Use the first way.","expiresAt":%q}`, soon),
		`{"operation":"store","scope":"AGENT","key":"k","content":"Use the second way."}`,
	} {
		if _, err := w.call("memory", args); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond)
	}
	if got, err := w.call("memory", `{"operation":"recall","key":"k"}`); err != nil || !strings.Contains(got, "second way") {
		t.Errorf("got %s (%v), want what was stored last", got, err)
	}
}
