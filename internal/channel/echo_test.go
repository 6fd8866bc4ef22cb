package channel

import (
	"testing"
	"time"

	"chela/internal/event"
)

// clocked is a log that has nothing but a clock.
type clocked struct {
	Log
	mint *event.Mint
}

func (c clocked) Mint() *event.Mint { return c.mint }

func TestEcho_TheSameWordsAtOnceCountOnce(t *testing.T) {
	t.Parallel()
	mint := event.NewMint(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	g := &Gate{store: Store{Log: clocked{mint: mint}}, last: make(map[speaker]saying)}
	o := Options{Name: "team"}
	say := func(id, chat, sender, text string, media ...Media) bool {
		return g.echoes(o, Message{ID: id, Address: Address{Chat: chat}, Sender: Sender{ID: sender}, Text: text, Media: media})
	}
	for _, c := range []struct {
		name string
		echo bool
		want bool
	}{
		{"the first", say("1", "c", "ann", "yes"), false},
		{"the same message again", say("1", "c", "ann", "yes"), false},
		{"the same words in another", say("2", "c", "ann", "yes"), true},
		{"of somebody else", say("3", "c", "bob", "yes"), false},
		{"in another chat", say("4", "d", "ann", "yes"), false},
		{"other words", say("5", "c", "ann", "no"), false},
		{"the first words again, after others", say("6", "c", "ann", "yes"), false},
		{"with a file", say("7", "c", "ann", "yes", Media{Name: "a.pdf"}), false},
	} {
		if c.echo != c.want {
			t.Errorf("%s: %v", c.name, c.echo)
		}
	}
	say("8", "c", "ann", "go on")
	mint.Forward(echoTime)
	if say("9", "c", "ann", "go on") {
		t.Error("the same words after five seconds are left out")
	}
	g.forget(o, Message{ID: "9", Address: Address{Chat: "c"}, Sender: Sender{ID: "ann"}})
	if say("10", "c", "ann", "go on") {
		t.Error("what was not taken cannot be said again")
	}
	if len(g.last) > 2 {
		t.Errorf("%d are remembered", len(g.last))
	}
}
