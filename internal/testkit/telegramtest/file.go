package telegramtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// What can be sent (core.telegram.org/bots/api#sendphoto, #senddocument).
const (
	maxCaption  = 1024
	maxPhoto    = 10 << 20
	maxDocument = 50 << 20
)

type sendFile struct {
	Chat      chatID    `json:"chat_id"`
	Topic     int64     `json:"message_thread_id"`
	Caption   string    `json:"caption"`
	ParseMode string    `json:"parse_mode"`
	Reply     *replying `json:"reply_parameters"`
	Markup    *Keyboard `json:"reply_markup"`
}

// sendFile takes a file of a form, as a photo or a document.
func (s *Server) sendFile(r *http.Request, body []byte, field string) answer {
	var p sendFile
	if err := json.Unmarshal(body, &p); err != nil {
		return refusal(http.StatusBadRequest, "Bad Request: "+err.Error())
	}
	file, head, err := r.FormFile(field)
	if err != nil {
		return refusal(http.StatusBadRequest, "Bad Request: there is no "+field+" in the request")
	}
	defer func() { _ = file.Close() }() // only read
	raw, err := io.ReadAll(file)
	if err != nil {
		return refusal(http.StatusBadRequest, "Bad Request: "+err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, no := s.open(p.Chat)
	if no != nil {
		return *no
	}
	kind, most := http.DetectContentType(raw), maxDocument
	if field == "photo" {
		most = maxPhoto
	}
	m := &Sent{Source: p.Caption, ParseMode: p.ParseMode, Upload: raw}
	if p.Caption != "" {
		t := texted{Text: p.Caption, ParseMode: p.ParseMode, Markup: p.Markup}
		if m.Caption, no = t.plain(); no != nil {
			return *no
		}
	}
	switch {
	case len(raw) == 0:
		return refusal(http.StatusBadRequest, "Bad Request: file must be non-empty")
	case len(raw) > most:
		return refusal(http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	case units(m.Caption) > maxCaption:
		return refusal(http.StatusBadRequest, "Bad Request: message caption is too long")
	case field == "photo" && !strings.HasPrefix(kind, "image/"):
		return refusal(http.StatusBadRequest, "Bad Request: IMAGE_PROCESS_FAILED")
	case field == "photo":
		m.Photo = []PhotoSize{{FileID: "sent", FileUniqueID: "sent", Width: 1, Height: 1, FileSize: int64(len(raw))}}
	default:
		m.Document = &File{FileID: "sent", FileUniqueID: "sent", FileName: head.Filename, MimeType: kind, FileSize: int64(len(raw))}
	}
	return s.made(c, p.Topic, p.Reply, p.Markup, m)
}
