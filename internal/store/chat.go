package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"chela/internal/channel"
	"chela/internal/session"
)

// Chats are the places on platforms where conversations are held.
type Chats struct{ base }

// ChatThread implements [channel.Store].
func (c Chats) ChatThread(ctx context.Context, at session.Chat) (session.Thread, error) {
	rows, err := c.db.Query(ctx, "SELECT "+sessionFields+" FROM sessions WHERE chat_channel = ? AND chat = ? AND branch = ? AND chat_channel <> '' AND closed = 0 ORDER BY chat_seq DESC LIMIT 1", at.Channel, at.Chat, at.Branch)
	return sessionOf(rows, err, "of the chat "+at.Chat)
}

// mostPlaces is how many chats are listed.
const mostPlaces = 200

// Places implements [chat.Chats].
func (c Chats) Places(ctx context.Context) ([]channel.Place, error) { return c.db.look(ctx).places() }

func (l look) places() ([]channel.Place, error) {
	configured, err := l.channels()
	if err != nil {
		return nil, err
	}
	kinds := make(map[string]channel.Kind, len(configured))
	for _, o := range configured {
		if !o.Off {
			kinds[o.Name] = o.Kind
		}
	}
	rows, err := l(`SELECT chat_channel, chat, branch, title, thread_id FROM sessions s WHERE chat_channel <> '' AND closed = 0
		AND NOT EXISTS (SELECT 1 FROM sessions n WHERE n.chat_channel = s.chat_channel AND n.chat = s.chat AND n.branch = s.branch AND n.closed = 0 AND n.chat_seq > s.chat_seq)
		ORDER BY chat_seq DESC` + limited(mostPlaces))
	if err != nil {
		return nil, fmt.Errorf("list chats: %w", err)
	}
	out, err := all(rows, func(scan func(...any) error) (p channel.Place, err error) {
		err = scan(&p.Channel, &p.Chat, &p.Branch, &p.Title, &p.Thread)
		p.Kind = kinds[p.Channel]
		return p, err
	})
	if err != nil {
		return nil, err
	}
	out = slices.DeleteFunc(out, func(p channel.Place) bool { return p.Kind == "" })
	for _, o := range configured {
		for _, chat := range o.Chats {
			if !o.Off && !slices.ContainsFunc(out, func(p channel.Place) bool { return p.Channel == o.Name && (p.Chat == chat || p.Branch == chat) }) {
				out = append(out, channel.Place{Channel: o.Name, Kind: o.Kind, Address: channel.Address{Chat: chat}})
			}
		}
	}
	return out, nil
}

// mostNewest bounds the chats of which the newest message is told.
const mostNewest = 500

// NewestOf implements [channel.Store].
func (c Chats) NewestOf(ctx context.Context, name string) ([]channel.Newest, error) {
	rows, err := c.db.Query(ctx, `SELECT s.chat, s.branch, m.body FROM (
			SELECT max(seq) AS newest FROM (
				SELECT c.chat, c.branch, (SELECT o.seq FROM messages o WHERE o.thread_id = c.thread_id AND o.role IN (?, ?) AND o.body LIKE '%"via":{%' ORDER BY o.seq DESC LIMIT 1) AS seq
				FROM sessions c WHERE c.chat_channel = ? AND c.chat_channel <> '') l GROUP BY chat, branch) n
		JOIN messages m ON m.seq = n.newest JOIN sessions s ON s.thread_id = m.thread_id
		ORDER BY m.seq DESC`+limited(mostNewest), string(session.FromPerson), string(session.Commanded), name)
	if err != nil {
		return nil, fmt.Errorf("read the newest messages: %w", err)
	}
	return all(rows, func(scan func(...any) error) (h channel.Newest, err error) {
		var body string
		var said session.Said
		if err := scan(&h.Chat, &h.Branch, &body); err != nil {
			return h, err
		}
		if err := json.Unmarshal([]byte(body), &said); err != nil || said.Via == nil {
			return h, fmt.Errorf("decode a message of the chat %s: %w", h.Chat, err)
		}
		h.ID, h.Group = said.Via.Message, said.Via.Group
		return h, nil
	})
}
