package model_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"chela/internal/model"
	"chela/internal/model/anthropic"
	"chela/internal/model/openai"
)

func TestZai_ZAIsEndpointsAreKnown(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]model.Kind{
		"https://api.z.ai/api/paas/v4":         model.KindOpenAI,
		"https://api.z.ai/api/coding/paas/v4/": model.KindOpenAI,
		"https://api.z.ai/api/anthropic":       model.KindAnthropic,
		"https://api.z.ai/api/anthropic/v1":    model.KindAnthropic,
		"https://api.z.ai.example.com/api":     "",
		"https://api.openai.com/v1":            "",
		"http://[::1":                          "",
		"":                                     "",
	} {
		if kind, ok := model.ZAI(base); kind != want || ok != (want != "") {
			t.Errorf("%q is %s, %v", base, kind, ok)
		}
	}
}

func TestZAI_IsAskedAsItUnderstands(t *testing.T) {
	t.Parallel()
	for base, c := range map[string]struct {
		open             model.Opener
		url, reply, want string
	}{
		"https://api.z.ai/api/paas/v4": {
			openai.Open, "https://api.z.ai/api/paas/v4/chat/completions", `data: {"choices":[{"delta":{"content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}` + "\n\n",
			`{"model":"glm-4.6","messages":[{"role":"system","content":"SYSTEM"},{"role":"user","content":"x"}],"response_format":{"type":"json_object"},"stream":true}`,
		},
		"https://api.z.ai/api/coding/paas/v4/": {
			openai.Open, "https://api.z.ai/api/coding/paas/v4/chat/completions", `data: {"choices":[{"delta":{"content":"{}"},"finish_reason":"stop"}]}` + "\n\n",
			`{"model":"glm-4.6","messages":[{"role":"system","content":"SYSTEM"},{"role":"user","content":"x"}],"response_format":{"type":"json_object"},"stream":true}`,
		},
		"https://api.z.ai/api/anthropic": {
			anthropic.Open, "https://api.z.ai/api/anthropic/v1/messages", begin + vendors()["anthropic"].text("{}") + vendors()["anthropic"].end,
			`{"model":"glm-4.6","max_tokens":0,"system":[{"type":"text","text":"SYSTEM","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}],"stream":true}`,
		},
	} {
		form := &model.Schema{Name: "f", Schema: json.RawMessage(`{"type":"object"}`)}
		var sent string
		m, err := c.open(model.Provider{Name: "zai", BaseURL: base, Key: "key"}, &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
			raw, err := io.ReadAll(r.Body)
			if err != nil || r.URL.String() != c.url || r.Header.Get("Authorization") != "Bearer key" || r.Header.Get("X-Api-Key") != "" {
				t.Errorf("%s %v %v", r.URL, r.Header, err)
			}
			sent = string(raw)
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(c.reply))}, nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Generate(t.Context(), model.Request{Model: "glm-4.6", System: "S", Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: "x"}}}}, Output: form}, func(model.Delta) {})
		quoted, _ := json.Marshal(form.InWords("S")) // a text is always JSON
		if want := strings.Replace(c.want, `"SYSTEM"`, string(quoted), 1); err != nil || a.Text != "{}" || sent != want {
			t.Errorf("%+v %v\n%s\n%s", a, err, sent, want)
		}
	}
}
