package whatsapptest

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"
	"time"
)

var anna = User{ID: "16505551234", Name: "Anna"}

// ask asks for a path with the token, and returns the status and the code of an error.
func ask(t *testing.T, s *Server, method, path, kind, body string) (status, code int, raw []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Token)
	req.Header.Set("Content-Type", kind)
	req.Close = true // the server may begin anew
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var a struct {
		Error struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(raw, &a) // a file is no JSON
	return resp.StatusCode, a.Error.Code, raw
}

func TestServer_Refusals(t *testing.T) {
	t.Parallel()
	s := New(t)
	said := s.Say(Private(anna), anna, "hello")
	s.Enter(Group("Y2Fw"))
	s.Keep("7", "image/png", []byte("x"))
	const to = `"messaging_product":"whatsapp","recipient_type":"individual","to":"16505551234",`
	for body, code := range map[string]int{
		`{` + to + `"type":"text","text":{"body":"x"}}`:                                                                                                               0,
		`{` + to + `"type":"text","text":{"body":"x"},"context":{"message_id":"` + said + `"}}`:                                                                       0,
		`{` + to + `"type":"image","image":{"id":"7","caption":"x"}}`:                                                                                                 0,
		`{` + to + `"type":"interactive","interactive":{"type":"button","body":{"text":"x"},"action":{"buttons":[{"type":"reply","reply":{"id":"a","title":"A"}}]}}}`: 0,
		`{"recipient_type":"individual","to":"16505551234","type":"text","text":{"body":"x"}}`:                                                                        100,
		`{` + to + `"type":"text","text":{"body":""}}`:                                                                                                                100,
		`{` + to + `"type":"text","text":{"body":"` + strings.Repeat("x", 4097) + `"}}`:                                                                               100,
		`{` + to + `"type":"text","text":{"body":"x"},"shout":true}`:                                                                                                  100,
		`{` + to + `"type":"text","text":{"body":"x"},"context":{"message_id":"wamid.no"}}`:                                                                           131009,
		`{` + to + `"type":"document","document":{"id":"7"}}`:                                                                                                         100,
		`{` + to + `"type":"image","image":{"id":"8"}}`:                                                                                                               100,
		`{` + to + `"type":"interactive","interactive":{"type":"button","body":{"text":"x"},"action":{"buttons":[]}}}`:                                                100,
		`{` + to + `"type":"interactive","interactive":{"type":"button","body":{"text":"x"},"action":{"buttons":[{"type":"reply","reply":{"id":"a","title":"` + strings.Repeat("x", 21) + `"}}]}}}`:   100,
		`{` + to + `"type":"interactive","interactive":{"type":"button","body":{"text":"` + strings.Repeat("x", 1025) + `"},"action":{"buttons":[{"type":"reply","reply":{"id":"a","title":"A"}}]}}}`: 100,
		`{"messaging_product":"whatsapp","recipient_type":"individual","to":"999","type":"text","text":{"body":"x"}}`:                                                                                 131026,
		`{"messaging_product":"whatsapp","recipient_type":"individual","to":"Y2Fw","type":"text","text":{"body":"x"}}`:                                                                                100,
		`{"messaging_product":"whatsapp","recipient_type":"group","to":"other","type":"text","text":{"body":"x"}}`:                                                                                    131041,
		`{"messaging_product":"whatsapp","status":"read","message_id":"` + said + `","typing_indicator":{"type":"text"}}`:                                                                             0,
		`{"messaging_product":"whatsapp","status":"read","message_id":"wamid.no"}`:                                                                                                                    131009,
	} {
		status, got, raw := ask(t, s, http.MethodPost, "/v26.0/"+s.Number+"/messages", "application/json", body)
		if got != code || (status == http.StatusOK) != (code == 0) {
			t.Errorf("%s: %d, %s", body[:min(len(body), 200)], status, raw)
		}
	}
	s.Close(Private(anna))
	if _, code, _ := ask(t, s, http.MethodPost, "/v26.0/"+s.Number+"/messages", "application/json", `{`+to+`"type":"text","text":{"body":"x"}}`); code != 131047 {
		t.Errorf("after a day: %d", code)
	}
	for path, code := range map[string]int{
		"/v26.0/" + s.Number + "?fields=id,verified_name": 0, "/v26.0/" + s.Number + "?fields=age": 100, "/v26.0/7": 0, "/v26.0/7?phone_number_id=1": 100,
		"/v26.0/" + s.Number + "?appsecret_proof=00": 100, "/v26.0/8": 100, "/26/x": 2500, attachments + "?mid=7&ext=1": 0,
	} {
		if _, got, raw := ask(t, s, http.MethodGet, path, "", ""); got != code {
			t.Errorf("%s: %s", path, raw)
		}
	}
	s.Token = "another"
	s.Restart()
	if status, code, _ := ask(t, s, http.MethodGet, "/v26.0/"+s.Number, "", ""); status != http.StatusOK || code != 0 {
		t.Errorf("the token of now: %d %d", status, code)
	}
}

func TestServer_Uploads(t *testing.T) {
	t.Parallel()
	s := New(t)
	for kind, code := range map[string]int{"image/png": 0, "text/plain": 0, "application/zip": 100, "text/markdown": 100} {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		_ = w.WriteField("messaging_product", "whatsapp")
		_ = w.WriteField("type", kind)
		part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="a"`}, "Content-Type": {kind}})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write([]byte("content"))
		_ = w.Close()
		_, got, raw := ask(t, s, http.MethodPost, "/v26.0/"+s.Number+"/media", w.FormDataContentType(), body.String())
		if got != code {
			t.Errorf("%s: %s", kind, raw)
		}
	}
}

func TestServer_Limit(t *testing.T) {
	t.Parallel()
	s := New(t)
	s.Say(Private(anna), anna, "hello")
	s.Limit(2, time.Hour)
	for i, want := range []int{0, 0, 131056} {
		_, code, _ := ask(t, s, http.MethodPost, "/v26.0/"+s.Number+"/messages", "application/json", `{"messaging_product":"whatsapp","recipient_type":"individual","to":"16505551234","type":"text","text":{"body":"x"}}`)
		if code != want {
			t.Errorf("message %d: %d", i, code)
		}
	}
}

func TestServer_HookIsAsked(t *testing.T) {
	t.Parallel()
	s := New(t)
	if err := s.Hook(s.URL() + "/v26.0/x"); err == nil {
		t.Error("an address that is not ours was taken")
	}
}
