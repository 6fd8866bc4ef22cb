package dingtalk

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/markup"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/dingtalktest"
)

// sending opens a robot to whom Ann, Bob and somebody from outside have written.
func sending(t *testing.T, settings ...string) (*dingtalktest.Server, channel.Adapter) {
	t.Helper()
	s, a, in := receiving(t, settings...)
	s.Say(dingtalktest.Private(ann), ann, "Hello")
	s.Say(team, bob, "Hello")
	s.Say(dingtalktest.Private(outsider), outsider, "Hello")
	s.Wait("all three", func() bool { return len(in.Came()) == 3 })
	return s, a
}

const (
	toAnn = "user:manager1234"
	toOut = "session:cidPrivate$:LWCP_v1:$out"
)

func out(chat, text string) channel.Out {
	return channel.Out{Address: channel.Address{Chat: chat}, Text: text, Key: "key-" + text}
}

func TestSend(t *testing.T) {
	t.Parallel()
	s, a := sending(t)
	for chat, c := range map[string]dingtalktest.Chat{toAnn: dingtalktest.Private(ann), team.ID: team, toOut: dingtalktest.Private(outsider)} {
		id, err := a.Send(t.Context(), out(chat, "# **All** is `well`\n\n<x> & @Bob"))
		if err != nil || id == "" && chat != toOut {
			t.Errorf("to %s: %q, %v", chat, id, err)
		}
		got := s.Sent(c)
		if len(got) != 1 || got[0].Text != "# **All** is `well`\n\n<x> & @Bob" || got[0].Title != "All is well" || chat != toOut && got[0].ID != id {
			t.Errorf("to %s came %+v", chat, got)
		}
	}
	if s.Calls(dingtalktest.SendPerson) != 1 || s.Calls(dingtalktest.SendGroup) != 1 || s.Calls(dingtalktest.Session) != 1 || s.Calls(dingtalktest.Token) != 1 {
		t.Error("the calls are others")
	}
}

// TestSend_Longest: what is cut for DingTalk is taken by it.
func TestSend_Longest(t *testing.T) {
	t.Parallel()
	s, a := sending(t)
	shape := a.Shape()
	text := strings.Repeat("Ä line with \"quotes\", a \\ and <tags>, & more of *that*.\n\n", 1000)
	parts := markup.Parts(text, shape.Form, shape.Limits)
	for i, p := range parts {
		if _, err := a.Send(t.Context(), out(team.ID, p)); err != nil {
			t.Errorf("part %d of %d: %v", i, len(parts), err)
		}
	}
	if got := s.Texts(team); len(parts) < 2 || !slices.Equal(got, parts) {
		t.Errorf("%d of %d parts came", len(got), len(parts))
	}
}

func TestSend_Title(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\n\n> ## Hello **you**\nmore": "Hello you",
		"- a\\*b":                      "a*b",
		"***":                          "…",
		"":                             "…",
		strings.Repeat("ä", 100):       strings.Repeat("ä", 59) + "…",
	} {
		if got := title(text); got != want {
			t.Errorf("%q has the title %q", text, got)
		}
	}
}

// TestSend_Verdict: what DingTalk certainly did not take is refused, and nothing else.
func TestSend_Verdict(t *testing.T) {
	t.Parallel()
	s, a := sending(t, settingAnswer, "1s")
	path := dingtalktest.SendGroup
	for name, c := range map[string]struct {
		fault   dingtalktest.Fault
		unknown bool
		final   bool
		after   time.Duration
		came    int
	}{
		"429":              {fault: dingtalktest.Fault{What: dingtalktest.TooMany, For: 7 * time.Second}, after: 7 * time.Second},
		"too many":         {fault: dingtalktest.Fault{What: dingtalktest.Refuse, Status: 403, Code: "Forbidden.AccessDenied.QpsLimitForApi"}, after: time.Second},
		"no permission":    {fault: dingtalktest.Fault{What: dingtalktest.Refuse, Status: 403, Code: "Forbidden.AccessDenied.AccessTokenPermissionDenied"}},
		"no such thing":    {fault: dingtalktest.Fault{What: dingtalktest.Refuse, Status: 400, Code: "invalidParameter.param.invalid"}, final: true},
		"unavailable":      {fault: dingtalktest.Fault{What: dingtalktest.Refuse, Status: 503, Code: "ServiceUnavailable"}},
		"an error of its":  {fault: dingtalktest.Fault{What: dingtalktest.Refuse, Status: 500, Code: "unknownError"}, unknown: true},
		"a proxy's error":  {fault: dingtalktest.Fault{What: dingtalktest.Fail}, unknown: true},
		"a proxy's no":     {fault: dingtalktest.Fault{What: dingtalktest.Fail, Status: 404}},
		"a proxy's way":    {fault: dingtalktest.Fault{What: dingtalktest.Fail, Status: 302}, unknown: true},
		"silence":          {fault: dingtalktest.Fault{What: dingtalktest.Silent}, unknown: true},
		"late":             {fault: dingtalktest.Fault{What: dingtalktest.Slow, For: time.Minute}, unknown: true, came: 1},
		"a cut after":      {fault: dingtalktest.Fault{What: dingtalktest.CutAfter}, unknown: true, came: 1},
		"a cut before":     {fault: dingtalktest.Fault{What: dingtalktest.CutBefore}, unknown: true},
		"no id":            {fault: dingtalktest.Fault{What: dingtalktest.Empty}, unknown: true},
		"never the secret": {fault: dingtalktest.Fault{What: dingtalktest.Refuse, Status: 400, Code: "about " + s.ClientSecret}, final: true},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(s.Sent(team))
			c.fault.Method = path
			s.Fault(c.fault)
			defer s.Heal()
			_, err := a.Send(t.Context(), out(team.ID, name))
			no, refused := errors.AsType[*channel.Refusal](err)
			if err == nil || refused == c.unknown {
				t.Fatalf("it is answered with %v", err)
			}
			if refused && (no.Final != c.final || no.After != c.after) {
				t.Errorf("it is refused with %+v", no)
			}
			if came := len(s.Sent(team)) - before; came != c.came {
				t.Errorf("%d came", came)
			}
			if strings.Contains(err.Error(), s.ClientSecret) || strings.Contains(err.Error(), "http://") {
				t.Errorf("too much is said: %v", err)
			}
		})
	}
}

// TestSend_NobodyThere: what could not be written is refused, in each step.
func TestSend_NobodyThere(t *testing.T) {
	t.Parallel()
	s, a := sending(t)
	s.Stop()
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), out(team.ID, "x")))); no.Final {
		t.Errorf("it is refused with %+v", no)
	}
	s.Start()
	s.ExpireTokens()
	s.Fault(dingtalktest.Fault{Method: dingtalktest.Token, What: dingtalktest.Fail}) // without a token nothing was sent
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), out(team.ID, "x")))); no.Final {
		t.Errorf("it is refused with %+v", no)
	}
	s.Heal()
	if _, err := a.Send(t.Context(), out(team.ID, "x")); err != nil {
		t.Errorf("when all is well: %v", err)
	}
}

func second(_ string, err error) error { return err }

// TestSend_Token: one token is asked for, however many send; one that counts no more is renewed once.
func TestSend_Token(t *testing.T) {
	t.Parallel()
	s, a := sending(t)
	errs := make(chan error)
	for i := range 5 {
		go func() { errs <- second(a.Send(t.Context(), out(team.ID, fmt.Sprint(i)))) }()
	}
	for range 5 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := s.Calls(dingtalktest.Token); n != 1 {
		t.Errorf("%d tokens were asked for", n)
	}
	s.ExpireTokens()
	if _, err := a.Send(t.Context(), out(team.ID, "later")); err != nil || s.Calls(dingtalktest.Token) != 2 {
		t.Errorf("with an old token: %v after %d", err, s.Calls(dingtalktest.Token))
	}
	s.Fault(dingtalktest.Fault{Method: dingtalktest.SendGroup, What: dingtalktest.Refuse, Status: 401, Code: "InvalidAuthentication"})
	before := s.Calls(dingtalktest.Token)
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), out(team.ID, "never")))); no.Final || s.Calls(dingtalktest.Token) != before+1 {
		t.Errorf("with tokens that never count: %+v after %d", no, s.Calls(dingtalktest.Token)-before)
	}
}

// TestSend_TokenAge: a token is renewed before it ends.
func TestSend_TokenAge(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	now := time.Now()
	a, err := newAdapter(configured(s), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		pass  time.Duration
		calls int
	}{{0, 1}, {114 * time.Minute, 1}, {2 * time.Minute, 2}} {
		now = now.Add(step.pass)
		if _, err := a.api.access(t.Context()); err != nil || s.Calls(dingtalktest.Token) != step.calls {
			t.Errorf("after %s: %d calls, %v", step.pass, s.Calls(dingtalktest.Token), err)
		}
	}
}

func TestSend_UnknownPlaces(t *testing.T) {
	t.Parallel()
	s, a := sending(t)
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), out("user:nobody", "x")))); !no.Final {
		t.Errorf("to nobody: %+v", no)
	}
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), out("cidNONE==", "x")))); !no.Final {
		t.Errorf("to no group: %+v", no)
	}
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), out("session:cidNONE", "x")))); no.Final {
		t.Errorf("to nobody outside: %+v", no)
	}
	s.Limit(1, time.Hour)
	if err := second(a.Send(t.Context(), out(toAnn, "x"))); err != nil {
		t.Error(err)
	}
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), out(toAnn, "x")))); no.Final || no.After != time.Minute {
		t.Errorf("to somebody to whom too much went: %+v", no)
	}
}

// TestSend_Session: an outsider is answered as long as DingTalk lets us, and not too fast.
func TestSend_Session(t *testing.T) {
	t.Parallel()
	s, a, in := receiving(t)
	chat := dingtalktest.Private(outsider)
	s.SessionLife(-time.Second)
	s.Say(chat, outsider, "Hello")
	s.Wait("it", func() bool { return len(in.Came()) == 1 })
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), out(toOut, "x")))); no.Final || s.Calls(dingtalktest.Session) != 0 {
		t.Errorf("after its time: %+v", no)
	}
	s.SessionLife(time.Hour)
	s.Say(chat, outsider, "Hello again")
	s.Wait("it", func() bool { return len(in.Came()) == 2 })
	for i := range sessionMost {
		if _, err := a.Send(t.Context(), out(toOut, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), out(toOut, "x")))); no.Final || no.After <= 0 || no.After > sessionSpan || len(s.Sent(chat)) != sessionMost {
		t.Errorf("too fast: %+v, %d came", no, len(s.Sent(chat)))
	}
	o := out(toOut, "x")
	o.File = &channel.File{Name: "a.pdf", Raw: []byte("x")}
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), o))); !no.Final {
		t.Errorf("a file: %+v", no)
	}
}

// TestSend_SessionLimit: DingTalk's own word that it was too fast is kept for ten minutes.
func TestSend_SessionLimit(t *testing.T) {
	t.Parallel()
	s, a := sending(t)
	s.Limit(1, time.Hour)
	if _, err := a.Send(t.Context(), out(toOut, "x")); err != nil {
		t.Error(err)
	}
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), out(toOut, "x")))); no.Final || no.After != longLimit {
		t.Errorf("it is refused with %+v", no)
	}
}

func TestSend_SessionsAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newSessions(func() time.Time { return now })
	for i := range 3 * mostKept {
		s.keep(fmt.Sprint(i), "https://oapi.dingtalk.com/x", now.Add(time.Duration(i+1)*time.Second))
	}
	if len(s.kept) != mostKept {
		t.Errorf("%d are kept", len(s.kept))
	}
	if url, _ := s.use(fmt.Sprint(3*mostKept - 1)); url == "" {
		t.Error("the newest is forgotten")
	}
	now = now.Add(4 * mostKept * time.Second)
	s.keep("new", "https://oapi.dingtalk.com/x", now.Add(time.Second))
	if len(s.kept) != 1 {
		t.Errorf("%d are kept whose time is over", len(s.kept)-1)
	}
}

func TestSend_File(t *testing.T) {
	t.Parallel()
	s, a := sending(t)
	for _, c := range []struct {
		f          channel.File
		form, name string
		packed     bool
	}{
		{channel.File{Name: "plan.pdf", Type: "application/pdf", Raw: []byte("PDF")}, formFile, "plan.pdf", false},
		{channel.File{Name: "dir/Chart.PNG", Type: "image/png", Raw: []byte("PNG")}, formPicture, "", false},
		{channel.File{Name: "../main.go", Type: "text/x-go", Raw: []byte("package main")}, formFile, "main.go.zip", true},
		{channel.File{Name: "", Type: "text/html", Raw: []byte("<html>")}, formFile, "file.zip", true},
	} {
		before := len(s.Sent(team))
		o := out(team.ID, "See this.")
		o.File, o.Key = &c.f, c.f.Name+"/0"
		if c.f.Name == "" {
			o.Key = "nameless"
		}
		if _, err := a.Send(t.Context(), o); err != nil {
			t.Errorf("%s: %v", c.f.Name, err)
		}
		got := s.Sent(team)[before:]
		if len(got) != 2 || got[0].Form != c.form || got[0].Name != c.name || got[1].Text != "See this." {
			t.Errorf("%s comes as %+v", c.f.Name, got)
			continue
		}
		raw := got[0].Raw
		if c.packed {
			raw = unzipped(t, raw)
		}
		if !bytes.Equal(raw, c.f.Raw) {
			t.Errorf("%s has %q in it", c.f.Name, raw)
		}
	}
	alone := out(toAnn, "")
	alone.File = &channel.File{Name: "a.zip", Raw: []byte("z")}
	if id, err := a.Send(t.Context(), alone); err != nil || id == "" || len(s.Sent(dingtalktest.Private(ann))) != 1 {
		t.Errorf("a file alone: %q, %v", id, err)
	}
	large := out(toAnn, "")
	large.File, large.Key = &channel.File{Name: "a.zip", Raw: make([]byte, maxUpload+1)}, "large"
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), large))); !no.Final {
		t.Errorf("a large file: %+v", no)
	}
}

func unzipped(t *testing.T, raw []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil || len(z.File) != 1 {
		t.Fatalf("it is no zip of one file: %v", err)
	}
	r, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSend_FileOnce: when its text was refused, a file is not sent again with it, and a file that
// was only put up was not sent.
func TestSend_FileOnce(t *testing.T) {
	t.Parallel()
	s, a := sending(t)
	o := out(team.ID, "See this.")
	o.File = &channel.File{Name: "a.pdf", Raw: []byte("x")}
	for _, f := range []dingtalktest.Fault{
		{Method: dingtalktest.Upload, What: dingtalktest.CutAfter, Times: 1},
		{Method: dingtalktest.Upload, What: dingtalktest.Empty, Times: 1},
		{Method: dingtalktest.Upload, What: dingtalktest.Fail, Times: 1},
	} {
		s.Fault(f)
		if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), o))); no.Final {
			t.Errorf("with %+v: %+v", f, no)
		}
	}
	s.ExpireTokens()                                                                               // the upload asks for another
	s.Fault(dingtalktest.Fault{Method: dingtalktest.SendGroup, What: dingtalktest.Slow, Times: 1}) // the file passes
	s.Fault(dingtalktest.Fault{Method: dingtalktest.SendGroup, What: dingtalktest.TooMany, For: time.Second, Times: 1})
	channeltest.RefusalOf(t, second(a.Send(t.Context(), o)))
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Error(err)
	}
	if got := s.Sent(team); len(got) != 2 || got[0].Name != "a.pdf" || got[1].Text != "See this." {
		t.Errorf("came %+v", got)
	}
}

func TestSend_FilesAreBounded(t *testing.T) {
	t.Parallel()
	d := newDelivered()
	d.note("", "x")
	for i := range 2 * mostDelivered {
		d.note(fmt.Sprint(i), "id")
	}
	if _, ok := d.done(""); ok || len(d.ids) != mostDelivered || len(d.order) != mostDelivered {
		t.Errorf("%d are remembered", len(d.ids))
	}
	if _, ok := d.done(fmt.Sprint(2*mostDelivered - 1)); !ok {
		t.Error("the newest is forgotten")
	}
}

// TestSend_Replies: the ways in which DingTalk's interfaces say no, as its pages show them.
func TestSend_Replies(t *testing.T) {
	t.Parallel()
	c := &caller{secret: "s3cret"}
	for _, r := range []struct {
		status int
		body   string
		want   string // Code; "fine" for no refusal
		text   string
	}{
		{200, `{"processQueryKey":"q"}`, "fine", ""},
		{200, `{"errcode":0,"errmsg":"ok"}`, "fine", ""},
		{200, `{"success":true,"result":true}`, "fine", ""},
		{204, ``, "fine", ""},
		{200, `{"success":false}`, "unsuccessful", " (unsuccessful)"},
		{200, `{"success":false,"code":"param.x","message":"why"}`, "param.x", "why (param.x)"},
		{200, `{"errcode":"40014","errmsg":"no s3cret"}`, "40014", "no *** (40014)"},
		{200, `{"errcode":310000,"errmsg":"sign not match"}`, "310000", "sign not match (310000)"},
		{400, `{"code":"invalid","requestid":"1","message":"a\nb"}`, "invalid", "a b (invalid)"},
		{400, `{"errcode":88,"errmsg":"ISV"}`, "88", "ISV (88)"},
		{404, `{"error":"another program"}`, "", "the answer with status 404 is none of DingTalk's"},
		{502, `<html>`, "", "the answer with status 502 is none of DingTalk's"},
		{302, ``, "", "the answer with status 302 is none of DingTalk's"},
	} {
		f := c.refusal(httpcall.Answer{Status: r.status, Header: http.Header{"Retry-After": {"9999999"}}, Body: []byte(r.body)})
		switch {
		case f == nil && r.want != "fine":
			t.Errorf("%d %s is no refusal", r.status, r.body)
		case f != nil && (f.Code != r.want || f.Text != strings.TrimSpace(r.text) || f.Status != r.status || f.After != time.Hour || !f.Written):
			t.Errorf("%d %s is %+v", r.status, r.body, f)
		}
	}
}
