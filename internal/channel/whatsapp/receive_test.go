package whatsapp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/whatsapptest"
)

func TestReceive_MessagesComeInOrder(t *testing.T) {
	t.Parallel()
	s, _, in := listening(t)
	var want []string
	s.Together(func() {
		for i := range 50 {
			want = append(want, fmt.Sprint("message ", i))
			s.Say(alone, anna, want[i])
			s.Foreign(alone, anna, "for another number")
		}
	})
	want = append(want, "after")
	s.Say(alone, anna, "after")
	delivered(s)
	if got := in.Texts(); !slices.Equal(got, want) {
		t.Errorf("took %q", got)
	}
	first := in.All()[0]
	if first.Chat != anna.ID || first.Sender != (channel.Sender{ID: anna.ID, Name: "Anna Berg"}) || first.Group || !first.Called || first.What != channel.Said ||
		!strings.HasPrefix(first.ID, "wamid.") || time.Since(first.At) > time.Minute {
		t.Errorf("took %+v", first)
	}
}

func TestReceive_NothingIsConfirmedThatWasNotTaken(t *testing.T) {
	t.Parallel()
	s, _, in := listening(t)
	in.Refuse = func(m channel.Message) error {
		if m.Text == "two" && s.Tries() < 3 {
			return errors.New("the log is full")
		}
		return nil
	}
	in.Lose = func(channel.Receipt) error {
		if s.Tries() < 6 {
			return errors.New("the log is full")
		}
		return nil
	}
	s.Together(func() {
		for _, text := range []string{"one", "two", "three"} {
			s.Say(alone, anna, text)
		}
	})
	delivered(s)
	if got := in.Texts(); !slices.Equal(got, []string{"one", "two", "three"}) || in.Again() != 3 || s.Tries() != 3 {
		t.Errorf("took %q, %d again after %d tries", got, in.Again(), s.Tries())
	}
	a := with(t, s, "settle", "50ms")
	if _, err := a.Send(t.Context(), out(alone, "hello")); err != nil {
		t.Fatal(err)
	}
	delivered(s)
	if got := in.Receipts(); len(got) != 2 || got[0].Fate != channel.Taken || got[1].Fate != channel.Arrived || s.Tries() != 6 {
		t.Errorf("heard %+v after %d tries", got, s.Tries())
	}
}

func TestReceive_Redelivery(t *testing.T) {
	t.Parallel()
	s, _, in := listening(t)
	s.Say(alone, anna, "once")
	delivered(s)
	s.Redeliver()
	s.Say(alone, anna, "twice")
	delivered(s)
	if got := in.Texts(); !slices.Equal(got, []string{"once", "twice"}) || in.Again() != 1 {
		t.Errorf("took %q, %d again", got, in.Again())
	}
}

func TestReceive_Verification(t *testing.T) {
	t.Parallel()
	s := whatsapptest.New(t)
	a := with(t, s)
	at := address(t, a, new(channeltest.Inbox))
	ask := func(q url.Values) (int, string) {
		w := httptest.NewRecorder()
		a.Listen(w, httptest.NewRequest(http.MethodGet, at+"?"+q.Encode(), nil), new(channeltest.Inbox))
		return w.Code, w.Body.String()
	}
	good := url.Values{"hub.mode": {"subscribe"}, "hub.challenge": {"1158201444"}, "hub.verify_token": {s.Verify}}
	if code, body := ask(good); code != http.StatusOK || body != "1158201444" {
		t.Errorf("%d %q", code, body)
	}
	for name, value := range map[string]string{"hub.mode": "unsubscribe", "hub.challenge": strings.Repeat("x", 1001), "hub.verify_token": "another"} {
		bad := url.Values{"hub.mode": good["hub.mode"], "hub.challenge": good["hub.challenge"], "hub.verify_token": good["hub.verify_token"]}
		bad.Set(name, value)
		if code, body := ask(bad); code != http.StatusForbidden || body != "" {
			t.Errorf("%s: %d %q", name, code, body)
		}
	}
}

func TestReceive_Signature(t *testing.T) {
	t.Parallel()
	s := whatsapptest.New(t)
	a, in := with(t, s), new(channeltest.Inbox)
	body := `{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"` + s.Number + `"},"messages":[{"id":"wamid.1","from":"16505551234","type":"text","text":{"body":"hello"}}]}}]}]}`
	post := func(method, body, signature string) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(method, "/channels/wa", strings.NewReader(body))
		r.Header.Set("X-Hub-Signature-256", signature)
		a.Listen(w, r, in)
		return w.Code
	}
	right := s.Signature([]byte(body))
	for name, c := range map[string]struct {
		method, body, signature string
		code                    int
	}{
		"none":     {http.MethodPost, body, "", http.StatusUnauthorized},
		"sha1":     {http.MethodPost, body, "sha1=" + right[7:], http.StatusUnauthorized},
		"short":    {http.MethodPost, body, right[:40], http.StatusUnauthorized},
		"others":   {http.MethodPost, body + " ", right, http.StatusUnauthorized},
		"no JSON":  {http.MethodPost, "hello", s.Signature([]byte("hello")), http.StatusOK}, // it would come again for ever
		"too much": {http.MethodPost, strings.Repeat(" ", maxBody+1), right, http.StatusRequestEntityTooLarge},
		"method":   {http.MethodPut, body, right, http.StatusMethodNotAllowed},
	} {
		if code := post(c.method, c.body, c.signature); code != c.code {
			t.Errorf("%s: %d, want %d", name, code, c.code)
		}
	}
	if len(in.All()) != 0 {
		t.Errorf("took %q", in.Texts())
	}
	if code := post(http.MethodPost, body, right); code != http.StatusOK || !slices.Equal(in.Texts(), []string{"hello"}) {
		t.Errorf("%d, took %q", code, in.Texts())
	}
}

// patient is an inbox whose log takes its time.
type patient struct {
	channeltest.Inbox
	gone func() // has the other side hang up
	left error  // what the context says then
}

func (p *patient) Take(ctx context.Context, m channel.Message) error {
	p.gone()
	p.left = ctx.Err()
	return p.Inbox.Take(ctx, m)
}

func TestReceive_WhatsAppHangsUp(t *testing.T) {
	t.Parallel()
	s := whatsapptest.New(t)
	a := with(t, s)
	body := `{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"` + s.Number + `"},"errors":[{"code":130429,"title":"Rate limit hit"}],"messages":[{"id":"wamid.1","from":"16505551234","type":"text","text":{"body":"hello"}}]}}]}]}`
	ctx, hangUp := context.WithCancel(t.Context())
	in := &patient{gone: hangUp}
	r := httptest.NewRequest(http.MethodPost, "/channels/wa", strings.NewReader(body)).WithContext(ctx)
	r.Header.Set("X-Hub-Signature-256", s.Signature([]byte(body)))
	a.Listen(httptest.NewRecorder(), r, in)
	if in.left != nil || !slices.Equal(in.Texts(), []string{"hello"}) {
		t.Errorf("took %q: %v", in.Texts(), in.left)
	}
}

func TestReceive_WhoAndWhere(t *testing.T) {
	t.Parallel()
	s, _, in := listening(t)
	s.Say(whatsapptest.Private(bela), bela, "hidden")
	s.Say(team, anna, "not for us")
	s.Say(team, anna, "@15550783881 for us")
	s.Say(team, anna, "call @155507838811 now")
	s.Enter(team)
	a := with(t, s, "settle", "50ms")
	ours, err := a.Send(t.Context(), out(team, "hello"))
	if err != nil {
		t.Fatal(err)
	}
	s.Reply(team, anna, ours, "an answer")
	delivered(s)
	type place struct {
		chat, sender, name, text string
		group, called            bool
	}
	var got []place
	for _, m := range in.All() {
		got = append(got, place{m.Chat, m.Sender.ID, m.Sender.Name, m.Text, m.Group, m.Called})
	}
	want := []place{
		{bela.UserID, bela.UserID, "Béla", "hidden", false, true},
		{team.ID, anna.ID, "Anna Berg", "not for us", true, false},
		{team.ID, anna.ID, "Anna Berg", "for us", true, true},
		{team.ID, anna.ID, "Anna Berg", "call @155507838811 now", true, false},
		{team.ID, anna.ID, "Anna Berg", "an answer", true, true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("took %+v", got)
	}
	if last := in.All()[4]; last.ReplyTo != ours {
		t.Errorf("it answers %q", last.ReplyTo)
	}
}

func TestReceive_WhatAMessageSays(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for name, c := range map[string]struct {
		in   whatsapptest.Message
		text string
	}{
		"forwarded":   {whatsapptest.Message{Type: "text", Content: whatsapptest.Text{Body: "/approve x"}, Context: &whatsapptest.Context{Forwarded: true}}, "Forwarded:\n/approve x"},
		"often":       {whatsapptest.Message{Type: "text", Content: whatsapptest.Text{Body: "/new"}, Context: &whatsapptest.Context{Often: true}}, "Forwarded many times:\n/new"},
		"location":    {whatsapptest.Message{Type: "location", Content: m{"latitude": 47.5, "longitude": 19.05}}, "[Location: 47.500000, 19.050000]"},
		"place":       {whatsapptest.Message{Type: "location", Content: m{"latitude": 1, "longitude": 2, "name": "Café", "address": "Main ] St"}}, "[Place: Café, Main ) St, 1.000000, 2.000000]"},
		"contacts":    {whatsapptest.Message{Type: "contacts", Content: []m{{"name": m{"formatted_name": "Cy"}, "phones": []m{{"phone": "+1"}}}, {"name": 3}}}, "[Contact: Cy, +1]\n[Contact: without a name]"},
		"sticker":     {whatsapptest.Message{Type: "sticker", Content: m{"animated": true}}, "[Sticker]"},
		"order":       {whatsapptest.Message{Type: "order", Content: m{"text": "please", "product_items": []m{{"product_retailer_id": "sku", "quantity": 2, "item_price": 4.5, "currency": "EUR"}}}}, "please\n[Order of 1 items]\n[2 of sku, 4.5 EUR]"},
		"system":      {whatsapptest.Message{Type: "system", Content: m{"body": "Anna changed from 1 to 2"}}, "[WhatsApp says: Anna changed from 1 to 2]"},
		"unsupported": {whatsapptest.Message{Type: "unsupported", Errors: []whatsapptest.Trouble{{Code: 131051, Title: "Message type unknown"}}}, "[A message of a kind that WhatsApp does not hand on: Message type unknown]"},
		"new kind":    {whatsapptest.Message{Type: "hologram", Content: m{"x": 1}}, "[A message of the kind hologram, which cannot be shown here]"},
		"another's":   {whatsapptest.Message{Type: "interactive", Content: m{"type": "list_reply", "list_reply": m{"id": "deny:1", "title": "Tea", "description": "hot"}}}, "[Chose: Tea, hot]"},
		"quick reply": {whatsapptest.Message{Type: "button", Content: m{"payload": "yes", "text": "Yes"}}, "[Chose: Yes]"},
		"form":        {whatsapptest.Message{Type: "interactive", Content: m{"type": "nfm_reply", "nfm_reply": m{"name": "flow", "body": "Sent"}}}, "[Filled in a form: flow, Sent]"},
		"odd text":    {whatsapptest.Message{Type: "text", Content: m{"body": 7}}, "[A message of the kind text, which cannot be shown here]"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, in := listening(t)
			s.Post(alone, anna, c.in)
			delivered(s)
			if got := in.Texts(); !slices.Equal(got, []string{c.text}) || in.All()[0].What != channel.Said {
				t.Errorf("took %q", got)
			}
		})
	}
}

func TestReceive_WhatElseHappens(t *testing.T) {
	t.Parallel()
	s, _, in := listening(t)
	id := s.Say(alone, anna, "helo")
	s.Edit(alone, anna, id, "hello")
	s.React(alone, anna, id, "👍")
	s.React(alone, anna, id, "")
	s.Revoke(alone, anna, id)
	s.Post(alone, anna, whatsapptest.Message{Type: "request_welcome"})
	delivered(s)
	type event struct {
		what          channel.What
		text, to, who string
	}
	var got []event
	for _, m := range in.All() {
		got = append(got, event{m.What, m.Text, m.ReplyTo, m.Sender.ID})
	}
	want := []event{{channel.Said, "helo", "", anna.ID}, {channel.Edited, "hello", "", anna.ID}, {channel.Reacted, "👍", id, anna.ID}, {channel.Reacted, "", id, anna.ID}, {channel.Deleted, "", "", anna.ID}}
	if !slices.Equal(got, want) {
		t.Errorf("took %+v", got)
	}
	if all := in.All(); all[1].ID != id || all[4].ID != id {
		t.Errorf("edited %s, deleted %s", all[1].ID, all[4].ID)
	}
}

func TestReceive_Media(t *testing.T) {
	t.Parallel()
	s, _, in := listening(t)
	s.Keep("501", "audio/ogg; codecs=opus", []byte("a voice"))
	s.Keep("502", "image/jpeg", []byte("a picture"))
	s.Post(alone, anna, whatsapptest.Message{Type: "audio", Content: whatsapptest.Attached{ID: "501", Mime: "audio/ogg; codecs=opus", Voice: true}})
	s.Post(alone, anna, whatsapptest.Message{Type: "image", Content: whatsapptest.Attached{ID: "502", Mime: "image/jpeg", Caption: "/look"}})
	s.Post(alone, anna, whatsapptest.Message{Type: "document", Content: whatsapptest.Attached{ID: "503", Mime: "application/pdf", Name: "../../etc/a.pdf"}})
	s.Post(alone, anna, whatsapptest.Message{Type: "video", Content: whatsapptest.Attached{ID: "a/../b", Mime: "video/mp4"}})
	delivered(s)
	all := in.All()
	if got := in.Texts(); !slices.Equal(got, []string{"[Voice message]", "/look\n[Photo]", "[Document: ../../etc/a.pdf]", "[Video]"}) {
		t.Fatalf("took %q", got)
	}
	for i, want := range []struct{ name, kind, content string }{{"voice-501.ogg", "audio/ogg", "a voice"}, {"image-502.jpeg", "image/jpeg", "a picture"}} {
		f := all[i].Media[0]
		r, err := f.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(r)
		_ = r.Close()
		if err != nil || string(raw) != want.content || f.Name != want.name || f.Type != want.kind {
			t.Errorf("%s %s: %q, %v", f.Name, f.Type, raw, err)
		}
	}
	if f := all[2].Media[0]; f.Name != "a.pdf" {
		t.Errorf("the document is called %q", f.Name)
	}
	_, err := all[2].Media[0].Open(t.Context()) // gone
	channeltest.WantFault(t, err, fault.Unavailable, "a.pdf could not be fetched")
	_, err = all[3].Media[0].Open(t.Context())
	channeltest.WantFault(t, err, fault.Invalid, "no id")
	before := s.Calls(whatsapptest.Download)
	for _, host := range []string{"https://evil.example.com", "http://lookaside.fbsbx.com", "https://fbsbx.com.evil.example", "https://lookaside.fbsbx.com:444", "https://a:b@lookaside.fbsbx.com"} {
		s.MediaHost = host
		if _, err := all[1].Media[0].Open(t.Context()); err == nil || s.Calls(whatsapptest.Download) != before {
			t.Errorf("%s: the token went there", host)
		}
	}
	s.MediaHost = s.URL() + "" // through the address that we were given
	if _, err := all[1].Media[0].Open(t.Context()); err != nil {
		t.Error(err)
	}
	s.Fault(whatsapptest.Fault{Method: whatsapptest.Download, What: whatsapptest.Fail, Status: 404, Times: 1})
	_, err = all[1].Media[0].Open(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "status 404")
}

func TestReceive_Statuses(t *testing.T) {
	t.Parallel()
	s, a, in := listening(t, "settle", "50ms")
	s.Quiet()
	hidden := whatsapptest.Private(bela)
	var ids []string
	for _, c := range []whatsapptest.Chat{alone, hidden, team} {
		s.Enter(c)
		id, err := a.Send(t.Context(), out(c, "hello"))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	lost := whatsapptest.Trouble{Code: 131026, Title: "Message undeliverable"}
	s.Status(alone, ids[0], "sent")
	s.Status(alone, ids[0], "delivered")
	s.Status(hidden, ids[1], "read")
	s.Status(team, ids[2], "failed", lost)
	s.Status(team, ids[2], "warned")
	delivered(s)
	var got []channel.Receipt
	for _, r := range in.Receipts() {
		if r.At.IsZero() {
			t.Errorf("%+v has no time", r)
		}
		r.At = time.Time{}
		got = append(got, r)
	}
	want := []channel.Receipt{
		{Chat: alone.ID, ID: ids[0], Fate: channel.Taken},
		{Chat: alone.ID, ID: ids[0], Fate: channel.Arrived},
		{Chat: hidden.ID, ID: ids[1], Fate: channel.Seen},
		{Chat: team.ID, ID: ids[2], Fate: channel.Lost, Why: "Message undeliverable (131026). The person cannot be reached: the number has no WhatsApp, blocked us, or has an old version."},
	}
	if !slices.Equal(got, want) {
		t.Errorf("heard %+v", got)
	}
}

func TestReceive_WhatIsPassedOver(t *testing.T) {
	t.Parallel()
	s := whatsapptest.New(t)
	change := func(field, number, value string) string {
		return `{"object":"whatsapp_business_account","entry":[7,{"changes":[null,{"field":"` + field + `","value":{"metadata":{"display_phone_number":"+1 555","phone_number_id":"` + number + `"},` + value + `}}]}]}`
	}
	const hello = `"from":"1","type":"text","text":{"body":"hello"}`
	for name, body := range map[string]string{
		"another object":       `{"object":"page","entry":[]}`,
		"another field":        change("smb_message_echoes", s.Number, `"messages":[{"id":"a",`+hello+`}]`),
		"another number":       change("messages", "1", `"messages":[{"id":"a",`+hello+`}]`),
		"no id":                change("messages", s.Number, `"messages":[{`+hello+`}]`),
		"no sender":            change("messages", s.Number, `"messages":[{"id":"a","from":"","type":"text","text":{"body":"hello"}}]`),
		"our own":              change("messages", s.Number, `"messages":[{"id":"a","from":"1555","type":"text","text":{"body":"hello"}}]`),
		"no message":           change("messages", s.Number, `"messages":[7,"x",null,{"id":7}],"statuses":{"id":"a"}`),
		"an edit of nothing":   change("messages", s.Number, `"messages":[{"id":"a","from":"1","type":"edit","edit":{"original_message_id":"b","message":7}}]`),
		"a status of nobody":   change("messages", s.Number, `"statuses":[{"id":"a","status":"read"},{"status":"read","recipient_id":"1"}]`),
		"one of a group":       change("messages", s.Number, `"statuses":[{"id":"a","status":"failed","recipient_id":"Y2Fw","recipient_participant_id":"1","errors":[{"code":131026}]}]`),
		"an unknown status":    change("messages", s.Number, `"statuses":[{"id":"a","status":"warmed","recipient_id":"1"}]`),
		"a reaction to no one": change("messages", s.Number, `"messages":[{"id":"a","from":"1","type":"reaction","reaction":{}}]`),
	} {
		in := new(channeltest.Inbox)
		if err := with(t, s).take(t.Context(), in, []byte(body)); err != nil || len(in.All())+len(in.Receipts()) != 0 {
			t.Errorf("%s: took %+v, %+v, %v", name, in.All(), in.Receipts(), err)
		}
	}
	in := new(channeltest.Inbox) // what stands beside it is taken
	body := change("messages", s.Number, `"contacts":7,"messages":[7,{"id":"a",`+hello+`,"context":"x","location":[]}]`)
	if err := with(t, s).take(t.Context(), in, []byte(body)); err != nil || !slices.Equal(in.Texts(), []string{"hello"}) {
		t.Errorf("took %q, %v", in.Texts(), err)
	}
}

func FuzzUpdate(f *testing.F) {
	change := func(value string) string {
		return `{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":` + value + `}]}]}`
	}
	for _, seed := range []string{
		change(`{"metadata":{"display_phone_number":"1555","phone_number_id":"106540352242922"},"contacts":[{"wa_id":"1","profile":{"name":"A"}}],"messages":[{"id":"a","from":"1","timestamp":"1749416383","type":"text","text":{"body":"@1555 hi @1555"}}]}`),
		change(`{"metadata":{"phone_number_id":"106540352242922"},"messages":[{"id":"a","from":"1","type":"edit","edit":{"original_message_id":"b","message":{"type":"image","image":{"id":"1","caption":"x"}}}},{"id":"c","from":"","from_user_id":"US.1","type":"order","order":{"product_items":[{"quantity":"x"},7]}}]}`),
		change(`{"metadata":{"phone_number_id":"106540352242922"},"messages":[{"id":"a","from":"1","context":{"forwarded":true},"type":"interactive","interactive":{"button_reply":{"id":"chela:allow:x"}}},{"id":"b","from":"1","type":"contacts","contacts":[{"phones":[{}]}]}]}`),
		change(`{"metadata":{"phone_number_id":"106540352242922"},"statuses":[{"id":"a","recipient_id":"1","status":"failed","timestamp":-1,"errors":[{"code":"131047","title":"x"}]},{"id":"b","status":"read","recipient_user_id":"US.1"}]}`),
		`{"object":"whatsapp_business_account","entry":[null,{"changes":7}]}`, `{"object":"page","entry":[]}`, `[]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	a, err := New(channel.Config{
		Options: channel.Options{Name: "wa", Settings: map[string]string{"phone_number_id": "106540352242922"}},
		Secrets: map[string]string{"token": "EAAJBtest123", "app_secret": "0123456789abcdef0123456789abcdef", "verify_token": "of-our-own"},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		in := new(channeltest.Inbox)
		if err := a.take(context.WithoutCancel(t.Context()), in, raw); err != nil {
			t.Fatal(err)
		}
		for _, m := range in.All() {
			if m.ID == "" || m.Chat == "" || m.Sender.ID == "" || !m.Group && !m.Called || m.What == channel.Pressed && m.Press == "" && m.Text != "" {
				t.Errorf("took %+v", m)
			}
			if _, err := json.Marshal(m.Text); err != nil {
				t.Error(err)
			}
		}
	})
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"error":{"message":"(#131030) Recipient phone number not in allowed list","code":131030,"error_data":{"details":"x"}}}`,
		`{"error":{"code":"190","is_transient":true}}`, `{"error":7}`, `{"messages":[{"id":"wamid.1"}]}`, `<html>`, ``,
	} {
		f.Add(400, []byte(seed))
		f.Add(200, []byte(seed))
	}
	c := caller{token: "EAAJBtest123", proof: "0123"}
	f.Fuzz(func(t *testing.T, status int, raw []byte) {
		var out struct{ Messages []struct{ ID string } }
		err := c.read(httpcall.Answer{Status: status, Header: http.Header{}, Body: raw}, &out)
		if err == nil {
			return
		}
		why := failureOf(err)
		if why.verdict() == nil || strings.Contains(why.Text, c.token) {
			t.Errorf("%v", err)
		}
	})
}
