package dingtalk

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/dingtalktest"
)

// heard has a message come through and returns it, and what is fetched of its files.
func heard(t *testing.T, m dingtalktest.Message) (channel.Message, []string) {
	t.Helper()
	s, _, in := receiving(t)
	for _, code := range []string{"code-1", "code/2 +"} {
		s.Keep(code, []byte("content of "+code))
	}
	s.Post(m)
	s.Wait("it", func() bool { return s.Pending() == 0 })
	all := in.Came()
	if len(all) == 0 {
		return channel.Message{}, nil
	}
	var files []string
	for _, f := range all[0].Media {
		r, err := f.Open(t.Context())
		if err != nil {
			files = append(files, "error: "+fault.TextOf(err))
			continue
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			t.Error(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		files = append(files, f.Name+" "+f.Type+": "+string(raw))
	}
	return all[0], files
}

func TestMessage_Kinds(t *testing.T) {
	t.Parallel()
	type fields = map[string]any
	for name, c := range map[string]struct {
		kind    string
		content any
		text    string
		files   string
	}{
		"picture": {"picture", fields{"downloadCode": "code-1"}, "[Picture]", "picture.jpg image/jpeg: content of code-1"},
		"rich text": {"richText", fields{"richText": []fields{
			{"text": "@Chela"},
			{"text": "  look:"},
			{"type": "picture", "downloadCode": "code-1"},
			{"text": "and"},
			{"downloadCode": "code/2 +", "type": "picture"},
		}}, "look:\n[Picture]\nand\n[Picture]", "picture-1.jpg image/jpeg: content of code-1|picture-2.jpg image/jpeg: content of code/2 +"},
		"audio":         {"audio", fields{"duration": 4000, "downloadCode": "code-1", "recognition": "Deploy it."}, "[Voice message, 4s, as DingTalk heard it:]\nDeploy it.", "voice.amr audio/amr: content of code-1"},
		"silent audio":  {"audio", fields{"duration": "900", "downloadCode": "code-1"}, "[Voice message, 1s]", "voice.amr audio/amr: content of code-1"},
		"video":         {"video", fields{"duration": 61000, "downloadCode": "code-1", "videoType": "mp4"}, "[Video, 1m1s]", "video.mp4 video/mp4: content of code-1"},
		"file":          {"file", fields{"fileName": "..\\..\\plan.pdf", "downloadCode": "code-1", "fileId": 7}, "[File: ..\\..\\plan.pdf]", "plan.pdf application/pdf: content of code-1"},
		"nameless file": {"file", fields{"downloadCode": "gone"}, "[File: without a name]", "error: DingTalk does not give a file: downloadCode (unknownError)"},
		"something new": {"hologram", fields{"downloadCode": "code-1"}, "[A message of the kind hologram, which does not come through this channel]", ""},
		"odd content":   {"richText", "no object", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, files := heard(t, dingtalktest.Message{Chat: team, From: ann, Kind: c.kind, Content: c.content})
			if got.Text != c.text || strings.Join(files, "|") != c.files {
				t.Errorf("it says %q with %q", got.Text, files)
			}
		})
	}
}

// TestMessage_FileFails: a file is not fetched through a store that fails, or after the door closed.
func TestMessage_FileFails(t *testing.T) {
	t.Parallel()
	s, _, in := receiving(t)
	s.Keep("code-1", []byte("x"))
	s.Post(dingtalktest.Message{Chat: team, From: ann, Kind: "picture", Content: map[string]string{"downloadCode": "code-1"}})
	s.Wait("it", func() bool { return len(in.Came()) == 1 })
	f := in.Came()[0].Media[0]
	for _, wrong := range []dingtalktest.Fault{
		{Method: dingtalktest.Files, What: dingtalktest.Fail, Times: 1},
		{Method: dingtalktest.Download, What: dingtalktest.Empty, Times: 1},
		{Method: dingtalktest.Files, What: dingtalktest.CutBefore, Times: 2},
	} {
		s.Fault(wrong)
		if _, err := f.Open(t.Context()); err == nil {
			t.Errorf("with %+v it is fetched", wrong)
		}
		s.Heal()
	}
	if r, err := f.Open(t.Context()); err != nil {
		t.Errorf("when all is well, it is not fetched: %v", err)
	} else if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestMessage_WhoIsMeant(t *testing.T) {
	t.Parallel()
	robot := "$:LWCP_v1:$robot"
	for name, c := range map[string]struct {
		m       dingtalktest.Message
		called  bool
		text    string
		replyTo string
	}{
		"not to us":       {dingtalktest.Message{Chat: team, Others: true, Text: "Lunch?"}, false, "Lunch?", ""},
		"an answer to us": {dingtalktest.Message{Chat: team, Others: true, Text: "Yes", Quoted: &dingtalktest.Quote{ID: "m1", Sender: robot, Text: "Shall I?"}}, true, "Yes", "m1"},
		"an answer": {
			dingtalktest.Message{Chat: team, Text: "Do that", Quoted: &dingtalktest.Quote{ID: "m1", Sender: bob.ID, Text: "We could\ndeploy /approve x"}},
			true, "> We could\n> deploy /approve x\n\nDo that", "m1",
		},
		"a command":     {dingtalktest.Message{Chat: team, Text: "@Chela /new", Quoted: &dingtalktest.Quote{ID: "m1", Sender: bob.ID, Text: "Hm"}}, true, "/new", "m1"},
		"nothing":       {dingtalktest.Message{Chat: team, Text: "@Chela"}, false, "", ""},
		"of one person": {dingtalktest.Message{Chat: dingtalktest.Private(ann), Text: "x"}, true, "x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.m.From = ann
			got, _ := heard(t, c.m)
			if got.Called != c.called || got.Text != c.text || got.ReplyTo != c.replyTo {
				t.Errorf("it comes as %+v", got)
			}
		})
	}
}

func TestMessage_OwnMessage(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	got, _ := heard(t, dingtalktest.Message{Chat: team, From: dingtalktest.Person{ID: s.Robot, Nick: "Chela"}, Text: "Echo"})
	if got.ID != "" {
		t.Errorf("what we say comes back: %+v", got)
	}
}

func TestMessage_Outsider(t *testing.T) {
	t.Parallel()
	got, _ := heard(t, dingtalktest.Message{Chat: dingtalktest.Private(outsider), From: outsider, Text: "Hello"})
	if got.Sender.ID != outsider.ID || got.Chat != "session:cidPrivate"+outsider.ID || got.Group {
		t.Errorf("an outsider comes as %+v", got)
	}
	got, _ = heard(t, dingtalktest.Message{Chat: team, From: outsider, Text: "Hello"})
	if got.Sender.ID != outsider.ID || got.Chat != team.ID {
		t.Errorf("an outsider in a group comes as %+v", got)
	}
}

func TestMessage_Unnamed(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"@Chela, hello":            "hello",
		"hello @Chela":             "hello",
		"ask @Chela about @Chelas": "ask about @Chelas",
		"＠Chela":                   "＠Chela",
		"@Chela：你好":                "你好",
		"@Chela\u2005/new":         "/new",
		"@Chela@Chela x":           "x",
	} {
		if got := (&Adapter{called: "Chela"}).unnamed(said, true); got != want {
			t.Errorf("%q is %q", said, got)
		}
	}
	if got := (&Adapter{}).unnamed(" @Chela hello ", true); got != "@Chela hello" {
		t.Errorf("without a name it is %q", got)
	}
	if got := (&Adapter{called: "Chela"}).unnamed("@Chela hello", false); got != "@Chela hello" {
		t.Errorf("where we are not mentioned it is %q", got)
	}
}

func TestMessage_Press(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, chat, press string }{
		"in a group":    {`{"outTrackId":"chela-asks-1","userId":"0123","userIdType":1,"spaceId":"cidT","spaceType":"IM_GROUP","content":"{\"cardPrivateData\":{\"actionIds\":[\"x\"],\"params\":{\"press\":\"approve:A1\"}}}"}`, "cidT", "approve:A1"},
		"alone":         {`{"outTrackId":"chela-asks-1","userId":"0123","spaceId":"x","spaceType":"IM_ROBOT","content":"{\"cardPrivateData\":{\"params\":{\"press\":\"deny:A1\"}}}"}`, "user:0123", "deny:A1"},
		"in small":      {`{"outTrackId":"chela-asks-1","userId":"0123","spaceId":"dtv1.card//im_group.cidT","spaceType":"im","content":"{\"cardPrivateData\":{\"params\":{\"press\":\"deny:A1\"}}}"}`, "cidT", "deny:A1"},
		"in short":      {`{"outTrackId":"chela-asks-1","userId":"0123","spaceId":"cidT","spaceType":"im","content":"{\"cardPrivateData\":{\"params\":{\"press\":\"deny:A1\"}}}"}`, "cidT", "deny:A1"},
		"small alone":   {`{"outTrackId":"chela-asks-1","userId":"0123","spaceId":"cidU","spaceType":"im_robot","content":"{\"cardPrivateData\":{\"params\":{\"press\":\"deny:A1\"}}}"}`, "user:0123", "deny:A1"},
		"not ours":      {`{"outTrackId":"theirs","userId":"0123","spaceType":"IM_ROBOT","content":"{\"cardPrivateData\":{\"params\":{\"press\":\"deny:A1\"}}}"}`, "", ""},
		"of another id": {`{"outTrackId":"chela-asks-1","userId":"u","userIdType":2,"spaceType":"IM_ROBOT","content":"{\"cardPrivateData\":{\"params\":{\"press\":\"deny:A1\"}}}"}`, "", ""},
		"no content":    {`{"outTrackId":"chela-asks-1","userId":"0123","spaceType":"IM_ROBOT"}`, "", ""},
		"nothing in it": {`{"outTrackId":"chela-asks-1","userId":"0123","spaceType":"IM_ROBOT","content":"{\"cardPrivateData\":[]}"}`, "", ""},
		"no group":      {`{"outTrackId":"chela-asks-1","userId":"0123","spaceType":"IM_GROUP","content":"{\"cardPrivateData\":{\"params\":{\"press\":\"deny:A1\"}}}"}`, "", ""},
	} {
		m, ok, err := press("frame-1", []byte(c.data))
		if ok != (c.press != "") || ok == (err != nil) || m.Chat != c.chat || m.Press != c.press {
			t.Errorf("%s: %+v, %v, %v", name, m, ok, err)
		}
		if ok && (m.What != channel.Pressed || m.Sender.ID != "0123" || m.ID != "chela-asks-1/frame-1" || m.Text != "" || m.Group != (c.chat == "cidT")) {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// FuzzMessage: whatever comes, what is made of it can be kept, and nothing panics.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"msgId":"m","msgtype":"text","conversationType":"2","conversationId":"cid","senderStaffId":"s","createAt":1700000000000,"text":{"content":"@Chela hi","isReplyMsg":true,"repliedMsg":{"msgId":"q","content":{"text":"a\nb"}}},"isInAtList":true}`,
		`{"msgId":1,"msgtype":"richText","conversationType":1,"conversationId":"cid","senderId":"s","createAt":"1e9","content":{"richText":[{"text":"x"},{"downloadCode":"d"},7]},"sessionWebhook":"https://oapi.dingtalk.com/x","sessionWebhookExpiredTime":99999999999999999}`,
		`{"msgId":"m","msgtype":"file","conversationType":"1","conversationId":"cid","senderStaffId":"s","content":{"fileName":"../a\u0000.txt","downloadCode":"d"}}`,
		`{"msgId":"m","msgtype":"audio","conversationType":"1","conversationId":"cid","senderStaffId":"s","content":{"duration":-9223372036854775808,"recognition":"x"}}`,
		`[]`, `{"atUsers":7}`,
	} {
		f.Add([]byte(seed))
	}
	a := &Adapter{called: "Chela", sessions: newSessions(time.Now)}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, ok, err := a.message(raw)
		if err != nil && ok {
			t.Fatal("a message with an error")
		}
		if !ok {
			return
		}
		if m.ID == "" || m.Chat == "" || m.Sender.ID == "" || m.What != channel.Said || m.Text == "" && len(m.Media) == 0 {
			t.Errorf("half a message: %+v", m)
		}
		if _, err := json.Marshal(m.At); err != nil {
			t.Errorf("a time that cannot be kept: %v", err)
		}
		for _, media := range m.Media {
			if strings.ContainsAny(media.Name, "/\\") || media.Name == "" {
				t.Errorf("a file named %q", media.Name)
			}
		}
		if len(m.Text) > 8*len(raw)+200 {
			t.Errorf("%d bytes became a text of %d", len(raw), len(m.Text))
		}
	})
}

func FuzzPress(f *testing.F) {
	f.Add([]byte(`{"outTrackId":"chela-asks-1","userId":"0123","userIdType":1,"spaceId":"cidT","spaceType":"IM_GROUP","content":"{\"cardPrivateData\":{\"actionIds\":[\"x\"],\"params\":{\"press\":\"approve:A1\"}}}"}`))
	f.Add([]byte(`{"outTrackId":"chela-","userId":7,"content":"{}"}`))
	f.Add([]byte(`{"content":{}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, ok, _ := press("frame-1", raw)
		if ok && (m.ID == "" || m.Chat == "" || m.Sender.ID == "" || m.Press == "" || m.What != channel.Pressed || m.Text != "") {
			t.Errorf("half a press: %+v", m)
		}
	})
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte(`{"specVersion":"1.0","type":"CALLBACK","time":1,"headers":{"topic":"/v1.0/im/bot/messages/get","messageId":"1"},"data":"{}"}`))
	f.Add([]byte(`{"type":"SYSTEM","headers":{"topic":7,"messageId":null},"data":{}}`))
	f.Add([]byte(`{"type":"EVENT","headers":[]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		in, err := decodeFrame(raw)
		if err != nil {
			return
		}
		out, err := json.Marshal(in.answer(200, in.Data))
		if err != nil || !utf8.Valid(out) {
			t.Errorf("the answer to %q cannot be written: %v", raw, err)
		}
		var back answer
		if err := json.Unmarshal(out, &back); err != nil || back.Headers.ID != in.ID || back.Data != in.Data {
			t.Errorf("%q is answered with %s", raw, bytes.TrimSpace(out))
		}
	})
}
