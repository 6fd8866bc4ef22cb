package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestFlood_ByOneKeyStarvesNoOther has one program begin more than it may, while another is answered.
func TestFlood_ByOneKeyStarvesNoOther(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	key := func(name string) string {
		var made struct {
			Token string `json:"token"`
		}
		_, raw, _ := r.send(http.MethodPost, "/api/keys", `{"name":"`+name+`","role":"editor"}`)
		if err := json.Unmarshal([]byte(raw), &made); err != nil || made.Token == "" {
			t.Fatalf("%s: %v", raw, err)
		}
		return "Bearer " + made.Token
	}
	loud, quiet := key("loud"), key("quiet")
	const slow = `{"model":"chela/generalist","background":true,"input":"Take your time."}`
	begun := 0
	for ; begun < 200; begun++ {
		code, raw, h := r.send(http.MethodPost, "/v1/responses", slow, "Authorization", loud)
		if code == http.StatusTooManyRequests {
			if h.Get("Retry-After") == "" || !strings.Contains(raw, `"code":"rate_limit_exceeded"`) {
				t.Errorf("a refusal is %s, Retry-After %q", raw, h.Get("Retry-After"))
			}
			break
		}
		if code != http.StatusOK {
			t.Fatalf("got %d %s", code, raw)
		}
	}
	if begun != 100 {
		t.Errorf("%d runs of one key are taken, want 100", begun)
	}
	code, raw, h := r.send(http.MethodPost, "/v1/messages", `{"model":"chela/generalist","max_tokens":9,"messages":[{"role":"user","content":"More."}]}`, "Authorization", loud, "Anthropic-Version", "2023-06-01")
	if code != http.StatusTooManyRequests || h.Get("Retry-After") == "" || !strings.Contains(raw, "rate_limit_error") {
		t.Errorf("another door of the same key gives %d %s, Retry-After %q", code, raw, h.Get("Retry-After"))
	}
	began := time.Now()
	code, raw, _ = r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/pm","messages":[{"role":"user","content":"How is the budget?"}]}`, "Authorization", quiet)
	if took := time.Since(began); code != http.StatusOK || !strings.Contains(raw, "The budget is fine.") || took > 20*time.Second {
		t.Errorf("the other key gets %d %s after %s", code, raw, took)
	}
}
