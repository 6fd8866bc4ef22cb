package api

import (
	"context"
	"net/http"

	"chela/internal/desk"
	"chela/internal/extract"
	"chela/internal/org"
)

// OftenBody says in words how often a reminder comes.
type OftenBody struct {
	Every    string `json:"every" maxLength:"200" doc:"such as daily at 9, every Friday at 16:00, every weekday at 8:30, each month on the 1st"`
	Timezone string `json:"timezone,omitempty" doc:"an IANA name such as Europe/Berlin; UTC when left out"`
}

// OftenOut is what the words mean: the fields of a reminder that recurs so.
type OftenOut struct {
	TriggerAt desk.Date `json:"triggerAt" doc:"its first time that is to come"`
	Recurring bool      `json:"recurring"`
	Interval  int       `json:"intervalSeconds,omitempty"`
	Weekdays  bool      `json:"weekdays,omitempty"`
	MonthDay  int       `json:"monthDay,omitempty"`
	Timezone  string    `json:"timezone"`
}

func (a *api) oftenRoutes() {
	route(a, http.MethodPost, "/api/reminders/read", "read-repeat", "Read in words how often a reminder comes; nothing is recorded", org.Viewer, func(_ context.Context, in *struct{ Body OftenBody }) (*Body[OftenOut], error) {
		var b desk.ReminderBody
		err := extract.Recur(&b, in.Body.Every, in.Body.Timezone, a.Store.Desk.Mint().Now())
		return body(OftenOut{b.TriggerAt, b.Recurring, b.Interval, b.Weekdays, b.MonthDay, b.Timezone}, err)
	})
}
