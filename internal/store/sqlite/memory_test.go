package sqlite_test

import (
	"testing"

	"chela/internal/testkit/memorytest"
)

// TestMemory_Killed has the process die at each transaction of what keeps memories.
func TestMemory_Killed(t *testing.T) {
	t.Parallel()
	memorytest.Killed(t, open, true)
}

// TestMemory_AtOnce has people and what keeps memories work beside one another.
func TestMemory_AtOnce(t *testing.T) {
	t.Parallel()
	memorytest.AtOnce(t, open)
}
