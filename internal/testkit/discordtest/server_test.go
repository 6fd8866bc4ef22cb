package discordtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"chela/internal/testkit/discordtest"
)

var (
	person = discordtest.User{ID: "501", Username: "p"}
	room   = discordtest.Private(person)
)

// call asks the REST API and returns the status and the body.
func call(t *testing.T, s *discordtest.Server, method, path, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "DiscordBot (x, 1)")
	req.Header.Set("Authorization", "Bot "+s.Token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func TestServer_Strictness(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(room)
	at := "/api/v10/channels/" + room.ID + "/messages"
	for name, c := range map[string]struct {
		method, path, body string
		header             []string
		status             int
		words              string
	}{
		"no token":      {"GET", "/api/v10/users/@me", "", []string{"Authorization", s.Token}, 401, "Unauthorized"},
		"no agent":      {"GET", "/api/v10/users/@me", "", []string{"User-Agent", "curl"}, 403, "1010"},
		"no version":    {"GET", "/users/@me", "", nil, 404, "Not Found"},
		"no JSON":       {"POST", at, "{", nil, 400, "50109"},
		"empty":         {"POST", at, `{}`, nil, 400, "50006"},
		"long":          {"POST", at, `{"content":"` + strings.Repeat("x", 2001) + `"}`, nil, 400, "2000 or fewer"},
		"long nonce":    {"POST", at, `{"content":"x","nonce":"` + strings.Repeat("x", 26) + `"}`, nil, 400, "25 or fewer"},
		"bad button":    {"POST", at, `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1,"label":"x"}]}]}`, nil, 400, "button"},
		"bare button":   {"POST", at, `{"content":"x","components":[{"type":2,"style":1,"label":"x","custom_id":"x"}]}`, nil, 400, "components"},
		"answers none":  {"POST", at, `{"content":"x","message_reference":{"message_id":"5"}}`, nil, 400, "Unknown message"},
		"no channel":    {"POST", "/api/v10/channels/5/messages", `{"content":"x"}`, nil, 404, "10003"},
		"too many":      {"GET", at + "?limit=101", "", nil, 400, "less than or equal"},
		"no press":      {"POST", "/api/v10/interactions/5/x/callback", `{"type":6}`, nil, 404, "10062"},
		"no such edit":  {"PATCH", at + "/5", `{"content":"x"}`, nil, 404, "10008"},
		"taken":         {"POST", at, `{"content":"@everyone <@5>"}`, nil, 200, "everyone"},
		"same nonce":    {"POST", at, `{"content":"x","nonce":"n"}`, nil, 200, `"nonce":"n"`},
		"nobody's call": {"GET", "/api/v10/guilds/5", "", nil, 404, "Not Found"},
	} {
		if status, body := call(t, s, c.method, c.path, c.body, c.header...); status != c.status || !strings.Contains(body, c.words) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	for _, m := range s.Sent(room) {
		if strings.Contains(m.Content, "@") && len(m.Rings) != 2 {
			t.Errorf("a text without allowed_mentions rings %q", m.Rings)
		}
	}
}

func TestServer_Nonce(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(room)
	at := "/api/v10/channels/" + room.ID + "/messages"
	for _, body := range []string{`{"content":"x","nonce":"n"}`, `{"content":"x","nonce":"n"}`, `{"content":"x","nonce":"n","enforce_nonce":true}`} {
		call(t, s, "POST", at, body)
	}
	if n := s.Count(room); n != 2 {
		t.Errorf("%d messages", n)
	}
}

// gateway is a connection of which the frames are read one by one.
type gateway struct {
	t    *testing.T
	conn *websocket.Conn
}

func dial(t *testing.T, s *discordtest.Server) gateway {
	t.Helper()
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(s.URL(), "http")+"/gateway?v=10&encoding=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	t.Cleanup(func() { _ = conn.Close() })
	return gateway{t, conn}
}

func (g gateway) say(text string) {
	if err := g.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		g.t.Error(err)
	}
}

// next returns what comes: the opcode and the name of an event, or the code of the end.
func (g gateway) next() (op int, name string, code int) {
	_ = g.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	var f struct {
		Op   int    `json:"op"`
		Name string `json:"t"`
	}
	_, raw, err := g.conn.ReadMessage()
	if closed, ok := err.(*websocket.CloseError); ok { //nolint:errorlint // the library's own
		return 0, "", closed.Code
	}
	if err != nil || json.NewDecoder(bytes.NewReader(raw)).Decode(&f) != nil {
		g.t.Fatalf("%q, %v", raw, err)
	}
	return f.Op, f.Name, 0
}

func TestServer_GatewayIsStrict(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.DenyContent(true)
	const properties = `"properties":{"os":"x","browser":"x","device":"x"}`
	token := `"token":"` + s.Token + `"`
	for text, code := range map[string]int{
		`{`:        4002,
		`{"op":5}`: 4003,
		`{"op":2,"d":{` + token + `,"intents":1}}`:                        4002,
		`{"op":2,"d":{"token":"x","intents":1,` + properties + `}}`:       4004,
		`{"op":2,"d":{` + token + `,` + properties + `}}`:                 4013,
		`{"op":2,"d":{` + token + `,"intents":32768,` + properties + `}}`: 4014,
		`{"op":6,"d":{"token":"x","session_id":"x","seq":1}}`:             4004,
		`{"op":1,"d":"` + strings.Repeat("x", 5000) + `"}`:                4002,
	} {
		g := dial(t, s)
		if op, _, _ := g.next(); op != 10 {
			t.Errorf("it begins with %d", op)
		}
		g.say(text)
		if _, _, got := g.next(); got != code {
			t.Errorf("%s ends with %d", text, got)
		}
	}
	g := dial(t, s)
	g.next()
	g.say(`{"op":2,"d":{` + token + `,"intents":0,` + properties + `}}`)
	if _, name, _ := g.next(); name != "READY" {
		t.Errorf("then comes %s", name)
	}
	s.Say(room, person, "not for who does not ask for it")
	g.say(`{"op":1,"d":1}`)
	if op, _, _ := g.next(); op != 11 {
		t.Errorf("a beat is answered with %d", op)
	}
	g.say(`{"op":2,"d":{}}`)
	if _, _, code := g.next(); code != 4005 {
		t.Errorf("a second Identify ends with %d", code)
	}
	g = dial(t, s)
	g.next()
	g.say(`{"op":6,"d":{` + token + `,"session_id":"session9","seq":1}}`)
	if op, _, _ := g.next(); op != 9 {
		t.Errorf("an unknown session is answered with %d", op)
	}
	g.say(`{"op":6,"d":{` + token + `,"session_id":"session1","seq":7}}`)
	if _, _, code := g.next(); code != 4007 {
		t.Errorf("a wrong number ends with %d", code)
	}
}
