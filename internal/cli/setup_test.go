package cli_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"chela/internal/cli"
	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

// chela runs a command against a daemon, and returns its code and what it printed.
func chela(t *testing.T, d daemontest.Daemon, in string, args ...string) (int, string) {
	t.Helper()
	var out strings.Builder
	code := cli.Main(context.WithoutCancel(t.Context()), append(args, "--url", d.URL, "--token", d.Token, "--data", d.Dir), strings.NewReader(in), &out, &out)
	return code, out.String()
}

// TestSetup_KeepsTheModelThatIsThere: one that came from the environment or a file is named, and stays unless another is chosen.
func TestSetup_KeepsTheModelThatIsThere(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: `{"steps":[]}`})
	for answer, project := range map[string]string{"": "One", "keep": "Two", "none": "Three"} {
		code, out := chela(t, d, answer+"\n"+project+"\n", "setup")
		if code != 0 || !strings.Contains(out, "has the model scripted") || strings.Contains(out, "Without a model") || !strings.Contains(out, "The project "+project+" is there") {
			t.Errorf("%q: %d %s", answer, code, out)
		}
	}
	models, err := client.New(d.URL, d.Token).ListModels(t.Context())
	if err != nil || len(models) != 1 || models[0].Name != "scripted" {
		t.Errorf("the models are %+v, %v", models, err)
	}
	if code, out := chela(t, d, "other\n", "setup"); code != 3 || !strings.Contains(out, "not one of the choices") {
		t.Errorf("%d %s", code, out)
	}
}

// TestSetup_AsksForAModel: without one it says what that means, and sets what is chosen.
func TestSetup_AsksForAModel(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	if code, out := chela(t, d, "\n\n", "setup"); code != 0 || !strings.Contains(out, "Without a model") {
		t.Errorf("%d %s", code, out)
	}
	code, out := chela(t, d, "compatible\nhttp://127.0.0.1:1/v1\nsk-1\ntiny\n\n", "setup")
	if code != 0 || !strings.Contains(out, "It does not answer") || strings.Contains(out, "sk-1") {
		t.Errorf("%d %s", code, out)
	}
	models, err := client.New(d.URL, d.Token).ListModels(t.Context())
	if err != nil || len(models) != 1 || models[0].Model != "tiny" || models[0].BaseURL != "http://127.0.0.1:1/v1" {
		t.Errorf("the models are %+v, %v", models, err)
	}
}

// TestDoctor_NamesUnknownTools: a name in a list of an agent that no tool has is bad; what MCP servers offer is not ours to know.
func TestDoctor_NamesUnknownTools(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	_, out := chela(t, d, "", "doctor")
	if !strings.Contains(out, "ok  agents") || strings.Contains(out, "BAD agents") {
		t.Errorf("with the agents that come with it: %s", out)
	}
	if _, err := client.New(d.URL, d.Token).EditAgent(t.Context(), "pm", map[string]any{"tools": []string{"read_tikets", "read_tickets", "memory_store", "hub__x"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.New(d.URL, d.Token).EditAgent(t.Context(), "coder", map[string]any{"card": map[string]any{"security": map[string]any{"tool_denylist": []string{"shel_exec"}}}}); err != nil {
		t.Fatal(err)
	}
	code, out := chela(t, d, "", "doctor")
	for _, says := range []string{"BAD agents", "pm has in tools what is no tool: read_tikets.", "coder has in tool_denylist what is no tool: shel_exec."} {
		if code == 0 || !strings.Contains(out, says) {
			t.Errorf("%d, want %q in\n%s", code, says, out)
		}
	}
}

// TestChannelAdd_TakesALineForEachSecret: from a pipe, several secrets come one after the other.
func TestChannelAdd_TakesALineForEachSecret(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	add := []string{"channel", "add", "slack", "work", "--secret", "bot_token", "--secret", "app_token", "--base-url", "http://127.0.0.1:1"}
	for in, want := range map[string]string{
		"xoxb-12345678\n":                     "1 lines came in, for 2 secrets",
		"xoxb-12345678\nxapp-12345678\nxyz\n": "3 lines came in, for 2 secrets",
	} {
		if code, out := chela(t, d, in, add...); code == 0 || !strings.Contains(out, want) || strings.Contains(out, "xoxb") {
			t.Errorf("%q: %d %s", in, code, out)
		}
	}
	if code, out := chela(t, d, "xoxb-12345678\nxapp-12345678\n", append(add, "--off")...); code != 0 {
		t.Errorf("%d %s", code, out)
	}
	if code, out := chela(t, d, "x", "channel", "add", "slack", "work", "--secret", "bot_token", "--secret", "bot_token"); code != 2 || !strings.Contains(out, "there twice") {
		t.Errorf("%d %s", code, out)
	}
}

// TestChannelAdd_WhatIsNotNamedStays: a change of one thing of a channel changes nothing else.
func TestChannelAdd_WhatIsNotNamedStays(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	c := client.New(d.URL, d.Token)
	if code, out := chela(t, d, "\nPayments\n", "setup"); code != 0 {
		t.Fatalf("%d %s", code, out)
	}
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	add := []string{"channel", "add", "webhook", "portal"}
	state := func() string {
		t.Helper()
		all, err := c.ListChannels(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		o := all[0].Options
		return fmt.Sprintf("%s %v %s %s %v in a project: %v", o.Settings["url"], o.Chats, o.Groups, o.Agent, o.Off, o.Project != "")
	}
	for _, step := range []struct{ in, args, want string }{
		{secret, "--secret secret --set url=https://chat.example.com/hook --chat c1 --groups always --agent pm -p Payments", "https://chat.example.com/hook [c1] always agent:pm false in a project: true"},
		{"", "--off", "https://chat.example.com/hook [c1] always agent:pm true in a project: true"},
		{"", "--off=false --groups=", "https://chat.example.com/hook [c1]  agent:pm false in a project: true"},
		{"", "--chat c2 --chat c3 --agent= --project=", "https://chat.example.com/hook [c2 c3]   false in a project: false"},
		{"", "--set url= --chat=", " []   false in a project: false"},
	} {
		code, out := chela(t, d, step.in, append(add, strings.Fields(step.args)...)...)
		if got := state(); code != 0 || got != step.want {
			t.Errorf("%s: %d %s\ngot  %s\nwant %s", step.args, code, out, got, step.want)
		}
	}
}
