package telegram

import (
	"sync"
	"time"
)

// The most messages that Telegram takes from a bot in one group, and in what time.
const (
	groupMost = 20
	groupSpan = time.Minute
)

// groupPace keeps us from sending more to a group than Telegram takes: who goes on all the
// same is made to wait longer.
type groupPace struct {
	mu   sync.Mutex
	sent map[int64][]time.Time // by group: when the newest were let go, the oldest first
}

func newGroupPace() *groupPace { return &groupPace{sent: make(map[int64][]time.Time)} }

// wait returns 0 and counts a message, or returns when one may go. The ids of groups are below zero.
func (p *groupPace) wait(chat int64) time.Duration { return p.take(chat, groupMost) }

// spare is wait for what can be left out: it leaves half of what the group takes to messages.
func (p *groupPace) spare(chat int64) time.Duration { return p.take(chat, groupMost/2) }

func (p *groupPace) take(chat int64, most int) time.Duration {
	if chat >= 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if len(p.sent[chat]) == 0 {
		p.forget(now)
	}
	recent := p.sent[chat]
	if n := len(recent); n >= most {
		if left := groupSpan - now.Sub(recent[n-most]); left > 0 {
			return left
		}
	}
	if len(recent) == groupMost {
		recent = append(recent[:0], recent[1:]...)
	}
	p.sent[chat] = append(recent, now)
	return 0
}

// forget drops the groups to which nothing went for long.
func (p *groupPace) forget(now time.Time) {
	for chat, recent := range p.sent {
		if now.Sub(recent[len(recent)-1]) >= groupSpan {
			delete(p.sent, chat)
		}
	}
}
