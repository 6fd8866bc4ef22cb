package schedule_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
)

func onceAt(at, zone string) schedule.Fields {
	return schedule.Fields{Agent: "agent:pm", Enabled: true, Type: schedule.Once, OnceAt: at, Timezone: zone}
}

// TestOnce_ReadsTimes: a time is meant on the clock of the zone, or says its own; what the clock leaves out comes when it jumps, what it shows
// twice at the first.
func TestOnce_ReadsTimes(t *testing.T) {
	t.Parallel()
	for in, c := range map[string]struct{ zone, kept, at string }{
		"2026-12-01 09:00":          {"Europe/Berlin", "2026-12-01 09:00", "2026-12-01T08:00:00Z"},
		"2026-12-01T09:00":          {"", "2026-12-01 09:00", "2026-12-01T09:00:00Z"},
		"2026-12-01 09:00:30":       {"", "2026-12-01 09:00:30", "2026-12-01T09:00:30Z"},
		"2026-12-01T09:00:00+02:00": {"Europe/Berlin", "2026-12-01T07:00:00Z", "2026-12-01T07:00:00Z"},
		"2026-03-29 02:30":          {"Europe/Berlin", "2026-03-29 02:30", "2026-03-29T01:00:00Z"},
		"2026-10-25 02:30":          {"Europe/Berlin", "2026-10-25 02:30", "2026-10-25T00:30:00Z"},
	} {
		f, err := onceAt(in, c.zone).Checked()
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if at, ok := f.Once(); !ok || f.OnceAt != c.kept || at.Format(time.RFC3339) != c.at {
			t.Errorf("%s is kept as %q and comes at %s, want %q at %s", in, f.OnceAt, at, c.kept, c.at)
		}
	}
	for _, bad := range []string{"", "tomorrow", "2026-13-01 09:00", "2026-02-30 09:00", "09:00", "0001-01-01 00:00", "2026-12-01"} {
		if _, err := onceAt(bad, "").Checked(); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q is read: %v", bad, err)
		}
	}
	now := time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC)
	for in, want := range map[string]string{"20m": "2026-03-02T08:50:00Z", "2d": "2026-03-04T08:30:00Z", " 3H ": "2026-03-02T11:30:00Z"} {
		if got, err := schedule.In(now, in); err != nil || got != want {
			t.Errorf("in %q: %s %v", in, got, err)
		}
	}
	for _, bad := range []string{"", "soon", "-1h", "0", "400d", "99999999999d", "1ms"} {
		if got, err := schedule.In(now, bad); err == nil {
			t.Errorf("in %q is %s", bad, got)
		}
	}
}

// FuzzOnce: what is read is kept so that it is read again as the same instant, after which there is none.
func FuzzOnce(f *testing.F) {
	for _, s := range []string{"2026-12-01 09:00", "2026-12-01T09:00:00+02:00", "2026-03-29 02:30", "9998-12-31 23:59:59", "x"} {
		f.Add(s, "Europe/Berlin")
	}
	f.Fuzz(func(t *testing.T, text, zone string) {
		s, err := onceAt(text, zone).Checked()
		if err != nil {
			return
		}
		at, ok := s.Once()
		again, err := s.Checked()
		if then, _ := again.Once(); !ok || err != nil || again.OnceAt != s.OnceAt || !then.Equal(at) {
			t.Fatalf("%q in %q: %+v, then %+v %v", text, zone, s, again, err)
		}
		if next, ok := s.Next(at.Add(-time.Second)); !ok || !next.Equal(at) {
			t.Fatalf("%q in %q comes at %s, %v; want %s", text, zone, next, ok, at)
		}
		if next, ok := s.Next(at); ok || !s.Over(at) {
			t.Fatalf("%q in %q comes again at %s", text, zone, next)
		}
		if _, err := schedule.In(at, text); err == nil && strings.TrimSpace(text) == "" {
			t.Fatal("nothing is a wait")
		}
	})
}

// TestOnce_WorksOnceWhateverHappens: a schedule that works once begins for its instant at most once, whatever is changed before and however long
// nobody is there; when somebody was there, exactly once, or it says why not.
func TestOnce_WorksOnceWhateverHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC))
		at := w.now.Add(time.Duration(rapid.IntRange(1, 180).Draw(rt, "minutes")) * time.Minute)
		f, err := onceAt(at.Format(time.RFC3339), "").Checked()
		if err != nil {
			rt.Fatal(err)
		}
		w.board.Schedules = []schedule.Schedule{{ID: "sch_1", Fields: f, Version: 1}}
		plan := func() { // as the editor does with the change
			s := w.board.Schedules[0]
			for _, o := range w.board.Open {
				if o.State != schedule.Running {
					w.do(rt, schedule.ToEnd{Execution: o, Ended: schedule.Ended{ID: o.ID, Result: schedule.Cancelled, Reason: "The schedule was changed.", Withdrawn: true}})
				}
			}
			if next, ok := s.Next(w.now); ok && s.Enabled {
				w.do(rt, schedule.ToPlan{Schedule: s, Project: "prj_1", At: next})
			}
		}
		plan()
		begun := func() (n int) {
			for _, e := range w.all {
				if e.Attempt > 0 {
					n++
				}
			}
			return n
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0:
				w.now = w.now.Add(time.Duration(rapid.IntRange(1, 90).Draw(rt, "pass")) * time.Minute)
			case 1:
				s := &w.board.Schedules[0]
				s.Message, s.Version = s.Message+"x", s.Version+1
				plan()
			case 2:
				if next := w.pass(rt); next.After(w.now) {
					w.now = next
				}
			case 3:
				for _, e := range w.in(schedule.Running) {
					w.end(e.Run, rapid.SampledFrom([]run.State{run.Done, run.Cancelled}).Draw(rt, "how"))
				}
			}
			w.pass(rt)
			if begun() > 1 {
				rt.Fatalf("it began %d times: %+v", begun(), w.all)
			}
		}
		w.now = w.now.Add(24 * time.Hour)
		w.pass(rt)
		if next := w.pass(rt); begun()+w.skipped < 1 && w.board.Schedules[0].Version == 1 {
			rt.Fatalf("it neither began nor said why not: %+v", w.all)
		} else if !next.IsZero() && len(w.in(schedule.Running)) == 0 {
			rt.Fatalf("it is over and wakes at %s", next)
		}
	})
}

// TestOnce_IsPlannedWithItself: the end of a daemon between the making and the planning of one loses nothing, and it is over after its time.
func TestOnce_IsPlannedWithItself(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	by := org.Person{ID: "per_ann"}.Party()
	if _, err := r.editor.Create(t.Context(), by, onceAt("2026-03-02 08:00", "")); fault.KindOf(err) != fault.Invalid {
		t.Fatalf("one that has passed: %v", err)
	}
	s, err := r.editor.Create(t.Context(), by, onceAt("2026-03-02 09:00", ""))
	if err != nil {
		t.Fatal(err)
	}
	open, err := r.db.Plan.Executions(t.Context(), schedule.Filter{State: schedule.Ready})
	if err != nil || len(open) != 1 {
		t.Fatalf("%+v %v", open, err)
	}
	r.now = r.now.Add(50 * time.Minute) // no daemon was there
	r.pass(r.clock(schedule.Options{}))
	open, err = r.db.Plan.Executions(t.Context(), schedule.Filter{State: schedule.Running})
	if err != nil || len(open) != 1 || open[0].Agent != "agent:pm" {
		t.Fatalf("it is late, and works all the same, also where there are no records: %+v %v", open, err)
	}
	if s, err = r.editor.Change(t.Context(), by, s.ID, func(f *schedule.Fields) { f.Message = "Look" }); err != nil || !s.Over(r.now) {
		t.Fatalf("%+v %v", s, err)
	}
	if _, err := r.editor.Change(t.Context(), by, s.ID, func(f *schedule.Fields) { f.OnceAt = "2026-03-02 08:45" }); fault.KindOf(err) != fault.Invalid {
		t.Errorf("it is moved to a time that has passed: %v", err)
	}
	if _, err := r.editor.Change(t.Context(), by, s.ID, func(f *schedule.Fields) { f.OnceAt = "2026-03-03 08:45" }); err != nil {
		t.Error(err)
	}
	if n := r.events(schedule.PlannedKind.Name); n != 2 {
		t.Errorf("%d planned", n)
	}
}
