package telegram

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"

	"chela/internal/channel/httpcall"
	"chela/internal/fault"
)

// maxFile is the largest file that a bot can fetch.
const maxFile = 20 << 20

// fetchTimes is how many times as long as for an answer is waited for a whole file.
const fetchTimes = 6

// A file is what a message has attached.
type file struct {
	id   string
	name string
	kind string // media type
	size int64
}

// files returns what a message has attached; a photo comes in several sizes, of which the largest counts.
func (m *message) files() []file {
	var out []file
	add := func(id, name, otherwise, kind string, size int64) {
		if id == "" {
			return
		}
		if name = path.Base(path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))); name == "/" {
			name = otherwise
		}
		out = append(out, file{id, name, kind, max(size, 0)})
	}
	if p := largest(m.Photo); p != nil {
		add(p.FileID, "", "photo-"+p.FileUniqueID+".jpg", "image/jpeg", int64(p.FileSize))
	}
	if v := m.Voice; v != nil {
		add(v.FileID, "", "voice-"+v.FileUniqueID+".ogg", cmp.Or(v.MimeType, "audio/ogg"), v.FileSize)
	}
	if a := m.Audio; a != nil {
		add(a.FileID, a.FileName, "audio-"+a.FileUniqueID+".mp3", cmp.Or(a.MimeType, "audio/mpeg"), a.FileSize)
	}
	if v := m.Video; v != nil {
		add(v.FileID, v.FileName, "video-"+v.FileUniqueID+".mp4", cmp.Or(v.MimeType, "video/mp4"), v.FileSize)
	}
	if v := m.VideoNote; v != nil {
		add(v.FileID, "", "video-note-"+v.FileUniqueID+".mp4", "video/mp4", int64(v.FileSize))
	}
	if a := m.Animation; a != nil {
		add(a.FileID, a.FileName, "animation-"+a.FileUniqueID+".mp4", cmp.Or(a.MimeType, "video/mp4"), a.FileSize)
	} else if d := m.Document; d != nil { // an animation is a document, too
		add(d.FileID, d.FileName, "document-"+d.FileUniqueID, d.MimeType, d.FileSize)
	}
	if s := m.Sticker; s != nil {
		ending, kind := stickerForm(s)
		add(s.FileID, "", "sticker-"+s.FileUniqueID+ending, kind, int64(s.FileSize))
	}
	return out
}

func largest(photos []models.PhotoSize) *models.PhotoSize {
	var best *models.PhotoSize
	for i := range photos {
		if p := &photos[i]; best == nil || p.Width*p.Height > best.Width*best.Height {
			best = p
		}
	}
	return best
}

func stickerForm(s *models.Sticker) (ending, kind string) {
	switch {
	case s.IsAnimated:
		return ".tgs", "application/x-tgsticker"
	case s.IsVideo:
		return ".webm", "video/webm"
	}
	return ".webp", "image/webp"
}

// lines says in words what is in a message besides its text. Each is in brackets, so that a
// name somebody chose is never the beginning of a text.
func (m *message) lines() string {
	var out []string
	add := func(format string, args ...any) { out = append(out, "["+fmt.Sprintf(format, args...)+"]") }
	if len(m.Photo) > 0 {
		add("Photo")
	}
	if v := m.Voice; v != nil {
		add("Voice message, %s", seconds(v.Duration))
	}
	if a := m.Audio; a != nil {
		add("Audio: %s, %s", titled(a.Performer, a.Title, a.FileName), seconds(a.Duration))
	}
	if v := m.Video; v != nil {
		add("Video, %s", seconds(v.Duration))
	}
	if v := m.VideoNote; v != nil {
		add("Video note, %s", seconds(v.Duration))
	}
	if m.Animation != nil {
		add("Animation")
	} else if d := m.Document; d != nil {
		add("Document: %s", titled(d.FileName))
	}
	if s := m.Sticker; s != nil {
		add("Sticker: %s", titled(s.Emoji, s.SetName))
	}
	if v := m.Venue; v != nil {
		add("Place: %s, %s", titled(v.Title, v.Address), degrees(&v.Location))
	} else if l := m.Location; l != nil { // a venue has its location twice
		add("Location: %s", degrees(l))
	}
	if c := m.Contact; c != nil {
		add("Contact: %s", titled(c.FirstName+" "+c.LastName, c.PhoneNumber))
	}
	if d := m.Dice; d != nil {
		add("Dice %s: %d", oneLine(d.Emoji), d.Value)
	}
	if p := m.Poll; p != nil {
		choices := make([]string, 0, len(p.Options))
		for _, o := range p.Options {
			choices = append(choices, oneLine(o.Text))
		}
		add("Poll: %s: %s", oneLine(p.Question), strings.Join(choices, " / "))
	}
	return strings.Join(out, "\n")
}

func titled(names ...string) string {
	for i := range names {
		names[i] = oneLine(names[i])
	}
	if t := join(", ", names...); t != "" {
		return t
	}
	return "without a name"
}

func seconds(n int) string { return (time.Duration(min(max(n, 0), 1<<30)) * time.Second).String() }

func degrees(l *models.Location) string { return fmt.Sprintf("%.6f, %.6f", l.Latitude, l.Longitude) }

// opener returns how a file is fetched.
func (a *Adapter) opener(f file) func(context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) { return a.fetch(ctx, f) }
}

func (a *Adapter) fetch(ctx context.Context, f file) (io.ReadCloser, error) {
	if f.size > maxFile {
		return nil, tooLarge(f)
	}
	var at models.File
	if err := a.api.call(ctx, "getFile", &struct {
		ID string `json:"file_id"`
	}{f.id}, &at); err != nil {
		if refused(err, "file is too big") {
			return nil, tooLarge(f)
		}
		return nil, fault.Wrap(err, fault.Unavailable, "The file %s could not be fetched from Telegram: %s", f.name, failureOf(err).Text)
	}
	body, err := a.api.download(ctx, at.FilePath)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The file %s could not be fetched from Telegram: %s", f.name, failureOf(err).Text)
	}
	return &bounded{body: body, left: maxFile, over: tooLarge(f)}, nil
}

func tooLarge(f file) error {
	return fault.New(fault.TooLarge, "The file %s has more than the 20 MB that Telegram gives to bots. Ask for it in parts or by another way.", f.name)
}

// download fetches what lies under a path that getFile gave.
func (c caller) download(ctx context.Context, at string) (io.ReadCloser, error) {
	u := c.base + "/file/bot" + c.token + "/" + (&url.URL{Path: at}).EscapedPath()
	resp, err := c.http.Open(ctx, httpcall.Request{Method: http.MethodGet, Address: u, Within: fetchTimes * c.http.Within})
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// bounded is a body that ends with an error when more comes than may.
type bounded struct {
	body io.ReadCloser
	left int
	over error
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.body.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		return 0, b.over
	}
	return n, err
}

func (b *bounded) Close() error { return b.body.Close() }
