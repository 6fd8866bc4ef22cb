package channel

import (
	"time"

	"chela/internal/session"
)

// echoTime is within what time the same words of the same person in the same chat count once:
// people press twice, and clients send again under another id.
const echoTime = 5 * time.Second

// A speaker is somebody in a chat.
type speaker struct {
	session.Chat
	sender string
}

// A saying is what somebody said last.
type saying struct {
	id, text string
	at       time.Time
}

func speakerOf(o Options, m Message) speaker {
	return speaker{session.Chat{Channel: o.Name, Chat: m.Chat, Branch: m.Branch}, m.Sender.ID}
}

// echoes reports whether a message says what its sender said just now in another one, and
// remembers it. The same message that comes again is none: the log knows it.
func (g *Gate) echoes(o Options, m Message) bool {
	now, by := g.store.Log.Mint().Now(), speakerOf(o, m)
	g.mu.Lock()
	defer g.mu.Unlock()
	was, known := g.last[by]
	fresh := known && now.Sub(was.at) < echoTime
	if fresh && was.id != m.ID && was.text == m.Text && m.Text != "" && len(m.Media) == 0 {
		return true
	}
	for who, said := range g.last {
		if now.Sub(said.at) >= echoTime {
			delete(g.last, who)
		}
	}
	if len(m.Media) == 0 {
		g.last[by] = saying{m.ID, m.Text, now}
	}
	return false
}

// forget is for a message that was not taken: it may come under another id.
func (g *Gate) forget(o Options, m Message) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if by := speakerOf(o, m); g.last[by].id == m.ID {
		delete(g.last, by)
	}
}
