package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/model/scripted"
)

func play(t *testing.T, raw string) *scripted.Model {
	t.Helper()
	s, err := scripted.Read([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return scripted.New(s)
}

// TestPlay_ATurnWithTools plays a whole turn: two native calls beside a text, a call with
// the next answer, and the end.
func TestPlay_ATurnWithTools(t *testing.T) {
	t.Parallel()
	m := play(t, `{"steps":[{"userQuery":"Plan it","agentResponses":[
		{"agentName":"pm","responseFallback":"I look.","toolCalls":[{"name":"read_tickets","args":{"text":"ü"}},{"name":"read_threads"}]},
		{"agentName":"checker","responseFallback":"never mine"},
		{"agentName":"pm","toolCalls":[{"name":"create_ticket","args":{"title":"A"}}]},
		{"agentName":"pm","responseFallback":"Done."}]}]}`)
	r := model.Request{Model: "any", Agent: "agent:pm", System: "You are pm.", Messages: []model.Message{says("Before"), {Role: model.Assistant, Parts: []model.Part{{Text: "Yes."}}}, says(" Plan it\n")}}
	ids := make(map[string]bool)
	for _, want := range []struct {
		text  string
		calls []string
		stop  model.StopReason
	}{
		{"I look.", []string{`read_tickets {"text":"ü"}`, "read_threads {}"}, model.StopToolCalls},
		{"", []string{`create_ticket {"title":"A"}`}, model.StopToolCalls},
		{"Done.", nil, model.StopEnd},
	} {
		shown := ""
		a, err := m.Generate(t.Context(), r, func(d model.Delta) { shown += d.Text })
		if err != nil || a.Text != want.text || shown != want.text || a.Stop != want.stop || len(a.Calls) != len(want.calls) || a.Provider != "scripted" || a.Usage.InputTokens == 0 {
			t.Fatalf("%+v %v, shown %q", a, err, shown)
		}
		results := model.Message{Role: model.Tool}
		for i, c := range a.Calls {
			if got := c.Name + " " + string(c.Args); got != want.calls[i] || c.ID == "" || ids[c.ID] {
				t.Errorf("call %s is %s", c.ID, got)
			}
			ids[c.ID] = true
			results.Parts = append(results.Parts, model.Part{Result: &model.ToolResult{CallID: c.ID, Name: c.Name, Text: "ok"}})
		}
		r.Messages = append(r.Messages, model.Message{Role: model.Assistant, Parts: a.Parts}, results)
	}
	_, err := m.Generate(t.Context(), r, nil)
	if text := fault.TextOf(err); !strings.Contains(text, `no reply number 4 of pm to "Plan it"`) {
		t.Errorf("after the last reply it says %q", text)
	}
}

func TestPlay_TheStepThatFitsBestWins(t *testing.T) {
	t.Parallel()
	m := play(t, `{"steps":[
		{"agentResponses":[{"agentName":"pm","responseFallback":"any"}]},
		{"userQuery":"plan","agentResponses":[{"agentName":"pm","responseFallback":"within"}]},
		{"contains":"minutes","agentResponses":[{"agentName":"pm","responseFallback":"contains"}]},
		{"userQuery":"PLAN THE minutes","agentResponses":[{"agentName":"pm","responseFallback":"same letters"}]},
		{"userQuery":"Plan the minutes","agentResponses":[{"agentName":"pm","responseFallback":"same"},{"agentName":"pm","responseFallback":"second"}]}]}`)
	for said, want := range map[string]string{
		"Plan the minutes":   "same",
		"plan the MINUTES":   "same letters",
		"plan these minutes": "contains",
		"a plan":             "within",
		"Hello":              "any",
		"":                   "any",
	} {
		a, err := m.Generate(t.Context(), model.Request{Agent: "pm", Messages: []model.Message{says(said)}}, nil)
		if err != nil || a.Text != want {
			t.Errorf("%q is answered %q, %v", said, a.Text, err)
		}
	}
	if a, err := m.Generate(t.Context(), model.Request{Agent: "agent:pm"}, nil); err != nil || a.Text != "any" {
		t.Errorf("nothing was said: %+v %v", a, err)
	}
}

func TestPlay_AScriptWithoutAnAnswerSaysSo(t *testing.T) {
	t.Parallel()
	m := play(t, `{"steps":[{"userQuery":"Hello","agentResponses":[{"agentName":"pm","responseFallback":"Hi."}]}]}`)
	long := strings.Repeat("x", 79) + "ééé"
	for _, c := range []struct {
		agent, said, says string
	}{
		{"agent:pm", "Goodbye", `the script has no reply number 1 of pm to "Goodbye"`},
		{"agent:checker", "Hello", `no reply number 1 of checker to "Hello"`},
		{"", "Hello", "no reply number 1 of "},
		{"agent:pm", long, `"` + strings.Repeat("x", 79) + `…"`},
	} {
		_, err := m.Generate(t.Context(), model.Request{Agent: c.agent, Messages: []model.Message{says(c.said)}}, func(model.Delta) { t.Error("it shows something") })
		var e *model.Error
		if !errors.As(err, &e) || e.Reason.Retryable() || e.Provider != "scripted" {
			t.Fatalf("%v", err)
		}
		if text := fault.TextOf(err); !strings.Contains(text, c.says) || !utf8.ValidString(text) {
			t.Errorf("it says %q", text)
		}
	}
}

func TestPlay_ACallThatIsGivenUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := play(t, script).Generate(ctx, model.Request{Agent: "agent:pm", Messages: []model.Message{says("Hello")}}, func(model.Delta) { t.Error("it shows something") })
	var e *model.Error
	if !errors.As(err, &e) || e.Reason != model.Canceled {
		t.Errorf("%v", err)
	}
}

func TestPlay_Open(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	m, err := scripted.Open(model.Provider{Script: write("good.json", script)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := m.Generate(t.Context(), model.Request{Agent: "agent:pm", Messages: []model.Message{says("Hello")}}, nil); err != nil || a.Text != "Anything." {
		t.Errorf("%+v %v", a, err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "missing.json"):                                     "cannot be read",
		write("cut.json", `{"steps":[`):                                        "does not fit",
		write("misspelt.json", `{"steps":[{"userquery":"x"}]}`):                "userquery: The key is spelt userQuery",
		write("unknown.json", `{"steps":[{"answer":"x"}]}`):                    "answer: The key is not known",
		write("type.json", `{"steps":[{"agentResponses":[{"agentName":1}]}]}`): "agentName",
	} {
		_, err := scripted.Open(model.Provider{Script: path}, nil)
		if text := fault.TextOf(err); fault.KindOf(err) != fault.Invalid || !strings.Contains(text, path) || !strings.Contains(text, want) {
			t.Errorf("%s: it says %q", filepath.Base(path), text)
		}
	}
}

// TestPlay_RepliesInOrder gives each reply once, then what is said otherwise; a script that
// changes begins anew.
func TestPlay_RepliesInOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, transcript := filepath.Join(dir, "script.json"), filepath.Join(dir, "transcript")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"inOrder":true,"transcript":"` + transcript + `","steps":[{"agentResponses":[{"agentName":"pm","responseFallback":"one"},{"agentName":"reviewer","responseFallback":"no"},{"agentName":"pm","responseFallback":"two"}]}],
		"otherwise":[{"agentName":"reviewer","responseFallback":"yes"},{"agentName":"","responseFallback":"nothing"}]}`)
	m, err := scripted.Open(model.Provider{Script: file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(agent, want string) {
		t.Helper()
		a, err := m.Generate(t.Context(), model.Request{Agent: agent, System: "Rules.", Messages: []model.Message{says("Hello")}}, nil)
		if err != nil || a.Text != want {
			t.Errorf("%s says %q %v, want %q", agent, a.Text, err, want)
		}
	}
	for _, c := range [][2]string{{"pm", "one"}, {"reviewer", "no"}, {"pm", "two"}, {"pm", "nothing"}, {"reviewer", "yes"}, {"reviewer", "yes"}, {"coder", "nothing"}} {
		ask(c[0], c[1])
	}
	raw, err := os.ReadFile(transcript)
	if err != nil || strings.Count(string(raw), "\n") != 7 || !strings.HasPrefix(string(raw), `{"agent":"pm","said":"Hello","prompt":"Rules.\nHello","answer":"one"}`) {
		t.Errorf("%v\n%s", err, raw)
	}
	write(`{"inOrder":true,"steps":[{"agentResponses":[{"agentName":"pm","responseFallback":"anew"}]}]}`)
	ask("pm", "anew")
	write(`{"steps":`)
	if _, err := m.Generate(t.Context(), model.Request{Agent: "pm"}, nil); !strings.Contains(fault.TextOf(err), "does not fit") {
		t.Errorf("%v", err)
	}
}

func FuzzGenerate(f *testing.F) {
	f.Add([]byte(script), "Plan it", 1)
	f.Fuzz(func(t *testing.T, raw []byte, said string, answers int) {
		s, err := scripted.Read(raw)
		if err != nil {
			return
		}
		s.Transcript = "" // no files
		r := model.Request{Agent: "agent:pm", Messages: []model.Message{says(said)}}
		for range min(max(answers, 0), 3) {
			r.Messages = append(r.Messages, model.Message{Role: model.Assistant})
		}
		shown := ""
		a, err := scripted.New(s).Generate(t.Context(), r, func(d model.Delta) { shown += d.Text })
		if shown != a.Text {
			t.Fatalf("shown %q, answered %q", shown, a.Text)
		}
		for _, c := range a.Calls {
			if !json.Valid(c.Args) {
				t.Fatalf("%s is no JSON", c.Args)
			}
		}
		var e *model.Error
		if err != nil && (!errors.As(err, &e) || e.Reason != model.Format) {
			t.Fatal(err)
		}
	})
}

func TestPlay_AReplyThatFailsOrWaits(t *testing.T) {
	t.Parallel()
	m := play(t, `{"steps":[{"userQuery":"long","agentResponses":[{"agentName":"pm","fails":"context_overflow"}]},{"userQuery":"slow","agentResponses":[{"agentName":"pm","responseFallback":"At last.","waitsSeconds":3600}]}]}`)
	_, err := m.Generate(t.Context(), model.Request{Agent: "pm", Messages: []model.Message{says("long")}}, nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Reason != model.ContextOverflow {
		t.Errorf("got %v, want a context_overflow", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := m.Generate(ctx, model.Request{Agent: "pm", Messages: []model.Message{says("slow")}}, nil); !errors.As(err, &e) || e.Reason != model.TimedOut {
		t.Errorf("got %v, want that it took too long", err)
	}
}
