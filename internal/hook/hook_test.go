package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"chela/internal/fault"
	"chela/internal/hook"
)

// does is a target of a test.
type does func(ctx context.Context, c hook.Call) (hook.Answer, error)

func (d does) Call(ctx context.Context, c hook.Call) (hook.Answer, error) { return d(ctx, c) }

func lets(context.Context, hook.Call) (hook.Answer, error) { return hook.Answer{}, nil }

// adds alters the text of a prompt.
func adds(text string) does {
	return func(_ context.Context, c hook.Call) (hook.Answer, error) {
		var s hook.Said
		if err := json.Unmarshal(c.Data, &s); err != nil {
			return hook.Answer{}, err
		}
		s.Text += text
		raw, err := json.Marshal(s)
		return hook.Answer{Data: raw}, err
	}
}

// hooks are of subscriptions to prompt, and what they record.
func hooks(subs ...hook.Subscription) (*hook.Hooks, *[]hook.Answered) {
	var told []hook.Answered
	for i := range subs {
		if subs[i].Points == nil {
			subs[i].Points = []hook.Point{hook.Prompt, hook.RunEnd}
		}
		if subs[i].Key == "" {
			subs[i].Key = subs[i].Name
		}
	}
	return hook.New(hook.Options{
		Source: func(context.Context) ([]hook.Subscription, error) { return subs, nil },
		Record: func(_ context.Context, a hook.Answered) { told = append(told, a) }, Log: slog.New(slog.DiscardHandler),
	}), &told
}

func TestHook_Ask(t *testing.T) {
	t.Parallel()
	denies := does(func(context.Context, hook.Call) (hook.Answer, error) {
		return hook.Answer{Deny: "not on a Friday."}, nil
	})
	breaks := does(func(context.Context, hook.Call) (hook.Answer, error) { panic("a bug") })
	fails := does(func(context.Context, hook.Call) (hook.Answer, error) { return hook.Answer{}, errors.New("no answer") })
	hangs := does(func(ctx context.Context, _ hook.Call) (hook.Answer, error) {
		<-ctx.Done()
		return hook.Answer{}, ctx.Err()
	})
	stuck := does(func(context.Context, hook.Call) (hook.Answer, error) {
		<-time.After(time.Hour) // whatever its context says
		return hook.Answer{}, nil
	})
	talks := does(func(context.Context, hook.Call) (hook.Answer, error) {
		return hook.Answer{Data: json.RawMessage(`{"txt":"x"}`)}, nil
	})
	for name, c := range map[string]struct {
		subs []hook.Subscription
		text string // "" is denied
		says string // of the error
		told string // hooks that are recorded
	}{
		"none":                       {nil, "hello", "", ""},
		"one that lets be":           {[]hook.Subscription{{Name: "a", Target: does(lets)}}, "hello", "", ""},
		"by priority":                {[]hook.Subscription{{Name: "a", Priority: 2, Target: adds(" 2")}, {Name: "b", Priority: 1, Target: adds(" 1")}, {Name: "c", Priority: 2, Target: adds(" 3")}}, "hello 1 2 3", "", "b a c"},
		"the same twice counts once": {[]hook.Subscription{{Name: "a", Key: "x", Target: adds("!")}, {Name: "b", Key: "x", Target: adds("!")}}, "hello!", "", "a"},
		"another point":              {[]hook.Subscription{{Name: "a", Points: []hook.Point{hook.RunEnd}, Target: denies}}, "hello", "", ""},
		"denied":                     {[]hook.Subscription{{Name: "a", Target: denies}, {Name: "b", Target: adds("!")}}, "", "The hook a denied it: not on a Friday.", "a"},
		"denied after another":       {[]hook.Subscription{{Name: "b", Target: adds("!")}, {Name: "a", Target: denies}}, "", "The hook a denied it", "b a"},
		"a panic":                    {[]hook.Subscription{{Name: "a", Target: breaks}}, "", "The hook a failed", "a"},
		"a panic that fails open":    {[]hook.Subscription{{Name: "a", FailsOpen: true, Target: breaks}, {Name: "b", Target: adds("!")}}, "hello!", "", "a b"},
		"a failure":                  {[]hook.Subscription{{Name: "a", Target: fails}}, "", "The hook a failed", "a"},
		"a slow one":                 {[]hook.Subscription{{Name: "a", Target: hangs}}, "", "The hook a failed", "a"},
		"one that does not listen":   {[]hook.Subscription{{Name: "a", Timeout: time.Second, Target: stuck, FailsOpen: true}}, "hello", "", "a"},
		"nonsense":                   {[]hook.Subscription{{Name: "a", Target: talks}}, "", "The hook a failed", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, told := hooks(c.subs...)
				got, err := hook.Ask(t.Context(), h, hook.Prompt, "", "", hook.Said{From: "agent:ann", Text: "hello"})
				if c.text == "" && (fault.KindOf(err) != fault.Denied || !strings.Contains(fault.TextOf(err), c.says)) || c.text != "" && (err != nil || got.Text != c.text || got.From != "agent:ann") {
					t.Errorf("%+v %v", got, err)
				}
				<-time.After(2 * time.Hour) // in this test's own time: what was left behind ends
				var names []string
				for _, a := range *told {
					names = append(names, a.Hook)
					if (a.Denied == "") == (a.Failed == "" && !a.Altered) {
						t.Errorf("%+v", a)
					}
				}
				if strings.Join(names, " ") != c.told {
					t.Errorf("recorded %v, want %s", names, c.told)
				}
			})
		})
	}
}

// TestHook_TellChangesNothing: a hook that is told may do what it likes.
func TestHook_TellChangesNothing(t *testing.T) {
	t.Parallel()
	called := 0
	h, told := hooks(
		hook.Subscription{Name: "a", Target: does(func(context.Context, hook.Call) (hook.Answer, error) { panic("a bug") })},
		hook.Subscription{Name: "b", Target: does(func(_ context.Context, c hook.Call) (hook.Answer, error) {
			called++
			var in hook.Happened
			if err := json.Unmarshal(c.Data, &in); err != nil || in.Run != "run_1" || c.Point != hook.RunEnd || c.Hook != "b" {
				t.Errorf("%+v %v", c, err)
			}
			return hook.Answer{Deny: "no"}, nil
		})},
	)
	h.Tell(t.Context(), hook.RunEnd, hook.Happened{Run: "run_1"})
	if called != 1 || len(*told) != 1 || (*told)[0].Hook != "a" || !h.Heard(t.Context()) {
		t.Errorf("%d %+v", called, *told)
	}
}

func TestHook_HooksThatCannotBeRead(t *testing.T) {
	t.Parallel()
	h := hook.New(hook.Options{Source: func(context.Context) ([]hook.Subscription, error) {
		return nil, fault.New(fault.Invalid, "hooks.yaml: it is broken.")
	}, Log: slog.New(slog.DiscardHandler)})
	if _, err := hook.Ask(t.Context(), h, hook.BeforeTool, "", "x", hook.ToolUse{}); fault.KindOf(err) != fault.Denied || !strings.Contains(fault.TextOf(err), "it is broken") {
		t.Errorf("it is not denied: %v", err)
	}
	h.Tell(t.Context(), hook.RunEnd, hook.Happened{})
	if h.Heard(t.Context()) {
		t.Error("it is heard")
	}
}

// TestHook_Order: whatever is subscribed, each key is called once, the smaller priority first,
// what was subscribed first first.
func TestHook_Order(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var all []hook.Subscription
		for i := range rapid.IntRange(0, 12).Draw(r, "n") {
			all = append(all, hook.Subscription{
				Name: string(rune('a' + i)), Priority: rapid.IntRange(-2, 2).Draw(r, "priority"), Key: rapid.SampledFrom([]string{"k", "l", "m", "n"}).Draw(r, "key"),
				Points: []hook.Point{rapid.SampledFrom([]hook.Point{hook.BeforeTool, hook.Prompt}).Draw(r, "point")},
				Tools:  rapid.SampledFrom([][]string{nil, {"x"}, {"y"}}).Draw(r, "tools"),
			})
		}
		got := hook.Of(all, hook.BeforeTool, "x")
		if !slices.IsSortedFunc(got, func(a, b hook.Subscription) int {
			if a.Priority != b.Priority {
				return a.Priority - b.Priority
			}
			return strings.Compare(a.Name, b.Name)
		}) {
			r.Fatalf("out of order: %+v", got)
		}
		keys := make(map[string]bool)
		for _, s := range got {
			if keys[s.Key] || s.Points[0] != hook.BeforeTool || len(s.Tools) > 0 && s.Tools[0] != "x" {
				r.Fatalf("%+v", got)
			}
			keys[s.Key] = true
		}
		for _, s := range all {
			if s.Points[0] == hook.BeforeTool && (len(s.Tools) == 0 || s.Tools[0] == "x") && !keys[s.Key] {
				r.Fatalf("%s is not called", s.Key)
			}
		}
	})
}

func TestHook_Files(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		"hooks: []":  "version",
		"version: 2": "version",
		"version: 1\nhooks: [{points: [prompt], url: https://a}]":                             "hooks.0.name",
		"version: 1\nhooks: [{name: a, url: https://a}]":                                      "hooks.0.points",
		"version: 1\nhooks: [{name: a, points: [never], url: https://a}]":                     "hooks.0.points.0",
		"version: 1\nhooks: [{name: a, points: [prompt]}]":                                    "hooks.0.command",
		"version: 1\nhooks: [{name: a, points: [prompt], url: https://a, command: [b]}]":      "hooks.0.command",
		"version: 1\nhooks: [{name: a, points: [prompt], command: ['']}]":                     "hooks.0.command.0",
		"version: 1\nhooks: [{name: a, points: [prompt], url: file:///etc/passwd}]":           "hooks.0.url",
		"version: 1\nhooks: [{name: a, points: [prompt], url: 'https://u:p@a'}]":              "hooks.0.url",
		"version: 1\nhooks: [{name: a, points: [prompt], command: [b], secret: C}]":           "hooks.0.secret",
		"version: 1\nhooks: [{name: a, points: [prompt], command: [b], timeout: 2m}]":         "hooks.0.timeout",
		"version: 1\nhooks: [{name: a, points: [prompt], command: [b], on_failure: perhaps}]": "hooks.0.on_failure",
	} {
		_, err := hook.ParseFile([]byte(text))
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || len(f.Fields) != 1 || f.Fields[0].Name != field {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := hook.ParseFile([]byte("version: 1\nhooks: [{nam: a}]")); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an unknown key: %v", err)
	}
	f, err := hook.ParseFile([]byte("\ufeffversion: 1\nhooks:\n  - {name: a, points: [prompt, run_end], command: [./a, -x], priority: 3, timeout: 2s, on_failure: allow}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s := f.Hooks[0].Subscription(nil); s.Name != "a" || s.Priority != 3 || s.Timeout != 2*time.Second || !s.FailsOpen || s.Key != "\x00./a\x00-x" {
		t.Errorf("%+v", s)
	}
}

func FuzzFile(f *testing.F) {
	for _, s := range []string{"", "version: 1", "version: 1\nhooks: [{name: a, points: [prompt], url: https://a.example/x, timeout: 3s}]", "- a", "\x00", "version: ["} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := hook.ParseFile([]byte(text))
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%v", err)
			}
			return
		}
		for _, e := range got.Hooks {
			if e.Name == "" || len(e.Points) == 0 || (len(e.Command) == 0) == (e.URL == "") {
				t.Errorf("%+v", e)
			}
		}
	})
}

// A hook on one operation of a tool hears that one; a hook on the tool hears all.
func TestHook_HooksOnAPart(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"memory": true, "memory_store": true, "memory_recall": false, "x": false} {
		all := []hook.Subscription{{Name: "h", Key: "h", Points: []hook.Point{hook.BeforeTool}, Tools: []string{name}}}
		if got := len(hook.Of(all, hook.BeforeTool, "memory_store")) == 1; got != want {
			t.Errorf("a hook on %s hears it: %v", name, got)
		}
	}
}

// TestHook_WhyTheyCannotBeReadIsLoggedOnce: however often hooks are asked or told, until the reason is another.
func TestHook_WhyTheyCannotBeReadIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	var failure error
	h := hook.New(hook.Options{
		Source: func(context.Context) ([]hook.Subscription, error) { return nil, failure },
		Log:    slog.New(slog.NewTextHandler(&out, nil)),
	})
	for i, step := range []struct {
		failure error
		logged  int
	}{
		{nil, 0},
		{errors.New("line 1"), 1},
		{errors.New("line 2"), 2},
		{nil, 2},
		{errors.New("line 2"), 3},
	} {
		failure = step.failure
		for range 3 {
			h.Tell(t.Context(), hook.RunEnd, hook.Happened{})
			_ = h.Heard(t.Context())
			if _, err := hook.Ask(t.Context(), h, hook.Prompt, "", "", hook.Said{}); (err != nil) != (failure != nil) {
				t.Errorf("step %d: asked while the source says %v: %v", i, failure, err)
			}
		}
		if got := strings.Count(out.String(), "level=WARN"); got != step.logged {
			t.Errorf("step %d: %d warnings, want %d:\n%s", i, got, step.logged, out.String())
		}
	}
}
