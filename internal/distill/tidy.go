package distill

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/query"
	"chela/internal/recall"
	"chela/internal/run"
)

// The quiet hours, of the daemon's own clock: from the first on, before the second.
const (
	quietFrom = 3
	quietTo   = 5
)

// maxTidied is how many memories of a project one night looks at: the newest.
const maxTidied = 5000

// Night tidies the memories of each project once in the quiet hours of a day, where something changed since the last time.
func (k *Keeper) Night(ctx context.Context) error {
	now := k.clerk.Store().Mint().Now().Local()
	day := now.Format(time.DateOnly)
	if k.opts.Projects == nil || now.Hour() < quietFrom || now.Hour() >= quietTo || k.nights == day {
		return nil
	}
	all, err := k.opts.Projects(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if _, err := k.Tidy(ctx, p.ID); err != nil {
			if kind := fault.KindOf(err); kind == fault.Conflict || kind == fault.NotFound { // an archived project, or one that is gone
				continue
			}
			return fmt.Errorf("tidy the memories of project %s: %w", p.ID, err)
		}
	}
	k.nights = day
	return nil
}

// Tidy merges memories of a project that say the same, with the sources of both; marks those that say otherwise; and takes out what has
// expired. What somebody changed since it was made, or brought back, it leaves as it is. All of it is one act, which is undone as one.
// Nothing is asked of a model, and where nothing changed since the last time nothing is looked at. It returns how many memories changed.
func (k *Keeper) Tidy(ctx context.Context, project string) (int, error) {
	stands, err := k.projects.Changed(ctx, project, math.MaxInt64, 1)
	if err != nil || k.tidied[project] == stands.End {
		return 0, err
	}
	mint := k.clerk.Store().Mint()
	id := mint.ID("run")
	at := event.Place{Thread: mint.ID("thr"), Run: id, Task: "task_" + id[len("run_"):], From: run.Chela()}
	changed, moved := 0, false
	err = k.clerk.Do(ctx, at, project, func(d []event.Draft) error {
		d[0].Expect = &stands.End // who comes second plans anew
		_, err := k.log.Append(ctx, d...)
		moved = err == nil
		return err
	}, func(w *clerk.Work) (err error) {
		if stands, err = k.projects.Changed(ctx, project, math.MaxInt64, 1); err != nil {
			return err
		}
		changed, err = tidy(w, mint.Now())
		return err
	})
	if err != nil {
		return 0, err
	}
	if moved {
		if stands, err = k.projects.Changed(ctx, project, math.MaxInt64, 1); err != nil {
			return changed, err
		}
	}
	k.tidied[project] = stands.End
	return changed, nil
}

// kept is a memory with its words.
type kept struct {
	id    string
	body  desk.MemoryBody
	words []string
}

// tidy plans what a night changes, and returns how many memories that are.
func tidy(w *clerk.Work, now time.Time) (int, error) {
	read, err := w.List(clerk.Query{Kind: desk.Memory, Newest: true, Limit: maxTidied})
	if err != nil {
		return 0, err
	}
	changed := 0
	byWords, byStart := make(map[string]*kept), make(map[string][]*kept)
	for _, r := range slices.Backward(read) { // the oldest first
		b, err := desk.Open[desk.MemoryBody](r)
		if err != nil {
			return 0, err
		}
		asMade := r.Version == 1 // what somebody changed since, or brought back, is left as it is
		if asMade && b.Expired(now) {
			if _, err := w.Remove(desk.Memory, r.ID); err != nil {
				return 0, err
			}
			changed++
			continue
		}
		if r.Outside || b.Type == "summary" {
			continue
		}
		m := &kept{r.ID, b, valued(b.Content)}
		whose := strings.Join([]string{b.Scope, b.Owner, b.ThreadID, b.Type, ""}, "\x00")
		same := whose + strings.Join(m.words, " ")
		if first := byWords[same]; first != nil && len(m.words) > 0 && asMade {
			if err := w.Merge(desk.Memory, first.id, []string{m.id}); err != nil {
				return 0, err
			}
			changed++
			continue
		}
		byWords[same] = m
		if len(claimed(m.words)) < leastClaim {
			continue
		}
		start := whose + strings.Join(claimed(m.words)[:1], " ")
		for _, other := range byStart[start] {
			if !asMade || linked(*m, *other) || !otherwise(m.words, other.words) {
				continue
			}
			if _, err := clerk.Edit(w, desk.Memory, m.id, func(b *desk.MemoryBody) { b.Contradicts = append(b.Contradicts, other.id) }); err != nil {
				return 0, err
			}
			changed++
			break
		}
		byStart[start] = append(byStart[start], m)
	}
	return changed, nil
}

// leastClaim is how many words a claim has at least that another may contradict.
const leastClaim = 4

// valued are the words of a text that say something, with its numbers and with what denies.
func valued(text string) []string {
	var out []string
	for _, word := range query.Words(text) {
		if denies[word.Text] {
			out = append(out, "not")
			continue
		}
		if calendar[word.Text] { // May is a month here, and no word that says nothing
			out = append(out, word.Text)
			continue
		}
		out = append(out, recall.Terms(word.Text)...)
	}
	return out
}

// claimed are the words of a claim without what denies it.
func claimed(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "not" })
}

var denies = map[string]bool{"not": true, "no": true, "never": true, "nicht": true, "kein": true, "keine": true, "nie": true}

// linked reports whether one of two memories names the other already, or took its place.
func linked(a, b kept) bool {
	names := func(x, y kept) bool {
		return slices.Contains(x.body.Supersedes, y.id) || slices.Contains(x.body.Contradicts, y.id)
	}
	return names(a, b) || names(b, a) || a.body.ValidTo != "" || b.body.ValidTo != ""
}

// otherwise reports whether two claims say the same of one thing but for its value: all words alike but one in the second half, which
// is a number or the name of a month or day in both; or but for a denial. Claims with other words may be about other things.
func otherwise(a, b []string) bool {
	if len(a) == len(b) {
		at := -1
		for i := range a {
			if a[i] == b[i] {
				continue
			}
			if at >= 0 {
				return false
			}
			at = i
		}
		return at >= (len(a)+1)/2 && value(a[at]) && value(b[at])
	}
	return len(a)-len(b) == 1 && slices.Equal(claimed(a), b) || len(b)-len(a) == 1 && slices.Equal(claimed(b), a)
}

// value reports whether a word is a number, or names a month or a day of the week.
func value(word string) bool {
	return strings.ContainsAny(word, "0123456789") || calendar[word]
}

// calendar are the names of months and days of the week.
var calendar = func() map[string]bool { //nolint:gochecknoglobals // a table
	out := make(map[string]bool)
	for _, w := range strings.Fields("january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag") {
		out[w] = true
	}
	return out
}()
