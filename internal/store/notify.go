package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/approval"
	"chela/internal/channel"
	"chela/internal/event"
	"chela/internal/notify"
	"chela/internal/org"
	"chela/internal/session"
)

// Notifications are what people were told, and where they want to be told.
type Notifications struct{ base }

// projectNotification writes what a person is told, and what becomes of it.
func (tx *Tx) projectNotification(e event.Event) error {
	person, at := event.PersonOfStream(e.Stream), micros(e.At)
	switch e.Message.Type {
	case notify.RaisedKind.Name:
		return open(e, notify.RaisedKind, func(n notify.Notification) error {
			due := int64(0)
			if !n.ChatAt.IsZero() {
				due = micros(n.ChatAt)
			}
			return tx.do("INSERT INTO notifications (id, person, approval, ending, body, seq, at, read_at, done_at, chat_at) VALUES (?,?,?,?,?,?,?,0,0,?)",
				n.ID, person, n.Approval, n.Ending(), string(e.Message.Payload), int64(e.Seq), at, due)
		})
	case notify.SettledKind.Name:
		return open(e, notify.SettledKind, func(p notify.Settled) error {
			set, args := "read_at = 0, done_at = 0", []any{}
			switch p.State {
			case notify.Read:
				set, args = "read_at = CASE WHEN read_at = 0 THEN ? ELSE read_at END", []any{at}
			case notify.Done:
				set, args = "done_at = ?, read_at = CASE WHEN read_at = 0 THEN ? ELSE read_at END", []any{at, at}
			case notify.New:
			}
			return tx.eachNotification("UPDATE notifications SET "+set, args, person, p.IDs)
		})
	case notify.ToldKind.Name:
		return open(e, notify.ToldKind, func(p notify.Told) error {
			return tx.eachNotification("UPDATE notifications SET chat_at = 0", nil, person, p.IDs)
		})
	case notify.PreferencesKind.Name:
		tx.topics[event.PeopleConcerned], tx.topics[event.PlanChanged] = true, true // when they are told, and where a day of theirs is
		if err := tx.do("INSERT INTO notification_preferences (person, body) VALUES (?, ?) ON CONFLICT (person) DO UPDATE SET body = excluded.body", person, string(e.Message.Payload)); err != nil {
			return err
		}
		return open(e, notify.PreferencesKind, func(p notify.Preferences) error { return tx.rescheduleChats(person, p, e.At) })
	}
	return nil
}

// rescheduleChats reckons anew when what waits goes to a person's chat: they want it otherwise from a moment on.
func (tx *Tx) rescheduleChats(person string, p notify.Preferences, from time.Time) error {
	rows, err := tx.query("SELECT "+notificationFields+" FROM notifications WHERE person = ? AND chat_at > 0 AND read_at = 0 ORDER BY seq", person)
	if err != nil {
		return err
	}
	waiting, err := all(rows, scanNotification)
	if err != nil {
		return err
	}
	for _, n := range waiting {
		due := int64(0)
		if at := p.ChatAt(n.Reason, from); p.Wants(n.Reason) && !at.IsZero() {
			due = micros(at)
		}
		if err := tx.do("UPDATE notifications SET chat_at = ? WHERE person = ? AND id = ?", due, person, n.ID); err != nil {
			return err
		}
	}
	return nil
}

// eachNotification changes a person's notifications of these ids.
func (tx *Tx) eachNotification(update string, args []any, person string, ids []string) error {
	for _, id := range ids {
		if err := tx.do(update+" WHERE person = ? AND id = ?", append(append([]any{}, args...), person, id)...); err != nil {
			return err
		}
	}
	return nil
}

const notificationFields = "person, body, at, read_at, done_at, chat_at"

type personal struct {
	person string
	notify.View
}

func scanNotification(scan func(...any) error) (p personal, err error) {
	var body string
	var at, read, done, chat int64
	if err := scan(&p.person, &body, &at, &read, &done, &chat); err != nil {
		return p, err
	}
	if err := json.Unmarshal([]byte(body), &p.Notification); err != nil {
		return p, fmt.Errorf("decode a notification: %w", err)
	}
	p.At = fromMicros(at)
	if chat != 0 {
		p.ChatAt = fromMicros(chat) // as it is reckoned now
	}
	if read != 0 {
		p.ReadAt = fromMicros(read)
	}
	if done != 0 {
		p.DoneAt = fromMicros(done)
	}
	return p, nil
}

// List returns a person's notifications, newest first: the open ones, or all.
func (n Notifications) List(ctx context.Context, person string, all bool, limit int) ([]notify.View, error) {
	where := "person = ? AND done_at = 0"
	if all {
		where = "person = ?"
	}
	rows, err := n.db.Query(ctx, "SELECT "+notificationFields+" FROM notifications WHERE "+where+" ORDER BY seq DESC"+limited(limit), person)
	if err != nil {
		return nil, fmt.Errorf("list notifications: %w", err)
	}
	return views(rows)
}

func views(rows Rows) ([]notify.View, error) {
	out := []notify.View{}
	return out, each(rows, func(scan func(...any) error) error {
		p, err := scanNotification(scan)
		out = append(out, p.View)
		return err
	})
}

// Count returns how many of a person's notifications are open, and how many of those are not read.
func (n Notifications) Count(ctx context.Context, person string) (open, unread int, err error) {
	err = n.db.one(ctx, "SELECT count(*), coalesce(sum(CASE WHEN read_at = 0 THEN 1 ELSE 0 END), 0) FROM notifications WHERE person = ? AND done_at = 0", []any{person}, &open, &unread)
	return open, unread, err
}

// Preferences implements [notify.Inbox].
func (n Notifications) Preferences(ctx context.Context, person string) (notify.Preferences, error) {
	var body string
	err := n.db.one(ctx, "SELECT body FROM notification_preferences WHERE person = ?", []any{person}, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return notify.Usual(), nil
	}
	var out notify.Preferences
	if err == nil {
		err = json.Unmarshal([]byte(body), &out)
	}
	if err != nil {
		return out, fmt.Errorf("read the preferences of %s: %w", person, err)
	}
	return out, nil
}

// ZoneOf implements [schedule.Zones]: it is that of their notifications.
func (n Notifications) ZoneOf(ctx context.Context, person string) (string, error) {
	p, err := n.Preferences(ctx, person)
	return p.Zone, err
}

// Over implements [notify.Inbox].
func (n Notifications) Over(ctx context.Context) (map[string][]string, error) {
	ends := notify.Ends()
	rows, err := n.db.Query(ctx, `SELECT o.person, o.id FROM (
			SELECT n.person, n.id, n.seq FROM notifications n JOIN approvals a ON a.id = n.approval WHERE n.approval <> '' AND n.done_at = 0 AND a.status <> ?
			UNION ALL
			SELECT n.person, n.id, n.seq FROM notifications n JOIN desk_records r ON r.id = n.ending
			WHERE n.ending <> '' AND n.done_at = 0 AND (r.deleted <> 0 OR r.merged_into <> '' OR r.status IN (`+marks(len(ends))+`))
		) o ORDER BY o.seq`+limited(mostDue), append([]any{string(approval.Pending)}, anys(ends)...)...)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]string)
	return out, each(rows, func(scan func(...any) error) error {
		var person, id string
		err := scan(&person, &id)
		out[person] = append(out[person], id)
		return err
	})
}

// OpenDue implements [notify.Inbox].
func (n Notifications) OpenDue(ctx context.Context, tickets []string) (map[string][]notify.View, error) {
	return n.openOf(ctx, notify.Due, tickets)
}

// OpenReminders implements [notify.Inbox].
func (n Notifications) OpenReminders(ctx context.Context, reminders []string) (map[string][]notify.View, error) {
	return n.openOf(ctx, notify.Reminder, reminders)
}

// InChat implements [notify.Inbox].
func (n Notifications) InChat(ctx context.Context, thread string) (bool, error) {
	count := 0
	err := n.db.one(ctx, "SELECT count(*) FROM sessions WHERE thread_id = ? AND chat_channel <> ''", []any{thread}, &count)
	return count > 0, err
}

// openOf lists the open notifications for a reason that are about some records, or about any when that is nil, by person.
func (n Notifications) openOf(ctx context.Context, reason notify.Reason, records []string) (map[string][]notify.View, error) {
	out := make(map[string][]notify.View)
	take := func(where string, args []any) error {
		rows, err := n.db.Query(ctx, "SELECT "+notificationFields+" FROM notifications WHERE ending <> '' AND done_at = 0"+where, args...)
		if err != nil {
			return err
		}
		return each(rows, func(scan func(...any) error) error {
			p, err := scanNotification(scan)
			if err == nil && p.Reason == reason {
				out[p.person] = append(out[p.person], p.View)
			}
			return err
		})
	}
	if records == nil {
		return out, take("", nil)
	}
	for some := range slices.Chunk(records, maxRows) {
		if err := take(" AND ending IN ("+marks(len(some))+")", anys(some)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ForChats implements [notify.Inbox].
func (n Notifications) ForChats(ctx context.Context, now time.Time, except []string) (map[string][]notify.View, error) {
	args := []any{micros(now)}
	for _, person := range except {
		args = append(args, person)
	}
	others := ""
	if len(except) > 0 {
		others = " AND person NOT IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(except)), ", ") + ")"
	}
	rows, err := n.db.Query(ctx, "SELECT "+notificationFields+" FROM notifications WHERE chat_at > 0 AND chat_at <= ? AND read_at = 0"+others+" ORDER BY seq"+limited(mostDue), args...)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]notify.View)
	return out, each(rows, func(scan func(...any) error) error {
		p, err := scanNotification(scan)
		out[p.person] = append(out[p.person], p.View)
		return err
	})
}

// ChatOf implements [notify.Inbox]. A chat in which others are is none of theirs, nor is one in which the
// platform's account is not linked to them any more.
func (n Notifications) ChatOf(ctx context.Context, person string) (string, error) {
	rows, err := n.db.Query(ctx, `SELECT s.thread_id, s.chat_channel,
			coalesce((SELECT m.body FROM messages m WHERE m.thread_id = s.thread_id AND m.role IN ('person', 'command') ORDER BY m.seq DESC LIMIT 1), '{}')
		FROM sessions s WHERE s.person = ? AND s.chat_channel <> '' AND s.closed = 0 ORDER BY s.updated_at DESC`+limited(20), org.Person{ID: person}.Party().AgentID)
	if err != nil {
		return "", fmt.Errorf("look for a chat of %s: %w", person, err)
	}
	type chat struct{ thread, channel, body string }
	chats, err := all(rows, func(scan func(...any) error) (c chat, err error) { return c, scan(&c.thread, &c.channel, &c.body) })
	if err != nil || len(chats) == 0 {
		return "", err
	}
	for _, c := range chats {
		var said session.Said
		if err := json.Unmarshal([]byte(c.body), &said); err != nil {
			return "", fmt.Errorf("decode a message: %w", err)
		}
		if said.Via == nil || said.Via.Group {
			continue
		}
		who, err := n.db.People.PersonOf(ctx, channel.Identity(c.channel, said.Via.Sender))
		if err == nil && who.ID == person && who.Enabled {
			return c.thread, nil
		}
	}
	return "", nil
}
