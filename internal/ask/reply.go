package ask

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chela/internal/answer"
	"chela/internal/fault"
	"chela/internal/model"
)

// A Reply is what records answer to a message of a conversation.
type Reply struct {
	Text  string // in Markdown; empty where the message is no question
	Whole bool   // the rules read all of the question, and its answer is computed
}

// Bounds of a reply: a conversation is no list.
const (
	replyRows    = 10
	replyColumns = 6
	replySources = 5 // more say nothing about one of them
)

// Reply answers a message of a conversation while no model can be asked; nothing is recorded. What the rules do not read whole is answered where it
// ends with a question mark, and says what was not read.
func (a *Asker) Reply(ctx context.Context, q Question) (Reply, error) {
	q.Text = strings.TrimSpace(q.Text)
	if q.Text == "" || len(q.Text) > maxQuestion {
		return Reply{}, nil
	}
	s, err := a.snapshot(ctx, q)
	if err != nil {
		return Reply{}, err
	}
	w, err := a.compute(ctx, q, s, a.source.Mint().Now().UTC())
	if err != nil {
		return Reply{}, err
	}
	if !w.whole {
		if w.acts || !strings.HasSuffix(q.Text, "?") || strings.ContainsAny(q.Text, "\r\n") {
			return Reply{}, nil
		}
	}
	parts := []string{w.out.markdown()}
	for _, more := range w.out.Also {
		parts = append(parts, more.markdown())
	}
	if !w.whole {
		parts = append(parts, fault.TextOf(&model.Error{Reason: model.NoneConfigured}))
	}
	return Reply{Text: strings.Join(parts, "\n\n"), Whole: w.whole}, nil
}

// markdown is the answer without those of further parts, for a conversation: its sentence, the head of its table, what it rests on beside that, and
// its notes.
func (a Answer) markdown() string {
	said := []string{literal(strings.TrimSpace(a.Own()))}
	shown := make(map[string]bool)
	if a.Table != nil && len(a.Table.Rows) > 1 {
		said = append(said, rows(*a.Table, shown))
	}
	var sources []string
	if len(shown) == 0 && len(a.Citations) <= replySources {
		for _, c := range a.Citations {
			sources = append(sources, c.ID)
		}
	}
	about := []string{"Read as: " + literal(a.ReadAs) + "."}
	if len(sources) > 0 {
		about = append(about, "Sources: "+strings.Join(sources, ", ")+".")
	}
	for _, n := range a.Notes {
		about = append(about, literal(n))
	}
	return strings.Join(append(said, strings.Join(about, "\n")), "\n\n")
}

// rows is the head of a table in Markdown, each row with the id of its record, which is noted in shown.
func rows(t answer.Table, shown map[string]bool) string {
	var b strings.Builder
	named := slices.ContainsFunc(t.Rows, func(r answer.Row) bool { return r.ID != "" })
	line := func(cells []string, id string) {
		if named {
			b.WriteString("| " + id + " ")
		}
		for _, c := range cells[:min(len(cells), replyColumns)] {
			b.WriteString("| " + literal(c) + " ")
		}
		b.WriteString("|\n")
	}
	heads := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if first, n := utf8.DecodeRuneInString(c); n > 0 {
			heads[i] = string(unicode.ToUpper(first)) + c[n:]
		}
	}
	line(heads, "Record")
	dashes := make([]string, len(t.Columns))
	for i := range dashes {
		dashes[i] = "---"
	}
	line(dashes, "---")
	for _, r := range t.Rows[:min(len(t.Rows), replyRows)] {
		line(r.Cells, r.ID)
		if r.ID != "" {
			shown[r.ID] = true
		}
	}
	if more := max(t.Total, len(t.Rows)) - replyRows; more > 0 {
		fmt.Fprintf(&b, "\n%d more rows are on the page Ask.\n", more)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// literal is a text of records in which nothing is Markdown: what could begin or end a mark is escaped.
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "*", `\*`, "`", "\\`", "<", `\<`, "|", `\|`, "\n", " ", "\r", " ").Replace(s)
}
