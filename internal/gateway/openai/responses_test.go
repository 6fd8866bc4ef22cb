package openai_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A response is an answer as programs read it.
type response struct {
	Created int64  `json:"created_at"`
	ID      string `json:"id"`
	Status  string `json:"status"`

	Background bool `json:"background"`
	Error      *struct{ Message string }
	Output     []struct {
		Content []struct{ Text string } `json:"content"`
	} `json:"output"`
	Usage *struct {
		Total int `json:"total_tokens"`
	} `json:"usage"`
}

func responseOf(t *testing.T, raw string) (out response) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		t.Fatalf("%s is no response: %v", raw, err)
	}
	return out
}

func (r response) text() string {
	if len(r.Output) == 0 || len(r.Output[0].Content) == 0 {
		return ""
	}
	return r.Output[0].Content[0].Text
}

// TestResponses_GoOnWithTheOneBefore has an agent answer, then again in the same conversation, found by previous_response_id.
func TestResponses_GoOnWithTheOneBefore(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	code, raw, first := r.send(http.MethodPost, "/v1/responses", `{"model":"chela/pm","input":"How is the budget?","instructions":"Be brief.","metadata":{"a":"b"}}`)
	one := responseOf(t, raw)
	if code != http.StatusOK || one.Status != "completed" || one.text() != "The budget is fine. STOP More." || one.Usage == nil || !strings.Contains(raw, `"metadata":{"a":"b"}`) {
		t.Fatalf("%d %s", code, raw)
	}
	code, raw, second := r.send(http.MethodPost, "/v1/responses", `{"model":"chela/pm","previous_response_id":"`+one.ID+`","input":[{"role":"user","content":[{"type":"input_text","text":"And the time?"}]}]}`)
	if two := responseOf(t, raw); code != http.StatusOK || two.Status != "completed" || first.Get("X-Session-Id") != second.Get("X-Session-Id") || two.ID == one.ID {
		t.Errorf("%d %s in %s, want it in %s", code, raw, second.Get("X-Session-Id"), first.Get("X-Session-Id"))
	}
	if code, raw, _ = r.send(http.MethodGet, "/v1/responses/"+one.ID, ""); code != http.StatusOK || responseOf(t, raw).text() != one.text() {
		t.Errorf("looked at again: %d %s", code, raw)
	}
	for path, want := range map[string]int{"/v1/responses/resp_none": 404, "/v1/responses/nothing": 404} {
		if code, raw, _ := r.send(http.MethodGet, path, ""); code != want {
			t.Errorf("%s: %d %s, want %d", path, code, raw, want)
		}
	}
	if code, raw, _ := r.send(http.MethodDelete, "/v1/responses/"+one.ID, ""); code != http.StatusMethodNotAllowed {
		t.Errorf("deleted: %d %s", code, raw)
	}
}

// TestResponses_BeganAtOneTime: whenever a response is looked at, it was created at the same time.
func TestResponses_BeganAtOneTime(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	_, raw, _ := r.send(http.MethodPost, "/v1/responses", `{"model":"chela/pm","input":"How is the budget?"}`)
	one := responseOf(t, raw)
	for time.Now().Unix() <= one.Created {
		time.Sleep(20 * time.Millisecond)
	}
	if _, raw, _ = r.send(http.MethodGet, "/v1/responses/"+one.ID, ""); one.Created == 0 || responseOf(t, raw).Created != one.Created {
		t.Errorf("created at %d, looked at again at %d", one.Created, responseOf(t, raw).Created)
	}
}

// TestResponses_StreamEvents holds the order of a stream's events and their numbers.
func TestResponses_StreamEvents(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	_, raw, _ := r.send(http.MethodPost, "/v1/responses", `{"model":"chela/pm","input":"How is the budget?","stream":true}`)
	var kinds []string
	said, number := "", 0
	for line := range strings.SplitSeq(raw, "\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type   string `json:"type"`
			Number int    `json:"sequence_number"`
			Delta  string `json:"delta"`
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Number != number {
			t.Errorf("%s is event %d, want %d (%v)", data, e.Number, number, err)
		}
		number++
		said += e.Delta
		if len(kinds) == 0 || kinds[len(kinds)-1] != e.Type {
			kinds = append(kinds, e.Type)
		}
	}
	want := "response.created response.in_progress response.output_item.added response.content_part.added response.output_text.delta response.output_text.done response.content_part.done response.output_item.done response.completed"
	if got := strings.Join(kinds, " "); got != want || said != "The budget is fine. STOP More." {
		t.Errorf("the stream says %q by %s, want %s", said, got, want)
	}
}

// TestResponses_InTheBackground has an agent that takes its time work in the background, and be cancelled.
func TestResponses_InTheBackground(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	_, raw, _ := r.send(http.MethodPost, "/v1/responses", `{"model":"chela/generalist","input":"Think.","background":true}`)
	one := responseOf(t, raw)
	if one.Status != "queued" || !one.Background {
		t.Fatalf("%s, want that it is queued in the background", raw)
	}
	if code, raw, _ := r.send(http.MethodPost, "/v1/responses/"+one.ID+"/cancel", ""); code != http.StatusOK {
		t.Errorf("cancelled: %d %s", code, raw)
	}
	for end := time.Now().Add(20 * time.Second); one.Status != "cancelled" && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_, raw, _ = r.send(http.MethodGet, "/v1/responses/"+one.ID, "")
		one = responseOf(t, raw)
	}
	if one.Status != "cancelled" || !one.Background {
		t.Errorf("it stands as %s", raw)
	}
	if code, raw, _ := r.send(http.MethodPost, "/v1/responses/"+one.ID+"/cancel", ""); code != http.StatusOK || responseOf(t, raw).Status != "cancelled" {
		t.Errorf("cancelled again: %d %s", code, raw)
	}
}

// TestResponses_NotInTheBackground: an answer for which its caller waits is not cancelled by its id, whether it is under way or over.
func TestResponses_NotInTheBackground(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	_, raw, _ := r.send(http.MethodPost, "/v1/responses", `{"model":"chela/pm","input":"How is the budget?"}`)
	over := responseOf(t, raw).ID
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/v1/responses", strings.NewReader(`{"model":"chela/generalist","input":"Take your time","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+r.token)
	q.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }() // the test has left
	lines := bufio.NewScanner(res.Body)
	underWay := ""
	for underWay == "" && lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var e struct{ Response response }
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatal(err)
			}
			underWay = e.Response.ID
		}
	}
	for id, status := range map[string]string{over: "completed", underWay: ""} {
		code, raw, _ := r.send(http.MethodPost, "/v1/responses/"+id+"/cancel", "")
		if code != http.StatusBadRequest || !strings.Contains(raw, `"type":"invalid_request_error","code":null,`) || !strings.Contains(raw, "was not made in the background") {
			t.Errorf("%s is cancelled: %d %s", id, code, raw)
		}
		_, raw, _ = r.send(http.MethodGet, "/v1/responses/"+id, "")
		if got := responseOf(t, raw); got.Background || got.Status == "cancelled" || status != "" && got.Status != status {
			t.Errorf("%s stands as %s", id, raw)
		}
	}
}

// TestResponses_OfAModelTravelAsTheyAre holds that members which nobody here knows go to a model and come back.
func TestResponses_OfAModelTravelAsTheyAre(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	call := `{"model":"chela/model/vendor/gpt-test","input":[{"type":"brand_new","x":[1,2]}],"reasoning":{"effort":"low"}}`
	code, raw, _ := r.send(http.MethodPost, "/v1/responses", call)
	if code != http.StatusOK || !strings.Contains(raw, `"new_output":{"kept":true}`) {
		t.Errorf("%d %s", code, raw)
	}
	_, raw, _ = r.send(http.MethodPost, "/v1/responses", strings.Replace(call, `"input"`, `"stream":true,"input"`, 1))
	for _, event := range goldenEvents {
		if !strings.Contains(raw, "data: "+event+"\n\n") {
			t.Errorf("the stream lacks %s:\n%s", event, raw)
		}
	}
	r.vendor.mu.Lock()
	asked := strings.Join(r.vendor.asked, "\n")
	r.vendor.mu.Unlock()
	for _, want := range []string{"/responses ", `{"type":"brand_new","x":[1,2]}`, `"reasoning":{"effort":"low"}`} {
		if !strings.Contains(asked, want) {
			t.Errorf("the model is asked %s, which lacks %s", asked, want)
		}
	}
	_, usage, _ := r.send(http.MethodGet, "/api/usage?by=model", "")
	if !strings.Contains(usage, `"input_tokens":22`) || !strings.Contains(usage, `"output_tokens":10`) {
		t.Errorf("what both used is counted as %s, want 22 and 10 tokens", usage)
	}
}

// TestResponses_BadCalls are answered in OpenAI's form.
func TestResponses_BadCalls(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for body, want := range map[string]int{
		`{"model":"chela/pm"}`:           400,
		`{"model":"chela/pm","input":5}`: 400,
		`{"model":"chela/pm","input":[{"type":"function_call_output","output":"x"}]}`:      400,
		`{"model":"chela/pm","input":"x","tools":[{"type":"web_search"}]}`:                 400,
		`{"model":"chela/pm","input":"x","previous_response_id":"resp_nobody"}`:            400,
		`{"model":"gpt-9","input":"x"}`:                                                    404,
		`{"model":"chela/pm","model":"chela/model/vendor/gpt-test","input":"x"}`:           400,
		`{"model":"chela/pm","input":[{"role":"user","content":[{"type":"input_file"}]}]}`: 400,
		`[`: 400,
	} {
		code, raw, _ := r.send(http.MethodPost, "/v1/responses", body)
		if code != want || !strings.Contains(raw, `"error":{`) {
			t.Errorf("%s: %d %s, want %d", body, code, raw, want)
		}
	}
}
