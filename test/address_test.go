package test

import (
	"net/http"
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestAddress_KeysAreSetByName sets keys as programs do that know two providers, without a key being shown or a mask kept.
func TestAddress_KeysAreSetByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(request) any { return text("Done.") })
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	type keys struct {
		Anthropic string `json:"anthropicKey"`
		OpenAI    string `json:"openaiKey"`
	}
	var first struct {
		Provider string `json:"provider"`
	}
	if d.must(t, http.MethodGet, "/api/config/provider", nil, &first); first.Provider != "openai" {
		t.Errorf("the first provider is %q", first.Provider)
	}
	var got keys
	if d.must(t, http.MethodPost, "/api/config/keys", keys{Anthropic: "sk-ant-of-a-test"}, &got); got != (keys{Anthropic: "********"}) {
		t.Errorf("set: %+v", got)
	}
	if err := d.try(http.MethodPost, "/api/config/keys", got, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("the mask as a key: %v", err)
	}
	d.must(t, http.MethodPost, "/api/config/keys", keys{Anthropic: got.Anthropic, OpenAI: "sk-of-a-test"}, &got)
	if got != (keys{"********", "********"}) {
		t.Errorf("both: %+v", got)
	}
	var models []struct {
		Name string `json:"name"`
		URL  string `json:"base_url"`
		Key  bool   `json:"has_key"`
	}
	d.must(t, http.MethodGet, "/api/models", nil, &models)
	if len(models) != 2 || models[0].Name != "openai" || !strings.HasPrefix(models[0].URL, w.URL) || !models[0].Key || models[1].Name != "anthropic" || !models[1].Key {
		t.Errorf("the providers are %+v", models)
	}
	viewer, _ := d.member(t, "Vera", "viewer")
	if err := viewer.try(http.MethodGet, "/api/config/keys", nil, nil); fault.KindOf(err) != fault.Denied {
		t.Errorf("a viewer: %v", err)
	}
	d.stop()
	s.verified(t)
}

// TestAddress_BodiesOfOtherPrograms takes messages and agents as programs write them that know another system.
func TestAddress_BodiesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	var seen request
	w := newWorld(t, func(r request) any {
		seen = r
		return text(`{"respond":"Done."}`) // the controller's form
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	project := newProject(t, d)
	d.must(t, http.MethodPost, "/api/agents", rawJSON(`{"agentId":"qa","name":"QA","description":"Tests.","systemPrompt":"You test.","skills":["Test Plans"],"allowedTools":["read_tickets"],"role":"SPECIALIST"}`), nil)
	d.must(t, http.MethodPut, "/api/agents/qa", rawJSON(`{"agentId":"qa","name":"Quality","allowedTools":[]}`), nil)
	var a struct {
		Card struct {
			Display struct{ Name, Desc string } `json:"display"`
		} `json:"card"`
		Prompt string   `json:"prompt"`
		Tools  []string `json:"tools"`
	}
	if d.must(t, http.MethodGet, "/api/agents/qa", nil, &a); a.Card.Display.Name != "Quality" || a.Card.Display.Desc != "Tests." || a.Prompt != "You test." || len(a.Tools) != 0 {
		t.Errorf("%+v", a)
	}
	var thread struct {
		ID string `json:"id"`
	}
	d.must(t, http.MethodPost, "/api/projects/"+project+"/threads", map[string]string{"title": "Tests"}, &thread)
	base := "/api/projects/" + project + "/threads/" + thread.ID
	if err := d.try(http.MethodPost, base+"/run", nil, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a run before anything is said: %v", err)
	}
	for body, want := range map[string]string{
		`{"content":"It is mine","role":"assistant"}`: "user",
		`{"parts":[{"type":"image"}]}`:                "bytes",
		`{"parts":[{"type":"text","text":" "}]}`:      "empty",
	} {
		if err := d.try(http.MethodPost, base+"/messages", rawJSON(body), nil); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
	d.must(t, http.MethodPost, base+"/messages", rawJSON(`{"content":"Look at this","role":"user","parts":[{"type":"text","text":"and this"},{"type":"image","mediaType":"image/png","data":"iVBORw0KGgo="}]}`), nil)
	until(t, "the answer", func() bool {
		var r struct {
			State string `json:"state"`
		}
		d.must(t, http.MethodPost, base+"/run", nil, &r)
		return r.State == "done"
	})
	if _, said := seen.since(); !strings.Contains(said, `Look at this\nand this`) || !strings.Contains(said, "image_url") {
		t.Errorf("the model heard %q", said)
	}
	d.stop()
	s.verified(t)
}
