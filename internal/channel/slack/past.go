package slack

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"chela/internal/channel"
)

// A past outlives connections: it knows up to where each conversation was heard. What a
// connection took along when it broke, Slack sends again at once, after a minute and after
// five, and newer messages at once; and of two connections that stand it sends over any
// (docs.slack.dev/apis/events-api, "Retries", and …/using-socket-mode). So the first message of a
// conversation over a new connection, and each while two stand, may have others before it that
// have not come yet. Those are asked for.
type past struct {
	mu    sync.Mutex // guards the rest
	who   string     // we are
	epoch int        // grows when something may come later than what was said after it
	two   bool       // connections stand
	began time.Time  // by Slack's clock, the first connection
	last  *channel.Kept[string]
	sure  *channel.Kept[int] // by conversation: the epoch in which nothing is missing before the last
}

func newPast() *past {
	return &past{last: channel.NewKept[string](5000), sure: channel.NewKept[int](5000)}
}

// opened says that a new connection is the only one. The first begins with what earlier lives heard.
func (p *past) opened(ctx context.Context, me *identity, in channel.Inbox) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if who := me.Team + "/" + me.User; p.who != who || p.began.IsZero() {
		newest, err := in.Newest(ctx)
		if err != nil {
			return err
		}
		p.who, p.began, p.epoch = who, me.opened, 0
		p.last, p.sure = channel.NewKept[string](5000), channel.NewKept[int](5000)
		for _, h := range newest {
			if tsForm.MatchString(h.ID) {
				p.last.Put(h.Chat+"/"+h.Branch, h.ID)
			}
		}
	}
	p.epoch++
	p.two = false
	return nil
}

// doubled says that another connection stands beside the one that there was, or no longer.
func (p *past) doubled(two bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.epoch++
	p.two = two
}

// gap returns after which message others may be missing before one.
func (p *past) gap(conversation, ts string) (after string, doubt bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, heard := p.last.Get(conversation)
	sure, _ := p.sure.Get(conversation)
	if !heard && p.epoch <= 1 || !p.two && sure == p.epoch || heard && !timeOf(last).Before(timeOf(ts)) {
		return "", false
	}
	if !heard {
		last = fmt.Sprintf("%d.000000", p.began.Unix())
	}
	if oldest := timeOf(ts).Add(-lookBack); timeOf(last).Before(oldest) {
		last = fmt.Sprintf("%d.000000", oldest.Unix())
	}
	return last, true
}

// heard says that a message, and all before it, was taken.
func (p *past) heard(conversation, ts string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last, ok := p.last.Get(conversation); ok && !timeOf(last).Before(timeOf(ts)) {
		return // it came again
	}
	p.last.Put(conversation, ts)
	p.sure.Put(conversation, p.epoch)
}

// hand hands a message to in, after those of its conversation that were said before it and have
// not come yet, and before those that were said since: what came over a connection that stands may
// wait here while another ends, so that each would have some missing before it.
func (a *Adapter) hand(ctx context.Context, in channel.Inbox, m channel.Message) error {
	begins := m.Group && m.Branch == m.ID
	if a.past == nil || m.What != channel.Said || begins || a.threads && !m.Called {
		return in.Take(ctx, m)
	}
	conversation := m.Chat + "/" + m.Branch
	var before, later []event
	if after, doubt := a.past.gap(conversation, m.ID); doubt {
		all, err := a.since(ctx, m, after)
		if err != nil {
			return fmt.Errorf("%w: what was said before: %w", errLater, err)
		}
		i := 0
		for i < len(all) && timeOf(all[i].TS).Before(timeOf(m.ID)) {
			i++
		}
		before, later = all[:i], all[i:]
	}
	if err := a.handMissing(ctx, in, m, before); err != nil {
		return err
	}
	if err := in.Take(ctx, m); err != nil {
		return err
	}
	a.past.heard(conversation, m.ID)
	return a.handMissing(ctx, in, m, later)
}

// handMissing hands on what is of the same conversation as m.
func (a *Adapter) handMissing(ctx context.Context, in channel.Inbox, m channel.Message, missing []event) error {
	for _, e := range missing {
		found, ok, err := a.reader().message(ctx, &e)
		if err != nil {
			return fmt.Errorf("%w: %w", errLater, err)
		}
		if !ok || found.What != channel.Said || found.Address != m.Address {
			continue
		}
		if err := in.Take(ctx, found); err != nil {
			return err
		}
		a.past.heard(m.Chat+"/"+m.Branch, found.ID)
	}
	return nil
}

// since asks for what was said in the conversation of m after a message, but for m, the oldest
// first. Where Slack does not let us look nothing is.
func (a *Adapter) since(ctx context.Context, m channel.Message, after string) ([]event, error) {
	ctx, cancel := context.WithTimeout(ctx, nameWait)
	defer cancel()
	method := "conversations.history"
	args := url.Values{"channel": {m.Chat}, "oldest": {after}, "limit": {strconv.Itoa(pageSize)}}
	if m.Branch != "" {
		method = "conversations.replies"
		args.Set("ts", m.Branch)
	}
	var all []event
	for range maxPages / 2 {
		var page struct {
			Messages list[event] `json:"messages"`
			Metadata struct {
				Next string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		err := a.api.call(ctx, a.bot, method, args, &page)
		if err != nil && failureOf(err).passing() {
			return nil, err
		}
		if err != nil {
			a.log.WarnContext(ctx, "it cannot be seen what was said while the connection was broken", "channel", a.name, "error", err)
			return nil, nil
		}
		for _, e := range page.Messages {
			e.Channel, e.ChatKind = m.Chat, ""
			if e.Thread == e.TS { // others answer it in a thread; when it came there was none
				e.Thread = ""
			}
			if timeOf(e.TS).After(timeOf(after)) && e.TS != m.ID {
				all = append(all, e)
			}
		}
		if page.Metadata.Next == "" {
			break
		}
		args.Set("cursor", page.Metadata.Next)
	}
	slices.SortStableFunc(all, func(x, y event) int { return cmp.Compare(timeOf(x.TS).UnixMicro(), timeOf(y.TS).UnixMicro()) })
	return all, nil
}
