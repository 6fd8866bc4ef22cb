package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// TestSchedules_AValueThatIsGivenIsNoDefault: only what is left out has its default, a 0 is refused.
func TestSchedules_AValueThatIsGivenIsNoDefault(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var made struct {
		ID string `json:"scheduleId"`
	}
	e.call(e.owner, http.MethodPost, "/api/schedules", json.RawMessage(`{"agentId":"pm","cronExpr":"0 9 * * *"}`), &made)
	for _, field := range []string{"maxConcurrent", "priority", "maxAttempts", "retryBackoffMs"} {
		policy := `"executorPolicy":{"` + field + `":0}`
		for what, c := range map[string]struct{ method, path, body string }{
			"create": {http.MethodPost, "/api/schedules", `{"agentId":"pm","cronExpr":"0 9 * * *",` + policy + `}`},
			"edit":   {http.MethodPut, "/api/schedules/" + made.ID, `{` + policy + `}`},
		} {
			err := client.New(e.url, e.owner).Call(t.Context(), c.method, c.path, json.RawMessage(c.body), nil)
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "executorPolicy."+field) {
				t.Errorf("%s with %s 0: got %v, want that it is refused", what, field, err)
			}
		}
		var seen struct{ Problem string }
		e.call(e.owner, http.MethodPost, "/api/schedules/preview", json.RawMessage(`{"agentId":"pm","cronExpr":"0 9 * * *",`+policy+`}`), &seen)
		if !strings.Contains(seen.Problem, field) {
			t.Errorf("a preview with %s 0 says %q", field, seen.Problem)
		}
	}
}

// TestSchedules_OnceWithAMessage: a schedule works once at a time or after a while, with words of its own, and says where its answers go.
func TestSchedules_OnceWithAMessage(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var made struct {
		Message, OnceAt string
		Over            bool
		Deliver         struct{ To string }
		ScheduleID      string `json:"scheduleId"`
		Next            string `json:"nextExecutionAt"`
	}
	e.call(e.owner, http.MethodPost, "/api/schedules", json.RawMessage(`{"agentId":"pm","scheduleType":"ONCE","onceIn":"2h","message":" Look ","deliver":{"to":"INBOX"}}`), &made)
	if made.Message != "Look" || made.OnceAt == "" || made.Next != made.OnceAt || made.Over || made.Deliver.To != "INBOX" {
		t.Errorf("%+v", made)
	}
	for body, field := range map[string]string{
		`{"agentId":"pm","scheduleType":"ONCE","onceIn":"2h","onceAt":"2099-01-01 09:00"}`:              "onceIn",
		`{"agentId":"pm","scheduleType":"ONCE","onceIn":"soon"}`:                                        "onceIn",
		`{"agentId":"pm","scheduleType":"ONCE","onceAt":"2020-01-01 09:00"}`:                            "onceAt",
		`{"agentId":"pm","scheduleType":"ONCE"}`:                                                        "onceAt",
		`{"agentId":"pm","cronExpr":"0 9 * * *","deliver":{"to":"CHAT","channel":"none","chat":"1"}}`:   "deliver.chat",
		`{"agentId":"pm","cronExpr":"0 9 * * *","deliver":{"to":"CONVERSATION","threadId":"thr_none"}}`: "deliver.threadId",
		`{"agentId":"pm","cronExpr":"0 9 * * *","deliver":{"to":"MOON"}}`:                               "deliver.to",
		`{"agentId":"pm","cronExpr":"0 9 * * *","message":"` + strings.Repeat("ä", 6000) + `"}`:         "message",
	} {
		err := client.New(e.url, e.owner).Call(t.Context(), http.MethodPost, "/api/schedules", json.RawMessage(body), nil)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), field) {
			t.Errorf("%.90s: got %v, want a word on %s", body, err, field)
		}
	}
	e.call(e.owner, http.MethodPut, "/api/schedules/"+made.ScheduleID, json.RawMessage(`{"message":"","deliver":{"to":""}}`), &made)
	var said struct {
		ThreadID string `json:"threadId"`
	}
	e.call(e.owner, http.MethodPost, "/api/chat", map[string]any{"text": "/status"}, &said)
	e.call(e.owner, http.MethodPut, "/api/schedules/"+made.ScheduleID, map[string]any{"deliver": map[string]any{"to": "CONVERSATION", "threadId": said.ThreadID}}, nil)
	e.call(e.owner, http.MethodPost, "/api/sessions/"+said.ThreadID+"/close", map[string]any{}, nil)
	var now struct{ Problem string }
	e.call(e.owner, http.MethodGet, "/api/schedules/"+made.ScheduleID, nil, &now)
	if !strings.Contains(now.Problem, "cannot be delivered") || !strings.Contains(now.Problem, "closed") {
		t.Errorf("its answers go to a conversation that is closed, and it says %q", now.Problem)
	}
	var list []struct{ Channel string }
	e.call(e.owner, http.MethodGet, "/api/chats", nil, &list)
	if len(list) != 0 {
		t.Errorf("%+v", list)
	}
}
