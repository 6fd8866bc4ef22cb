package session_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/session"
)

// TestQueue_Turn plays a conversation's queue: whatever waits has its turn once, in order; nothing
// goes past who works but what is for them or stops them; a followup goes by itself.
func TestQueue_Turn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		busy, said := false, 0
		var held []session.Waiting
		came := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"comes", "comes", "turn", "ends", "time"}).Draw(t, "step") {
			case "comes":
				w := session.Waiting{ID: string(rune('a' + came)), At: now, Held: session.Held{Mode: rapid.SampledFrom(session.Modes()).Draw(t, "mode")}}
				if !busy {
					w.Due = session.Debounce(held, now)
					for i := range held {
						if !held[i].Due.IsZero() {
							held[i].Due = w.Due
						}
					}
					if len(held) > 0 && !held[0].Due.IsZero() && w.Due.Sub(held[0].At) > 500*time.Millisecond {
						t.Fatalf("the first waits %s for more", w.Due.Sub(held[0].At))
					}
				}
				held, came = append(held, w), came+1
			case "time":
				now = now.Add(time.Duration(rapid.IntRange(1, 600).Draw(t, "ms")) * time.Millisecond)
			case "ends":
				busy = false
			case "turn":
				turn := session.Turn(held, busy, now)
				for i, w := range turn {
					switch {
					case w.ID != held[i].ID:
						t.Fatalf("%s goes before %s", w.ID, held[i].ID)
					case i == 0 && w.Due.After(now):
						t.Fatal("it goes before its time")
					case busy && w.Mode != session.Steer && w.Mode != session.Interrupt && i == 0:
						t.Fatalf("%s goes while an agent works", w.Mode)
					case i > 0 && w.Mode == session.Followup && w.Due.IsZero():
						t.Fatal("a followup goes with others")
					}
				}
				busy = busy || len(turn) > 0
				held, said = held[len(turn):], said+len(turn)
			}
		}
		now = now.Add(time.Second)
		for range came {
			turn := session.Turn(held, false, now)
			held, said = held[len(turn):], said+len(turn)
		}
		if len(held) > 0 || said != came {
			t.Fatalf("%d of %d were said, %d still wait", said, came, len(held))
		}
	})
}
