package whatsapp

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
)

// maxFile is the largest file that the Cloud API has
// (developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media).
const maxFile = 100 << 20

// fetchTimes is how many times as long as for an answer is waited for a whole file.
const fetchTimes = 6

// files are what a message has attached.
func (m *message) files() []medium {
	var out []medium
	for _, f := range []loose[medium]{m.Image, m.Audio, m.Video, m.Document, m.Sticker} {
		if f.Has && f.V.ID != "" {
			out = append(out, f.V)
		}
	}
	return out
}

// called is the name of a file, which names no folder.
func (f medium) called() string {
	name := path.Base(path.Clean("/" + strings.ReplaceAll(f.Name, `\`, "/")))
	if name != "/" {
		return oneLine(name)
	}
	kind := f.kind()
	what, sub, _ := strings.Cut(kind, "/")
	if f.Voice {
		what = "voice"
	}
	return oneLine(cmp.Or(what, "file") + "-" + path.Base(path.Clean("/"+f.ID)) + ending(sub))
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

// kind is the media type without its parameters.
func (f medium) kind() string {
	kind, _, err := mime.ParseMediaType(f.Mime)
	if err != nil {
		return ""
	}
	return kind
}

// media is a file as the contract has it.
func (a *Adapter) media(f medium) channel.Media {
	return channel.Media{Name: f.called(), Type: f.kind(), Open: func(ctx context.Context) (io.ReadCloser, error) { return a.fetch(ctx, f) }}
}

// fetch asks where a file lies, which holds for five minutes, and fetches it.
func (a *Adapter) fetch(ctx context.Context, f medium) (io.ReadCloser, error) {
	if !idForm(f.ID) {
		return nil, fault.New(fault.Invalid, "The file %s has no id by which it could be fetched.", f.called())
	}
	var at struct {
		URL  string `json:"url"`
		Size digits `json:"file_size"`
	}
	err := a.api.get(ctx, f.ID, url.Values{"phone_number_id": {a.number}}, &at)
	if err == nil && at.Size > maxFile {
		return nil, tooLarge(f)
	}
	var body io.ReadCloser
	if err == nil {
		body, err = a.api.download(ctx, at.URL)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The file %s could not be fetched from WhatsApp: %s", f.called(), failureOf(err).Text)
	}
	return &bounded{body: body, left: maxFile, over: tooLarge(f)}, nil
}

// idForm reports whether an id can stand in an address.
func idForm(id string) bool {
	return id != "" && len(id) <= 300 && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("-_=", r)
	})
}

func tooLarge(f medium) error {
	return fault.New(fault.TooLarge, "The file %s has more than the 100 MB that WhatsApp gives away.", f.called())
}

// place is where a file may be fetched with our token: at Meta's hosts, or, when we go through
// another address, there.
func (c caller) place(at string) (*url.URL, error) {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, &httpcall.Failure{Text: "WhatsApp names no address of the file"}
	}
	if u.Scheme == c.base.Scheme && u.Host == c.base.Host {
		return u, nil
	}
	if u.Scheme != "https" || u.Port() != "" || !ofMeta(u.Hostname()) {
		return nil, &httpcall.Failure{Text: "WhatsApp names an address at " + oneLine(u.Host) + ", which is not its own"}
	}
	if c.base.Host != "graph.facebook.com" {
		u.Scheme, u.Host = c.base.Scheme, c.base.Host
		u.Path, u.RawPath = c.base.Path+u.Path, ""
	}
	return u, nil
}

func ofMeta(host string) bool {
	for _, domain := range []string{"facebook.com", "fbsbx.com", "fbcdn.net", "whatsapp.net"} {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
}

func (c caller) download(ctx context.Context, from string) (io.ReadCloser, error) {
	at, err := c.place(from)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Open(ctx, httpcall.Request{Method: http.MethodGet, Address: at.String(), Header: c.header(), Within: fetchTimes * c.http.Within})
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

// form is what a file is among the messages of WhatsApp, and the media type that it takes.
func form(f *channel.File) (what, kind string) {
	kind, _, err := mime.ParseMediaType(f.Type)
	if err != nil {
		kind = "application/octet-stream"
	}
	switch kind {
	case "image/jpeg", "image/png":
		return "image", kind
	case "video/mp4", "video/3gpp":
		return "video", kind
	case "audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg":
		return "audio", kind
	case "application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml", "application/javascript":
		return "document", "text/plain" // of texts it takes no other
	}
	if strings.HasPrefix(kind, "text/") {
		return "document", "text/plain"
	}
	return "document", kind
}

// sendFile sends a file with its text under it. Where that does not fit, the text, with what can
// be pressed, comes right after it.
func (a *Adapter) sendFile(ctx context.Context, m *outgoing, o channel.Out) (string, error) {
	if m.Whom == "group" {
		o.Buttons = nil // nothing can be pressed there
	}
	what, kind := form(o.File)
	one := o.Text == "" && len(o.Buttons) == 0 ||
		what != "audio" && utf8.RuneCountInString(o.Text) <= maxCaption && len(o.Buttons) <= maxButtons
	if one {
		return a.stepFile(ctx, m, what, kind, o, keyOf(o.Key, ""))
	}
	alone := o
	alone.Text, alone.Buttons = "", nil
	key := keyOf(o.Key, "/file")
	id, err := a.stepFile(ctx, m, what, kind, alone, key)
	if err != nil {
		return "", err
	}
	if key != "" {
		a.ledger.there.Put(key, id) // the text may fail and be tried again
	}
	next, err := a.begin(o)
	if err != nil {
		return "", err
	}
	next.Context = nil // the file answered
	o.Text = cmp.Or(o.Text, medium{Name: o.File.Name}.called())
	words(next, o)
	return a.step(ctx, o, keyOf(o.Key, ""), next)
}

// stepFile uploads and sends a file, unless it is there.
func (a *Adapter) stepFile(ctx context.Context, m *outgoing, what, kind string, o channel.Out, key string) (string, error) {
	if id, ok := a.ledger.there.Get(key); ok {
		return id, nil
	}
	file, err := a.upload(ctx, o.File, kind)
	if err != nil {
		return "", err
	}
	attach(m, what, file, o)
	return a.step(ctx, o, key, m)
}

// attach puts a file that was uploaded into a message.
func attach(m *outgoing, what, id string, o channel.Out) {
	name := medium{Name: o.File.Name}.called()
	at := &attached{ID: id}
	if what == "document" {
		at.Name = name
	}
	if len(o.Buttons) > 0 {
		o.Text = cmp.Or(o.Text, name)
		m.Type, m.Interactive = "interactive", buttons(o)
		m.Interactive.Header = &header{Type: what}
		switch h := m.Interactive.Header; what {
		case "image":
			h.Image = at
		case "video":
			h.Video = at
		default:
			h.Document = at
		}
		return
	}
	at.Caption, m.Type = o.Text, what
	switch what {
	case "image":
		m.Image = at
	case "video":
		m.Video = at
	case "audio":
		m.Audio = at
	default:
		m.Document = at
	}
}

// upload puts a file at WhatsApp, where nobody sees it yet: whatever goes wrong, nothing was sent.
func (a *Adapter) upload(ctx context.Context, f *channel.File, kind string) (string, error) {
	if len(f.Raw) == 0 {
		return "", &channel.Refusal{Text: "WhatsApp takes no empty file", Final: true}
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.WriteField("messaging_product", "whatsapp") // to memory
	_ = w.WriteField("type", kind)
	h := make(textproto.MIMEHeader)
	h.Set("Content-Disposition", multipart.FileContentDisposition("file", medium{Name: f.Name}.called()))
	h.Set("Content-Type", kind)
	part, err := w.CreatePart(h)
	if err == nil {
		_, err = part.Write(f.Raw)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return "", &channel.Refusal{Text: err.Error()}
	}
	var out struct {
		ID string `json:"id"`
	}
	if err := a.api.do(ctx, fetchTimes*a.api.http.Within, http.MethodPost, a.api.at(a.number+"/media", nil), w.FormDataContentType(), body.Bytes(), &out); err != nil {
		return "", nothingSeen(err)
	}
	if !idForm(out.ID) {
		return "", &channel.Refusal{Text: "WhatsApp took the file and does not say its id"}
	}
	return out.ID, nil
}
