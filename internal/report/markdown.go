package report

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"chela/internal/desk"
)

// Markdown writes the report. Its links lead to a page at base, such as http://127.0.0.1:7077.
func (r Report) Markdown(base string) string {
	return r.written(writer{base: strings.TrimSuffix(base, "/"), project: r.ProjectID})
}

// Text is the report as Markdown without links, for where nobody knows the page's address.
func (r Report) Text() string { return r.written(writer{unlinked: true}) }

func (r Report) written(w writer) string {
	title := r.Project
	if r.Sprint != "" {
		title += ": " + r.Sprint
	}
	w.line("# %s", plain(title))
	w.line("\n%s to %s\n", r.From, r.To)
	now := "now"
	if r.Past {
		now = string(r.To)
	}
	w.line("| | %s | before |\n|---|--:|--:|", now)
	for _, n := range r.Numbers {
		value, was := number(n.Value, n.Unit), ""
		if n.AtLeast {
			value = "at least " + value
		}
		if n.Was != nil {
			was = number(*n.Was, n.Unit)
		}
		w.line("| %s | %s | %s |", n.Name, w.to(value, w.behind(n)), was)
	}
	w.items("Finished", r.Finished)
	w.items("Late", r.Late)
	w.items("Blocked or waiting", r.Blocked)
	next := "Due in the next seven days"
	if r.Past {
		next = "Due in the seven days after"
	}
	w.items(next, r.Next)
	if len(r.Objectives) > 0 {
		w.line("\n## Objectives\n")
		for _, o := range r.Objectives {
			w.line("- %s: %s %% covered, %d done of %d", w.to(plain(o.Outcome), w.record(o.ObjectiveID)), number(o.Percent, ""), o.Done, len(o.TicketIDs)-o.Closed)
		}
	}
	if len(r.Milestones) > 0 {
		w.line("\n## Milestones\n")
		for _, m := range r.Milestones {
			late := ""
			if m.Late > 0 {
				late = fmt.Sprintf(", %d days late", m.Late)
			} else if m.Risk != "" {
				late = ", " + m.Risk
			}
			w.line("- %s %s: %s%s", cmp.Or(string(m.Target), "no day"), w.to(plain(m.Name), w.record(m.ID)), words(string(m.Status)), late)
		}
	}
	if len(r.Overloaded) > 0 {
		w.line("\n## Who has too much\n")
		for _, l := range r.Overloaded {
			noun := "tickets"
			if l.Tickets == 1 {
				noun = "ticket"
			}
			share := l.Over() + number(max(l.AllocatedPct, l.EstimatedPct), "") + " %"
			if l.EffectiveHours == 0 {
				share = "no hours"
			}
			w.line("- %s: %s, %d open %s", w.to(plain(l.Name), w.record(l.ID)), share, l.Tickets, noun)
		}
	}
	if r.Forecast != nil {
		w.line("\n## Forecast\n")
		for _, line := range append(r.Forecast.Lines(), r.Forecast.Notes...) {
			w.line("- %s", line)
		}
	}
	for _, n := range r.Notes {
		w.line("\n%s", n)
	}
	return w.String()
}

// A writer writes Markdown.
type writer struct {
	strings.Builder
	base, project string
	unlinked      bool
}

func (w *writer) line(format string, args ...any) {
	_, _ = fmt.Fprintf(w, format+"\n", args...) // a builder takes everything
}

func (w *writer) items(head string, all []Item) {
	if len(all) == 0 {
		return
	}
	w.line("\n## %s\n", head)
	for _, i := range all {
		about := []string{words(string(i.Status))}
		switch {
		case i.Owner != "":
			about = append(about, plain(i.Owner))
		case i.Nobody:
			about = append(about, "unassigned")
		}
		if i.Due != "" {
			about = append(about, "due "+string(desk.DateOf(i.Due.Time())))
		}
		if len(i.Waits) > 0 {
			about = append(about, "waits for "+plain(strings.Join(i.Waits, ", ")))
		}
		w.line("- %s (%s)", w.to(plain(strings.TrimSpace(i.Key+" "+i.Title)), w.record(i.ID)), strings.Join(about, ", "))
	}
}

func (w *writer) to(text, address string) string {
	if address == "" || w.unlinked {
		return text
	}
	return "[" + text + "](" + address + ")"
}

func (w *writer) record(id string) string { return w.base + "/records/" + url.PathEscape(id) }

// behind is the address of the records behind a number; "" where no list has exactly these.
func (w *writer) behind(n Number) string {
	q := url.Values{"project": {w.project}}
	switch {
	case n.Query != "":
		q.Set("filter", n.Query)
		if n.AsOf != "" {
			q.Set("asOf", string(n.AsOf))
		}
	case n.Unit == "USD" && len(n.Records) > 0:
		return w.base + "/runs?" + q.Encode()
	default:
		return ""
	}
	return w.base + "/tickets?" + q.Encode()
}

func number(v float64, unit string) string {
	if unit == "USD" {
		return strconv.FormatFloat(v, 'f', 2, 64) + " USD"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// words is a value such as IN_PROGRESS as people read it.
func words(v string) string {
	if v == string(desk.Todo) {
		return "to do"
	}
	return strings.ToLower(strings.ReplaceAll(v, "_", " "))
}

// plain is a text in which nothing is Markdown.
func plain(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "|", `\|`, "\n", " ", "\r", " ", "#", `\#`).Replace(s)
}
