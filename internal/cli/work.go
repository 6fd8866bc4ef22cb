package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/daemon"
	"chela/internal/gateway/client"
)

func errorsJoinClose(err error, d *daemon.Daemon) error { return errors.Join(err, d.Close()) }

type askOut struct {
	Answer  string `json:"answer"`
	Sources []struct {
		ID    string `json:"id"`
		Kind  string `json:"kind"`
		Title string `json:"title"`
	} `json:"sources"`
	Unsupported []struct {
		Text string `json:"text"`
		Why  string `json:"why"`
	} `json:"unsupported"`
	Notes    []string `json:"notes"`
	Computed bool     `json:"computed"`
}

func (a *app) ask() *cobra.Command {
	var asOf string
	c := a.inProject("ask QUESTION", "Ask about a project; the answer cites records", cobra.MinimumNArgs(1), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		out, err := askDaemon(ctx, cl, project, strings.Join(args, " "), asOf)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.answer(out) })
	})
	asOfFlag(c, &asOf)
	return c
}

func askDaemon(ctx context.Context, cl *client.Client, project, question, asOf string) (askOut, error) {
	var out askOut
	err := cl.Call(ctx, "POST", "/api/ask", map[string]string{"projectId": project, "question": question, "asOf": asOf}, &out)
	return out, err
}

func (a *app) answer(out askOut) {
	a.printf("%s\n", strings.TrimSpace(out.Answer))
	if len(out.Sources) > 0 {
		a.printf("\nSources:\n")
		for _, s := range out.Sources {
			a.printf("  %s  %s  %s\n", s.ID, s.Kind, s.Title)
		}
	}
	for _, u := range out.Unsupported {
		a.printf("Not supported by the records: %s. %s\n", u.Text, u.Why)
	}
	for _, n := range out.Notes {
		a.printf("Note: %s\n", n)
	}
}

type planOut struct {
	Markdown   string `json:"markdown"`
	Phases     int    `json:"phaseCount"`
	Milestones int    `json:"milestoneCount"`
}

func (a *app) plan() *cobra.Command {
	var asOf string
	c := a.inProject("plan", "Show a project's plan: phases, and milestones by day", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		var out planOut
		if err := cl.Call(ctx, "GET", "/api/projects/"+project+"/plan?asOf="+url.QueryEscape(asOf), nil, &out); err != nil {
			return err
		}
		return a.print(out, func() { a.printf("%s", out.Markdown) })
	})
	asOfFlag(c, &asOf)
	return c
}

// asOfFlag lets a command look back.
func asOfFlag(c *cobra.Command, asOf *string) {
	c.Flags().StringVar(asOf, "as-of", "", "as it was: a day (its end, UTC), an instant, an event's position or its id")
}

type changesOut struct {
	Total int       `json:"total"`
	Items []diffOut `json:"items"`
}

type diffOut struct {
	ID     string    `json:"id"`
	Kind   string    `json:"kind"`
	Title  string    `json:"title"`
	Op     string    `json:"op"`
	By     []string  `json:"by"`
	At     time.Time `json:"at"`
	Fields []struct {
		Field string          `json:"field"`
		From  json.RawMessage `json:"from,omitempty"`
		To    json.RawMessage `json:"to,omitempty"`
	} `json:"fields,omitempty"`
}

func (a *app) changes() *cobra.Command {
	var from, to, kind string
	c := a.inProject("changes", "Show what is different between two moments, from the log", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		var out changesOut
		q := url.Values{"from": {from}, "to": {to}, "kind": {kind}}
		if err := cl.Call(ctx, "GET", "/api/projects/"+project+"/changes?"+q.Encode(), nil, &out); err != nil {
			return err
		}
		return a.print(out, func() { a.changed(out) })
	})
	c.Long = "Shows what became of a project's records between two moments. A moment is a day (its end, UTC), an instant, an event's position or its id."
	f := c.Flags()
	f.StringVar(&from, "from", "", "the earlier moment")
	f.StringVar(&to, "to", "", "the later moment; now when empty")
	f.StringVar(&kind, "kind", "", "only this kind of record, such as ticket")
	_ = c.MarkFlagRequired("from") // it is there
	return c
}

func (a *app) changed(out changesOut) {
	if out.Total == 0 {
		a.printf("Nothing is different.\n")
	}
	for _, d := range out.Items {
		a.printf("%s %s %s  %s%s\n", d.Op, d.Kind, d.ID, d.Title, by(d.By))
		if d.Op != "updated" {
			continue
		}
		for _, f := range d.Fields {
			a.printf("  %s: %s -> %s\n", f.Field, orNothing(f.From), orNothing(f.To))
		}
	}
}

// by names who made a change, when that is known.
func by(who []string) string {
	if who = slices.DeleteFunc(slices.Clone(who), func(s string) bool { return s == "" }); len(who) == 0 {
		return ""
	}
	return "  by " + strings.Join(who, ", ")
}

// orNothing shows a value of JSON, short.
func orNothing(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "nothing"
	}
	if r := []rune(string(raw)); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return string(raw)
}
