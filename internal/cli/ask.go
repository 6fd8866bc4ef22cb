package cli

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"chela/internal/answer"
	"chela/internal/ask"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/question"
)

func (a *app) ask() *cobra.Command {
	var asOf, plan, filter string
	var computed bool
	c := a.inProject("ask [QUESTION]", "Ask about a project; the answer cites records", cobra.ArbitraryArgs, func(ctx context.Context, cl *client.Client, project string, args []string) error {
		if len(args) == 0 && plan == "" {
			out, err := cl.Answers(ctx, project, client.AnswersQuery{AsOf: asOf})
			if err != nil {
				return err
			}
			return a.print(out, func() { a.tabulate(answersTable(out), false) })
		}
		body := client.AskBody{ProjectID: project, Question: strings.Join(args, " "), AsOf: &asOf, Computed: &computed}
		if plan != "" {
			p, err := readPlan(plan)
			if err != nil {
				return err
			}
			body.Plan = &p
		}
		if filter != "" {
			p, err := a.refiltered(ctx, cl, body, filter)
			if err != nil {
				return err
			}
			body.Plan = &p
		}
		out, err := cl.Ask(ctx, body)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.answer(out) })
	})
	c.Long = "Answers a question from a project's records. The question is read to a plan, which is shown and computed; a model, when there is one, only words the answer. Questions are in English or German. Without a question the usual ones are answered, a line each."
	c.Flags().StringVar(&filter, "filter", "", "compute the question's plan over these records instead, in the language of lists")
	c.Flags().StringVar(&plan, "plan", "", "compute this plan instead, as --json shows it")
	c.Flags().BoolVar(&computed, "computed", false, "ask no model")
	asOfFlag(c, &asOf)
	return c
}

func answersTable(lines []ask.Line) table {
	t := table{columns: []column{{head: "Question"}, {head: "Answer", gives: true}}}
	for _, l := range lines {
		t.rows = append(t.rows, []string{l.Question, l.Answer})
	}
	return t
}

func readPlan(text string) (p question.Plan, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, fault.Wrap(err, fault.Invalid, "The plan is no JSON object as `chela ask --json` shows it under \"plan\". %s", fault.TextOf(event.Unfit(err)))
	}
	return p, nil
}

// refiltered is the question's plan over other records.
func (a *app) refiltered(ctx context.Context, cl *client.Client, body client.AskBody, filter string) (question.Plan, error) {
	computed := true
	body.Computed = &computed
	out, err := cl.Ask(ctx, body)
	if err != nil {
		return question.Plan{}, err
	}
	if out.Plan.Kind == "" {
		return question.Plan{}, fault.New(fault.Invalid, "The question was read as %s, which has no filter.", out.ReadAs)
	}
	out.Plan.Filter = filter
	return out.Plan, nil
}

func (a *app) answer(out ask.Answer) {
	a.printf("%s\n", strings.TrimSpace(out.Own()))
	if out.Table != nil {
		a.printf("\n%s", drawn(out.Table, len(out.Citations) > 0))
	}
	a.printf("\nRead as: %s\n", out.ReadAs)
	if out.ReadBy != "" {
		a.printf("A model read the question: %s. The numbers are computed.\n", out.ReadBy)
	}
	if out.Plan.Filter != "" && out.Plan.State == "" { // a state is in no list
		a.printf("The list: chela list %s%s --filter %s\n", out.Plan.Kind.Plural(), a.ofProject(), shellQuoted(out.Plan.Filter))
	}
	if cited := uncited(out); len(cited) > 0 {
		a.printf("Sources:\n")
		for _, s := range cited {
			a.printf("  %s  %s  %s\n", s.ID, s.Kind, s.Title)
		}
	}
	for _, s := range out.Sentences {
		for _, d := range s.Derived {
			a.printf("Derived: %s\n", d)
		}
	}
	for _, u := range out.Unsupported {
		a.printf("Not supported by the records: %s. %s\n", u.Text, u.Why)
	}
	for _, n := range out.Notes {
		a.printf("Note: %s\n", n)
	}
	for _, more := range out.Also {
		a.printf("\n")
		a.answer(more)
	}
}

// ofProject names the project of a command that is shown to be copied, where this one named it.
func (a *app) ofProject() string {
	if a.project == "" {
		return ""
	}
	return " -p " + shellQuoted(a.project)
}

// uncited are the sources that no row of the table shows, at most 20.
func uncited(out ask.Answer) (left []ask.Citation) {
	shown := make(map[string]bool)
	if out.Table != nil {
		for _, r := range out.Table.Rows {
			shown[r.ID] = true
		}
	}
	for _, c := range out.Citations {
		if !shown[c.ID] && len(left) < 20 {
			left = append(left, c)
		}
	}
	return left
}

// cellWidth bounds a column of a table in a terminal, in letters.
const cellWidth = 48

// drawn is a table in columns, with the id of each row's record.
func drawn(t *answer.Table, cited bool) string {
	rows := [][]string{t.Columns}
	for _, r := range t.Rows {
		rows = append(rows, r.Cells)
	}
	width := make([]int, len(t.Columns))
	for _, r := range rows {
		for i, c := range r[:min(len(r), len(width))] {
			width[i] = max(width[i], min(cellWidth, utf8.RuneCountInString(c)))
		}
	}
	var b strings.Builder
	for n, r := range rows {
		b.WriteString("  ")
		for i, c := range r[:min(len(r), len(width))] {
			letters := []rune(strings.Join(strings.Fields(c), " "))
			if len(letters) > cellWidth {
				letters = append(letters[:cellWidth-1], '…')
			}
			b.WriteString(string(letters) + strings.Repeat(" ", width[i]-len(letters)+2))
		}
		if n > 0 && cited {
			b.WriteString(t.Rows[n-1].ID)
		}
		b.WriteString("\n")
	}
	if more := t.Total - len(t.Rows); more > 0 {
		b.WriteString("  and " + strconv.Itoa(more) + " more\n")
	}
	return b.String()
}

// shellQuoted is a word as a shell takes it.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
