package store

import (
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/run"
)

// everyTurn are the types that every turn records: they are so dense that reading along
// finds them, and the index of types leaves them out.
const everyTurn = "'chat.message', 'task.request', 'task.accept', 'task.result', 'run.queued', 'run.started', 'run.finished', 'model.answered'"

func filter(f event.Filter, after event.Seq) (where []string, args []any) {
	add := func(cond, value string) {
		if value != "" {
			where, args = append(where, cond), append(args, value)
		}
	}
	add("stream = ?", f.Stream)
	if f.Thread != "" { // what is not in its own stream has an index
		where = append(where, "(stream = ? OR thread_id = ? AND stream <> 'thread:' || thread_id)")
		args = append(args, event.ThreadStream(f.Thread), f.Thread)
	}
	add("run_id = ?", f.Run)
	add("actor = ?", f.Actor)
	if space, ok := strings.CutSuffix(f.Type, "*"); ok {
		add("type LIKE ?", space+"%")
	} else {
		add("type = ?", f.Type)
		if f.Type != "" && !strings.Contains(everyTurn, "'"+f.Type+"'") {
			where = append(where, "type NOT IN ("+everyTurn+")")
		}
	}
	if out := strings.TrimSuffix(f.Without, "*"); out != "" {
		where, args = append(where, "type NOT LIKE ?"), append(args, out+"%")
	}
	switch {
	case f.Newest && after > 0:
		where, args = append(where, "seq < ?"), append(args, int64(after))
	case !f.Newest:
		where, args = append(where, "seq > ?"), append(args, int64(after))
	}
	return where, args
}

// spans calls fn with the streams and the types of the desk's events past a position, and when the first and the last of each was recorded.
func (l logTable) spans(after, end event.Seq, fn func(stream, kind string, first, last time.Time)) error {
	rows, err := l.query("SELECT stream, type, min(ts), max(ts) FROM "+eventTable+" WHERE seq > ? AND seq <= ? AND type >= 'desk.' AND type < 'desk/' GROUP BY stream, type", int64(after), int64(end))
	if err != nil {
		return err
	}
	return each(rows, func(scan func(...any) error) error {
		var stream, kind string
		var first, last int64
		if err := scan(&stream, &kind, &first, &last); err != nil {
			return err
		}
		fn(stream, kind, fromMicros(first), fromMicros(last))
		return nil
	})
}

// times calls fn with the types of a run's events, and when they were recorded, of two types.
func (l logTable) times(id run.ID, one, other string, fn func(kind string, at time.Time)) error {
	rows, err := l.query("SELECT type, ts FROM "+eventTable+" WHERE run_id = ? AND type IN (?, ?) ORDER BY seq", string(id), one, other)
	if err != nil {
		return err
	}
	return each(rows, func(scan func(...any) error) error {
		var kind string
		var at int64
		err := scan(&kind, &at)
		fn(kind, fromMicros(at))
		return err
	})
}
