package run_test

import (
	"testing"

	"chela/internal/run"
)

func TestEffect_WhatACrashMeans(t *testing.T) {
	t.Parallel()
	nothing, begun, done := run.Recorded{}, run.Recorded{Begun: true}, run.Recorded{Begun: true, Done: true}
	for _, c := range []struct {
		name             string
		effect           run.Effect
		of               run.Recorded
		unknown, intends bool
	}{
		{"a read that was not begun", run.Pure, nothing, false, false},
		{"a read under way", run.Pure, begun, false, false},
		{"a change of records that was not begun", run.Ours, nothing, false, true},
		{"a change of records under way", run.Ours, begun, false, false},
		{"a change of the world that was not begun", run.World, nothing, false, true},
		{"a change of the world under way", run.World, begun, true, false},
		{"a change of the world that is done", run.World, done, false, false},
	} {
		if got := c.effect.Unknown(c.of); got != c.unknown {
			t.Errorf("%s: Unknown() = %t, want %t", c.name, got, c.unknown)
		}
		if got := c.effect.Intends(c.of); got != c.intends {
			t.Errorf("%s: Intends() = %t, want %t", c.name, got, c.intends)
		}
	}
}
