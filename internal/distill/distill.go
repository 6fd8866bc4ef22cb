// Package distill remembers what conversations came to. When a conversation of a project has rested, rules read the
// decisions, actions and open questions out of what people said since it rested before, each with the message and the
// exact words, and keep them as memories; a summary says what was read. A model, where there is one, is asked once more
// ([Condenser]). A conversation in which nothing was said since is not looked at, so a day without work costs nothing.
//
// What a message asks to be remembered ("remember that …") becomes a note of the person who said it. Words that came from
// outside stay marked as such in what is kept.
package distill

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/extract"
	"chela/internal/fault"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/pattern"
	"chela/internal/run"
	"chela/internal/session"
)

// Conversations are what was said.
type Conversations interface {
	Sessions(ctx context.Context, project, person string, limit, offset int) ([]session.View, error)
	Messages(ctx context.Context, thread string, after event.Seq, limit int) ([]session.Message, error)
}

// A Log is where what is remembered is recorded.
type Log interface {
	Append(ctx context.Context, drafts ...event.Draft) ([]event.Event, error)
	ByKey(ctx context.Context, sender, key string) (event.Event, error)
}

// Projects say how far the changes of a project have come.
type Projects interface {
	Changed(ctx context.Context, project string, after int64, limit int) (clerk.Changes, error)
}

// Options of a [Keeper]. The zero value is the default.
type Options struct {
	Rest  time.Duration // after the last message a conversation has rested; 0 means 30 minutes
	Every time.Duration // how often conversations are looked at; 0 means 5 minutes
	Log   *slog.Logger  // nil means slog.Default
	// Left names conversations that somebody left: they have rested at once, as those that were closed.
	Left <-chan string
	// Condenser has a model read what rules do not; nil, or without a model, rules read alone.
	Condenser *Condenser
	// Projects lists the projects whose memories are tidied once a night; nil tidies none.
	Projects func(ctx context.Context) ([]desk.Record, error)
}

// A Keeper distils conversations. Any number of keepers may work on one store: what two keep alike is kept once.
type Keeper struct {
	clerk    *clerk.Clerk
	projects Projects
	conv     Conversations
	notes    Notes
	log      Log
	opts     Options
	left     map[string]bool  // of the next pass
	nights   string           // the day of the last night
	tidied   map[string]int64 // by project: how far its changes had come when its memories were tidied
}

// Notes are what persons keep for themselves.
type Notes interface {
	Notes(ctx context.Context, person string) ([]memory.Note, error)
}

// NewKeeper returns a keeper.
func NewKeeper(c *clerk.Clerk, projects Projects, conv Conversations, notes Notes, log Log, o Options) *Keeper {
	if o.Rest == 0 {
		o.Rest = 30 * time.Minute
	}
	if o.Every == 0 {
		o.Every = 5 * time.Minute
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Keeper{c, projects, conv, notes, log, o, make(map[string]bool), "", make(map[string]int64)}
}

// Run works until ctx is done.
func (k *Keeper) Run(ctx context.Context) error {
	every := time.NewTicker(k.opts.Every)
	defer every.Stop()
	for {
		if _, err := k.Pass(ctx); err != nil && ctx.Err() == nil {
			k.opts.Log.Warn("distil conversations; it is tried again", "err", err)
		}
		if err := k.Night(ctx); err != nil && ctx.Err() == nil {
			k.opts.Log.Warn("tidy memories; it is tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case thread := <-k.opts.Left:
			k.left[thread] = true
		case <-every.C:
		}
	}
}

// Bounds of a pass: how many conversations it looks at, how long ago they may have ended, and how many messages of each
// it reads.
const (
	maxThreads  = 200
	maxAge      = 7 * 24 * time.Hour
	maxMessages = 500
)

// Pass distils the conversations that have rested since they were distilled, and returns how many those were. One that
// fails is left for the next pass; nothing of it is kept then. One pass goes on at a time.
func (k *Keeper) Pass(ctx context.Context) (int, error) {
	now := k.clerk.Store().Mint().Now()
	all, err := k.conv.Sessions(ctx, "", "", maxThreads, 0)
	if err != nil {
		return 0, err
	}
	done := 0
	for _, s := range all {
		rested := k.left[s.ID] || s.Closed || !s.UpdatedAt.After(now.Add(-k.opts.Rest))
		if s.Project == "" || s.Messages < 2 || !rested || s.UpdatedAt.Before(now.Add(-maxAge)) {
			continue
		}
		did, err := k.distil(ctx, s.Thread)
		if err != nil {
			if kind := fault.KindOf(err); kind == fault.Conflict || kind == fault.NotFound { // an archived project, or one that is gone
				continue
			}
			return done, fmt.Errorf("distil conversation %s: %w", s.ID, err)
		}
		if did {
			done++
		}
	}
	clear(k.left)
	return done, nil
}

// upTo begins the tag that says up to which event a conversation was distilled.
const upTo = "upto:"

// key names the summary of a conversation.
const key = desk.SummaryKey

func summaryOf(thread string) *desk.MemoryBody {
	return &desk.MemoryBody{Scope: desk.ForThread, ThreadID: thread, Key: key, Type: "summary", Content: "-"}
}

// distil keeps what a conversation came to since it was distilled.
func (k *Keeper) distil(ctx context.Context, t session.Thread) (bool, error) {
	after, err := k.after(ctx, t)
	if err != nil {
		return false, err
	}
	said, err := k.conv.Messages(ctx, t.ID, after, maxMessages)
	if err != nil || len(said) == 0 {
		return false, err
	}
	mint := k.clerk.Store().Mint()
	id := mint.ID("run")
	at := event.Place{Thread: t.ID, Run: id, Task: "task_" + id[len("run_"):], From: run.Chela()}
	more, later, err := k.condense(ctx, at, t, said)
	if err != nil || later {
		return false, err
	}
	found, last := beside(read(said), more.found), said[len(said)-1].Seq
	var stands clerk.Changes
	did := false
	err = k.clerk.Do(ctx, at, t.Project, func(d []event.Draft) error {
		notes, err := k.noted(ctx, at, said)
		if err != nil {
			return err
		}
		d[0].Expect = &stands.End // one at a time for a project: who comes second plans anew
		if _, err = k.log.Append(ctx, slices.Concat(d, notes, more.drafts)...); err == nil {
			did = true
		}
		return err
	}, func(w *clerk.Work) error {
		var err error
		if stands, err = k.projects.Changed(ctx, t.Project, math.MaxInt64, 1); err != nil {
			return err
		}
		if now, err := k.after(ctx, t); err != nil || now >= last {
			return err
		}
		return keep(w, t, said, found, more.history)
	})
	return did, err
}

// after is the event up to which a conversation was distilled.
func (k *Keeper) after(ctx context.Context, t session.Thread) (event.Seq, error) {
	p, err := k.clerk.Store().Records(ctx, clerk.Query{Project: t.Project, Kind: desk.Memory, Identity: desk.Identity(summaryOf(t.ID)), Limit: 1})
	if err != nil || len(p.Records) == 0 {
		return 0, err
	}
	b, err := desk.Open[desk.MemoryBody](p.Records[0])
	for _, tag := range b.Tags {
		if n, ok := strings.CutPrefix(tag, upTo); ok {
			seq, err := strconv.ParseInt(n, 10, 64)
			return event.Seq(seq), err
		}
	}
	return 0, err
}

// A finding is something worth remembering.
type finding struct {
	body    desk.MemoryBody
	outside bool
}

// sure is how sure a rule has to be: a claim that only sounds like one is not kept.
const sure = 0.6

// read reads findings out of what people said.
func read(said []session.Message) []finding {
	var out []finding
	for _, m := range said {
		if m.Role != session.FromPerson {
			continue
		}
		minutes := extract.ReadMinutes(m.Message)
		add := func(kind, text string, confidence float64, quote string, tags ...string) {
			if strings.TrimSpace(quote) == "" || !strings.Contains(m.Message, strings.TrimSpace(strings.Split(quote, "\n")[0])) {
				return // a claim without its words is none
			}
			out = append(out, finding{desk.MemoryBody{
				Type: kind, Content: text, Confidence: confidence, Tags: append([]string{"distilled"}, tags...),
				Sources: []desk.Source{{Document: m.ID, Quote: quote, By: "rule:distil"}},
			}, len(m.Origins) > 0})
		}
		for _, d := range minutes.Decisions {
			if d.Confidence >= sure {
				add("decision", d.Text, d.Confidence, d.Span.Quote)
			}
		}
		for _, a := range minutes.Actions {
			if a.Confidence >= sure && !a.Done {
				text := a.Text
				if a.Owner != "" {
					text = a.Owner + ": " + text
				}
				add("fact", text, a.Confidence, a.Span.Quote, "action")
			}
		}
		for _, q := range minutes.Questions {
			if q.Confidence >= sure {
				add("question", q.Text, q.Confidence, q.Span.Quote)
			}
		}
	}
	return out
}

// keep plans the memories of a conversation: what is kept already gets the new source beside its own.
func keep(w *clerk.Work, t session.Thread, said []session.Message, found []finding, history string) error {
	for _, f := range found {
		if err := keepOne(w, f); err != nil {
			return err
		}
	}
	last := said[len(said)-1]
	s := summaryOf(t.ID)
	s.Content, s.Tags = summary(t, said, found, history), []string{"distilled", upTo + strconv.FormatInt(int64(last.Seq), 10)}
	s.Sources = []desk.Source{{Document: last.ID, Quote: clipped(last.Message, 300), By: "rule:distil"}}
	if slices.ContainsFunc(said, func(m session.Message) bool { return len(m.Origins) > 0 }) {
		w.FromOutside() // nothing is planned after it
	}
	r, isNew, err := clerk.Ensure(w, desk.Memory, s)
	if err != nil || isNew {
		return err
	}
	_, err = clerk.Edit(w, desk.Memory, r.ID, func(b *desk.MemoryBody) {
		b.Content, b.Tags, b.Sources = clipped(s.Content+"\n\n"+b.Content, maxSummary), s.Tags, append(s.Sources, b.Sources[:min(len(b.Sources), 9)]...)
	})
	return err
}

func keepOne(w *clerk.Work, f finding) error {
	if f.outside {
		return nil // it stays in the conversation, whose summary says that it was said; nobody confirmed it
	}
	r, isNew, err := clerk.Ensure(w, desk.Memory, &f.body)
	if err != nil || isNew {
		return err
	}
	_, err = clerk.Edit(w, desk.Memory, r.ID, func(b *desk.MemoryBody) {
		for _, s := range f.body.Sources {
			if !slices.Contains(b.Sources, s) && len(b.Sources) < 20 {
				b.Sources = append(b.Sources, s)
			}
		}
	})
	return err
}

// maxSummary is how long the summary of a conversation may be, in bytes.
const maxSummary = 6000

// summary says how a part of a conversation began and ended, and what it came to.
func summary(t session.Thread, said []session.Message, found []finding, history string) string {
	var b strings.Builder
	first, last := said[0], said[len(said)-1]
	end := "15:04"
	if from, to := first.At.UTC(), last.At.UTC(); from.YearDay() != to.YearDay() || from.Year() != to.Year() {
		end = "2006-01-02 15:04"
	}
	fmt.Fprintf(&b, "%s, %s to %s: %d messages.\nIt began: %s\nIt ended: %s\n", strings.TrimRight(t.Title, ".!?"), first.At.UTC().Format("2006-01-02 15:04"), last.At.UTC().Format(end), len(said), clipped(first.Message, 200), clipped(last.Message, 300))
	if history != "" {
		fmt.Fprintf(&b, "What happened, as a model read it: %s\n", clipped(history, 1000))
	}
	for _, f := range found {
		if !f.outside {
			fmt.Fprintf(&b, "%s: %s\n", strings.ToUpper(f.body.Type[:1])+f.body.Type[1:], clipped(f.body.Content, 200))
		}
	}
	return strings.TrimSpace(b.String())
}

func clipped(s string, n int) string {
	if s = strings.TrimSpace(s); len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

var remember = pattern.New(`(?i)^(?:please )?(?:remember|note) that (.{3,500})|^(?:bitte )?merk(?:e)? dir,? dass (.{3,500})`)

// noted are the notes that people asked for, of themselves. Words that came from outside ask for nothing.
func (k *Keeper) noted(ctx context.Context, at event.Place, said []session.Message) ([]event.Draft, error) {
	var out []event.Draft
	for _, m := range said {
		who := org.PersonOf(event.Party{AgentID: m.Actor})
		if m.Role != session.FromPerson || who == "" || len(m.Origins) > 0 {
			continue
		}
		for line := range strings.Lines(m.Message) {
			got := remember.FindStringSubmatch(strings.TrimSpace(line))
			if got == nil {
				continue
			}
			n := memory.Note{Content: strings.TrimSpace(got[1] + got[2]), Sources: []desk.Source{{Document: m.ID, Quote: strings.TrimSpace(line), By: "rule:distil"}}, Tags: []string{"distilled"}}
			if err := n.Check(k.clerk.Store().Mint().Now()); err != nil {
				return nil, err
			}
			have, err := k.notes.Notes(ctx, who)
			if err != nil {
				return nil, err
			}
			n.ID = memory.Named(have, n.Key, k.clerk.Store().Mint())
			out = append(out, memory.NotedKind.Draft(memory.Place(at, who), n))
		}
	}
	return out, nil
}
