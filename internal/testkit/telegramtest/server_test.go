package telegramtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
)

var anna = User{ID: 501, FirstName: "Anna"}

// ask calls a method with JSON.
func ask(t *testing.T, s *Server, method, body string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/bot"+s.Token+"/"+method, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Close = true // the server may begin anew
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var a answer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	if code := resp.StatusCode; a.OK != (code == 200) || !a.OK && a.Code != code {
		t.Errorf("%s: %+v with status %d", method, a, code)
	}
	return a
}

func numbers(t *testing.T, a answer) []int64 {
	t.Helper()
	var updates []update
	if err := json.Unmarshal(a.Result, &updates); err != nil {
		t.Fatalf("%v in %+v", err, a)
	}
	out := []int64{}
	for _, u := range updates {
		out = append(out, u.ID-870_000_000)
	}
	return out
}

func TestServer_Offsets(t *testing.T) {
	t.Parallel()
	s := New(t)
	for range 5 {
		s.Say(Private(anna), anna, "x")
	}
	offset := func(n int64) string { return strconv.FormatInt(870_000_000+n, 10) }
	for _, c := range []struct {
		body string
		want []int64
	}{
		{`{}`, []int64{1, 2, 3, 4, 5}},
		{`{"limit":2}`, []int64{1, 2}},
		{`{"offset":` + offset(1) + `}`, []int64{1, 2, 3, 4, 5}},
		{`{"offset":` + offset(3) + `}`, []int64{3, 4, 5}},
		{`{"offset":` + offset(2) + `}`, []int64{3, 4, 5}}, // what is confirmed is gone
		{`{"offset":-1}`, []int64{5}},
		{``, []int64{5}},
		{`{"offset":` + offset(6) + `}`, []int64{}},
	} {
		if c.body == "" { // nothing survives, and nothing is lost by, a restart
			s.Restart()
			c.body = `{}`
		}
		if got := numbers(t, ask(t, s, "getUpdates", c.body)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.body, got, c.want)
		}
	}
	s.Redeliver()
	if got := numbers(t, ask(t, s, "getUpdates", `{}`)); !slices.Equal(got, []int64{1, 2, 3, 4, 5}) {
		t.Errorf("again: %v", got)
	}
}

func TestServer_AllowedUpdates(t *testing.T) {
	t.Parallel()
	s := New(t)
	ask(t, s, "getUpdates", `{"allowed_updates":["edited_message"]}`)
	id := s.Say(Private(anna), anna, "x")
	s.Edit(Private(anna), id, "y")
	if got := numbers(t, ask(t, s, "getUpdates", `{}`)); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

func TestServer_Refusals(t *testing.T) {
	t.Parallel()
	s := New(t)
	s.Enter(Private(anna))
	for _, c := range []struct {
		method, body string
		code         int
		text         string
	}{
		{"sendmessage", `{"chat_id":"501","text":"x"}`, 0, ""},
		{"sendMessage", `{"chat_id":9,"text":"x"}`, 400, "chat not found"},
		{"sendMessage", `{"chat_id":501,"text":""}`, 400, "message text is empty"},
		{"sendMessage", `{"chat_id":501,"text":"<b>x","parse_mode":"HTML"}`, 400, "can't parse entities"},
		{"sendMessage", `{"chat_id":501,"text":"<b>x"}`, 0, ""},
		{"sendMessage", `{"chat_id":501,"text":"x","reply_parameters":{"message_id":99}}`, 400, "message to be replied not found"},
		{"sendMessage", `{"chat_id":501,"text":"x","parse_mode":"Pigeon"}`, 400, "unsupported parse_mode"},
		{"sendMessage", `{"chat_id":[]}`, 400, "Bad Request"},
		{"editMessageText", `{"chat_id":501,"message_id":1,"text":"x"}`, 400, "message is not modified"},
		{"editMessageText", `{"chat_id":501,"message_id":99,"text":"x"}`, 400, "message to edit not found"},
		{"answerCallbackQuery", `{"callback_query_id":"1"}`, 400, "query is too old"},
		{"sendChatAction", `{"chat_id":501,"action":"dancing"}`, 400, "wrong parameter action"},
		{"getFile", `{"file_id":"x"}`, 400, "wrong file_id"},
		{"setWebhook", `{"url":"http://example.com"}`, 400, "An HTTPS URL must be provided"},
		{"getTea", `{}`, 404, "Not Found"},
	} {
		if a := ask(t, s, c.method, c.body); a.Code != c.code || !strings.Contains(a.Description, c.text) {
			t.Errorf("%s %s: %+v", c.method, c.body, a)
		}
	}
	long := func(n int) string {
		return `{"chat_id":501,"parse_mode":"HTML","text":"<b>` + strings.Repeat("🦀", n) + `</b>"}`
	}
	if a := ask(t, s, "sendMessage", long(2048)); !a.OK {
		t.Errorf("4096 units: %+v", a)
	}
	if a := ask(t, s, "sendMessage", long(2049)); a.OK || !strings.Contains(a.Description, "message is too long") {
		t.Errorf("4098 units: %+v", a)
	}
	if a := ask(t, &Server{Token: "1:wrong", Server: s.Server}, "getMe", `{}`); a.Code != 401 {
		t.Errorf("a wrong token: %+v", a)
	}
}

func TestServer_HTML(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`<b>a</b> &lt;<i class="x">b</i>`:                             "a <b",
		`<a href="https://x.org/?a=1&amp;b=2">x</a>`:                  "x",
		`<pre><code class="language-go">a &amp;&amp; b</code></pre>`:  "a && b",
		`<blockquote expandable>a</blockquote>`:                       "a",
		`<span class="tg-spoiler">a</span><tg-spoiler>b</tg-spoiler>`: "ab",
		`&nbsp; & &copy; &#33; &quot;`:                                `&nbsp; & &copy; ! "`,
		`<tg-emoji emoji-id="1">x</tg-emoji><u>y</u><s>z</s></b>`:     "!Unexpected end tag",
		`<b>`:             "!Can't find end tag corresponding to start tag \"b\"",
		`<b><i>x</b></i>`: "!Unmatched end tag",
		`<h1>x</h1>`:      "!Unsupported start tag \"h1\"",
		`<span>x</span>`:  "!Unsupported start tag \"span\"",
		`a < b`:           "!Unclosed start tag",
		`<b x`:            "!Unclosed start tag",
		`x</b`:            "!Unclosed end tag",
	} {
		plain, wrong := plainHTML(text)
		if words, bad := strings.CutPrefix(want, "!"); bad != (wrong != "") || bad && !strings.Contains(wrong, words) || !bad && plain != want {
			t.Errorf("%s: %q, %q", text, plain, wrong)
		}
	}
}

// TestServer_Library lets the library's own client judge, which speaks another of the documented ways.
func TestServer_Library(t *testing.T) {
	t.Parallel()
	s := New(t)
	heard := make(chan *models.Update, 10)
	b, err := bot.New(s.Token, bot.WithServerURL(s.URL()), bot.WithDefaultHandler(func(_ context.Context, _ *bot.Bot, u *models.Update) { heard <- u }))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.Start(ctx)
	}()
	s.Say(Private(anna), anna, "hi @chela_bot")
	u := <-heard
	if u.Message.Text != "hi @chela_bot" || u.Message.Entities[0].Type != models.MessageEntityTypeMention || u.Message.Entities[0].Offset != 3 {
		t.Errorf("heard %+v", u.Message)
	}
	sent, err := b.SendMessage(ctx, &bot.SendMessageParams{
		ChatID: u.Message.Chat.ID, Text: "<b>42</b>", ParseMode: models.ParseModeHTML,
		ReplyParameters: &models.ReplyParameters{MessageID: u.Message.ID},
		ReplyMarkup:     &models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{{{Text: "Yes", CallbackData: "y"}}}},
	})
	if err != nil || sent.Text != "42" {
		t.Fatalf("SendMessage: %+v, %v", sent, err)
	}
	if m := s.Sent(Private(anna))[0]; m.Source != "<b>42</b>" || m.Answers != int64(u.Message.ID) || m.ReplyMarkup.Rows[0][0].Data != "y" {
		t.Errorf("sent %+v", m)
	}
	press := s.Press(Private(anna), anna, int64(sent.ID), "y")
	if u := <-heard; u.CallbackQuery == nil || u.CallbackQuery.ID != press {
		t.Errorf("heard %+v", u)
	}
	if ok, err := b.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{CallbackQueryID: press}); !ok || err != nil || !s.Answered(press) {
		t.Errorf("AnswerCallbackQuery: %v, %v", ok, err)
	}
	s.Limit(1, time.Hour)
	for range 2 {
		_, err = b.SendMessage(ctx, &bot.SendMessageParams{ChatID: anna.ID, Text: "x"})
	}
	if many, ok := errors.AsType[*bot.TooManyRequestsError](err); !ok || many.RetryAfter < 3599 {
		t.Errorf("over the limit: %v", err)
	}
	stop()
	<-done
}

func TestServer_Webhook(t *testing.T) {
	t.Parallel()
	s := New(t)
	var got []string
	refuse := 3
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		var u update
		if err := json.Unmarshal(body.Bytes(), &u); err != nil || r.Header.Get("X-Telegram-Bot-Api-Secret-Token") != "s3cret" {
			t.Errorf("%v with %v", err, r.Header)
		}
		if refuse--; refuse >= 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		got = append(got, u.Message.Text)
	}))
	t.Cleanup(web.Close)
	s.Say(Private(anna), anna, "one")
	ask(t, s, "setWebhook", `{"url":"`+web.URL+`","secret_token":"s3cret"}`)
	if a := ask(t, s, "getUpdates", `{}`); a.Code != 409 {
		t.Errorf("getUpdates: %+v", a)
	}
	s.Say(Private(anna), anna, "two")
	s.Wait("both", func() bool { return s.Pending() == 0 })
	ask(t, s, "deleteWebhook", `{}`)
	if !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("got %q", got)
	}
	s.Say(Private(anna), anna, "three")
	if got := numbers(t, ask(t, s, "getUpdates", `{}`)); !slices.Equal(got, []int64{3}) {
		t.Errorf("getUpdates: %v", got)
	}
}
