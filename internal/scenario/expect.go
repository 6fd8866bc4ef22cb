package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"chela/internal/fault"
)

// A moment is where the player stands after a step.
type moment struct {
	name   string
	step   Step
	out    outcome
	after  int64 // the log's end before the step
	before map[string]int
}

// expect checks everything that a step expects.
func (p *player) expect(ctx context.Context, m moment) error {
	e := *m.step.Expects
	if e.Status != "" {
		p.check(slices.Contains(states[e.Status], m.out.State), "%s: the run is %s, expected %s (%s)", m.name, m.out.State, e.Status, m.out.Reply)
	}
	if e.RunState != "" {
		p.check(m.out.State == e.RunState, "%s: the run is %s, expected %s (%s)", m.name, m.out.State, e.RunState, m.out.Reply)
	}
	if e.Reply != "" {
		fits, err := p.matches(ctx, e.Reply, m.out.Reply)
		if err != nil {
			return err
		}
		p.check(fits, "%s: the reply %q matches %q", m.name, m.out.Reply, e.Reply)
	}
	if err := p.events(ctx, m); err != nil {
		return err
	}
	for _, c := range slices.Concat(e.Mongo, e.Records) {
		if err := p.records(ctx, m.name, c); err != nil {
			return err
		}
	}
	if err := p.differences(ctx, m); err != nil {
		return err
	}
	if err := p.messages(ctx, m); err != nil {
		return err
	}
	for _, h := range e.HTTP {
		if err := p.answers(ctx, m.name, h); err != nil {
			return err
		}
	}
	return nil
}

// matches reports whether a regular expression finds something, whatever the case.
func (p *player) matches(ctx context.Context, pattern, text string) (bool, error) {
	pattern, err := p.fill(ctx, pattern)
	if err != nil {
		return false, err
	}
	re, err := regexp.Compile("(?is)" + pattern)
	if err != nil {
		return false, fault.Wrap(err, fault.Invalid, "%q is no regular expression.", pattern)
	}
	return re.MatchString(text), nil
}

func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// entry is one event as the log's page gives it.
type entry struct {
	Seq     int64           `json:"seq"`
	Hash    string          `json:"hash"`
	Type    string          `json:"type"`
	From    string          `json:"from"`
	Payload json.RawMessage `json:"payload"`
}

// fits reports whether an event is one that the name means.
func (n eventName) fits(e entry) bool {
	person := strings.HasPrefix(e.From, "agent:person/")
	return slices.Contains(n.Types, e.Type) && (n.From == "" || person == (n.From == "person")) && (n.Holds == "" || bytes.Contains(e.Payload, []byte(n.Holds)))
}

// log reads what was written since a position.
func (p *player) log(ctx context.Context, after int64) ([]entry, error) {
	var out []entry
	for {
		var page struct {
			Events []entry `json:"events"`
			End    int64   `json:"end"`
		}
		if err := p.read(ctx, fmt.Sprintf("/api/log?limit=500&after=%d", after), &page); err != nil {
			return nil, err
		}
		out = append(out, page.Events...)
		if len(page.Events) < 500 {
			return out, nil
		}
		after = page.End
	}
}

func (p *player) events(ctx context.Context, m moment) error {
	want := m.step.Expects.Events
	if want == nil && len(m.step.Expects.InOrder) == 0 {
		return nil
	}
	log, err := p.log(ctx, m.after)
	if err != nil {
		return err
	}
	if want != nil {
		p.countEvents(m.name, *want, log)
	}
	if len(m.step.Expects.InOrder) == 0 {
		return nil
	}
	left := m.step.Expects.InOrder
	for _, e := range log {
		if n, _ := eventsNamed(left[0]); n.fits(e) {
			if left = left[1:]; len(left) == 0 {
				break
			}
		}
	}
	p.check(len(left) == 0, "%s: the events come in the order %s%s", m.name, strings.Join(m.step.Expects.InOrder, ", "), missing(left))
	return nil
}

func missing(left []string) string {
	if len(left) == 0 {
		return ""
	}
	return "; there is no " + left[0] + " after those before it"
}

func (p *player) countEvents(name string, want Events, log []entry) {
	count := func(t string) int {
		n, _ := eventsNamed(t)
		found := 0
		for _, e := range log {
			if n.fits(e) {
				found++
			}
		}
		return found
	}
	for _, t := range want.Contains {
		p.check(count(t) > 0, "%s: %s is in the log", name, t)
	}
	for _, t := range want.Absent {
		p.check(count(t) == 0, "%s: %s is not in the log", name, t)
	}
	for _, t := range slices.Sorted(maps.Keys(want.Min)) {
		p.check(count(t) >= want.Min[t], "%s: %s is in the log %d times, expected at least %d", name, t, count(t), want.Min[t])
	}
	for _, t := range slices.Sorted(maps.Keys(want.Counts)) {
		p.check(count(t) == want.Counts[t], "%s: %s is in the log %d times, expected %d", name, t, count(t), want.Counts[t])
	}
}

// differences compares how many records there are with how many there were.
func (p *player) differences(ctx context.Context, m moment) error {
	if len(m.step.Expects.Differences) == 0 {
		return nil
	}
	now, err := p.counts(ctx, m.step)
	if err != nil {
		return err
	}
	for _, k := range slices.Sorted(maps.Keys(m.step.Expects.Differences)) {
		c, _ := collectionNamed(k)
		kind, want := string(c.Kind), m.step.Expects.Differences[k]
		p.check(now[kind]-m.before[kind] == want, "%s: %s went from %d to %d, expected a difference of %d", m.name, k, m.before[kind], now[kind], want)
	}
	return nil
}

// spoken is a message of a conversation, by the names such files use.
type spoken struct {
	Session string `json:"sessionId"`
	Thread  string `json:"threadId"`
	Role    string `json:"role"` // user, assistant, system
	Agent   string `json:"agentId"`
	Content string `json:"content"`
	Run     string `json:"runId"`
}

// said returns what was said in a conversation, oldest first.
func (p *player) said(ctx context.Context, thread string) ([]spoken, error) {
	var out []spoken
	if thread == "" {
		return out, nil
	}
	var list []struct {
		Role    string `json:"role"`
		Actor   string `json:"actor"`
		Message string `json:"message"`
		Run     string `json:"run"`
	}
	if err := p.read(ctx, "/api/conversations/"+url.PathEscape(thread)+"/messages?limit=500", &list); err != nil {
		return nil, err
	}
	roles := map[string]string{"person": "user", "agent": "assistant"}
	for _, m := range list {
		role := m.Role
		if r, ok := roles[role]; ok {
			role = r
		}
		out = append(out, spoken{thread, thread, role, strings.TrimPrefix(m.Actor, "agent:"), m.Message, m.Run})
	}
	return out, nil
}

func (p *player) messages(ctx context.Context, m moment) error {
	want := m.step.Expects.Messages
	if want == nil {
		return nil
	}
	all, err := p.said(ctx, p.thread)
	if err != nil {
		return err
	}
	var answers []string
	for _, s := range all {
		if s.Role == "assistant" {
			answers = append(answers, s.Content)
		}
	}
	if m.step.Type != "" && m.out.Reply != "" && m.out.Thread != p.thread {
		answers = append(answers, m.out.Reply)
	}
	last := ""
	if len(answers) > 0 {
		last = answers[len(answers)-1]
	}
	if want.LastContains != "" {
		p.check(containsFold(last, want.LastContains), "%s: the last answer %q contains %q", m.name, last, want.LastContains)
	}
	if want.LastMatches != "" {
		fits, err := p.matches(ctx, want.LastMatches, last)
		if err != nil {
			return err
		}
		p.check(fits, "%s: the last answer %q matches %q", m.name, last, want.LastMatches)
	}
	if want.AnyContains != "" {
		p.check(slices.ContainsFunc(answers, func(a string) bool { return containsFold(a, want.AnyContains) }), "%s: one of %d answers contains %q", m.name, len(answers), want.AnyContains)
	}
	return nil
}
