package notify

import (
	"chela/internal/event"
	"chela/internal/schedule"
)

// answered tells the person of a schedule how an execution ended: the answer that is for their inbox, or why none came, or why it went nowhere.
func answered(e event.Event, p schedule.Ended) []Concern {
	t := p.Tells
	if t == nil {
		return nil
	}
	n := Notification{Reason: Schedule, Title: short(t.Title, 300), Text: p.Summary, By: string(t.Agent), Project: t.Project}
	if p.Kept || p.Result != schedule.Success {
		n.Text = p.Reason
	}
	if p.Attempt > 0 { // else nothing was begun
		n.Run, n.Thread = e.Message.RunID, e.Message.ThreadID
	}
	n.Text = short(n.Text, 500)
	return []Concern{{Person: t.Person, key: string(p.ID), Notification: n}}
}
