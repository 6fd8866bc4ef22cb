package schedule_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/run/local"
	"chela/internal/schedule"
	"chela/internal/session"
	"chela/internal/store"
	"chela/internal/tool"
)

// A simulated is a room whose runs end at once, and in which every time is the room's.
type simulated struct {
	*room
	mint  *event.Mint
	asked atomic.Int64 // runs that asked an agent
	clock *schedule.Clock
}

func simulate(t *testing.T) *simulated {
	t.Helper()
	s := &simulated{room: newRoom(t)}
	s.mint = event.NewMint(s.now)
	s.db = store.New(s.db.Backend, store.Options{Mint: s.mint})
	log := slog.New(slog.DiscardHandler)
	s.runs = run.New(s.db, s.db.Runs, local.New(s.db.Queue, nil, log), run.Options{Log: log, Grace: time.Millisecond})
	s.runs.Handle(session.ChatRun, func(context.Context, *run.Segment) (run.Outcome, error) {
		s.asked.Add(1)
		return run.Outcome{State: run.Done}, nil
	})
	s.editor = schedule.NewEditor(s.runs, s.db, func() time.Time { return s.now })
	for _, f := range schedule.Defaults() {
		if _, err := s.editor.Create(t.Context(), run.Chela(), f); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.runs.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	s.clock = s.room.clock(schedule.Options{})
	return s
}

// until works everything that is due until an instant.
func (s *simulated) until(end time.Time) {
	s.t.Helper()
	for s.now.Before(end) {
		next := s.pass(s.clock)
		for deadline := time.Now().Add(20 * time.Second); ; {
			open, err := s.db.Plan.Executions(s.t.Context(), schedule.Filter{State: schedule.Running})
			if err != nil {
				s.t.Fatal(err)
			}
			if len(open) == 0 {
				break
			}
			if time.Now().After(deadline) {
				s.t.Fatalf("%d executions do not end", len(open))
			}
			<-time.After(time.Millisecond)
			next = s.pass(s.clock)
		}
		if next.IsZero() || next.After(end) {
			next = end
		}
		s.forward(next)
	}
}

func (s *simulated) forward(to time.Time) {
	s.mint.Forward(to.Sub(s.now))
	s.now = to
}

// TestClock_AnIdleWeekAsksNobody plays weeks of the default schedules.
func TestClock_AnIdleWeekAsksNobody(t *testing.T) {
	t.Parallel()
	s := simulate(t)
	week := func() int64 {
		t.Helper()
		before := s.asked.Load()
		s.until(s.now.AddDate(0, 0, 7))
		return s.asked.Load() - before
	}
	if n := week(); n != 0 {
		t.Errorf("a week with an empty project: agents were asked %d times, want 0", n)
	}
	s.ticket(&desk.TicketBody{Title: "Retry the refund"})
	if n := week(); n != 6 {
		t.Errorf("the week after the first ticket: agents were asked %d times, want each of the 6 once", n)
	}
	if n := week(); n != 0 {
		t.Errorf("an idle week: agents were asked %d times, want 0", n)
	}
	list, _, err := s.db.Plan.Attempts(t.Context(), schedule.Filter{State: schedule.Skipped, Limit: 1})
	if err != nil || len(list) != 1 || !strings.Contains(list[0].Error, "has changed or come due since it looked at") {
		t.Errorf("why it was skipped: %+v %v", list, err)
	}
	due := s.now.AddDate(0, 0, 9)
	s.ticket(&desk.TicketBody{Title: "Sign the contract", DueDate: desk.DateOf(due)})
	if n := week(); n != 6 {
		t.Errorf("the week after a ticket with a date: agents were asked %d times, want each once", n)
	}
	if n := week(); n < 6 {
		t.Errorf("the week in which it is due: agents were asked %d times, want each at least once", n)
	}
	if n := week(); n != 1 {
		t.Errorf("the week after that: agents were asked %d times, want the one that looks on Mondays", n)
	}
	if n := week(); n != 0 {
		t.Errorf("a week without dates: agents were asked %d times, want 0", n)
	}
}

// TestClock_AlwaysAsks: a schedule that says so asks each time, and so does one whose agent reaches
// further than the records.
func TestClock_AlwaysAsks(t *testing.T) {
	t.Parallel()
	s := simulate(t)
	s.ticket(&desk.TicketBody{Title: "Retry the refund"})
	f := daily()
	f.Inputs.Always = true
	if _, err := s.editor.Create(t.Context(), run.Chela(), f); err != nil {
		t.Fatal(err)
	}
	s.until(s.now.AddDate(0, 0, 7))
	if n := s.asked.Load(); n != 6+7 {
		t.Errorf("agents were asked %d times in the first week, want 13", n)
	}
	a, err := s.db.Roster.Agent(t.Context(), "agent:pm")
	if err != nil {
		t.Fatal(err)
	}
	a.Permissions = org.Permissions{org.Network: true}
	s.add(org.RegisterKind.Draft(s.place(event.OrgStream), org.Registration{Card: a.Card, Profile: &a.Profile}))
	if _, err := s.editor.Create(t.Context(), run.Chela(), daily()); err != nil {
		t.Fatal(err)
	}
	before := s.asked.Load()
	s.until(s.now.AddDate(0, 0, 7))
	if n := s.asked.Load() - before; n != 7+7 {
		t.Errorf("agents were asked %d times in the second week, want 14", n)
	}
}

// TestRemind_ReachesWhoAsked: a reminder rings once, in the conversation in which it was asked for, else
// in one of the person's.
func TestRemind_ReachesWhoAsked(t *testing.T) {
	t.Parallel()
	s := simulate(t)
	ann := org.Person{ID: "per_ann"}.Party()
	s.add(org.PersonAddedKind.Draft(s.place(event.OrgStream), org.PersonAdded{ID: "per_ann", Name: "Ann", Role: org.Editor}))
	opened := s.place(event.ThreadStream("thr_chat"))
	opened.Thread = "thr_chat"
	s.add(session.OpenedKind.Draft(opened, session.Opened{Project: s.project, Channel: "team", Title: "Release", Person: ann.AgentID, Chat: &session.Chat{Channel: "team", Chat: "7"}}))
	keep := clerk.New(s.db.Desk)
	add := func(by event.Party, b *desk.ReminderBody) {
		t.Helper()
		at := s.place("")
		at.From = by
		commit := func(d []event.Draft) error { _, err := s.db.Log.Append(t.Context(), d...); return err }
		if err := keep.Do(t.Context(), at, s.project, commit, func(w *clerk.Work) error {
			if by.Role == "agent" { // it had read a mail
				w.FromOutside()
			}
			_, err := clerk.Add(w, desk.Reminder, b)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	at := desk.Date(s.now.Add(time.Hour).Format(time.RFC3339))
	add(event.Party{AgentID: "agent:pm", Role: "agent"}, &desk.ReminderBody{Message: "Call the bank", TriggerAt: at, SessionID: "thr_chat", Person: ann.AgentID})
	add(ann, &desk.ReminderBody{Message: "Sign the contract", TriggerAt: at})
	add(event.Party{AgentID: "agent:pm", Role: "agent"}, &desk.ReminderBody{Message: "Nobody asked", TriggerAt: at})
	s.forward(s.now.Add(2 * time.Hour))
	for range 3 { // two more clocks, or a restart
		if _, _, err := s.room.clock(schedule.Options{}).Remind(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	from := map[string]string{"thr_chat": tool.FromImports, "thr_reminders_per_ann": tool.FromRecords}
	for thread, want := range map[string]string{"thr_chat": "Reminder: Call the bank", "thr_reminders_per_ann": "Reminder: Sign the contract"} {
		said, err := s.db.Conversations.Messages(t.Context(), thread, 0, 10)
		if err != nil || len(said) != 1 || said[0].Message != want || said[0].Role != session.FromAgent || len(said[0].Origins) != 1 || said[0].Origins[0] != from[thread] {
			t.Errorf("%s: %+v %v, want %q once, with where its words are from", thread, said, err, want)
		}
	}
	if mine, err := s.db.Conversations.Session(t.Context(), "thr_reminders_per_ann"); err != nil || mine.Person != ann.AgentID || mine.Title != "Reminders" {
		t.Errorf("the person's conversation: %+v %v", mine, err)
	}
	due, err := s.db.Outbox.Due(t.Context(), "team")
	if err != nil || len(due) != 1 {
		t.Errorf("%d deliveries wait (%v), want one to the chat", len(due), err)
	}
}
