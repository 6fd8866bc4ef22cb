package ask

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/flow"
)

// A line is one record, or one computed fact, as the model is shown it.
type line struct {
	id      string
	kind    desk.Kind
	title   string
	text    string
	section string
	weight  int // how well it fits the question
}

// A known is everything an answer may rest on.
type known struct {
	project string
	now     time.Time
	summary string // computed; always shown
	lines   []line // shown, best first within their section
	all     map[string]line
	used    int
	left    int
}

// sections are shown in this order.
var sections = []string{"OBJECTIVES", "TICKETS", "RESOURCES", "THREADS", "BLINDSPOTS", "PHASES", "MILESTONES", "CHECKLISTS", "DELTA PACKS", "MEMORIES", "IDEAS", "REMINDERS", "LINKS", "RECONCILIATIONS", "UPLOADS", "INTAKES"}

// assemble loads all records of the project, computes the numbers, ranks the records
// by the question, and keeps what fits into budget bytes.
func assemble(ctx context.Context, s clerk.Store, q Question, now time.Time, budget int) (*known, error) {
	k := &known{now: now, all: make(map[string]line)}
	staff, err := clerk.LoadStaffing(ctx, s, q.Project)
	if err != nil {
		return nil, err
	}
	report := capacity.Compute(staff.People, staff.Tickets, staff.Shares)
	objectives, tickets, err := clerk.LoadObjectives(ctx, s, q.Project)
	if err != nil {
		return nil, err
	}
	k.summary = summaries(report, staff, objectives, tickets)
	records, err := clerk.Every(ctx, s, clerk.Query{Project: q.Project, Shared: true})
	if err != nil {
		return nil, err
	}
	owners := ownersOf(staff)
	for _, r := range records {
		l, ok, err := describe(r, owners, now)
		if err != nil {
			return nil, err
		}
		if r.Kind == desk.Project {
			k.project = l.title + " (" + r.ID + ")"
		}
		if ok {
			k.all[l.id] = l
			k.lines = append(k.lines, l)
		}
	}
	for _, l := range report.Lines {
		x := k.all[l.ID]
		x.text += fmt.Sprintf(" effectiveHours=%s tickets=%d allocatedSP=%s allocatedPercent=%s spareCapacity=%s load=%s", num(l.EffectiveHours), l.Tickets, num(l.AllocatedSP), num(l.AllocatedPct), num(l.SpareHours), l.Load)
		k.all[l.ID] = x
		for i := range k.lines {
			if k.lines[i].id == l.ID {
				k.lines[i] = x
			}
		}
	}
	k.rank(q.Text)
	k.cut(budget)
	return k, nil
}

func num(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

func ownersOf(s clerk.Staffing) map[string][]string {
	names := make(map[string]string)
	for _, p := range s.People {
		names[p.ID] = p.Name
	}
	out := make(map[string][]string)
	for _, x := range s.Shares {
		out[x.TicketID] = append(out[x.TicketID], names[x.ResourceID])
	}
	return out
}

// summaries are the computed tables.
func summaries(r capacity.Report, s clerk.Staffing, objectives []flow.Objective, tickets []flow.Ticket) string {
	var b strings.Builder
	status := make(map[desk.TicketStatus]int)
	points := 0.0
	for _, t := range s.Tickets {
		status[t.Status]++
		points += t.StoryPoints
	}
	fmt.Fprintf(&b, "TICKET SUMMARY\nTotal: %d\n", len(s.Tickets))
	for _, st := range desk.TicketStatuses() {
		fmt.Fprintf(&b, "%s: %d\n", st, status[st])
	}
	fmt.Fprintf(&b, "Story points in all: %s\n\nASSIGNMENT SUMMARY\nOpen tickets: %d\nAssigned: %d\nUnassigned: %d\n", num(points), r.Open, r.Assigned, len(r.Unassigned))
	b.WriteString("\nRESOURCE CAPACITY SUMMARY (hours a week, most room first)\n")
	if len(r.Lines) == 0 {
		b.WriteString("No people are recorded.\n")
	}
	for _, l := range r.Lines[:min(len(r.Lines), 100)] {
		fmt.Fprintf(&b, "%s [%s]: effectiveHours=%s, allocatedSP=%s, tickets=%d, allocatedPercent=%s, spareCapacity=%s, load=%s\n", l.Name, l.ID, num(l.EffectiveHours), num(l.AllocatedSP), l.Tickets, num(l.AllocatedPct), num(l.SpareHours), l.Load)
	}
	if len(objectives) > 0 {
		b.WriteString("\nCOVERAGE SUMMARY\n")
		for _, o := range objectives {
			c := flow.Cover(o, tickets)
			fmt.Fprintf(&b, "%s [%s]: coverage=%s%%, done=%d, inProgress=%d, open=%d\n", o.Outcome, o.ID, num(c.Percent), c.Done, c.InProgress, c.Open)
		}
	}
	return b.String()
}

// describe puts a record into one line.
func describe(r desk.Record, owners map[string][]string, now time.Time) (line, bool, error) {
	sum, err := desk.Summarize(r)
	if err != nil {
		return line{}, false, err
	}
	l := line{id: r.ID, kind: r.Kind, title: sum.Title}
	switch r.Kind {
	case desk.Ticket:
		l.section, l.text, err = of(r, func(b desk.TicketBody) string {
			who := "UNASSIGNED"
			if o := owners[r.ID]; len(o) > 0 {
				who = strings.Join(o, ", ")
			}
			return fmt.Sprintf("%s %s [%s] priority=%s sp=%s assignee=%s%s%s%s", b.ExternalRef, b.Title, b.Status, b.Priority, num(b.StoryPoints), who, opt(" due=", string(b.DueDate)), opt(" sprint=", b.Sprint), opt(" blockedBy=", strings.Join(b.BlockedBy, ",")))
		}, "TICKETS")
	case desk.Objective:
		l.section, l.text, err = of(r, func(b desk.ObjectiveBody) string {
			return fmt.Sprintf("%s%s [%s] coverage=%s%%%s%s%s", opt("", b.SprintName+": "), b.Outcome, b.Status, num(b.Coverage), opt(" signal=", b.Signal), opt(" end=", string(b.EndDate)), opt(" risks=", strings.Join(b.Risks, "; ")))
		}, "OBJECTIVES")
	case desk.Resource:
		l.section, l.text, err = of(r, func(b desk.ResourceBody) string {
			return fmt.Sprintf("%s role=%s capacity=%s availability=%s%s", b.Name, b.Role, num(*b.Capacity), num(*b.Availability), opt(" skills=", strings.Join(b.Skills, ",")))
		}, "RESOURCES")
	case desk.Thread:
		l.section, l.text, err = of(r, threadLine, "THREADS")
	case desk.Blindspot:
		l.section, l.text, err = of(r, func(b desk.BlindspotBody) string {
			return fmt.Sprintf("%s [%s] severity=%s category=%s %.200s", b.Title, b.Status, b.Severity, b.Category, b.Description)
		}, "BLINDSPOTS")
	case desk.DeltaPack:
		l.section, l.text, err = of(r, func(b desk.DeltaPackBody) string {
			var d []string
			for _, x := range b.Deltas[:min(len(b.Deltas), 15)] {
				d = append(d, string(x.Type)+": "+x.Title)
			}
			return fmt.Sprintf("%s [%s] deltas=%d: %s", b.Title, b.Status, len(b.Deltas), strings.Join(d, "; "))
		}, "DELTA PACKS")
	case desk.Memory:
		b, err := desk.Open[desk.MemoryBody](r)
		if x := b.ExpiresAt.Time(); err != nil || !x.IsZero() && x.Before(now) {
			return l, false, err
		}
		l.section, l.text = "MEMORIES", fmt.Sprintf("%s: %.400s", b.Key, b.Content)
	case desk.Upload:
		l.section, l.text, err = of(r, func(b desk.UploadBody) string {
			return fmt.Sprintf("%s source=%s bytes=%d", b.Title, b.Source, b.Bytes)
		}, "UPLOADS")
	case desk.Intake:
		l.section, l.text, err = of(r, func(b desk.IntakeBody) string { return fmt.Sprintf("%s [%s]", b.Title, b.Status) }, "INTAKES")
	case desk.Project, desk.Assignment, desk.ChecklistTemplate:
		return l, false, nil
	default:
		l.section, l.text, err = describePlan(r, sum.Title)
	}
	return l, err == nil, err
}

func whose(i desk.Item) string {
	if i.Assignee == "" {
		return ""
	}
	return " (" + i.Assignee + ")"
}

// describePlan puts what is planned and noted into one line.
func describePlan(r desk.Record, title string) (section, text string, err error) {
	switch r.Kind {
	case desk.Phase:
		return of(r, func(b desk.PhaseBody) string {
			return fmt.Sprintf("%d. %s [%s]%s%s%s%s", b.SortOrder, b.Name, b.Status, opt(" start=", string(b.StartDate)), opt(" end=", string(b.EndDate)), opt(" entry=", strings.Join(b.EntryCriteria, "; ")), opt(" exit=", strings.Join(b.ExitCriteria, "; ")))
		}, "PHASES")
	case desk.Milestone:
		return of(r, func(b desk.MilestoneBody) string {
			return fmt.Sprintf("%s [%s]%s%s%s tickets=%d", b.Name, b.Status, opt(" target=", string(b.TargetDate)), opt(" actual=", string(b.ActualDate)), opt(" owner=", b.Owner), len(b.TicketIDs))
		}, "MILESTONES")
	case desk.Checklist:
		return of(r, func(b desk.ChecklistBody) string {
			var open []string
			for _, i := range b.Items {
				if !i.Checked {
					open = append(open, i.Text+whose(i))
				}
			}
			return fmt.Sprintf("%s [%s] items=%d checked=%d%s", b.Name, b.Status, len(b.Items), b.Checked(), opt(" open=", strings.Join(open, "; ")))
		}, "CHECKLISTS")
	case desk.Idea:
		return of(r, func(b desk.IdeaBody) string { return fmt.Sprintf("%s [%s] %.300s", b.Title, b.Status, b.Content) }, "IDEAS")
	case desk.Reminder:
		return of(r, func(b desk.ReminderBody) string {
			return fmt.Sprintf("%s [%s]%s%s", b.Message, b.Type, opt(" at=", string(b.TriggerAt)), opt(" when=", b.Condition))
		}, "REMINDERS")
	case desk.Link:
		return of(r, func(b desk.LinkBody) string {
			return fmt.Sprintf("%s %s%s %.200s", b.Title, b.URL, opt(" category=", b.Category), b.Description)
		}, "LINKS")
	default:
		return of(r, func(b desk.ReconciliationBody) string { return fmt.Sprintf("%s [%s]", title, b.Status) }, "RECONCILIATIONS")
	}
}

func of[B any](r desk.Record, text func(B) string, section string) (string, string, error) {
	b, err := desk.Open[B](r)
	if err != nil {
		return section, "", err
	}
	return section, oneLine(text(b)), nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func opt(label, value string) string {
	if value == "" || value == ": " {
		return ""
	}
	return label + value
}

func threadLine(b desk.ThreadBody) string {
	var parts []string
	for _, d := range b.Decisions {
		parts = append(parts, "decided: "+d.Text)
	}
	for _, a := range b.Actions {
		parts = append(parts, fmt.Sprintf("action (%s): %s", cmp.Or(a.Assignee, "nobody"), a.Text))
	}
	for _, q := range b.Questions {
		parts = append(parts, "open: "+q)
	}
	return fmt.Sprintf("%s [%s]%s %.300s %s", b.Title, b.Lifecycle, opt(" date=", string(b.Date)), b.Content, strings.Join(parts, "; "))
}

// rank weighs each line by the words it shares with the question; people and
// objectives are few and matter for most questions.
func (k *known) rank(question string) {
	words := terms(question)
	for i := range k.lines {
		l := &k.lines[i]
		text := strings.ToLower(l.text)
		for _, w := range words {
			if strings.Contains(text, w) {
				l.weight += 3
			}
		}
		switch l.kind {
		case desk.Objective, desk.Resource:
			l.weight += 4
		case desk.Blindspot, desk.DeltaPack, desk.Thread:
			l.weight += 2
		default:
		}
	}
	slices.SortStableFunc(k.lines, func(a, b line) int { return cmp.Compare(b.weight, a.weight) })
}

// terms are the words of a question that tell records apart.
func terms(question string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !(r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127) }) {
		if len(w) > 3 && !slices.Contains([]string{"which", "what", "when", "does", "have", "most", "with", "this", "that", "from", "many", "there"}, w) {
			out = append(out, strings.TrimSuffix(w, "s"))
		}
	}
	return out
}

// cut keeps the best lines that fit.
func (k *known) cut(budget int) {
	left := budget - len(k.summary)
	kept := k.lines[:0]
	for _, l := range k.lines {
		if len(l.text) > 1500 {
			l.text = strings.ToValidUTF8(l.text[:1500], "") + "…"
		}
		if left -= len(l.text) + len(l.id) + 4; left < 0 {
			k.left++
			left += len(l.text) + len(l.id) + 4
			continue
		}
		kept = append(kept, l)
	}
	k.lines, k.used = kept, len(kept)
}

// text is the context as the model is shown it.
func (k *known) text() string {
	var b strings.Builder
	b.WriteString(k.summary)
	for _, s := range sections {
		n := 0
		for _, l := range k.lines {
			if l.section != s {
				continue
			}
			if n++; n == 1 {
				fmt.Fprintf(&b, "\n%s\n", s)
			}
			fmt.Fprintf(&b, "[%s] %s\n", l.id, l.text)
		}
	}
	return b.String()
}

func (k *known) tables() string { return k.summary }
