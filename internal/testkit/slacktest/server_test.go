package slacktest_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"chela/internal/testkit/slacktest"
)

var (
	anna = slacktest.User{ID: "U0ANNA001", Name: "Anna"}
	team = slacktest.Channel("C0TEAM001")
)

// ask asks for a method; args are pairs.
func ask(t *testing.T, s *slacktest.Server, token, method string, args ...string) map[string]any {
	t.Helper()
	form := make(url.Values)
	for i := 0; i < len(args); i += 2 {
		form.Set(args[i], args[i+1])
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/api/"+method, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestServer_Refusals has what Slack does not take.
func TestServer_Refusals(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	s.Enter(team)
	ts := s.Say(team, anna, "hi")
	button := func(id, value, label string) string {
		return `[{"type":"actions","elements":[{"type":"button","action_id":"` + id + `","value":"` + value + `","text":{"type":"plain_text","text":"` + label + `"}}]}]`
	}
	for _, c := range []struct {
		token, method, want string
		args                []string
	}{
		{"", "auth.test", "not_authed", nil},
		{"xoxb-other", "auth.test", "invalid_auth", nil},
		{s.AppToken, "auth.test", "not_allowed_token_type", nil},
		{s.BotToken, "apps.connections.open", "not_allowed_token_type", nil},
		{s.BotToken, "chat.nothing", "unknown_method", nil},
		{s.BotToken, "chat.postMessage", "channel_not_found", []string{"text", "x"}},
		{s.BotToken, "chat.postMessage", "no_text", []string{"channel", team.ID}},
		{s.BotToken, "chat.postMessage", "msg_too_long", []string{"channel", team.ID, "text", strings.Repeat("x", 40001)}},
		{s.BotToken, "chat.postMessage", "invalid_thread_ts", []string{"channel", team.ID, "text", "x", "thread_ts", "1.1"}},
		{s.BotToken, "chat.postMessage", "invalid_metadata_format", []string{"channel", team.ID, "text", "x", "metadata", `{"event_type":"x"}`}},
		{s.BotToken, "chat.postMessage", "invalid_blocks", []string{"channel", team.ID, "text", "x", "blocks", `{}`}},
		{s.BotToken, "chat.postMessage", "invalid_blocks", []string{"channel", team.ID, "text", "x", "blocks", button("a", "v", strings.Repeat("x", 76))}},
		{s.BotToken, "chat.postMessage", "invalid_blocks", []string{"channel", team.ID, "text", "x", "blocks", button("a", strings.Repeat("v", 2001), "x")}},
		{s.BotToken, "chat.postMessage", "invalid_blocks", []string{"channel", team.ID, "text", "x", "blocks", `[{"type":"section","text":{"type":"mrkdwn","text":"` + strings.Repeat("x", 3001) + `"}}]`}},
		{s.BotToken, "chat.update", "message_not_found", []string{"channel", team.ID, "text", "x", "ts", "1.1"}},
		{s.BotToken, "chat.update", "cant_update_message", []string{"channel", team.ID, "text", "x", "ts", ts}},
		{s.BotToken, "conversations.replies", "thread_not_found", []string{"channel", team.ID, "ts", "1.1"}},
		{s.BotToken, "conversations.history", "invalid_limit", []string{"channel", team.ID, "limit", "1000"}},
		{s.BotToken, "conversations.history", "invalid_cursor", []string{"channel", team.ID, "cursor", "x"}},
		{s.BotToken, "users.info", "user_not_found", []string{"user", "U9"}},
		{s.BotToken, "files.getUploadURLExternal", "invalid_arguments", []string{"filename", "a"}},
		{s.BotToken, "files.completeUploadExternal", "file_not_found", []string{"files", `[{"id":"F9"}]`, "channel_id", team.ID}},
		{s.BotToken, "assistant.threads.setStatus", "invalid_thread_ts", []string{"channel_id", team.ID, "thread_ts", "1.1"}},
	} {
		if a := ask(t, s, c.token, c.method, c.args...); a["ok"] != false || a["error"] != c.want {
			t.Errorf("%s(%.60q) answers %v, not %s", c.method, c.args, a, c.want)
		}
	}
}

// TestServer_MetadataIsShownToWhoAsks.
func TestServer_MetadataIsShownToWhoAsks(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	s.Enter(team)
	if a := ask(t, s, s.BotToken, "chat.postMessage", "channel", team.ID, "text", "x", "metadata", `{"event_type":"k","event_payload":{"a":1}}`); a["ok"] != true {
		t.Fatal(a)
	}
	for flag, want := range map[string]bool{"true": true, "": false} {
		raw, err := json.Marshal(ask(t, s, s.BotToken, "conversations.history", "channel", team.ID, "include_all_metadata", flag))
		if err != nil || strings.Contains(string(raw), "event_payload") != want {
			t.Errorf("with %q: %s", flag, raw)
		}
	}
}

// TestServer_TicketIsGoodOnce, and what is not acknowledged comes again.
func TestServer_TicketIsGoodOnce(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	at, _ := ask(t, s, s.AppToken, "apps.connections.open")["url"].(string)
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), at, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	defer conn.Close()
	_, resp, err = websocket.DefaultDialer.DialContext(t.Context(), at, nil)
	if err == nil || resp.StatusCode != http.StatusForbidden {
		t.Error("it was good twice")
	}
	_ = resp.Body.Close()
	s.Say(slacktest.Private(anna), anna, "hi")
	var hello, first, again struct {
		Type string `json:"type"`
		ID   string `json:"envelope_id"`
		Try  int    `json:"retry_attempt"`
	}
	for _, into := range []any{&hello, &first, &again} {
		if err := conn.ReadJSON(into); err != nil {
			t.Fatal(err)
		}
	}
	if hello.Type != "hello" || first.Type != "events_api" || first.ID == "" || first.ID != again.ID || again.Try != 1 {
		t.Errorf("came %+v, %+v, %+v", hello, first, again)
	}
	if err := conn.WriteJSON(map[string]string{"envelope_id": first.ID}); err != nil {
		t.Fatal(err)
	}
	s.Wait("the acknowledgement", func() bool { return s.Pending() == 0 })
}
