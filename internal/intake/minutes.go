package intake

import (
	"slices"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
	"chela/internal/query"
)

// minutes makes threads of a meeting and its topics, and tickets of its actions.
func (r *recorder) minutes() error {
	r.m = r.p.read(r.src, r.problem)
	r.m.Actions = slices.DeleteFunc(r.m.Actions, func(a extract.Action) bool { return a.Dropped })
	unreminded(&r.m)
	err := r.teamed()
	if err != nil {
		return err
	}
	if r.off, err = r.calledOff(); err != nil {
		return err
	}
	if err := r.stated(); err != nil {
		return err
	}
	m, notes := r.m, r.src.notes()
	planned := len(m.Goals) + len(m.Phases) + len(m.Milestones)
	if len(m.Topics)+len(m.Actions)+len(m.Decisions)+planned+len(r.stands)+len(m.Reminders) == 0 && len(strings.Fields(notes)) < 5 {
		return nil
	}
	name := m.Title
	if name == "" || r.src.Paste && len(m.Topics) == 0 {
		name = firstLine(notes)
	}
	if m.Opening != "" && len(m.Topics) == 0 { // whose turn comes first is no title
		name = m.Opening
	}
	if m.Chat != "" {
		name = m.Chat
	}
	body := desk.ThreadBody{Title: clipped(name, 200), Date: day(m.Date), Content: clipped(r.src.Text, 50_000), Sources: r.source("minutes", extract.Span{Line: 1, EndLine: strings.Count(r.src.Text, "\n") + 1, Quote: firstLine(r.src.Text)})}
	for _, a := range m.Attendees {
		if a.Absent {
			continue
		}
		body.Attendees = append(body.Attendees, a.Name)
		if err := r.attendee(a); err != nil {
			return err
		}
	}
	if r.away, err = r.absences(); err != nil {
		return err
	}
	if !r.topicsOnly() {
		meeting, isNew, err := r.thread(body)
		if err != nil {
			return err
		}
		if _, err := r.tally(meeting, isNew); err != nil {
			return err
		}
		r.meeting = meeting.ID
	}
	whole := r.meeting
	for i := range m.Topics {
		if err := r.topic(i, whole); err != nil {
			return err
		}
	}
	if whole != "" {
		if err := r.into(whole, func(topic int) bool { return topic < 0 || !r.own(topic) }); err != nil {
			return err
		}
	}
	if err := r.remind(); err != nil {
		return err
	}
	return r.planned()
}

// thread makes the thread of a document, or has the one of its title take in what is new. An exported chat that was taken in before,
// with fewer lines or more, may have had another name: it is that thread, and has the name that the longer one says.
func (r *recorder) thread(now desk.ThreadBody) (rec desk.Record, made bool, err error) {
	if r.m.Chat == "" || now.Date == "" {
		return r.w.EnsureThread(now)
	}
	fields, err := desk.Fields(desk.Thread)
	if err != nil {
		return rec, false, err
	}
	where, err := query.Parse("date:"+string(now.Date), fields, r.w.Now())
	if err != nil {
		return rec, false, err
	}
	threads, err := r.w.List(clerk.Query{Kind: desk.Thread, Where: where, Limit: clerk.All})
	if err != nil {
		return rec, false, err
	}
	for _, t := range threads {
		was, err := desk.Open[desk.ThreadBody](t)
		if err != nil {
			return rec, false, err
		}
		longer := strings.HasPrefix(now.Content, strings.TrimSuffix(was.Content, "…"))
		if was.Content == "" || !longer && !strings.HasPrefix(was.Content, strings.TrimSuffix(now.Content, "…")) {
			continue
		}
		rec, err = clerk.Edit(r.w, desk.Thread, t.ID, func(b *desk.ThreadBody) {
			if longer {
				b.Title = now.Title
			}
			clerk.Absorb(b, now)
		})
		return rec, false, err
	}
	return r.w.EnsureThread(now)
}

// topicsOnly reports a paste that says nothing beside its topics: each becomes a thread, and the paste none; a text of one line that names a
// milestone becomes none either.
func (r *recorder) topicsOnly() bool {
	own := 0
	for i := range r.m.Topics {
		if r.own(i) {
			own++
		} else if r.m.Topics[i].Level == 1 {
			return false
		}
	}
	beside := func(topic int) bool { return topic < 0 || !r.own(topic) }
	lists, whole := r.listsOnly()
	return (r.src.Paste && (own >= 2 || own == 0 && lists) || own == 0 && whole) && len(r.m.Attendees) == 0 &&
		!slices.ContainsFunc(r.m.Actions, func(a extract.Action) bool { return beside(a.Topic) }) &&
		!slices.ContainsFunc(r.m.Decisions, func(d extract.Decision) bool { return beside(d.Topic) }) &&
		!slices.ContainsFunc(r.m.Questions, func(q extract.Question) bool { return beside(q.Topic) }) &&
		!slices.ContainsFunc(r.stands, func(s standing) bool { return beside(s.topic) })
}

// listsOnly reports a text that lists tickets, objectives, phases or milestones and hardly says more; and whether it is one line that names one.
func (r *recorder) listsOnly() (lists, one bool) {
	listed := len(r.m.Phases) + len(r.m.Milestones) + len(r.team)
	for _, g := range r.m.Goals {
		if g.Written {
			listed += g.Span.EndLine - g.Span.Line + 1
		}
	}
	for _, t := range r.tables {
		listed += len(t.Tickets)
	}
	for _, t := range r.rolls {
		listed += len(t.Members)
	}
	lines := 0
	for line := range strings.Lines(r.src.Text) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	one = listed == 1 && lines == 1
	return listed >= 2 && lines <= listed+4 || one, one
}

// planned makes objectives, phases and milestones of what the notes commit to and list.
func (r *recorder) planned() error {
	threads := []string{}
	if r.meeting != "" {
		threads = append(threads, r.meeting)
	}
	for _, g := range r.m.Goals {
		if err := r.objective(g, threads); err != nil {
			return err
		}
	}
	r.asked = nil
	for i, p := range r.m.Phases {
		if p.End.Before(p.Start) {
			p.End = time.Time{}
		}
		if err := r.phase(extract.PhaseRow{Name: clipped(p.Name, 200), Start: p.Start, End: p.End, Status: string(statusIn(p.Status, desk.PhaseStatuses())), Span: p.Span}, i+1); err != nil {
			return err
		}
	}
	for _, m := range r.m.Milestones {
		row := extract.MilestoneRow{Name: clipped(m.Name, 200), Due: m.Target, Owner: m.Owner, Status: string(statusIn(m.Status, desk.MilestoneStatuses())), Line: m.Span.Line, Quote: m.Span.Quote, Planned: true}
		if err := r.milestone(row, nil, nil); err != nil {
			return err
		}
	}
	if err := r.moves(); err != nil {
		return err
	}
	return r.answerable(&export{TicketTable: extract.TicketTable{Source: extract.Generic}}, otherParts)
}

// ensured counts a record that was ensured.
func (r *recorder) ensured(rec desk.Record, isNew bool, err error) error {
	if err == nil {
		_, err = r.tally(rec, isNew)
	}
	return err
}

// statusIn is a status as the desk writes it, empty for one that it does not know.
func statusIn[S ~string](written string, of []S) S {
	want := strings.ReplaceAll(strings.ToUpper(strings.TrimSpace(written)), " ", "_")
	if i := slices.Index(of, S(want)); i >= 0 {
		return of[i]
	}
	return ""
}

func (r *recorder) attendee(a extract.Attendee) error {
	rec, isNew, err := r.w.Person(a.Name, r.source("attendees", a.Span))
	if err != nil {
		return err
	}
	if isNew, err = r.tally(rec, isNew); err != nil {
		return err
	}
	r.people[strings.ToLower(a.Name)] = rec.ID
	if a.Handle != "" && isNew && !strings.EqualFold(a.Handle, a.Name) {
		_, err = clerk.Edit(r.w, desk.Resource, rec.ID, func(b *desk.ResourceBody) { b.Aliases = []string{a.Handle} })
	}
	return err
}

// own reports whether a topic becomes a thread of its own: it is neither routine nor a list of the
// meeting's actions or the like, and something was found or said under it.
func (r *recorder) own(i int) bool {
	t := r.m.Topics[i]
	title := strings.ToLower(strings.Trim(t.Title, ": "))
	if t.Page || t.Numbered {
		return true
	}
	if t.Level == 1 || t.Lists || slices.Contains(routine, title) || len(strings.Fields(title)) == 0 {
		return false
	}
	return len(strings.Fields(t.Text)) >= 15 || slices.ContainsFunc(r.m.Actions, func(a extract.Action) bool { return a.Topic == i }) ||
		slices.ContainsFunc(r.m.Decisions, func(d extract.Decision) bool { return d.Topic == i })
}

func isDate(title string, now time.Time) bool {
	_, ok := extract.FindDate(title, now)
	return ok && len(strings.Fields(title)) <= 5
}

func (r *recorder) topic(i int, meeting string) error {
	if !r.own(i) {
		return nil
	}
	t := r.m.Topics[i]
	if isDate(t.Title, r.w.Now()) { // one meeting of several in the document
		t.Title = r.m.Title + ", " + t.Title
	}
	body := desk.ThreadBody{Title: clipped(t.Title, 200), Date: day(t.Date), Content: clipped(t.Text, 20_000), Sources: r.source("topics", extract.Span{Line: t.Span.Line, EndLine: max(t.End, t.Span.Line), Quote: t.Span.Quote})}
	rec, isNew, err := r.w.EnsureThread(body)
	if err != nil {
		return err
	}
	if _, err := r.tally(rec, isNew); err != nil {
		return err
	}
	if rec.ID == meeting {
		return nil
	}
	if r.meeting == "" { // the first one stands for the whole
		r.meeting = rec.ID
	}
	return r.into(rec.ID, func(topic int) bool { return topic == i })
}

// into adds the decisions, actions and questions of some topics to a thread, and makes
// a ticket of each action.
func (r *recorder) into(thread string, of func(topic int) bool) error {
	before, err := r.w.Get(desk.Thread, thread)
	if err != nil {
		return err
	}
	recorded, err := desk.Open[desk.ThreadBody](before)
	if err != nil {
		return err
	}
	more := desk.ThreadBody{}
	var actions []desk.Action
	for _, d := range r.m.Decisions {
		if of(d.Topic) {
			more.Decisions = append(more.Decisions, desk.Decision{Text: clipped(d.Text, 2000), Date: day(d.Date), DecidedBy: d.By, Sources: r.source("decisions", d.Span)})
		}
	}
	for _, q := range r.m.Questions {
		if of(q.Topic) {
			more.Questions = append(more.Questions, clipped(q.Text, 1000))
		}
	}
	for _, a := range r.m.Actions {
		if !of(a.Topic) {
			continue
		}
		ticket, err := r.action(thread, &recorded, a)
		if err != nil {
			return err
		}
		status := actionOpen
		if a.Done {
			status = actionDone
		}
		actions = append(actions, eachDoer(desk.Action{Text: clipped(a.Text, 2000), Assignee: a.Owner, DueDate: day(a.Due), TicketID: ticket, Status: status, Sources: r.source("actions", a.Span)})...)
	}
	for _, o := range r.off {
		if of(o.topic) {
			actions = append(actions, eachDoer(o.action)...)
		}
	}
	for _, a := range r.away {
		if of(a.topic) {
			more.Away = append(more.Away, a.SaidAway)
		}
	}
	for _, s := range r.stands {
		if of(s.topic) {
			more.Statuses = append(more.Statuses, s.SaidStatus)
		}
	}
	if len(more.Decisions)+len(more.Questions)+len(more.Away)+len(more.Statuses)+len(actions) == 0 {
		return nil
	}
	_, err = clerk.Edit(r.w, desk.Thread, thread, func(b *desk.ThreadBody) {
		before := *b
		clerk.Absorb(b, more)
		absorb(b, actions)
		r.fit(&before, b)
	})
	return err
}

func clipped(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

func firstLine(text string) string {
	for line := range strings.Lines(extract.Said(text)) {
		if line = strings.TrimSpace(strings.Trim(line, "#*- \t\n")); line != "" {
			return clipped(line, 200)
		}
	}
	return "Notes"
}
