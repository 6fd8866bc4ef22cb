package store

import (
	"context"
	"sync"

	"chela/internal/budget"
	"chela/internal/event"
)

// settleEvery is after how many reservations under a limit what was answered before is summed for the last time.
const settleEvery = 64

// A settled use is what the calls up to a position of the log took of a limit since an instant. They are recorded, all
// readers see them, and nothing changes them: a reservation adds what came after.
type settled struct {
	since    int64
	upTo     event.Seq
	used     budget.Amounts
	reserved int // reservations since it was summed
}

// uses keeps what is settled of each limit, in memory. Safe for concurrent use.
type uses struct {
	mu sync.Mutex // guards of
	of map[string]settled
}

// get returns what is settled of a limit since an instant; the zero value is nothing.
func (u *uses) get(l budget.Limit, since int64) settled {
	u.mu.Lock()
	defer u.mu.Unlock()
	if s := u.of[l.ID()]; s.since == since {
		return s
	}
	return settled{since: since}
}

// due counts a reservation, and reports whether the calls of the limit are to be summed again.
func (u *uses) due(l budget.Limit, since int64) (settled, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.of == nil {
		u.of = make(map[string]settled)
	}
	s := u.of[l.ID()]
	if s.since != since {
		s = settled{since: since}
	}
	s.reserved++
	due := s.reserved >= settleEvery
	if due {
		s.reserved = 0
	}
	u.of[l.ID()] = s
	return s, due
}

// put keeps what is settled, unless more is by now.
func (u *uses) put(l budget.Limit, s settled) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if now := u.of[l.ID()]; now.since == s.since && now.upTo < s.upTo {
		s.reserved = now.reserved
		u.of[l.ID()] = s
	}
}

// settle counts reservations under limits, and now and then sums what was answered before under one. It reads, so it is for
// who reserved and not for the writer of all. When it fails, what comes after is summed at each reservation, as before.
func (b Budgets) settle(ctx context.Context, limits []budget.Limit) {
	now := b.db.mint.Now()
	for _, l := range limits {
		if l.Per == budget.Run {
			continue // a run has few calls
		}
		if s, due := b.db.uses.due(l, micros(l.Since(now))); due {
			b.sum(ctx, l, s)
		}
	}
}

// sum adds to what is settled of a limit what was answered up to where all readers see the log.
func (b Budgets) sum(ctx context.Context, l budget.Limit, s settled) {
	end, err := b.db.Backend.Horizon(ctx)
	if err != nil || end <= s.upTo {
		return
	}
	where, of := answeredOf(l, s)
	var sum budget.Amounts
	err = b.db.one(ctx, `SELECT CAST(coalesce(sum(x.input_tokens + x.output_tokens), 0) AS BIGINT), CAST(coalesce(sum(x.cost_microusd), 0) AS BIGINT),
		CAST(coalesce(sum(x.duration_ms), 0) AS BIGINT), count(*) FROM model_calls x WHERE `+where+" AND x.seq <= ?", append(of, int64(end)), &sum.Tokens, &sum.MicroUSD, &sum.Millis, &sum.Calls)
	if err == nil {
		b.db.uses.put(l, settled{since: s.since, upTo: end, used: s.used.Plus(sum)})
	}
}

// answeredOf is the condition of the answered calls of a limit after what is settled. The position bounds the rows then:
// no index by time or owner is to be read, which has all calls of the limit.
func answeredOf(l budget.Limit, s settled) (where string, args []any) {
	column := map[budget.Scope]string{budget.Project: "project", budget.Agent: "agent", budget.Key: "by_key"}[l.Scope]
	if s.upTo > 0 {
		where, args = "x.seq > ? AND x.at + 0 >= ?", []any{int64(s.upTo), s.since}
		if column != "" {
			return where + " AND x." + column + " || '' = ?", append(args, l.Of)
		}
		return where, args
	}
	where, args = "x.at >= ?", []any{s.since}
	if column != "" {
		where, args = where+" AND x."+column+" = ?", append(args, l.Of)
	}
	if column == "by_key" {
		where += " AND x.by_key <> ''" // of which rows there is an index
	}
	return where, args
}
