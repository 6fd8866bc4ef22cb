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
	"chela/internal/run"
)

// sheet takes a file of tables in, as an intake does, and returns what it tells.
func (b *notebook) sheet(name, text string) (problems []string) {
	b.t.Helper()
	in := &Intake{clerk: b.clerk}
	p := &player{in: in, id: b.begun(), seen: make(map[string]bool), begun: time.Time{}, s: &run.Segment{Run: run.Run{Spec: run.Spec{ID: "run_1", Project: b.project}}}}
	sources, unread := doc{Name: name}.read([]byte(text))
	if len(unread) > 0 || len(sources) != 1 {
		b.t.Fatalf("%s was not read: %q", name, unread)
	}
	r := &recorder{p: p, src: sources[0], people: make(map[string]string), seen: make(map[string]bool)}
	b.outside(func(w *clerk.Work) error {
		r.w, r.made = w, make(map[string]int)
		for _, t := range r.src.Tables {
			if is, err := r.roster(t); err != nil || !is {
				r.problem(unknown(name, t, nil))
				return err
			}
		}
		for i := range r.rolls {
			r.asked = nil
			if err := r.enrol(r.rolls[i].Members, r.rolls[i].Members); err != nil {
				return err
			}
			if err := r.answerable(&export{sheet: r.rolls[i].sheet}, "people"); err != nil {
				return err
			}
		}
		return nil
	})
	return p.body.Problems
}

// begun is the id of an intake that has begun.
func (b *notebook) begun() (id string) {
	b.t.Helper()
	b.n++
	b.plan(func(w *clerk.Work) error {
		r, err := clerk.Add(w, desk.Intake, &desk.IntakeBody{Title: "m", Digest: fmt.Sprint(b.n), RunID: "run_1", ThreadID: "thr_1", Phases: plan()})
		id = r.ID
		return err
	})
	return id
}

// outside plans as an intake does.
func (b *notebook) outside(plan func(*clerk.Work) error) {
	b.t.Helper()
	b.plan(func(w *clerk.Work) error {
		w.FromOutside()
		return plan(w)
	})
}

// byHand edits somebody as a person does.
func (b *notebook) byHand(name string, change func(*desk.ResourceBody)) {
	b.t.Helper()
	place := event.Place{Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:person/per_dana"}}
	err := b.clerk.Do(b.t.Context(), place, b.project, func(d []event.Draft) error {
		_, err := b.db.Log.Append(b.t.Context(), d...)
		return err
	}, func(w *clerk.Work) error {
		r, known, err := w.KnownPerson(name)
		if err != nil {
			return err
		}
		if !known {
			b := &desk.ResourceBody{Name: name}
			change(b)
			_, err = clerk.Add(w, desk.Resource, b)
			return err
		}
		_, err = clerk.Edit(w, desk.Resource, r.ID, change)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// staff are the people in lines: "Joe Martinez ENGINEER 40h 0.8 Go+SQL (Joe)".
func (b *notebook) staff() (out []string) {
	b.t.Helper()
	b.plan(func(w *clerk.Work) error {
		all, err := w.List(clerk.Query{Kind: desk.Resource})
		for _, r := range all {
			p, err := desk.Open[desk.ResourceBody](r)
			if err != nil {
				return err
			}
			line := fmt.Sprintf("%s %s %sh %s %s", p.Name, p.Role, written(p.Capacity), written(p.Availability), strings.Join(p.Skills, "+"))
			if len(p.Aliases) > 0 {
				line += " (" + strings.Join(p.Aliases, ", ") + ")"
			}
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
		return err
	})
	slices.Sort(out)
	return out
}

// asked are the fields that a person has to decide: "Joe Martinez availability 0.5 → 0.8".
func (b *notebook) asked() (out []string) {
	b.t.Helper()
	b.eachReconciliation(func(_ *clerk.Work, _ string, c desk.Discord, _ int) error {
		out = append(out, fmt.Sprintf("%s %s %s → %s", c.Title, c.Field, c.Ticket, c.Source))
		return nil
	})
	slices.Sort(out)
	return out
}

func (b *notebook) eachReconciliation(fn func(w *clerk.Work, id string, c desk.Discord, at int) error) {
	b.t.Helper()
	b.plan(func(w *clerk.Work) error {
		all, err := w.List(clerk.Query{Kind: desk.Reconciliation})
		if err != nil {
			return err
		}
		for _, r := range all {
			p, err := desk.Open[desk.ReconciliationBody](r)
			if err != nil {
				return err
			}
			for i, c := range p.Conflicts {
				if c.Open() {
					if err := fn(w, r.ID, c, i); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

const roster = "Name,Role,Capacity,Availability,Skills\nJoe Martinez,Engineer,40,0.8,\"Go, SQL\"\nAlice Chen,QA,32,50%,Cypress\n"

// TestRoster_BecomesPeople: a roster's rows are people with what they can do, and their rows are the evidence.
func TestRoster_BecomesPeople(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	if problems := b.sheet("team.csv", roster+"Jenkins,CI server,168,1,\n"); len(problems) != 1 || !strings.Contains(problems[0], `team.csv, Left out, for they are no people: "Jenkins" (line 4).`) {
		t.Errorf("it tells %q", problems)
	}
	if got, want := b.staff(), []string{"Alice Chen QA 32h 0.5 Cypress", "Joe Martinez ENGINEER 40h 0.8 Go+SQL"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	b.plan(func(w *clerk.Work) error {
		r, _, err := w.KnownPerson("Joe Martinez")
		if err != nil {
			return err
		}
		p, err := desk.Open[desk.ResourceBody](r)
		if s := p.Sources; len(s) != 1 || s[0].Line != 2 || s[0].Quote != "Joe Martinez, Engineer, 40, 0.8, Go, SQL" || s[0].By != "rule:people" {
			t.Errorf("it comes from %+v", s)
		}
		return err
	})
	b.sheet("team.csv", roster)
	if got := b.asked(); len(got) > 0 || len(b.staff()) != 2 {
		t.Errorf("again, it asks %q, and there are %q", got, b.staff())
	}
}

// TestRoster_ANewerOneIsMergedThreeWays: what a person changed stays, and a person decides where the source changed it, too.
func TestRoster_ANewerOneIsMergedThreeWays(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	b.sheet("team.csv", roster)
	b.byHand("Joe Martinez", func(p *desk.ResourceBody) {
		p.Availability = new(0.5)
		p.Skills = append(p.Skills, "Kafka")
	})
	b.byHand("Alice Chen", func(p *desk.ResourceBody) { p.Role = "PM" })
	b.sheet("team.csv", "Name,Role,Capacity,Availability,Skills\nJoe Martinez,Engineer,32,0.6,\"Go, Rust\"\nAlice Chen,QA,32,50%,Cypress\n")
	if got, want := b.staff(), []string{"Alice Chen PM 32h 0.5 Cypress", "Joe Martinez ENGINEER 32h 0.5 Go+Kafka+Rust"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := b.asked(), []string{"Joe Martinez availability 0.5 → 0.6"}; !slices.Equal(got, want) {
		t.Fatalf("it asks %q, want %q", got, want)
	}
	b.eachReconciliation(func(w *clerk.Work, id string, _ desk.Discord, at int) error {
		_, err := w.Reconcile(id, []int{at}, desk.Theirs)
		return err
	})
	if got := b.staff()[1]; got != "Joe Martinez ENGINEER 32h 0.6 Go+Kafka+Rust" {
		t.Errorf("accepted, he is %q", got)
	}
}

// TestRoster_KnowsWhoIsThere: who is there under a first name, a short one, an alias or an address is nobody new.
func TestRoster_KnowsWhoIsThere(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	b.outside(func(w *clerk.Work) error { // as tickets and minutes bring them
		for _, p := range []*desk.ResourceBody{{Name: "Ann"}, {Name: "Joseph Martinez"}, {Name: "Eva Stein"}, {Name: "Eva Braun"}, {Name: "Tom"}, {Name: "mkim", Email: "mia@example.com"}} {
			if _, err := clerk.Add(w, desk.Resource, p); err != nil {
				return err
			}
		}
		return nil
	})
	b.byHand("Sam", func(p *desk.ResourceBody) { p.Role = "ENGINEER" })
	b.sheet("team.csv", "Name,Role,Availability,Email\nAnn Lee,QA,50%,\nJoe,Engineer,80%,\nEva,QA,100%,\nTom Davis,QA,40%,\nTom Webb,PM,60%,\nMia Kim,PM,20%,mia@example.com\nSam Reyes,QA,90%,\n")
	want := []string{
		"Ann Lee QA 40h 0.5 (Ann)", "Eva Braun ENGINEER 40h 1", "Eva QA 40h 1", "Eva Stein ENGINEER 40h 1", "Joseph Martinez ENGINEER 40h 0.8 (Joe)", "Sam ENGINEER 40h 1 (Sam Reyes)",
		"Tom Davis QA 40h 0.4", "Tom ENGINEER 40h 1", "Tom Webb PM 40h 0.6", "mkim PM 40h 0.2 (Mia Kim)",
	}
	if got := b.staff(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	b.plan(func(w *clerk.Work) error { // the row by which somebody changed is evidence, too
		r, _, err := w.KnownPerson("Ann Lee")
		if err != nil {
			return err
		}
		p, err := desk.Open[desk.ResourceBody](r)
		if err == nil && (len(p.Sources) != 1 || p.Sources[0].Line != 2) {
			t.Errorf("Ann Lee comes from %+v", p.Sources)
		}
		return err
	})
	if got, want := b.asked(), []string{"Sam availability 1 → 0.9", "Sam role ENGINEER → QA"}; !slices.Equal(got, want) {
		t.Errorf("it asks %q, want %q", got, want)
	}
}

// TestTeam_OfATextIsPeople: lists of people in texts have roles and shares, and who attends has the share behind the name; nobody is there twice.
func TestTeam_OfATextIsPeople(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	text := "# Kickoff 2026-03-02\n\nAttendees: Joe (80%), Ann Lee (50%), Bo\n\n## Resource Allocation\n- Mia Wolf: Product Manager, capacity 32h, availability 50%\n- Jenkins (CI): 100%\n- Joe Martinez – Backend Engineer, skills: Go, SQL\n"
	b.outsideText(text)
	want := []string{"Ann Lee ENGINEER 40h 0.5", "Bo ENGINEER 40h 1", "Joe Martinez ENGINEER 40h 0.8 Go+SQL", "Mia Wolf PM 32h 0.5"}
	if got := b.staff(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	b.byHand("Ann Lee", func(p *desk.ResourceBody) { p.Availability = new(0.7) })
	b.outsideText("# Weekly 2026-03-09\n\nAttendees: Joe (60%), Ann (40%)\n")
	if got, want := b.asked(), []string{"Ann Lee availability 0.7 → 0.4"}; !slices.Equal(got, want) {
		t.Errorf("it asks %q, want %q", got, want)
	}
	if got := b.staff()[2]; got != "Joe Martinez ENGINEER 40h 0.6 Go+SQL" {
		t.Errorf("a week later Joe is %q", got)
	}
}

// TestTeam_WhoHasATicketIsNotThereTwice: whom a list of tickets of the same text made is the one whom its attendance names.
func TestTeam_WhoHasATicketIsNotThereTwice(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	id := b.begun()
	b.outside(func(w *clerk.Work) error {
		joe, err := clerk.Add(w, desk.Resource, &desk.ResourceBody{Name: "Joe Martinez"})
		if err != nil {
			return err
		}
		r := &recorder{p: &player{id: id, seen: make(map[string]bool)}, w: w, src: source{doc: doc{Name: "m.md"}, Doc: document.Doc{Text: "# Kickoff\n\nAttendees: Joe Martinez (80%), Ann Lee (50%)\n"}}, made: make(map[string]int), people: map[string]string{"joe martinez": joe.ID, "joe": joe.ID}, seen: make(map[string]bool)}
		return r.minutes()
	})
	if got, want := b.staff(), []string{"Ann Lee ENGINEER 40h 0.5", "Joe Martinez ENGINEER 40h 0.8"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTeam_ANameThatBecomesWhole: whom a ticket of the project names by the first name is called in full by the attendance, and nobody is made beside.
func TestTeam_ANameThatBecomesWhole(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	b.outside(func(w *clerk.Work) error {
		_, err := clerk.Add(w, desk.Resource, &desk.ResourceBody{Name: "Joe", Sources: []desk.Source{{Document: "tickets.txt", By: "rule:tickets"}}})
		return err
	})
	b.outsideText("# Kickoff\n\nAttendees: Joe Martinez (80%), Ann Lee (50%), Tom\n")
	if got, want := b.staff(), []string{"Ann Lee ENGINEER 40h 0.5", "Joe Martinez ENGINEER 40h 0.8 (Joe)", "Tom ENGINEER 40h 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// outsideText takes minutes in as [notebook.take] does, as what came from outside.
func (b *notebook) outsideText(text string) {
	b.t.Helper()
	id := b.begun()
	b.outside(func(w *clerk.Work) error {
		p := &player{id: id, seen: make(map[string]bool)}
		r := &recorder{p: p, w: w, src: source{doc: doc{Name: "m.md"}, Doc: document.Doc{Text: text}}, made: make(map[string]int), people: make(map[string]string), seen: make(map[string]bool)}
		return r.minutes()
	})
}

// TestPreview_TellsWhatARosterChanges.
func TestPreview_TellsWhatARosterChanges(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	b.sheet("team.csv", roster)
	b.byHand("Joe Martinez", func(p *desk.ResourceBody) { p.Availability = new(0.5) })
	in := &Intake{clerk: b.clerk}
	got, err := in.Preview(context.Background(), b.project, File{Name: "new.csv", Data: []byte("Full name,Title,FTE,% available\nJoe Martinez,Engineer,0.8,60\nAlice Chen,QA,0.8,50\nMia Wolf,PM,1,100\n")}, nil)
	if err != nil || len(got.Tables) != 1 {
		t.Fatal(got, err)
	}
	if p := got.Tables[0]; !p.Known || p.Source != RosterSource || p.New != 1 || p.Changed != 1 || p.Same != 1 || p.Asked != 1 || p.Mapping["role"] != "Title" || len(p.Sample) != 3 || p.Sample[2].Title != "Mia Wolf" {
		t.Errorf("it tells %+v", p)
	}
	if got, err = in.Preview(context.Background(), b.project, File{Name: "new.csv", Data: []byte("Full name,Title,FTE\nJoe Martinez,Engineer,0.8\n")}, map[string]string{"title": "Title"}); err != nil || got.Tables[0].Source == RosterSource {
		t.Errorf("a mapping to titles of tickets reads %+v, %v", got, err)
	}
}
