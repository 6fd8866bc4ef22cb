// Package budget says what may be spent before it is spent. An organization sets
// [Limit]s on itself, its projects and its agents, for each run, for each day (UTC) or in
// total. A call of a model or a tool reserves what it may take at most ([Fit]); the result
// that is recorded takes the reservation's place. What does not fit waits for a person;
// see docs/budgets.md.
package budget

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// A Scope says whose calls a limit counts.
type Scope string

// The scopes.
const (
	Organization Scope = "organization" // all calls
	Project      Scope = "project"      // of one project
	Agent        Scope = "agent"        // of one agent
	Key          Scope = "key"          // for one key of a program
)

// Per says over what a limit counts.
type Per string

// What a limit counts over.
const (
	Run   Per = "run"   // each run on its own
	Day   Per = "day"   // of UTC
	Total Per = "total" // since ever
)

// A Bound is what may be spent. What is nil is not bounded; zero is zero.
type Bound struct {
	Tokens  *int64   `json:"tokens,omitempty" doc:"input and output tokens of model calls"`
	USD     *float64 `json:"usd,omitempty" doc:"of models whose price is known"`
	Seconds *int64   `json:"seconds,omitempty" doc:"that models and tools are waited for"`
	Calls   *int64   `json:"calls,omitempty" doc:"of models and tools"`
}

// A Limit is a bound on some calls. There is one for each scope, name and period.
type Limit struct {
	Scope Scope  `json:"scope" enum:"organization,project,agent,key"`
	Of    string `json:"of,omitempty" doc:"the id of the project, agent or key"`
	Per   Per    `json:"per" enum:"run,day,total"`
	Bound
}

// ID names the limit: "organization:day", "agent:coder:run".
func (l Limit) ID() string {
	switch l.Scope {
	case Organization:
		return string(Organization) + ":" + string(l.Per)
	case Agent:
		return l.Of + ":" + string(l.Per)
	case Project, Key:
	}
	return string(l.Scope) + ":" + l.Of + ":" + string(l.Per)
}

// Name is the limit in words, for a sentence; a project and a key are named by their ids.
func (l Limit) Name() string { return l.NameAs("") }

// NameAs is [Limit.Name] of what is called so; called is empty when that is not known.
func (l Limit) NameAs(called string) string {
	whose := "the organization"
	if l.Scope != Organization {
		whose = string(l.Scope) + " " + cmp.Or(called, org.AgentID(l.Of).Name())
	}
	return "the budget of " + whose + " " + map[Per]string{Run: "for each run", Day: "for today (UTC)", Total: "in total"}[l.Per]
}

// Check reports the first thing wrong with l.
func (l Limit) Check() error {
	switch {
	case !slices.Contains([]Scope{Organization, Project, Agent, Key}, l.Scope):
		return fault.BadField("scope", "The scope is not known.", string(Organization), string(Project), string(Agent), string(Key))
	case l.Scope == Organization && l.Of != "":
		return fault.BadField("of", "A budget of the organization names nothing else.")
	case l.Scope == Project && l.Of == "":
		return fault.BadField("of", "Name the project by its id.")
	case l.Scope == Key && l.Of == "":
		return fault.BadField("of", "Name the key by its id, see `chela key list`.")
	case l.Scope == Agent && org.AgentID(l.Of).Check() != nil:
		return fault.BadField("of", "Name the agent by its id, such as agent:coder.")
	case !slices.Contains([]Per{Run, Day, Total}, l.Per):
		return fault.BadField("per", "The period is not known.", string(Run), string(Day), string(Total))
	}
	return l.Bound.check()
}

// most bounds an amount, so that sums of them do not overflow.
const most = 1 << 50

func (b Bound) check() error {
	for _, f := range []struct {
		name string
		n    *int64
	}{{"tokens", b.Tokens}, {"seconds", b.Seconds}, {"calls", b.Calls}} {
		if f.n != nil && (*f.n < 0 || *f.n > most/1000) {
			return fault.BadField(f.name, "A budget is a whole number from 0 on; leave it out for none.")
		}
	}
	if b.USD != nil && (!(*b.USD >= 0) || *b.USD > most/1e6) { //nolint:staticcheck // NaN is refused too
		return fault.BadField("usd", "A budget is an amount from 0 on; leave it out for none.")
	}
	if b == (Bound{}) {
		return fault.New(fault.Invalid, "A budget bounds tokens, usd, seconds or calls; to take it away, remove it.")
	}
	return nil
}

// A Payer says whose calls are counted.
type Payer struct {
	Project string
	Agent   org.AgentID
	Key     string // of the program that asked; empty for people
}

// Applies reports whether l counts the calls of a payer.
func (l Limit) Applies(p Payer) bool {
	switch l.Scope {
	case Organization:
		return true
	case Project:
		return l.Of == p.Project
	case Agent:
		return l.Of == string(p.Agent)
	case Key:
		return l.Of == p.Key
	}
	return false
}

// Of returns the limits that count the calls of a payer.
func Of(all []Limit, p Payer) []Limit {
	var out []Limit
	for _, l := range all {
		if l.Applies(p) {
			out = append(out, l)
		}
	}
	return out
}

// OfTools returns those of the limits that bound calls of tools, which take no tokens.
func OfTools(limits []Limit) []Limit {
	var out []Limit
	for _, l := range limits {
		if l.Calls != nil || l.Seconds != nil {
			out = append(out, l)
		}
	}
	return out
}

// Since is from when on calls count at now; for Run and Total it is the beginning.
func (l Limit) Since(now time.Time) time.Time {
	if l.Per != Day {
		return time.Time{}
	}
	return now.UTC().Truncate(24 * time.Hour)
}

// Turns is when the limit has room again by itself; zero is never.
func (l Limit) Turns(now time.Time) time.Time {
	if l.Per != Day {
		return time.Time{}
	}
	return now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
}

// Amounts are what calls took, or may take.
type Amounts struct {
	Tokens   int64 `json:"tokens"`
	MicroUSD int64 `json:"micro_usd"`
	Millis   int64 `json:"millis"`
	Calls    int64 `json:"calls"`
}

// Plus adds.
func (a Amounts) Plus(b Amounts) Amounts {
	return Amounts{a.Tokens + b.Tokens, a.MicroUSD + b.MicroUSD, a.Millis + b.Millis, a.Calls + b.Calls}
}

// A Use is what was taken of a limit.
type Use struct {
	Used     Amounts `json:"used"`     // by calls that were answered, or cut off
	Reserved Amounts `json:"reserved"` // by calls under way
}

// A Want is what a call may take.
type Want struct {
	In     int64   // tokens that it sends, about
	Out    int64   // tokens that it may answer with
	USDIn  float64 // for a million tokens
	USDOut float64
	USD    float64       // however long its answer is
	Time   time.Duration // that it may last
}

// enough is how many tokens an answer needs at least to be worth asking for.
const enough = 1024

// A Grant is what a call got.
type Grant struct {
	Out  int64         // tokens that it may answer with
	Time time.Duration // that it may last
	Amounts
}

// A Counted is a limit with what was taken of it and what a person granted on top, once,
// for the run that asks.
type Counted struct {
	Limit
	Use
	Extra Amounts
}

// A Shortage says what a call lacks.
type Shortage struct {
	Limit Limit
	Text  string // a sentence
	lack  string // what follows the limit's name in Text
	by    string // what may be granted of what is short, in words
	// Held says that calls under way hold what is missing: there may be room when they end.
	Held bool
	// More is what a person may grant on top, once.
	More Amounts
}

// Asks is the sentence and the question whether to grant more, about the limit of what is called so.
func (s Shortage) Asks(called string) (sentence, question string) {
	sentence = upper(s.Limit.NameAs(called)) + " " + s.lack
	return sentence, sentence + " Raise it once for this run, by " + s.by + ", or stop the run?"
}

// Fit returns what each of the calls, which are made together, may take so that every
// limit holds whatever they take of that, or which limit is in their way.
func Fit(ws []Want, limits []Counted) ([]Grant, *Shortage) {
	gs := make([]Grant, len(ws))
	for i, w := range ws {
		gs[i] = Grant{Out: w.Out, Time: w.Time}
	}
	for _, l := range limits {
		if s := l.narrow(ws, gs); s != nil {
			return nil, s
		}
	}
	for i, w := range ws {
		g := &gs[i]
		g.Amounts = Amounts{Tokens: w.In + g.Out, MicroUSD: w.cost(g.Out), Millis: g.Time.Milliseconds(), Calls: 1}
	}
	return gs, nil
}

// cost is that of the call with so many tokens of output, in millionths of a dollar,
// rounded up.
func (w Want) cost(out int64) int64 {
	return int64(math.Ceil(float64(w.In)*w.USDIn + float64(out)*w.USDOut + w.USD*1e6))
}

// least is what the call needs to be worth making.
func (w Want) least() Amounts {
	out := min(w.Out, enough)
	return Amounts{Tokens: w.In + out, MicroUSD: w.cost(out), Millis: min(1000, w.Time.Milliseconds()), Calls: 1}
}

// narrow takes the grants down to what is left of l: each has what it needs at least and an
// equal share of the rest.
func (l Counted) narrow(ws []Want, gs []Grant) *Shortage {
	var least Amounts
	for _, w := range ws {
		least = least.Plus(w.least())
	}
	for _, p := range l.parts() {
		need := p.of(least)
		if p.max == nil || need == 0 {
			continue
		}
		limit := *p.max + p.of(l.Extra)
		left := limit - p.of(l.Used) - p.of(l.Reserved)
		if left < need {
			more := l.more(least)
			lack := fmt.Sprintf("is reached: %s of %s %s used, %s %s held by calls under way, and %s %s.",
				p.show(p.of(l.Used)), p.show(limit), p.are(p.of(l.Used)), p.show(p.of(l.Reserved)), p.are(p.of(l.Reserved)), next(len(ws)), p.show(need))
			return &Shortage{Limit: l.Limit, Held: limit-p.of(l.Used) >= need, More: more, Text: upper(l.Name()) + " " + lack, lack: lack, by: p.show(p.of(more))}
		}
		for i, w := range ws {
			gs[i].narrow(w, p.name, p.of(w.least())+(left-need)/int64(len(ws)))
		}
	}
	return nil
}

func next(calls int) string {
	if calls == 1 {
		return "the next call needs"
	}
	return fmt.Sprintf("the next %d calls need", calls)
}

// narrow takes g down to the room that there is for a part.
func (g *Grant) narrow(w Want, part string, room int64) {
	switch part {
	case "tokens":
		g.Out = min(g.Out, room-w.In)
	case "usd":
		if w.USDOut > 0 {
			if out := (float64(room) - float64(w.In)*w.USDIn - w.USD*1e6) / w.USDOut; out < float64(g.Out) {
				g.Out = int64(out)
			}
			for w.cost(g.Out) > room { // floats
				g.Out--
			}
		}
	case "seconds":
		g.Time = min(g.Time, time.Duration(room)*time.Millisecond)
	}
}

// more is as much again as the limit, and at least what the next call needs, beside what is used beyond the limit: that may be, when
// it was set after that.
func (l Counted) more(least Amounts) Amounts {
	var out Amounts
	for _, p := range l.parts() {
		if p.max != nil {
			over := max(0, p.of(l.Used)+p.of(l.Reserved)-*p.max-p.of(l.Extra))
			n := over + max(*p.max, p.of(least))
			switch p.name {
			case "tokens":
				out.Tokens = n
			case "usd":
				out.MicroUSD = n
			case "seconds":
				out.Millis = n
			case "calls":
				out.Calls = n
			}
		}
	}
	return out
}

// A part is one of the things that a bound bounds.
type part struct {
	name string
	max  *int64 // nil is not bounded
	of   func(Amounts) int64
	show func(int64) string
}

// are is the verb after so much as p shows.
func (p part) are(n int64) string {
	if strings.HasPrefix(p.show(n), "1 ") {
		return "is"
	}
	return "are"
}

func (b Bound) parts() []part {
	var usd, millis *int64
	if b.USD != nil {
		usd = new(int64(math.Round(*b.USD * 1e6)))
	}
	if b.Seconds != nil {
		millis = new(*b.Seconds * 1000)
	}
	plain := func(unit string) func(int64) string {
		return func(n int64) string {
			if n == 1 {
				return "1 " + strings.TrimSuffix(unit, "s")
			}
			return fmt.Sprintf("%d %s", n, unit)
		}
	}
	return []part{
		{"calls", b.Calls, func(a Amounts) int64 { return a.Calls }, plain("calls")},
		{"tokens", b.Tokens, func(a Amounts) int64 { return a.Tokens }, plain("tokens")},
		{"usd", usd, func(a Amounts) int64 { return a.MicroUSD }, func(n int64) string { return fmt.Sprintf("%.4f USD", float64(n)/1e6) }},
		{"seconds", millis, func(a Amounts) int64 { return a.Millis }, func(n int64) string { return fmt.Sprintf("%.1f seconds", float64(n)/1e3) }},
	}
}

// Zero names the first thing of which nothing may be spent; "" is none.
func (b Bound) Zero() string {
	for _, p := range b.parts() {
		if p.max != nil && *p.max == 0 {
			return p.name
		}
	}
	return ""
}

// Text is the bound in words: "5 USD, 10 calls".
func (b Bound) Text() string {
	var out []string
	for _, p := range b.parts() {
		if p.max != nil {
			out = append(out, p.show(*p.max))
		}
	}
	return strings.Join(out, ", ")
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Sort puts limits in the order in which people see them.
func Sort(in []Limit) {
	slices.SortFunc(in, func(a, b Limit) int { return cmp.Compare(a.ID(), b.ID()) })
}

// The facts of this package.
var (
	SetKind     = event.Kind[Limit]{Name: "budget.set", PayloadType: "budget.set.v1"}
	RemovedKind = event.Kind[Removed]{Name: "budget.removed", PayloadType: "budget.removed.v1"}
)

// Removed is the payload of budget.removed.
type Removed struct {
	ID string `json:"id"`
}
