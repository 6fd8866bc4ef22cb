package api

import (
	"encoding/json"
	"testing"

	"chela/internal/event"
	"chela/internal/org"
)

func TestAgentdoc_AgentFields(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"enabled":false}`:                      `{"enabled":false}`,
		`{"prompt":"You test."}`:                 `{"prompt":"You test."}`,
		`{"name":"QA","enabled":true}`:           `{"card":{"display":{"name":"QA"}},"enabled":true}`,
		`{"agentId":"qa","role":"CHECKER"}`:      `{"card":{"agent_id":"agent:qa"},"kind":"checker"}`,
		`{"description":"","allowedTools":[]}`:   `{"card":{"display":{"desc":""}},"tools":[]}`,
		`{"skills":["Test Plans","skill:docs"]}`: `{"card":{"capabilities":[{"id":"skill:test-plans","version":"1"},{"id":"skill:docs","version":"1"}]}}`,
	} {
		got, err := agentFields([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s gives %s (%v), want %s", in, got, err, want)
		}
	}
	for _, in := range []string{`{"name":1}`, `{"name":"QA","colour":"red"}`, `{"agentId":"qa","prompt":"ours"}`} {
		if got, err := agentFields([]byte(in)); err == nil {
			t.Errorf("%s gives %s", in, got)
		}
	}
}

// FuzzAgentFields: what a document becomes has fields of ours alone.
func FuzzAgentFields(f *testing.F) {
	f.Add([]byte(`{"agentId":"qa","name":"QA","description":"d","systemPrompt":"p","skills":["a b",""],"allowedTools":["x"],"role":"SPECIALIST","enabled":true}`))
	f.Add([]byte(`{"name":null,"skills":null}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := agentFields(raw)
		var names map[string]json.RawMessage
		if err != nil || json.Unmarshal(raw, &names) != nil || !isAgentDocument(names) {
			return
		}
		var a org.Agent
		if err := event.DecodeStrict(got, &a); err != nil {
			t.Errorf("%q gives %s: %v", raw, got, err)
		}
	})
}
