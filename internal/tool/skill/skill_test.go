package skill_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/guard/sandbox"
	"chela/internal/org"
	"chela/internal/skill"
	"chela/internal/testkit/daemontest"
	"chela/internal/tool"
	toolskill "chela/internal/tool/skill"
	"chela/internal/zipfile"
)

const script = `{"steps":[
	{"userQuery":"How does the sprint stand?","agentResponses":[
		{"agentName":"pm","toolCalls":[{"name":"skill_read","args":{"name":"sprint-report"}}]},
		{"agentName":"pm","toolCalls":[{"name":"read_tickets","args":{}},{"name":"create_ticket","args":{"title":"Beyond it"}}]},
		{"agentName":"pm","responseFallback":"The sprint is fine."}]},
	{"userQuery":"Count","agentResponses":[
		{"agentName":"pm","toolCalls":[{"name":"skill_read","args":{"name":"counting"}}]},
		{"agentName":"pm","toolCalls":[{"name":"read_tickets","args":{}},{"name":"create_ticket","args":{"title":"Beyond reading"}}]},
		{"agentName":"pm","responseFallback":"Counted."}]},
	{"userQuery":"Make a ticket","agentResponses":[{"agentName":"pm","toolCalls":[{"name":"create_ticket","args":{"title":"Without a skill"}}]},{"agentName":"pm","responseFallback":"Made."}]}]}`

// A team is a daemon with a project.
type team struct {
	t       *testing.T
	c       *client.Client
	dir     string
	project string
}

func newTeam(t *testing.T) *team {
	t.Helper()
	d := daemontest.Run(t, daemontest.Setup{Script: script, Change: func(c *config.Config) {
		dir := filepath.Join(c.Data, "agents", "pm", "skills", "here")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("---\nname: here\ndescription: What holds here.\n---\nAsk Ann."), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(c.Data, "agents", "pm", "skills", "broken"), 0o700); err != nil {
			t.Fatal(err)
		}
	}})
	w := &team{t: t, c: client.New(d.URL, d.Token), dir: d.Dir}
	var project struct{ ID string }
	if err := w.c.Call(t.Context(), http.MethodPost, "/api/projects", map[string]string{"name": "P"}, &project); err != nil {
		t.Fatal(err)
	}
	w.project = project.ID
	return w
}

// says has the pm be told something and returns what its run did.
func (w *team) says(text string) string {
	w.t.Helper()
	yes, pm := true, "pm"
	r, err := w.c.Chat(w.t.Context(), client.ChatBody{Text: text, Agent: &pm, ProjectID: &w.project, Wait: &yes})
	if err != nil {
		w.t.Fatal(err)
	}
	trace, err := w.c.TraceRun(w.t.Context(), r.Run)
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := json.Marshal(trace)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(raw)
}

func (w *team) titles() string {
	w.t.Helper()
	var list struct {
		Items []struct{ Body struct{ Title string } }
	}
	if err := w.c.Call(w.t.Context(), http.MethodGet, "/api/projects/"+w.project+"/tickets", nil, &list); err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, i := range list.Items {
		out = append(out, i.Body.Title)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// archive is a zip of a skill called counting.
func archive(t *testing.T, settings, text string) []byte {
	t.Helper()
	raw, err := zipfile.Write(map[string][]byte{"counting/SKILL.md": []byte("---\nname: counting\ndescription: Counts.\n" + settings + "---\n" + text), "counting/scripts/count.sh": []byte("echo \"$1\" in $SKILL_DIR; cat $SKILL_DIR/SKILL.md | head -2 | tail -1\n")})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestSkills_AnAgentDoesWhatASkillAllows: from the call on that reads it, and only in that task.
func TestSkills_AnAgentDoesWhatASkillAllows(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	shown, err := w.c.ShowPrompt(t.Context(), "agent:pm", client.ShowPromptQuery{})
	if err != nil {
		t.Fatal(err)
	}
	told := ""
	for _, l := range shown.Layers {
		if l.Name == "Skills" {
			told = l.Text
		}
	}
	for _, want := range []string{"- here: What holds here.", "- incident-review: ", "- release-notes: ", "- sprint-report: "} {
		if !strings.Contains(told, want) {
			t.Errorf("the prompt does not say %q: %s", want, told)
		}
	}
	did := w.says("How does the sprint stand?")
	if !strings.Contains(did, "The skill sprint-report, which you follow, allows ") || w.titles() != "" {
		t.Errorf("a ticket was made: %q; %s", w.titles(), did)
	}
	made := w.says("Make a ticket")
	if got := w.titles(); got != "Without a skill" {
		t.Errorf("in the next task: %q; %s", got, made)
	}
}

// TestSkills_OneFromElsewhereIsSeenFirst: it is installed by the digest of what was seen, and may be bounded and removed.
func TestSkills_OneFromElsewhereIsSeenFirst(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	ctx, from := t.Context(), skill.Source{Kind: "archive", Path: "counting.zip"}
	body := client.SkillArchive{Archive: archive(t, "", "Count. See https://count.example/how."), Source: from}
	r, err := w.c.ReviewSkill(ctx, body)
	if err != nil || r.Name != "counting" || r.Refused != "" || !slices.Equal(r.Scripts, []string{"scripts/count.sh"}) || len(r.Findings) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	other := "0000"
	body.Digest = &other
	if _, err := w.c.InstallSkill(ctx, body); err == nil || !strings.Contains(fault.TextOf(err), "is not the one that was looked at") {
		t.Errorf("by another digest: %v", err)
	}
	body.Digest = &r.Digest
	if e, err := w.c.InstallSkill(ctx, body); err != nil || e.Digest != r.Digest || e.Source != from {
		t.Fatalf("%+v, %v", e, err)
	}
	if did := w.says("Count"); !strings.Contains(did, "declares no tools") || w.titles() != "" {
		t.Errorf("it wrote %q; %s", w.titles(), did)
	}
	none, only := []string{"nobody"}, []string{"agent:reviewer"}
	if _, err := w.c.SetSkill(ctx, "counting", skill.Change{Agents: &none}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an agent that does not exist: %v", err)
	}
	if _, err := w.c.SetSkill(ctx, "counting", skill.Change{Agents: &only}); err != nil {
		t.Fatal(err)
	}
	if e, err := w.c.GetSkill(ctx, "counting", client.GetSkillQuery{}); err != nil || !slices.Equal(e.Agents, []string{"reviewer"}) {
		t.Errorf("it is for %v, %v", e.Agents, err)
	}
	if did := w.says("Count"); !strings.Contains(did, `There is no skill \"counting\" for you`) {
		t.Errorf("it is another's: %s", did)
	}
	next, err := w.c.ReviewSkill(ctx, client.SkillArchive{Archive: archive(t, "allowed-tools: create_ticket\n", "Count. See https://count.example/how."), Source: from})
	if err != nil || next.Replaces != r.Digest || !strings.Contains(next.Diff, "+allowed-tools: create_ticket") {
		t.Errorf("%+v, %v", next, err)
	}
	hidden := client.SkillArchive{Archive: archive(t, "", "Count\u200b it."), Source: from}
	if r, err := w.c.ReviewSkill(ctx, hidden); err != nil || !strings.Contains(r.Refused, "SKILL.md, line 5") {
		t.Errorf("%+v, %v", r.Refused, err)
	} else {
		hidden.Digest = &r.Digest
		if _, err := w.c.InstallSkill(ctx, hidden); err == nil || !strings.Contains(fault.TextOf(err), "is not installed") {
			t.Errorf("what cannot be seen: %v", err)
		}
	}
	list, err := w.c.ListSkills(ctx)
	if err != nil || len(list.Skills) != 5 || len(list.Broken) != 1 || list.Broken[0].Folder != "broken" {
		t.Errorf("%d skills, broken %+v, %v", len(list.Skills), list.Broken, err)
	}
	if err := w.c.RemoveSkill(ctx, "counting"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.c.GetSkill(ctx, "counting", client.GetSkillQuery{}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after it is removed: %v", err)
	}
	if err := w.c.RemoveSkill(ctx, "sprint-report"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("one that ships: %v", err)
	}
}

// A shelf has one skill.
type shelf struct{ skill.Entry }

// Of implements the shelf of tools.
func (s shelf) Of(context.Context, org.AgentID) ([]skill.Entry, error) {
	return []skill.Entry{s.Entry}, nil
}

// Find implements the shelf of tools.
func (s shelf) Find(context.Context, org.AgentID, string) (skill.Entry, error) { return s.Entry, nil }

// TestRun_AScriptOfASkill: it runs in the sandbox beside its files, and only as it was read.
func TestRun_AScriptOfASkill(t *testing.T) {
	t.Parallel()
	box := sandbox.New(t.Context(), sandbox.Options{})
	if r := box.Report(); r.Refusal != "" {
		t.Fatal(r.Refusal)
	}
	s, err := skill.ReadZip(archive(t, "", "Count."), "")
	if err != nil {
		t.Fatal(err)
	}
	tools := tool.NewSet(toolskill.Tools(shelf{skill.Entry{Skill: s}}, box)...)
	call := func(in toolskill.Script) (string, error) {
		found, _ := tools.Find(skill.RunTool)
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		res, err := found.Call(t.Context(), tool.Call{Name: skill.RunTool, Args: raw, Folders: disk.Folders{Work: t.TempDir()}})
		return res.Text, err
	}
	got, err := call(toolskill.Script{Name: "counting", Script: "scripts/count.sh", Args: []string{"three"}, Digest: s.Digest})
	if err != nil || !strings.Contains(got, `three in /`) || !strings.Contains(got, "name: counting") {
		t.Errorf("%s, %v", got, err)
	}
	found, _ := tools.Find(skill.RunTool)
	asked, err := found.Preview(t.Context(), tool.Call{Args: json.RawMessage(`{"name":"counting","script":"scripts/count.sh","digest":"` + s.Digest + `"}`)})
	if err != nil || !strings.Contains(asked, "+++ counting/scripts/count.sh") || !strings.Contains(asked, `+echo "$1" in $SKILL_DIR`) {
		t.Errorf("who is asked is shown %q, %v", asked, err)
	}
	for name, c := range map[string]struct {
		in   toolskill.Script
		want string
	}{
		"another digest": {toolskill.Script{Name: "counting", Script: "scripts/count.sh", Digest: "x"}, "is not the one that was read"},
		"not a script":   {toolskill.Script{Name: "counting", Script: "SKILL.md", Digest: s.Digest}, "scripts that ends in"},
		"outside":        {toolskill.Script{Name: "counting", Script: "scripts/../../x.sh", Digest: s.Digest}, "scripts that ends in"},
		"none":           {toolskill.Script{Name: "counting", Script: "scripts/x.sh", Digest: s.Digest}, "has no script"},
	} {
		if _, err := call(c.in); err == nil || !strings.Contains(fault.TextOf(err), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
