package telegram

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/telegramtest"
)

func TestFile_Edit(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(alone)
	a := with(t, s)
	first := out(alone, "<b>One</b>")
	first.Buttons = channeltest.Buttons("Approve", "a")
	id, err := a.Send(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		out  channel.Out
		text string
	}{
		"another text":               {out(alone, "<i>Two</i> &amp; three"), "Two & three"},
		"what Telegram cannot read":  {out(alone, "<h1>Three</h1>"), "Three"},
		"what Telegram can read not": {out(alone, "<b>Four"), "Four"},
	} {
		for range 2 { // the same again is no failure
			if err := a.Edit(t.Context(), id, c.out); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if m := s.Sent(alone)[0]; m.Text != c.text || m.ReplyMarkup != nil || m.Previews {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if m := s.Sent(alone)[0]; m.Edits != 3 || s.Count(alone) != 1 {
		t.Errorf("%d edits of %d messages", m.Edits, s.Count(alone))
	}
}

func TestFile_EditsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	a := with(t, s)
	theirs := s.Say(alone, anna, "mine")
	id, err := a.Send(t.Context(), out(alone, "x"))
	if err != nil {
		t.Fatal(err)
	}
	final := func(what, id string, o channel.Out, words string) {
		t.Helper()
		if r := channeltest.RefusalOf(t, a.Edit(t.Context(), id, o)); !r.Final || !strings.Contains(r.Text, words) {
			t.Errorf("%s: %+v", what, r)
		}
	}
	final("no id", "x", out(alone, "y"), "no id of a message")
	final("no such message", "999", out(alone, "y"), "message to edit not found")
	final("another's", strconv.FormatInt(theirs, 10), out(alone, "y"), "message can't be edited")
	final("too long", id, out(alone, strings.Repeat("🦀", 2049)), "message is too long")
	s.Fault(telegramtest.Fault{What: telegramtest.TooMany, For: 3 * time.Second, Times: 1})
	if r := channeltest.RefusalOf(t, a.Edit(t.Context(), id, out(alone, "y"))); r.Final || r.After != 3*time.Second {
		t.Errorf("too many: %+v", r)
	}
	s.Fault(telegramtest.Fault{What: telegramtest.CutAfter, Times: 1})
	if err := a.Edit(t.Context(), id, out(alone, "y")); err == nil || s.Sent(alone)[0].Text != "y" {
		t.Errorf("cut: %v", err)
	}
	s.Remove(alone, s.Sent(alone)[0].ID)
	final("deleted", id, out(alone, "z"), "message to edit not found")
}

// TestFile_GrowingLeavesRoomInAGroup: what only shows how a text grows takes half of what a group takes.
func TestFile_GrowingLeavesRoomInAGroup(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(team)
	a := with(t, s)
	id, err := a.Send(t.Context(), out(team, "0"))
	if err != nil {
		t.Fatal(err)
	}
	grows := func(i int) error {
		o := out(team, strconv.Itoa(i))
		o.Growing = true
		return a.Edit(t.Context(), id, o)
	}
	for i := 1; i < groupMost/2; i++ {
		if err := grows(i); err != nil {
			t.Fatal(i, err)
		}
	}
	if r := channeltest.RefusalOf(t, grows(groupMost/2)); r.Final || r.After <= 0 || r.After > groupSpan {
		t.Errorf("refused with %+v", r)
	}
	if err := a.Edit(t.Context(), id, out(team, "whole")); err != nil {
		t.Error(err)
	}
	for i := range groupMost/2 - 1 {
		if _, err := a.Send(t.Context(), out(team, "more")); err != nil {
			t.Error(i, err)
		}
	}
	_, err = a.Send(t.Context(), out(team, "more"))
	channeltest.RefusalOf(t, err)
}

// png is the least that looks like one.
var png = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")

func TestFile_SendFiles(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(alone)
	a := with(t, s)
	long := strings.Repeat("word ", 300)
	for name, c := range map[string]struct {
		file    channel.File
		text    string
		photo   bool
		caption string
		named   string
		after   string // a message of its own
	}{
		"a picture":                {channel.File{Name: "p.png", Type: "image/png", Raw: png}, "<b>Look</b>", true, "Look", "", ""},
		"a document":               {channel.File{Name: "dir/r.txt", Type: "text/plain", Raw: []byte("report")}, "42", false, "42", "r.txt", ""},
		"no text, and no name":     {channel.File{Raw: []byte("x")}, "", false, "", "file", ""},
		"a picture that is none":   {channel.File{Name: "p.png", Type: "image/png", Raw: []byte("text")}, "", false, "", "p.png", ""},
		"a moving picture":         {channel.File{Name: "p.gif", Type: "image/gif", Raw: []byte("GIF89a")}, "", false, "", "p.gif", ""},
		"marks that are no HTML":   {channel.File{Name: "a", Raw: []byte("x")}, "<h1>Look</h1>", false, "Look", "a", ""},
		"more text than a caption": {channel.File{Name: "a", Raw: []byte("x")}, long, false, "", "a", strings.TrimSpace(long)},
	} {
		before := s.Count(alone)
		o := out(alone, c.text)
		o.File, o.Buttons = &c.file, channeltest.Buttons("Yes", "y")
		id, err := a.Send(t.Context(), o)
		sent := s.Sent(alone)[before:]
		if err != nil || len(sent) == 0 || strconv.FormatInt(sent[0].ID, 10) != id {
			t.Errorf("%s: %q, %v", name, id, err)
			continue
		}
		m, last := sent[0], sent[len(sent)-1]
		if string(m.Upload) != string(c.file.Raw) || (m.Photo != nil) != c.photo || m.Caption != c.caption || !c.photo && m.Document.FileName != c.named {
			t.Errorf("%s: %+v", name, m)
		}
		if strings.TrimSpace(last.Text) != c.after || (len(sent) == 2) != (c.after != "") || last.ReplyMarkup == nil {
			t.Errorf("%s: then %+v", name, last)
		}
	}
}

func TestFile_FilesThatAreNotSent(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(alone)
	a := with(t, s)
	o := out(alone, strings.Repeat("word ", 300))
	o.File = &channel.File{Name: "a"}
	_, err := a.Send(t.Context(), o)
	if r := channeltest.RefusalOf(t, err); !r.Final {
		t.Errorf("an empty file: %+v", r)
	}
	o.File.Raw = []byte("x")
	s.Fault(telegramtest.Fault{Method: "sendMessage", What: telegramtest.TooMany, For: time.Second, Times: 1})
	if _, err := a.Send(t.Context(), o); err == nil || !strings.Contains(err.Error(), "its text was not") {
		t.Errorf("the text is refused: %v", err)
	} else if _, no := err.(*channel.Refusal); no || s.Count(alone) != 1 { //nolint:errorlint // it is not wrapped
		t.Errorf("the file is there, and this is a refusal: %v", err)
	}
	s.Fault(telegramtest.Fault{Method: "sendDocument", What: telegramtest.Fail, Status: 413, Times: 1})
	_, err = a.Send(t.Context(), o)
	if channeltest.RefusalOf(t, err); s.Count(alone) != 1 {
		t.Errorf("%d messages", s.Count(alone))
	}
}
