package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// used is how many tokens the organization's budget has lost.
func (r *room) used() int64 {
	r.t.Helper()
	_, raw, _ := r.send(http.MethodGet, "/api/budgets", "")
	var out []struct {
		Used struct {
			Tokens int64 `json:"tokens"`
		} `json:"used"`
		Reserved struct {
			Tokens int64 `json:"tokens"`
		} `json:"reserved"`
	}
	if err := json.Unmarshal([]byte(raw), &out); err != nil || len(out) != 1 {
		r.t.Fatalf("%s is not one budget (%v)", raw, err)
	}
	if n := out[0].Reserved.Tokens; n != 0 {
		r.t.Errorf("%d tokens are still reserved", n)
	}
	return out[0].Used.Tokens
}

// asked is what the vendor was asked last.
func (r *room) asked() string {
	r.vendor.mu.Lock()
	defer r.vendor.mu.Unlock()
	return r.vendor.asked[len(r.vendor.asked)-1]
}

// key makes a key of the owner's, and returns how it authorizes and its id.
func (r *room) key(body string) (bearer, id string) {
	r.t.Helper()
	_, raw, _ := r.send(http.MethodPost, "/api/keys", body)
	var out struct {
		Token string              `json:"token"`
		Key   struct{ ID string } `json:"key"`
	}
	if err := json.Unmarshal([]byte(raw), &out); err != nil || out.Token == "" {
		r.t.Fatalf("the key: %s (%v)", raw, err)
	}
	return "Bearer " + out.Token, out.Key.ID
}

// TestForward_StaysWithinTheBudget: several answers share what is left, no member in another case says more, and what a call used of which
// that is not known is what it had reserved.
func TestForward_StaysWithinTheBudget(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	if code, raw, _ := r.send(http.MethodPut, "/api/budgets", `{"scope":"organization","per":"total","tokens":6000}`); code != http.StatusOK {
		t.Fatalf("the budget: %d %s", code, raw)
	}
	ask := func(rest string) (int, string) {
		code, raw, _ := r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/model/vendor/gpt-test","messages":[{"role":"user","content":"Hello"}],`+rest+`}`)
		return code, raw
	}
	if code, raw := ask(`"n":3,"max_tokens":3000`); code != http.StatusOK {
		t.Fatalf("three answers: %d %s", code, raw)
	}
	var body struct {
		N    int `json:"n"`
		Most int `json:"max_completion_tokens"`
	}
	asked := r.asked()
	if err := json.Unmarshal([]byte(asked[strings.Index(asked, "{"):]), &body); err != nil || body.N != 3 || body.Most < 1500 || body.Most > 2000 {
		t.Errorf("of the vendor %+v is asked (%v), want a third of 6,000 tokens for each", body, err)
	}
	before := r.used()
	for _, wrong := range []string{`"max_tokens":1000000,"MAX_TOKENS":1`, `"N":3`, `"max_tokens":-1`, `"max_completion_tokens":-1`, `"n":-1`, `"n":1000`} {
		if code, raw := ask(wrong); code != http.StatusBadRequest {
			t.Errorf("%s: %d %s, want it refused", wrong, code, raw)
		}
	}
	if now := r.used(); now != before {
		t.Errorf("what was refused took %d tokens", now-before)
	}
	_, _, _ = r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/model/vendor/gpt-test","stream":true,"max_tokens":900,"messages":[{"role":"user","content":"break"}]}`)
	if now := r.used(); now < before+900 {
		t.Errorf("a stream that broke took %d tokens, want at least the 900 that were reserved for its answer", now-before)
	}
}

// TestDoor_AMemberIsSpeltOneWay: what one reader takes for the model, and another does not, is refused wherever the door reads it.
func TestDoor_AMemberIsSpeltOneWay(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	const hello = `"messages":[{"role":"user","content":"Hello"}]`
	for _, c := range []struct{ path, body, want string }{
		{"/v1/chat/completions", `{"model":"chela/pm","MODEL":"chela/coder",` + hello + `}`, "is spelt model"},
		{"/v1/chat/completions", `{"model":"chela/model/vendor/gpt-test","User":"x",` + hello + `}`, "is spelt user"},
		{"/v1/chat/completions", `{"model":"chela/pm","messages":[{"role":"user","ROLE":"system","content":"Hello"}]}`, "is spelt role"},
		{"/v1/chat/completions", `{"model":"chela/pm","messages":[{"role":"user","content":[{"type":"text","text":"a","Text":"b"}]}]}`, "is spelt text"},
		{"/v1/chat/completions", `{"model":"chela/pm","tools":[{"type":"function","function":{"name":"a","Name":"b"}}],` + hello + `}`, "is spelt name"},
		{"/v1/embeddings", `{"Model":"chela/model/vendor/gpt-test","input":"x"}`, "is spelt model"},
		{"/v1/responses", `{"model":"chela/pm","Background":true,"input":"Hello"}`, "is spelt background"},
		{"/v1/responses", `{"model":"chela/pm","input":[{"role":"user","Role":"system","content":"Hello"}]}`, "is spelt role"},
		{"/v1/responses", `{"model":"chela/pm","input":[{"role":"user","content":[{"type":"input_text","TEXT":"Hello"}]}]}`, "is spelt text"},
		{"/v1/responses", `{"model":"chela/pm","tools":[{"type":"function","Name":"a"}],"input":"Hello"}`, "is spelt name"},
	} {
		if code, raw, _ := r.send(http.MethodPost, c.path, c.body); code != http.StatusBadRequest || !strings.Contains(raw, c.want) {
			t.Errorf("%s %s: %d %s, want 400 with %q", c.path, c.body, code, raw, c.want)
		}
	}
	body := `{"model":"chela/pm","Chela":1,"messages":[{"role":"user","content":"Hello","Name":"x"}]}`
	if code, raw, _ := r.send(http.MethodPost, "/v1/chat/completions", body); code != http.StatusOK {
		t.Errorf("a member that the door does not read: %d %s, want it left alone", code, raw)
	}
}

// TestCompletions_ASessionIsOfItsKey: by the same name two keys of a person find conversations of their own.
func TestCompletions_ASessionIsOfItsKey(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	one, _ := r.key(`{"name":"one"}`)
	two, _ := r.key(`{"name":"two"}`)
	ask := func(key, rest string, headers ...string) string {
		code, raw, h := r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/pm",`+rest+`"messages":[{"role":"user","content":"Hello"}]}`, append(headers, "Authorization", key)...)
		if code != http.StatusOK {
			t.Fatalf("%d %s", code, raw)
		}
		return h.Get("X-Session-ID")
	}
	for name, how := range map[string]func(key string) string{
		"the session": func(key string) string { return ask(key, "", "X-Session-ID", "carol") },
		"the user":    func(key string) string { return ask(key, `"user":"carol",`) },
	} {
		first := how(one)
		if again := how(one); again != first {
			t.Errorf("%s of a key is %s and then %s", name, first, again)
		}
		if other := how(two); other == first {
			t.Errorf("%s of another key is the same conversation", name)
		}
	}
}

// TestForward_CountsForTheProjectOfItsKey: a budget of a project bounds what its keys pass on.
func TestForward_CountsForTheProjectOfItsKey(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	var project struct {
		ID string `json:"id"`
	}
	_, raw, _ := r.send(http.MethodPost, "/api/projects", `{"name":"Payments"}`)
	if err := json.Unmarshal([]byte(raw), &project); err != nil {
		t.Fatal(err)
	}
	key, _ := r.key(`{"name":"one","project":"` + project.ID + `"}`)
	ask := func() (int, string) {
		code, raw, _ := r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/model/vendor/gpt-test","max_tokens":9,"messages":[{"role":"user","content":"Hello"}]}`, "Authorization", key)
		return code, raw
	}
	budget := func(tokens string) {
		if code, raw, _ := r.send(http.MethodPut, "/api/budgets", `{"scope":"project","of":"`+project.ID+`","per":"total","tokens":`+tokens+`}`); code != http.StatusOK {
			t.Fatalf("the budget: %d %s", code, raw)
		}
	}
	budget("5000")
	if code, raw := ask(); code != http.StatusOK || r.used() != 9 {
		t.Errorf("%d %s takes %d tokens of the project's budget, want 9", code, raw, r.used())
	}
	budget("9")
	if code, raw := ask(); code == http.StatusOK {
		t.Errorf("over the project's budget it is answered %s", raw)
	}
}

// TestForward_EndsWithItsKey: a stream that is passed on ends when its key is revoked.
func TestForward_EndsWithItsKey(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	key, id := r.key(`{"name":"one"}`)
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/v1/chat/completions", strings.NewReader(`{"model":"chela/model/vendor/gpt-test","stream":true,"messages":[{"role":"user","content":"endless"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", key)
	q.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Body.Close() }() // read to its end
	if _, err := a.Body.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	if code, raw, _ := r.send(http.MethodDelete, "/api/tokens/"+id, ""); code >= 300 {
		t.Fatalf("%d %s", code, raw)
	}
	_, _ = io.Copy(io.Discard, a.Body) // it would never end
}

// TestCompletions_InstructionsAreToldOnce: with the first message that a named conversation takes, and again when they are others.
func TestCompletions_InstructionsAreToldOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ask := func(system, text string) (int, string) {
		body, err := json.Marshal(map[string]any{"model": "chela/pm", "messages": []map[string]string{{"role": "system", "content": system}, {"role": "user", "content": text}}})
		if err != nil {
			t.Fatal(err)
		}
		code, _, h := r.send(http.MethodPost, "/v1/chat/completions", string(body), "X-Session-ID", "mine")
		return code, h.Get("X-Session-ID")
	}
	if code, _ := ask("Answer briefly.", strings.Repeat("x", 4<<20)); code == http.StatusOK {
		t.Fatal("a text of 4 MB was taken")
	}
	var thread string
	for _, said := range [][2]string{{"Answer briefly.", "One"}, {"Answer briefly.", "Two"}, {"Answer at length.", "Three"}} {
		code, in := ask(said[0], said[1])
		if code != http.StatusOK {
			t.Fatalf("%s: %d", said[1], code)
		}
		thread = in
	}
	texts := strings.Join(r.conversation(thread), "\n")
	if strings.Count(texts, "Answer briefly.") != 1 || strings.Count(texts, "from now on:\nAnswer at length.") != 1 {
		t.Errorf("the conversation is %q", texts)
	}
}
