package clerk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// TestClerk_AReminderIsOfAPersonWhoExists: what somebody gives is refused when it is nobody; what a reminder had before stays.
func TestClerk_AReminderIsOfAPersonWhoExists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := place()
	at.Stream = event.OrgStream
	old, err := json.Marshal(desk.ReminderBody{Message: "Old", Type: desk.ByTime, TriggerAt: "2031-01-01", Person: "per_nobody"})
	if err != nil {
		t.Fatal(err)
	}
	before := desk.Change{ID: "rem_old", Kind: desk.Reminder, Project: w.project, Op: desk.Created, Version: 1, Set: old}
	if _, err := w.db.Log.Append(t.Context(), org.PersonAddedKind.Draft(at, org.PersonAdded{ID: "per_ann", Name: "Ann", Role: org.Editor}), before.Draft(at)); err != nil {
		t.Fatal(err)
	}
	mine := w.make(desk.Reminder, `{"message":"Mine","triggerAt":"2031-01-01"}`)
	for person, fits := range map[string]bool{"": true, "agent:person/per_ann": true, "agent:test": true, "per_ann": false, "per_nobody": false, "agent:person/per_nobody": false, "agent:person/": false, "agent:pm": false, "Ann": false} {
		body, err := json.Marshal(desk.ReminderBody{Message: "Call " + person, TriggerAt: "2031-01-01", Person: person})
		if err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{
			"created": w.do(func(c *clerk.Work) error {
				_, err := c.Create(desk.Reminder, body)
				return err
			}),
			"changed": w.do(func(c *clerk.Work) error {
				_, err := c.Patch(desk.Reminder, mine, json.RawMessage(`{"person":`+string(quoted(person))+`}`))
				return err
			}),
		} {
			if (err == nil) != fits || err != nil && !strings.Contains(fault.TextOf(err), "is no person here") {
				t.Errorf("%s for %q: %v, want it to fit: %v", what, person, err, fits)
			}
		}
	}
	w.patch(desk.Reminder, "rem_old", `{"message":"Still old"}`)
	if got := open[desk.ReminderBody](w, "rem_old"); got.Message != "Still old" || got.Person != "per_nobody" {
		t.Errorf("the old one is %+v", got)
	}
}

func quoted(s string) []byte {
	raw, _ := json.Marshal(s) // a string is encoded always
	return raw
}
