package webhook

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/testkit/channeltest"
)

func opened(t *testing.T, now time.Time, settings map[string]string) *hook {
	t.Helper()
	a, err := open(channel.Config{Options: channel.Options{Name: "portal", Settings: settings}, Client: http.DefaultClient, Secrets: map[string]string{
		"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", // of the specification's example
	}}, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	h, _ := a.(*hook)
	return h
}

// TestWebhook_TheSpecificationsExample: the example of the Standard Webhooks specification has the
// signature that it says.
func TestWebhook_TheSpecificationsExample(t *testing.T) {
	t.Parallel()
	h := opened(t, time.Unix(1614265330, 0), nil)
	if got := h.key.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`)); got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("the signature is %s", got)
	}
}

func TestWebhook_Listen(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	h := opened(t, now, nil)
	const stamp = "1800000000"
	good := `{"id":"m1","chat":"c1","sender":{"id":"u1","name":"Ann"},"text":"Hello","files":[{"name":"a.txt","type":"text/plain","data":"aGk="}]}`
	post := func(id, stamp, signature, body string) (int, []channel.Message) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/channels/portal", strings.NewReader(body))
		r.Header.Set("webhook-id", id)
		r.Header.Set("webhook-timestamp", stamp)
		r.Header.Set("webhook-signature", signature)
		w, in := httptest.NewRecorder(), new(channeltest.Inbox)
		h.Listen(w, r, in)
		return w.Code, in.Came()
	}
	code, took := post("m1", stamp, "v1,"+base64.StdEncoding.EncodeToString(make([]byte, 32))+" "+h.key.Sign("m1", stamp, []byte(good)), good)
	if code != http.StatusNoContent || len(took) != 1 || took[0].Text != "Hello" || took[0].Sender.ID != "u1" || !took[0].Called || len(took[0].Media) != 1 || took[0].Media[0].Size != 2 {
		t.Errorf("%d %+v", code, took)
	}
	big := `{"id":"` + strings.Repeat("x", maxBody) + `"}`
	for name, c := range map[string]struct {
		stamp, body, sign string
		want              int
	}{
		"nothing signed":      {"", good, "", http.StatusUnauthorized},
		"no number":           {"soon", good, "", http.StatusUnauthorized},
		"six minutes old":     {"1799999640", good, h.key.Sign("m1", "1799999640", []byte(good)), http.StatusUnauthorized},
		"of the future":       {"1800000360", good, h.key.Sign("m1", "1800000360", []byte(good)), http.StatusUnauthorized},
		"of another time":     {stamp, good, h.key.Sign("m1", "1800000001", []byte(good)), http.StatusUnauthorized},
		"of another id":       {stamp, good, h.key.Sign("m2", stamp, []byte(good)), http.StatusUnauthorized},
		"too large":           {stamp, big, h.key.Sign("m1", stamp, []byte(big)), http.StatusRequestEntityTooLarge},
		"no sender":           {stamp, `{"id":"m1","chat":"c1"}`, h.key.Sign("m1", stamp, []byte(`{"id":"m1","chat":"c1"}`)), http.StatusBadRequest},
		"a field unknown":     {stamp, `{"id":"m1","chats":"c1"}`, h.key.Sign("m1", stamp, []byte(`{"id":"m1","chats":"c1"}`)), http.StatusBadRequest},
		"no message whatever": {stamp, `[`, h.key.Sign("m1", stamp, []byte(`[`)), http.StatusBadRequest},
	} {
		if code, took := post("m1", c.stamp, c.sign, c.body); code != c.want || len(took) > 0 {
			t.Errorf("%s: %d %+v", name, code, took)
		}
	}
}

func TestWebhook_Send(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code    int
		after   string
		refusal channel.Refusal
	}{
		"a limit":     {http.StatusTooManyRequests, "7", channel.Refusal{After: 7 * time.Second}},
		"a failure":   {http.StatusInternalServerError, "", channel.Refusal{}},
		"not known":   {http.StatusNotFound, "", channel.Refusal{Final: true}},
		"an hour off": {http.StatusServiceUnavailable, "99999", channel.Refusal{After: time.Hour}},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", c.after)
			w.WriteHeader(c.code)
		}))
		h := opened(t, time.Now(), map[string]string{"url": s.URL})
		_, err := h.Send(t.Context(), channel.Out{Text: "x", Key: "k"})
		no, ok := err.(*channel.Refusal) //nolint:errorlint // Send returns it bare
		if !ok || no.After != c.refusal.After || no.Final != c.refusal.Final {
			t.Errorf("%s: %#v", name, err)
		}
		s.Close()
		if _, err := h.Send(t.Context(), channel.Out{Text: "x", Key: "k"}); err == nil {
			t.Errorf("%s: nobody is there, and it is sent", name)
		} else if _, ok := err.(*channel.Refusal); !ok { //nolint:errorlint // as above
			t.Errorf("%s: nobody was reached, yet it may be there: %v", name, err)
		}
	}
	cut := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer cut.Close()
	_, err := opened(t, time.Now(), map[string]string{"url": cut.URL}).Send(t.Context(), channel.Out{Text: "x", Key: "k"})
	if _, ok := err.(*channel.Refusal); err == nil || ok { //nolint:errorlint // as above
		t.Errorf("an answer that was lost is %#v", err)
	}
}

func TestWebhook_Secrets(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"", "abc", "whsec_", "whsec_abc", "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 23)), "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65))} {
		if _, err := open(channel.Config{Secrets: map[string]string{"secret": secret}}, time.Now); err == nil {
			t.Errorf("the secret %q is taken", secret)
		}
	}
}

// FuzzDecode: a message that is taken has what says where it is from.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"id":"m1","chat":"c1","sender":{"id":"u1"},"text":"x"}`))
	f.Add([]byte(`{"id":"m1","chat":"c1","sender":{"id":"u1"},"press":"approve:apr_1","files":[{"data":"aGk="}]}`))
	f.Add([]byte(`{"what":"edited","id":"m1","chat":"c1","sender":{"id":"u1"},"text":"y"}`))
	f.Add([]byte(`{"chat":"c1","reply_to":"p1","fate":"lost","why":"gone"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, r, err := decode(raw)
		switch {
		case err != nil:
		case r != nil && (r.ID == "" || r.Chat == "" || r.Fate == ""), r == nil && (m.ID == "" || m.Chat == "" || m.Sender.ID == "" || m.What == ""):
			t.Errorf("%q is taken as %+v, %+v", raw, m, r)
		}
	})
}
