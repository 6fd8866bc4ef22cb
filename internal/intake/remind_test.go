package intake

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/document"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
)

// askers are people of whom one is in Berlin.
type askers struct{}

func (askers) Persons(context.Context) ([]org.Person, error) {
	return []org.Person{{ID: "per_dana", Name: "Dana Reyes", Enabled: true}, {ID: "per_ann", Name: "Ann Lee", Enabled: true}, {ID: "per_eva", Name: "Eva Stein", Enabled: true}, {ID: "per_evb", Name: "Eva Braun", Enabled: true}}, nil
}

func (askers) ZoneOf(_ context.Context, person string) (string, error) {
	return map[string]string{"per_ann": "Europe/Berlin"}[person], nil
}

// askers adds two of the people.
func (b *notebook) askers() {
	b.t.Helper()
	for id, name := range map[string]string{"per_dana": "Dana Reyes", "per_ann": "Ann Lee"} {
		_, err := b.db.Log.Append(b.t.Context(), org.PersonAddedKind.Draft(event.Place{Stream: event.OrgStream, Thread: "thr_1", Run: "run_0", Task: "task_0", From: event.Party{AgentID: "agent:chela"}}, org.PersonAdded{ID: id, Name: name, Role: org.Editor}))
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

// TestMinutes_AskForReminders: whom a text means is told, at their time, with the line; what has passed is told and not made.
func TestMinutes_AskForReminders(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	b.askers()
	day := b.db.Mint().Now().UTC().AddDate(0, 0, 30)
	next := day.AddDate(0, 0, 1).Format(time.DateOnly)
	text := fmt.Sprintf("# Weekly %s\n\nAttendees: Ann Lee, Joe Martinez\n\n- Remind me tomorrow at 10 to call the bank\n- Reminder for Ann: renew the certificate on %s at 14:30\n- Joe: remind me on %s to send the report\n- Remind Eva on %s to pay\n- Remind me on 2026-01-05 to look back\n- Remind me %s to plan\n", day.Format(time.DateOnly), next, next, next, day.Format("Monday"))
	var problems []string
	take := func() (made int) {
		id := b.begun()
		b.outside(func(w *clerk.Work) error {
			p := &player{in: (&Intake{clerk: b.clerk}).Knowing(askers{}), id: id, seen: make(map[string]bool), begun: w.Now(), s: &run.Segment{Run: run.Run{Spec: run.Spec{ID: "run_1", Project: b.project, By: event.Party{AgentID: "agent:person/per_dana"}}}}}
			r := &recorder{p: p, w: w, src: source{doc: doc{Name: "m.md"}, Doc: document.Doc{Text: text}}, made: make(map[string]int), people: make(map[string]string), seen: make(map[string]bool)}
			if err := r.whoAsks(t.Context()); err != nil {
				return err
			}
			err := r.minutes()
			problems, made = p.body.Problems, r.made[string(desk.Reminder)]
			return err
		})
		return made
	}
	if made := take(); made != 4 {
		t.Errorf("it made %d reminders", made)
	}
	if len(problems) != 2 || !strings.HasSuffix(problems[0], `m.md, line 9: no reminder was made of "look back", for 2026-01-05 has passed.`) || !strings.Contains(problems[1], `no reminder was made of "plan", for "`+day.Format("Monday")+`"`) {
		t.Errorf("it tells %q", problems)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := day.AddDate(0, 0, 1)
	in := time.Date(at.Year(), at.Month(), at.Day(), 14, 30, 0, 0, berlin).UTC().Format(time.RFC3339)
	want := []string{
		"Eva: pay of per_dana at " + next, "Joe: send the report of per_dana at " + next, "call the bank of per_dana at " + next + "T10:00:00Z", "renew the certificate of per_ann at " + in,
	}
	got := func() (out []string) {
		b.plan(func(w *clerk.Work) error {
			all, err := w.List(clerk.Query{Kind: desk.Reminder})
			for _, r := range all {
				x, err := desk.Open[desk.ReminderBody](r)
				if err != nil {
					return err
				}
				if len(x.Sources) != 1 || x.Sources[0].Line < 5 || x.ThreadID == "" {
					t.Errorf("%s comes from %+v", x.Message, x.Sources)
				}
				out = append(out, fmt.Sprintf("%s of %s at %s", x.Message, strings.TrimPrefix(x.Person, "agent:person/"), x.TriggerAt))
			}
			return err
		})
		slices.Sort(out)
		return out
	}
	if g := got(); !slices.Equal(g, want) {
		t.Errorf("got %q, want %q", g, want)
	}
	if tickets := b.tickets(); len(tickets) > 0 {
		t.Errorf("what is asked for as a reminder is a ticket, too: %q", tickets)
	}
	if made := take(); made != 0 || len(got()) != 4 {
		t.Errorf("again, it made %d", made)
	}
}

// TestMinutes_RemindersRecur: how often is kept, in the zone of who asked, from the first time that is to come; what cannot be read makes none.
func TestMinutes_RemindersRecur(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	b.askers()
	text := "# Weekly 2026-01-07\n\nAttendees: Ann Lee, Joe Martinez\n\n- Ann Lee: remind me every Friday at 9 to send the report\n- Remind me daily at 18:00 to look at the board\n- Remind us on the 1st of each month to pay the rent\n- Remind me every weekday at 8:30 to open the doors\n- Remind me every other Friday to water the plants\n"
	b.outside(func(w *clerk.Work) error {
		p := &player{in: (&Intake{clerk: b.clerk}).Knowing(askers{}), id: b.begun(), seen: make(map[string]bool), begun: w.Now(), s: &run.Segment{Run: run.Run{Spec: run.Spec{ID: "run_1", Project: b.project, By: event.Party{AgentID: "agent:person/per_dana"}}}}}
		r := &recorder{p: p, w: w, src: source{doc: doc{Name: "m.md"}, Doc: document.Doc{Text: text}}, made: make(map[string]int), people: make(map[string]string), seen: make(map[string]bool)}
		if err := r.whoAsks(t.Context()); err != nil {
			return err
		}
		return r.minutes()
	})
	b.plan(func(w *clerk.Work) error {
		now, got := w.Now(), make(map[string]desk.ReminderBody)
		all, err := w.List(clerk.Query{Kind: desk.Reminder})
		for _, rec := range all {
			x, err := desk.Open[desk.ReminderBody](rec)
			if err != nil {
				return err
			}
			if got[x.Message] = x; !x.Recurring || !x.At(time.UTC).After(now) {
				t.Errorf("%+v", x)
			}
		}
		berlin, zoned := time.LoadLocation("Europe/Berlin")
		report, board, rent, doors := got["send the report"], got["look at the board"], got["pay the rent"], got["open the doors"]
		at := report.At(time.UTC).In(berlin)
		switch {
		case len(got) != 4 || zoned != nil:
			t.Errorf("%+v", got)
		case report.Interval != 604_800 || report.Timezone != "Europe/Berlin" || at.Weekday() != time.Friday || at.Hour() != 9 || report.Person != "agent:person/per_ann":
			t.Errorf("each Friday: %+v", report)
		case board.Interval != 86_400 || board.At(time.UTC).Hour() != 18 || board.Timezone != "UTC":
			t.Errorf("daily: %+v", board)
		case rent.MonthDay != 1 || rent.Interval != 0 || rent.At(time.UTC).Day() != 1:
			t.Errorf("each month: %+v", rent)
		case !doors.Weekdays || doors.At(time.UTC).Hour() != 8:
			t.Errorf("weekdays: %+v", doors)
		}
		return err
	})
}
