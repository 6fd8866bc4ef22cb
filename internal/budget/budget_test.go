package budget_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/budget"
	"chela/internal/fault"
)

func TestBudget_ZeroIsZeroAndAbsentIsNoLimit(t *testing.T) {
	t.Parallel()
	zero, none := int64(0), 0.0
	w := budget.Want{In: 10, Out: 100, USDIn: 1, USDOut: 2, Time: time.Second}
	for name, b := range map[string]budget.Bound{"tokens": {Tokens: &zero}, "calls": {Calls: &zero}, "usd": {USD: &none}, "seconds": {Seconds: &zero}} {
		l := budget.Limit{Scope: budget.Organization, Per: budget.Day, Bound: b}
		if err := l.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, short := budget.Fit([]budget.Want{w}, []budget.Counted{{Limit: l}}); short == nil || short.Held || !strings.HasPrefix(short.Text, "The budget of the organization for today (UTC) is reached") {
			t.Errorf("zero %s let a call through: %+v", name, short)
		}
	}
	if g, short := budget.Fit([]budget.Want{w}, []budget.Counted{{}}); short != nil || g[0].Tokens != 110 || g[0].Calls != 1 {
		t.Errorf("without a bound: %+v, %+v", g, short)
	}
	free := budget.Want{In: 10, Out: 100, Time: time.Second}
	if _, short := budget.Fit([]budget.Want{free}, []budget.Counted{{Limit: budget.Limit{Bound: budget.Bound{USD: &none}}}}); short != nil {
		t.Errorf("a call without a price takes no money: %s", short.Text)
	}
}

func TestBudget_CallsOfToolsAreReservedTogether(t *testing.T) {
	t.Parallel()
	calls, seconds := int64(5), int64(10)
	limit := budget.Counted{Limit: budget.Limit{Scope: budget.Agent, Of: "agent:coder", Per: budget.Run, Bound: budget.Bound{Calls: &calls, Seconds: &seconds}}, Use: budget.Use{Used: budget.Amounts{Calls: 2}}}
	w := budget.Want{Time: 30 * time.Second}
	got, short := budget.Fit([]budget.Want{w, w, {Time: 500 * time.Millisecond}}, []budget.Counted{limit})
	if short != nil || got[0].Amounts != (budget.Amounts{Calls: 1, Millis: 3500}) || got[1].Time != 3500*time.Millisecond || got[2].Time != 500*time.Millisecond {
		t.Errorf("three calls share 10 seconds: %+v, %+v", got, short)
	}
	_, short = budget.Fit([]budget.Want{w, w, w, w}, []budget.Counted{limit})
	if short == nil || !strings.HasSuffix(short.Text, "2 calls of 5 calls are used, 0 calls are held by calls under way, and the next 4 calls need 4 calls.") {
		t.Errorf("four calls where three are left: %+v, %+v", got, short)
	}
	limit.Used.Millis = 9001
	if _, short = budget.Fit([]budget.Want{w}, []budget.Counted{limit}); short == nil {
		t.Error("a tool was given less than a second")
	}
	if _, short = budget.Fit([]budget.Want{{}}, []budget.Counted{limit}); short != nil {
		t.Errorf("what a person does takes no seconds: %s", short.Text)
	}
	if of := budget.OfTools([]budget.Limit{limit.Limit, {Bound: budget.Bound{Tokens: &calls}}}); len(of) != 1 {
		t.Errorf("tokens do not bound tools: %+v", of)
	}
}

// TestBudget_ARaiseIsEnough: what a person grants once lets the next call through, also where more is used than the limit allows.
func TestBudget_ARaiseIsEnough(t *testing.T) {
	t.Parallel()
	small, none := int64(100), int64(0)
	w := budget.Want{In: 2000, Out: 5000, Time: time.Second}
	for name, c := range map[string]struct {
		budget.Counted
		by string
	}{
		"set after more was used": {budget.Counted{Limit: budget.Limit{Scope: budget.Project, Of: "prj_1", Per: budget.Day, Bound: budget.Bound{Tokens: &small}}, Use: budget.Use{Used: budget.Amounts{Tokens: 4080}}}, "7004 tokens"},
		"raised before":           {budget.Counted{Limit: budget.Limit{Scope: budget.Project, Of: "prj_1", Per: budget.Day, Bound: budget.Bound{Tokens: &small}}, Use: budget.Use{Used: budget.Amounts{Tokens: 7000}, Reserved: budget.Amounts{Tokens: 50}}, Extra: budget.Amounts{Tokens: 7004}}, "3024 tokens"},
		"nothing at all":          {budget.Counted{Limit: budget.Limit{Scope: budget.Project, Of: "prj_1", Per: budget.Day, Bound: budget.Bound{Calls: &none}}}, "1 call"},
	} {
		_, short := budget.Fit([]budget.Want{w}, []budget.Counted{c.Counted})
		if short == nil {
			t.Fatalf("%s: there is room", name)
		}
		text, question := short.Asks("Shop")
		if !strings.HasPrefix(text, "The budget of project Shop for today (UTC) is reached: ") || !strings.HasSuffix(question, "Raise it once for this run, by "+c.by+", or stop the run?") {
			t.Errorf("%s: it asks %q", name, question)
		}
		c.Extra = c.Extra.Plus(short.More)
		if _, again := budget.Fit([]budget.Want{w}, []budget.Counted{c.Counted}); again != nil {
			t.Errorf("%s: after a raise by %+v it asks again: %s", name, short.More, again.Text)
		}
	}
}

func TestBudget_LimitsAreChecked(t *testing.T) {
	t.Parallel()
	n, minus, nan := int64(1), int64(-1), math.NaN()
	for want, l := range map[string]budget.Limit{
		"scope":        {Scope: "galaxy", Per: budget.Day, Bound: budget.Bound{Calls: &n}},
		"per":          {Scope: budget.Organization, Per: "week", Bound: budget.Bound{Calls: &n}},
		"of":           {Scope: budget.Agent, Of: "Coder", Per: budget.Day, Bound: budget.Bound{Calls: &n}},
		"calls":        {Scope: budget.Organization, Per: budget.Day, Bound: budget.Bound{Calls: &minus}},
		"usd":          {Scope: budget.Organization, Per: budget.Day, Bound: budget.Bound{USD: &nan}},
		"bounds token": {Scope: budget.Organization, Per: budget.Day},
	} {
		if err := l.Check(); err == nil || !strings.Contains(fault.TextOf(err), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestBudget_ADayTurnsAtMidnightUTC(t *testing.T) {
	t.Parallel()
	l := budget.Limit{Scope: budget.Organization, Per: budget.Day}
	at := time.Date(2025, 11, 3, 23, 30, 0, 0, time.FixedZone("", 3600))
	if l.Since(at).Format(time.RFC3339) != "2025-11-03T00:00:00Z" || l.Turns(at).Format(time.RFC3339) != "2025-11-04T00:00:00Z" {
		t.Errorf("%s to %s", l.Since(at), l.Turns(at))
	}
}

// TestBudget_NoOrderOfCallsGoesOverALimit reserves, answers, fails, crashes and begins calls
// again in any order, and no answer that stays within its grant leads over a limit.
func TestBudget_NoOrderOfCallsGoesOverALimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, 50_000)
		tokens, calls, seconds, usd := amount.Draw(t, "tokens"), rapid.Int64Range(0, 20).Draw(t, "calls"), rapid.Int64Range(0, 500).Draw(t, "seconds"), rapid.Float64Range(0, 2).Draw(t, "usd")
		limit := budget.Limit{Scope: budget.Organization, Per: budget.Day, Bound: budget.Bound{Tokens: &tokens, Calls: &calls, Seconds: &seconds, USD: &usd}}
		open := make(map[int]budget.Amounts) // by call
		var used budget.Amounts
		t.Repeat(map[string]func(*rapid.T){
			"reserve, or begin again after a crash": func(t *rapid.T) {
				first, n := rapid.IntRange(0, 9).Draw(t, "call"), 1
				w := []budget.Want{{
					In: rapid.Int64Range(0, 5000).Draw(t, "in"), Out: rapid.Int64Range(1, 9000).Draw(t, "out"), Time: time.Duration(rapid.IntRange(1, 300).Draw(t, "time")) * time.Second,
					USDIn: rapid.Float64Range(0, 20).Draw(t, "price in"), USDOut: rapid.Float64Range(0, 80).Draw(t, "price out"),
				}}
				if rapid.Bool().Draw(t, "of tools") {
					w = w[:0]
					for n = range rapid.IntRange(1, 4).Draw(t, "beside each other") {
						w = append(w, budget.Want{Time: time.Duration(rapid.IntRange(0, 90_000).Draw(t, "time of a tool")) * time.Millisecond})
					}
					n++
				}
				var held budget.Amounts
				for k, a := range open {
					if k < first || k >= first+n {
						held = held.Plus(a)
					}
				}
				gs, short := budget.Fit(w, []budget.Counted{{Limit: limit, Use: budget.Use{Used: used, Reserved: held}}})
				if short != nil {
					return
				}
				for i, g := range gs {
					if g.Out < min(w[i].Out, 1024) || g.Out > w[i].Out || g.Time > w[i].Time || g.Time < min(w[i].Time, time.Second) {
						t.Fatalf("%+v for %+v", g, w[i])
					}
					open[first+i] = g.Amounts
				}
			},
			"answer": func(t *rapid.T) {
				n := rapid.IntRange(0, 12).Draw(t, "call")
				if a, ok := open[n]; ok {
					used = used.Plus(budget.Amounts{Tokens: a.Tokens / 2, MicroUSD: a.MicroUSD, Millis: a.Millis / 3, Calls: a.Calls})
					delete(open, n)
				}
			},
			"fail": func(t *rapid.T) { delete(open, rapid.IntRange(0, 12).Draw(t, "call")) },
			"": func(t *rapid.T) {
				all := used
				for _, a := range open {
					all = all.Plus(a)
				}
				if all.Tokens > tokens || all.Calls > calls || all.Millis > seconds*1000 || all.MicroUSD > int64(math.Round(usd*1e6)) {
					t.Fatalf("%+v is over %s", all, limit.Text())
				}
			},
		})
	})
}

// TestBudget_ACallWithAPriceOfItsOwn: what it costs however long its answer is has to fit, and leaves the
// rest to the answer.
func TestBudget_ACallWithAPriceOfItsOwn(t *testing.T) {
	t.Parallel()
	limit := func(usd float64) []budget.Counted {
		return []budget.Counted{{Limit: budget.Limit{Scope: budget.Organization, Per: budget.Total, Bound: budget.Bound{USD: &usd}}}}
	}
	audio := budget.Want{USD: 0.5}
	if g, short := budget.Fit([]budget.Want{audio}, limit(0.6)); short != nil || g[0].MicroUSD != 500_000 {
		t.Errorf("%+v %+v", g, short)
	}
	if g, short := budget.Fit([]budget.Want{audio}, limit(0.4)); short == nil {
		t.Errorf("%+v does not fit", g)
	}
	both := budget.Want{USD: 0.5, Out: 8192, USDOut: 100}
	if g, short := budget.Fit([]budget.Want{both}, limit(0.7)); short != nil || g[0].Out != 2000 || g[0].MicroUSD != 700_000 {
		t.Errorf("%+v %+v", g, short)
	}
}
