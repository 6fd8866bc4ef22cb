package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"chela/internal/channel"
)

// Bounds of what is fetched when a session begins, because it was written while there was none.
const (
	missedFor = time.Hour // what is older is not answered any more
	page      = 100       // the most that come at once
	mostPages = 5         // of each chat
)

// A recent channel is one in which there may be something new.
type recent struct {
	chat  string
	last  uint64    // its newest message; 0 when that is not known
	since time.Time // when we came to it
}

// missed are the chats with one person that we know, of which the beginning of a session says nothing.
func (a *Adapter) missed(ctx context.Context, in channel.Inbox) ([]recent, error) {
	newest, err := in.Newest(ctx)
	if err != nil {
		return nil, err
	}
	for _, h := range newest {
		if !h.Group && h.Branch == "" && snowflake(h.Chat) {
			a.kept.learn(h.Chat, place{private: true})
			a.kept.saw(h.Chat, h.ID)
		}
	}
	var out []recent
	for _, id := range a.kept.privates() {
		out = append(out, recent{chat: id})
	}
	for _, id := range a.chats {
		if !snowflake(id) || slices.ContainsFunc(out, func(r recent) bool { return r.chat == id }) {
			continue
		}
		p, err := a.place(ctx, id)
		if err != nil {
			return nil, err
		}
		if p.private {
			out = append(out, recent{chat: id})
		}
	}
	return out, nil
}

// catchUp takes what was written in some chats and not taken, up to an hour ago.
func (a *Adapter) catchUp(ctx context.Context, in channel.Inbox, chats []recent) error {
	for _, c := range chats {
		after := max(a.kept.newest(c.chat), idAt(time.Now().Add(-missedFor)), idAt(c.since))
		if c.last != 0 && c.last <= after {
			continue
		}
		for range mostPages {
			list, err := a.history(ctx, c.chat, after)
			if err != nil {
				return err
			}
			for _, m := range list {
				after = max(after, number(m.ID))
				if err := a.said(ctx, in, &m, channel.Said); err != nil {
					return fmt.Errorf("take message %s of Discord: %w", m.ID, err)
				}
			}
			if len(list) < page {
				break
			}
		}
	}
	return nil
}

// history returns the messages of a chat after one, the oldest first. Where we may not read
// there are none.
func (a *Adapter) history(ctx context.Context, chat string, after uint64) ([]message, error) {
	q := request{method: http.MethodGet, path: fmt.Sprintf("/channels/%s/messages?limit=%d&after=%d", chat, page, after), route: "messages", chat: chat}
	var raw []json.RawMessage
	if err := a.patiently(ctx, q, &raw); err != nil {
		if failureOf(err).lasting() {
			a.log.InfoContext(ctx, "a chat of Discord cannot be read back", "channel", a.name, "chat", chat, "error", err)
			return nil, nil
		}
		return nil, a.trouble(err)
	}
	at, err := a.place(ctx, chat)
	if err != nil {
		return nil, err
	}
	var out []message
	for _, r := range raw {
		var m message
		if err := json.Unmarshal(r, &m); err != nil || !snowflake(m.ID) || m.Channel != chat {
			a.log.WarnContext(ctx, "a message of Discord cannot be read", "channel", a.name, "chat", chat, "error", err)
			continue
		}
		if m.Guild = ""; !at.private {
			m.Guild = chat // which one it is does not matter, and is not said
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(x, y message) int { return cmp.Compare(number(x.ID), number(y.ID)) })
	return out, nil
}

// patiently makes a call, and waits as Discord says.
func (a *Adapter) patiently(ctx context.Context, q request, result any) error {
	for {
		err := a.api.do(ctx, q, result)
		if err == nil {
			return nil
		}
		f := failureOf(err)
		if f.Status != http.StatusTooManyRequests || f.After > missedFor {
			return err
		}
		timer := time.NewTimer(max(f.After, 50*time.Millisecond))
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// lasting reports whether Discord says no to something and will go on to.
func (f *failure) lasting() bool {
	return f.Spoken && f.Status >= 400 && f.Status < 500 && f.Status != http.StatusUnauthorized && f.Status != http.StatusTooManyRequests
}

// place says where a channel is, and asks when it is not known.
func (a *Adapter) place(ctx context.Context, id string) (place, error) {
	if p, ok := a.kept.place(id); ok {
		return p, nil
	}
	var c chat
	err := a.patiently(ctx, request{method: http.MethodGet, path: "/channels/" + id, route: "channel", chat: id}, &c)
	if err != nil && !failureOf(err).lasting() {
		return place{}, a.trouble(err)
	}
	p := c.place()
	a.kept.learn(id, p)
	return p, nil
}

// address is where something is said: a thread is a branch of its channel.
func (a *Adapter) address(ctx context.Context, id, guild string) (channel.Address, error) {
	if guild == "" {
		a.kept.learn(id, place{private: true})
		return channel.Address{Chat: id}, nil
	}
	p, err := a.place(ctx, id)
	if err != nil {
		return channel.Address{}, err
	}
	if p.parent != "" {
		return channel.Address{Chat: p.parent, Branch: id}, nil
	}
	return channel.Address{Chat: id}, nil
}
