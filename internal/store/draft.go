package store

import (
	"context"
	"fmt"

	"chela/internal/channel"
	"chela/internal/event"
)

// projectDrafted notes a part that grows.
func (tx *Tx) projectDrafted(p channel.Drafted) error {
	return tx.do("INSERT INTO channel_drafts (run_id, number, channel, chat, branch, sent, used) VALUES (?,?,?,?,?,?,0) ON CONFLICT (run_id, number) DO NOTHING",
		p.Run, p.Number, p.Channel, p.Chat, p.Branch, p.ID)
}

// closeDrafts ends the drafts of the run, in the chat, of which a text was sent: it took a
// draft's place, or stands under it.
func (tx *Tx) closeDrafts(delivery string) error {
	return tx.do(`UPDATE channel_drafts SET used = 1 WHERE run_id = (SELECT run_id FROM channel_deliveries WHERE id = ?) AND used = 0
		AND EXISTS (SELECT 1 FROM channel_deliveries d WHERE d.id = ? AND d.channel = channel_drafts.channel AND d.chat = channel_drafts.chat AND d.branch = channel_drafts.branch)`, delivery, delivery)
}

// deliverOutcomes puts on its way how the questions of a run ended that wait for an answer; only
// is the id of the one, "" for all. It is called before they end.
func (tx *Tx) deliverOutcomes(e event.Event, only string) error {
	tx.topics[event.DeliveriesDue] = true
	at := micros(e.At)
	return tx.do("INSERT INTO channel_deliveries ("+deliveryColumns+`) SELECT d.id || ?, d.stream, d.channel, d.chat, d.branch, d.thread_id, d.run_id, ?, ?, 0, 0, 0, '', 0, '', '', 0, ?, ?
		FROM approvals a JOIN channel_deliveries d ON d.thread_id = ? AND d.seq = a.seq WHERE a.run_id = ? AND a.status = 'pending' AND (a.id = ? OR ? = '')`,
		channel.OutcomeSuffix, int64(e.Seq), string(channel.Queued), at, at, e.Message.ThreadID, e.Message.RunID, only, only)
}

// Draft implements [channel.Drafts].
func (o Outbox) Draft(ctx context.Context, run, name string, at channel.Address) (d channel.Draft, err error) {
	rows, err := o.db.Query(ctx, `SELECT
		(SELECT COUNT(*) FROM channel_drafts WHERE run_id = ?),
		COALESCE((SELECT sent FROM channel_drafts WHERE run_id = ? AND channel = ? AND chat = ? AND branch = ? AND used = 0 ORDER BY number DESC LIMIT 1), ''),
		(SELECT COUNT(*) FROM channel_deliveries WHERE channel = ? AND chat = ? AND branch = ? AND state IN ('queued', 'sending'))`,
		run, run, name, at.Chat, at.Branch, name, at.Chat, at.Branch)
	if err != nil {
		return d, fmt.Errorf("read what grows: %w", err)
	}
	return first(rows, func(scan func(...any) error) (d channel.Draft, err error) {
		var waits int
		err = scan(&d.Number, &d.ID, &waits)
		d.Waits = waits > 0
		return d, err
	})
}
