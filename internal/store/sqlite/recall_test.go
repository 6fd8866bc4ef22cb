package sqlite_test

import (
	"testing"

	"chela/internal/testkit/storetest"
)

func TestRecall_AmongMany(t *testing.T) {
	t.Parallel()
	storetest.RecallMany(t, open)
}
