package test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// planner is an agent of another organization with one task, which goes on until ended is set.
func planner(t *testing.T, ended *atomic.Bool) string {
	t.Helper()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"name":"Planner","description":"Plans.","version":"1","capabilities":{},"skills":[],"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
			"supportedInterfaces":[{"url":%q,"protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, s.URL)
	})
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		task := `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}`
		if ended.Load() {
			task = `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"The plan for April."}]}]}`
		}
		if call.Method == "SendMessage" {
			task = `{"task":` + task + `}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, task)
	})
	return s.URL
}

// TestTasks_AreToldOnceHoweverOftenItDies kills a daemon that follows a task of another organization's agent, and then the ones after it after
// each of their commits: the conversation hears of the task once.
func TestTasks_AreToldOnceHoweverOftenItDies(t *testing.T) {
	t.Parallel()
	databases(t, toldOnce)
}

func toldOnce(t *testing.T, s setup) {
	t.Helper()
	w := newWorld(t, func(r request) any {
		switch n, said := r.since(); {
		case strings.Contains(said, "Plan April") && n == 0:
			return toolCall("partner__ask", `{"message":"April"}`)
		case strings.Contains(said, "Plan April"):
			return text("It is with the partner.")
		}
		return text("The plan came.")
	})
	s.env = w.env()
	d := s.running(t)
	var ended atomic.Bool
	var seen struct {
		Seen struct {
			Digest string `json:"digest"`
		} `json:"seen"`
	}
	d.must(t, http.MethodPost, "/api/mcp/servers", map[string]any{"name": "partner", "url": planner(t, &ended), "a2a": true, "inside": true, "seconds": 3, "risk": "READ_ONLY"}, nil)
	d.must(t, http.MethodPost, "/api/mcp/servers/partner/inspect", nil, &seen)
	d.must(t, http.MethodPost, "/api/mcp/servers/partner/accept", map[string]string{"digest": seen.Seen.Digest}, nil)
	d.must(t, http.MethodPatch, "/api/agents/coder", map[string]any{"tools": []string{"partner__*"}}, nil)
	var given chatAnswer
	if d.must(t, http.MethodPost, "/api/chat", map[string]any{"text": "Plan April", "agent": "coder", "wait": true}, &given); given.Reply != "It is with the partner." {
		t.Fatalf("when it is given, the agent says %+v", given)
	}
	d.kill()
	ended.Store(true)
	died := 0
	for commit := serving; commit < serving+5; commit++ {
		d, up := s.start(t, fmt.Sprintf("CHELA_DIE_AT=after commit:%d", commit))
		if up {
			select {
			case <-d.done:
			case <-time.After(6 * time.Second): // it had nothing more to record
			}
		}
		select {
		case <-d.done:
			died++
		default:
			d.kill()
		}
	}
	if died < 3 {
		t.Errorf("it died by itself %d times", died)
	}
	d = s.running(t)
	var all []struct {
		Role    string `json:"role"`
		Message string `json:"message"`
	}
	for end := time.Now().Add(30 * time.Second); len(all) < 4 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		d.must(t, http.MethodGet, "/api/sessions/"+given.Thread+"/messages", nil, &all)
	}
	if len(all) != 4 || all[2].Role != "person" || !strings.Contains(all[2].Message, "The plan for April.") || all[3].Message != "The plan came." {
		t.Errorf("after %d deaths the conversation has %+v", died+1, all)
	}
	d.stop()
	s.verified(t)
}
