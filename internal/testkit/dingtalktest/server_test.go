package dingtalktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

var ann = Person{ID: "$:ann", Staff: "0123", Nick: "Ann"}

// ask asks an interface and returns the status and the body of the answer.
func ask(t *testing.T, s *Server, method, path, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("x-acs-dingtalk-access-token", token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // it is read
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func TestServer_Token(t *testing.T) {
	t.Parallel()
	s := New(t)
	if status, body := ask(t, s, "POST", Token, "", `{"appKey":"dingtestclient","appSecret":"no"}`); status != 400 || !strings.Contains(body, "invalidClientIdOrSecret") {
		t.Errorf("a wrong secret: %d %s", status, body)
	}
	status, body := ask(t, s, "POST", Token, "", fmt.Sprintf(`{"appKey":%q,"appSecret":%q}`, s.ClientID, s.ClientSecret))
	if status != 200 || !strings.Contains(body, `"accessToken":"token-0"`) {
		t.Errorf("the token: %d %s", status, body)
	}
	s.ExpireTokens()
	if status, body := ask(t, s, "POST", SendGroup, "token-0", `{}`); status != 401 || !strings.Contains(body, "InvalidAuthentication") {
		t.Errorf("an old token: %d %s", status, body)
	}
	if status, _ := ask(t, s, "GET", Token, "", ``); status != 404 {
		t.Errorf("GET: %d", status)
	}
}

func TestServer_MessagesAreChecked(t *testing.T) {
	t.Parallel()
	s := New(t)
	s.Say(Group("cidT", "T"), ann, "Hello")
	long := strings.Repeat("x", maxParam)
	for want, body := range map[string]string{
		"robotCode.empty":     `{}`,
		"robotCode.auth":      `{"robotCode":"x"}`,
		"msgParam.invalid":    `{"robotCode":"dingtestclient","msgKey":"sampleMarkdown","msgParam":"x"}`,
		"msgParam.overLength": `{"robotCode":"dingtestclient","msgKey":"sampleMarkdown","msgParam":"` + long + `x"}`,
		"msgKey.invalid":      `{"robotCode":"dingtestclient","msgKey":"x","msgParam":"{}"}`,
		"photoURL":            `{"robotCode":"dingtestclient","msgKey":"sampleImageMsg","msgParam":"{\"photoURL\":\"@x\"}"}`,
		"mediaId":             `{"robotCode":"dingtestclient","msgKey":"sampleFile","msgParam":"{\"mediaId\":\"@x\"}"}`,
		"openConversationId":  `{"robotCode":"dingtestclient","msgKey":"sampleMarkdown","msgParam":"{\"title\":\"a\",\"text\":\"b\"}","openConversationId":"cidX"}`,
		"processQueryKey":     `{"robotCode":"dingtestclient","msgKey":"sampleMarkdown","msgParam":"{\"title\":\"a\",\"text\":\"b\"}","openConversationId":"cidT"}`,
	} {
		if _, got := ask(t, s, "POST", SendGroup, "token-0", body); !strings.Contains(got, want) {
			t.Errorf("%s is answered with %s", body[:min(len(body), 200)], got)
		}
	}
	for want, people := range map[string]string{"userIds.empty": `[]`, `"invalidStaffIdList":["9"]`: `["9"]`, `"processQueryKey":"query-`: `["0123"]`} {
		body := `{"robotCode":"dingtestclient","msgKey":"sampleMarkdown","msgParam":"{\"title\":\"a\",\"text\":\"b\"}","userIds":` + people + `}`
		if _, got := ask(t, s, "POST", SendPerson, "token-0", body); !strings.Contains(got, want) {
			t.Errorf("%s is answered with %s", people, got)
		}
	}
	if len(s.Sent(Group("cidT", ""))) != 1 || len(s.Texts(Private(ann))) != 1 {
		t.Error("what was taken is not shown")
	}
}

func TestServer_CardsAreChecked(t *testing.T) {
	t.Parallel()
	s := New(t)
	s.Say(Group("cidT", "T"), ann, "Hello")
	create := `{"cardTemplateId":%q,"outTrackId":"c1","callbackType":%q,"userIdType":%d,"openSpaceId":%q,"cardData":{"cardParamMap":{"content":"One"}},
		"imGroupOpenSpaceModel":{},"imGroupOpenDeliverModel":{"robotCode":"dingtestclient"}}`
	for want, body := range map[string]string{
		"cardTemplateNotExist":  fmt.Sprintf(create, "x", "STREAM", 1, "dtv1.card//IM_GROUP.cidT"),
		"param.invalid":         fmt.Sprintf(create, s.Template, "STREAM", 0, "dtv1.card//IM_GROUP.cidT"),
		"openSpaceModelInvalid": fmt.Sprintf(create, s.Template, "STREAM", 1, "dtv1.card//IM_GROUP.cidX"),
		`"success":true`:        fmt.Sprintf(create, s.Template, "STREAM", 1, "dtv1.card//IM_GROUP.cidT"),
	} {
		if _, got := ask(t, s, "POST", CreateCard, "token-0", body); !strings.Contains(got, want) {
			t.Errorf("%s is answered with %s", body, got)
		}
	}
	write := func(guid, text string, final bool) string {
		_, got := ask(t, s, "PUT", WriteCard, "token-0", fmt.Sprintf(`{"outTrackId":"c1","guid":%q,"key":"content","content":%q,"isFull":true,"isFinalize":%t}`, guid, text, final))
		return got
	}
	guid := strings.Repeat("a", 36)
	if got := write("x", "Two", false); !strings.Contains(got, "param.invalid") {
		t.Errorf("without a guid: %s", got)
	}
	write(guid, "Two", true)
	write(guid, "Three", true)
	if got := write(strings.Repeat("b", 36), "Four", false); !strings.Contains(got, "streamingFinished") {
		t.Errorf("after its end: %s", got)
	}
	if c := s.Card("c1"); !c.Final || c.Params["content"] != "Two" || len(c.Updates) != 1 {
		t.Errorf("the card is %+v", c)
	}
	if _, got := ask(t, s, "PUT", ChangeCard, "token-0", `{"outTrackId":"cX"}`); !strings.Contains(got, "cardNotExist") {
		t.Errorf("no card: %s", got)
	}
}

func TestServer_UploadsAreChecked(t *testing.T) {
	t.Parallel()
	s := New(t)
	put := func(token, kind, name string) string {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		w, err := form.CreateFormFile("media", name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := form.Close(); err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+Upload+"?"+url.Values{"access_token": {token}, "type": {kind}}.Encode(), &b)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", form.FormDataContentType())
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }() // it is read
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for _, c := range []struct{ token, kind, name, want string }{
		{"x", "file", "a.pdf", "40014"}, {"token-0", "file", "a.go", "40004"}, {"token-0", "image", "a.pdf", "40004"}, {"token-0", "image", "a.png", `"media_id":"@media`},
	} {
		if got := put(c.token, c.kind, c.name); !strings.Contains(got, c.want) {
			t.Errorf("%+v is answered with %s", c, got)
		}
	}
}

// TestServer_Gateway: a ticket counts once, and a frame comes again until it is answered well.
func TestServer_Gateway(t *testing.T) {
	t.Parallel()
	s := New(t)
	connect := func() *websocket.Conn {
		t.Helper()
		body := fmt.Sprintf(`{"clientId":%q,"clientSecret":%q,"subscriptions":[{"type":"CALLBACK","topic":%q},{"type":"CALLBACK","topic":%q}]}`, s.ClientID, s.ClientSecret, TopicMessage, TopicCard)
		status, raw := ask(t, s, "POST", Open, "", body)
		var got struct{ Endpoint, Ticket string }
		if err := json.Unmarshal([]byte(raw), &got); err != nil || status != 200 {
			t.Fatalf("%d %s", status, raw)
		}
		address := strings.Replace(s.URL(), "http", "ws", 1) + Socket + "?ticket=" + url.QueryEscape(got.Ticket)
		c, resp, err := websocket.DefaultDialer.DialContext(t.Context(), address, nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		_, twice, err := websocket.DefaultDialer.DialContext(t.Context(), address, nil)
		if err == nil || twice == nil {
			t.Fatalf("the ticket counts twice: %v", err)
		}
		defer func() { _ = twice.Body.Close() }() // only its status counts
		if twice.StatusCode != 401 {
			t.Errorf("the ticket is refused with %d", twice.StatusCode)
		}
		return c
	}
	s.Say(Group("cidT", "T"), ann, "Hello")
	for i, answer := range []string{
		``,
		`{"code":500,"headers":{"messageId":%q,"contentType":"application/json"},"message":"","data":""}`,
		`{"code":200,"headers":{"messageId":%q,"contentType":"application/json"},"message":"","data":"{\"status\":\"LATER\"}"}`,
		`{"code":200,"headers":{"messageId":%q,"contentType":"application/json"},"message":"","data":"{}"}`,
	} {
		c := connect()
		var frame struct {
			Headers map[string]string
			Data    string
		}
		if err := c.ReadJSON(&frame); err != nil || !strings.Contains(frame.Data, `"Hello"`) {
			t.Fatalf("connection %d: %+v, %v", i, frame, err)
		}
		id := frame.Headers["messageId"]
		if answer != "" {
			if err := c.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, answer, id)); err != nil {
				t.Fatal(err)
			}
			s.Wait("the answer", func() bool { return len(s.Answers(id)) == i })
		}
		if done := s.Pending() == 0; done != (i == 3) {
			t.Errorf("after answer %d it is done: %t", i, done)
		}
		_ = c.Close()
	}
}
