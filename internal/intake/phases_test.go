package intake

import (
	"testing"

	"chela/internal/event"
)

// TestPlayer_MakesRoomForOthers: what is recorded at once is less when others record in between, and much again when they do not.
func TestPlayer_MakesRoomForOthers(t *testing.T) {
	t.Parallel()
	var p player
	for _, c := range []struct {
		what     string
		from, to event.Seq // of what is recorded
		next     int       // how much is recorded after that
	}{
		{"the first", 10, 20, amongOthers},
		{"just after", 21, 40, together},
		{"nothing new", 0, -1, together},
		{"somebody else in between", 42, 60, amongOthers},
		{"just after again", 61, 80, together},
	} {
		var recorded []event.Event
		for at := c.from; at <= c.to; at++ {
			recorded = append(recorded, event.Event{Seq: at})
		}
		p.heed(recorded)
		if got := p.most(); got != c.next {
			t.Errorf("%s: %d at once, want %d", c.what, got, c.next)
		}
	}
}
