package telegram

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/telegramtest"
)

// read fetches a file to its end.
func read(t *testing.T, m channel.Media) ([]byte, error) {
	t.Helper()
	body, err := m.Open(t.Context())
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

func TestMedia(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	content := bytes.Repeat([]byte("Chela"), 10_000)
	s.Keep("large-id", content)
	file := func(name, kind string) *telegramtest.File {
		return &telegramtest.File{FileID: "large-id", FileUniqueID: "u", FileName: name, MimeType: kind, FileSize: 50_000}
	}
	posts := []telegramtest.Message{
		{Photo: []telegramtest.PhotoSize{{FileID: "small-id", Width: 9, Height: 9}, {FileID: "large-id", FileUniqueID: "u", Width: 99, Height: 99, FileSize: 50_000}, {FileID: "middle-id", Width: 50, Height: 50}}},
		{Voice: file("", "")},
		{Audio: file("song.m4a", "audio/mp4")},
		{Video: file("../../clip.mov", "video/quicktime")},
		{VideoNote: file("", "")},
		{Animation: file("", ""), Document: file("", "")},
		{Document: file(`c:\x\plan.pdf`, "application/pdf")},
		{Document: file("..", "")},
		{Sticker: file("", "")},
		{Sticker: &telegramtest.File{FileID: "large-id", FileUniqueID: "u", FileSize: 50_000, IsVideo: true}},
		{Sticker: &telegramtest.File{FileID: "large-id", FileUniqueID: "u", FileSize: 50_000, IsAnimated: true}},
	}
	for i := range posts {
		posts[i].Chat, posts[i].From = alone, &anna
	}
	want := [][2]string{
		{"photo-u.jpg", "image/jpeg"},
		{"voice-u.ogg", "audio/ogg"},
		{"song.m4a", "audio/mp4"},
		{"clip.mov", "video/quicktime"},
		{"video-note-u.mp4", "video/mp4"},
		{"animation-u.mp4", "video/mp4"},
		{"plan.pdf", "application/pdf"},
		{"document-u", ""},
		{"sticker-u.webp", "image/webp"},
		{"sticker-u.webm", "video/webm"},
		{"sticker-u.tgs", "application/x-tgsticker"},
	}
	for i, m := range received(t, s, posts...) {
		if len(m.Media) != 1 {
			t.Fatalf("%s: %d files", m.Text, len(m.Media))
		}
		f := m.Media[0]
		if f.Name != want[i][0] || f.Type != want[i][1] || f.Size != 50_000 {
			t.Errorf("%s: %+v, want %v", m.Text, f, want[i])
		}
		if got, err := read(t, f); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: %d bytes, %v", m.Text, len(got), err)
		}
	}
}

func TestMedia_ThatCannotBeFetched(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Keep("big", make([]byte, maxFile+1))
	s.Keep("good", []byte("good"))
	post := func(id string, size int64) telegramtest.Message {
		return telegramtest.Message{Chat: alone, From: &anna, Document: &telegramtest.File{FileID: id, FileName: id, FileSize: size}}
	}
	got := received(t, s, post("big", maxFile+1), post("big", 0), post("none", 5), post("good", 4))
	_, err := read(t, got[0].Media[0])
	channeltest.WantFault(t, err, fault.TooLarge, "The file big has more than the 20 MB")
	if s.Calls("getFile") != 0 {
		t.Error("a file was asked for that is too large")
	}
	_, err = read(t, got[1].Media[0])
	channeltest.WantFault(t, err, fault.TooLarge, "The file big has more than the 20 MB")
	_, err = read(t, got[2].Media[0])
	channeltest.WantFault(t, err, fault.Unavailable, "wrong file_id")
	for _, what := range []telegramtest.Mishap{telegramtest.Fail, telegramtest.CutBefore} {
		s.Fault(telegramtest.Fault{Method: telegramtest.Download, What: what})
		_, err = read(t, got[3].Media[0])
		channeltest.WantFault(t, err, fault.Unavailable, "The file good could not be fetched")
		if err != nil && strings.Contains(err.Error(), s.Token) {
			t.Errorf("the error has the token in it: %v", err)
		}
		s.Heal()
	}
	if text, err := read(t, got[3].Media[0]); err != nil || string(text) != "good" {
		t.Errorf("then: %q, %v", text, err)
	}
}

func TestMedia_MoreThanAnnounced(t *testing.T) {
	t.Parallel()
	b := &bounded{body: io.NopCloser(strings.NewReader("12345678")), left: 4, over: io.ErrShortBuffer}
	if got, err := io.ReadAll(b); !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("read %q, %v", got, err)
	}
	b = &bounded{body: io.NopCloser(strings.NewReader("1234")), left: 4, over: io.ErrShortBuffer}
	if got, err := io.ReadAll(b); err != nil || string(got) != "1234" {
		t.Errorf("read %q, %v", got, err)
	}
}
