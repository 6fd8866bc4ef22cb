//go:build whatsmeow

package whatsmeow

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"mime"
	"net/url"
	"path"
	"strings"

	lib "go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/proto"

	"chela/internal/channel"
	"chela/internal/fault"
)

// An attachment is a file in a message.
type attachment struct {
	from       lib.DownloadableMessage
	name, kind string
	size       uint64
}

// attachments are the files of a message.
func attachments(m *waE2E.Message) []attachment {
	var out []attachment
	add := func(name, what, kind string, size uint64, from lib.DownloadableMessage) {
		kind, _, err := mime.ParseMediaType(kind)
		if err != nil {
			kind = ""
		}
		_, sub, _ := strings.Cut(kind, "/")
		out = append(out, attachment{from, cmp.Or(base(name), oneLine(what+ending(sub))), kind, size})
	}
	if f := m.GetImageMessage(); f != nil {
		add("", "photo", f.GetMimetype(), f.GetFileLength(), f)
	}
	if f := m.GetAudioMessage(); f.GetPTT() {
		add("", "voice", f.GetMimetype(), f.GetFileLength(), f)
	} else if f != nil {
		add("", "audio", f.GetMimetype(), f.GetFileLength(), f)
	}
	for _, f := range []*waE2E.VideoMessage{m.GetVideoMessage(), m.GetPtvMessage()} {
		if f != nil {
			add("", "video", f.GetMimetype(), f.GetFileLength(), f)
		}
	}
	if f := m.GetDocumentMessage(); f != nil {
		add(cmp.Or(f.GetFileName(), f.GetTitle()), "file", f.GetMimetype(), f.GetFileLength(), f)
	}
	if f := m.GetStickerMessage(); f != nil {
		add("", "sticker", f.GetMimetype(), f.GetFileLength(), f)
	}
	return out
}

// base is the name of a file, which names no folder.
func base(name string) string {
	name = path.Base(path.Clean("/" + strings.ReplaceAll(name, `\`, "/")))
	if name == "/" {
		return ""
	}
	return oneLine(name)
}

func ending(sub string) string {
	switch sub {
	case "":
		return ""
	case "mpeg":
		return ".mp3"
	}
	return "." + path.Base(path.Clean("/"+sub))
}

// media is a file as the contract has it. It is fetched while the connection stands over which it came.
func (a *Adapter) media(f attachment) channel.Media {
	m := channel.Media{Name: f.name, Type: f.kind, Open: func(ctx context.Context) (io.ReadCloser, error) { return a.fetch(ctx, f) }}
	m.Size = int64(min(f.size, 1<<40)) //nolint:gosec // it fits
	return m
}

func (a *Adapter) fetch(ctx context.Context, f attachment) (io.ReadCloser, error) {
	if f.size > maxFile {
		return nil, fault.New(fault.TooLarge, "The file %s has more than the 100 MB that are fetched.", f.name)
	}
	c := a.live.Load()
	if c == nil {
		return nil, fault.New(fault.Unavailable, "The file %s could not be fetched: the channel %s is not connected.", f.name, a.name)
	}
	var raw []byte
	err := f.placed() // the library would try again and again
	if err == nil {
		raw, err = c.Download(ctx, f.from)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The file %s could not be fetched from WhatsApp: %s", f.name, oneLine(err.Error()))
	}
	return io.NopCloser(bytes.NewReader(raw)), nil
}

// placed says that the sender names an address that is not WhatsApp's.
func (f attachment) placed() error {
	at, ok := f.from.(interface{ GetURL() string })
	if !ok || at.GetURL() == "" {
		return nil
	}
	u, err := url.Parse(at.GetURL())
	if err != nil {
		return err
	}
	return ofWhatsApp(u)
}

// maxCaption is how many characters the apps take under a file.
const maxCaption = 1024

// put uploads a file, where nobody sees it yet, and returns the message that shows it.
func (a *Adapter) put(ctx context.Context, c *lib.Client, f *channel.File, text string, to *waE2E.ContextInfo) (*waE2E.Message, error) {
	if len(f.Raw) == 0 {
		return nil, &channel.Refusal{Text: "WhatsApp takes no empty file", Final: true}
	}
	if len(f.Raw) > maxFile {
		return nil, &channel.Refusal{Text: "the file has more than 100 MB", Final: true}
	}
	what, kind := form(f)
	up, err := c.Upload(ctx, f.Raw, what)
	if err != nil {
		return nil, &channel.Refusal{Text: "the file could not be handed to WhatsApp: " + oneLine(err.Error())}
	}
	name, under := cmp.Or(base(f.Name), "file"), (*string)(nil)
	if text != "" {
		under = &text
	}
	m := new(waE2E.Message)
	switch what {
	case lib.MediaImage:
		m.ImageMessage = &waE2E.ImageMessage{Caption: under, Mimetype: &kind, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength, ContextInfo: to}
	case lib.MediaVideo:
		m.VideoMessage = &waE2E.VideoMessage{Caption: under, Mimetype: &kind, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength, ContextInfo: to}
	case lib.MediaAudio:
		m.AudioMessage = &waE2E.AudioMessage{Mimetype: &kind, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength, ContextInfo: to}
	default:
		m.DocumentMessage = &waE2E.DocumentMessage{Caption: under, Title: proto.String(name), FileName: proto.String(name), Mimetype: &kind, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength, ContextInfo: to}
	}
	return m, nil
}

// form is what a file is among the messages of WhatsApp, and its media type.
func form(f *channel.File) (what lib.MediaType, kind string) {
	kind, _, err := mime.ParseMediaType(f.Type)
	if err != nil {
		return lib.MediaDocument, "application/octet-stream"
	}
	switch kind {
	case "image/jpeg", "image/png":
		return lib.MediaImage, kind
	case "video/mp4", "video/3gpp":
		return lib.MediaVideo, kind
	case "audio/aac", "audio/amr", "audio/mpeg", "audio/mp4":
		return lib.MediaAudio, kind
	case "audio/ogg":
		return lib.MediaAudio, "audio/ogg; codecs=opus" // the apps play no other
	}
	return lib.MediaDocument, kind
}
