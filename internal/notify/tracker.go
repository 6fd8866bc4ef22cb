package notify

import (
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/tracker"
)

// patience is how many times in a row a tracker may be unreadable before somebody is told.
const patience = 3

// unread tells the admins of a tracker that still cannot be read.
func unread(e event.Event, f tracker.Failed, people []org.Person) []Concern {
	if f.Row != patience {
		return nil
	}
	said := Notification{Reason: Failed, Title: "The tracker " + f.Name + " cannot be read", Text: short(f.Why, 300) + " `chela tracker show " + f.Name + "` says more."}
	var out []Concern
	for _, p := range people {
		if p.Enabled && p.Role.AtLeast(org.Admin) {
			out = append(out, Concern{Person: p.ID, key: "tracker/" + f.Name + "/" + e.Message.ID, Notification: said})
		}
	}
	return out
}
