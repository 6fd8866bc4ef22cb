package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
)

// What Telegram takes (core.telegram.org/bots/api#sendphoto and #senddocument).
const (
	mostCaption  = 1024 // UTF-16 units, without marks
	mostPhoto    = 10 << 20
	mostDocument = 50 << 20
)

// photos are the pictures that Telegram shows as such; others are documents.
var photos = []string{"image/jpeg", "image/png", "image/webp"}

// sendFile sends a file with its text as the caption, or right after it where that is too long.
func (a *Adapter) sendFile(ctx context.Context, chat int64, topic int, reply *models.ReplyParameters, o channel.Out) (int64, error) {
	if len(o.File.Raw) == 0 || len(o.File.Raw) > mostDocument {
		return 0, &channel.Refusal{Text: "Telegram takes files of 1 byte to 50 MB", Final: true}
	}
	fields := map[string]string{"chat_id": strconv.FormatInt(chat, 10)}
	if topic != 0 {
		fields["message_thread_id"] = strconv.Itoa(topic)
	}
	captioned := len(utf16.Encode([]rune(plain(o.Text)))) <= mostCaption
	if captioned && o.Text != "" {
		fields["caption"], fields["parse_mode"] = o.Text, string(models.ParseModeHTML)
	}
	var answers, pressed []byte
	var err error
	if reply != nil {
		answers, err = json.Marshal(reply)
	}
	if k := keys(o.Buttons); k != nil && captioned && err == nil {
		pressed, err = json.Marshal(k)
	}
	if err != nil {
		return 0, &channel.Refusal{Text: "the message cannot be written: " + err.Error(), Final: true}
	}
	for name, raw := range map[string][]byte{"reply_parameters": answers, "reply_markup": pressed} {
		if raw != nil {
			fields[name] = string(raw)
		}
	}
	id, err := a.upload(ctx, fields, o.File)
	if unparsed(err) {
		fields["caption"] = plain(o.Text)
		delete(fields, "parse_mode")
		id, err = a.upload(ctx, fields, o.File)
	}
	if err != nil || captioned {
		return id, err
	}
	o.File, o.ReplyTo = nil, ""
	if _, err := a.Send(ctx, o); err != nil { // not a refusal: the file is there
		return 0, &httpcall.Failure{Status: http.StatusOK, Written: true, Text: "the file was sent, and its text was not: " + err.Error(), Cause: err}
	}
	return id, nil
}

// upload sends a picture as one, and what Telegram takes for none as a document.
func (a *Adapter) upload(ctx context.Context, fields map[string]string, f *channel.File) (int64, error) {
	if slices.Contains(photos, f.Type) && len(f.Raw) <= mostPhoto {
		id, err := a.form(ctx, "sendPhoto", "photo", fields, f)
		if !refused(err, "PHOTO_") && !refused(err, "IMAGE_") {
			return id, err
		}
	}
	return a.form(ctx, "sendDocument", "document", fields, f)
}

// form asks for a method with a file.
func (a *Adapter) form(ctx context.Context, method, field string, fields map[string]string, f *channel.File) (int64, error) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			return 0, &channel.Refusal{Text: "the message cannot be written: " + err.Error(), Final: true}
		}
	}
	name := path.Base(path.Clean("/" + strings.ReplaceAll(f.Name, `\`, "/")))
	if name == "/" {
		name = "file"
	}
	part, err := w.CreateFormFile(field, name)
	if err == nil {
		_, err = part.Write(f.Raw)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return 0, &channel.Refusal{Text: "the file cannot be written: " + err.Error(), Final: true}
	}
	var sent made
	if err := a.api.post(ctx, a.api.http.Within+time.Duration(body.Len()>>20)*time.Second, method, w.FormDataContentType(), body.Bytes(), &sent); err != nil {
		return 0, err
	}
	return sent.ID, nil
}

// made is what a method answers that makes a message.
type made struct {
	ID int64 `json:"message_id"`
}

// Edit changes a message that was sent (core.telegram.org/bots/api#editmessagetext).
func (a *Adapter) Edit(ctx context.Context, id string, o channel.Out) error {
	chat, _, err := place(o.Address)
	if err != nil {
		return err
	}
	message, err := number(id, "message")
	if err != nil {
		return err
	}
	wait := a.groups.wait
	if o.Growing {
		wait = a.groups.spare
	}
	if wait := wait(chat); wait > 0 {
		return &channel.Refusal{Text: "Telegram takes 20 messages a minute in a group", After: wait}
	}
	p := &edit{Chat: chat, ID: message, Text: o.Text, ParseMode: models.ParseModeHTML, Previews: unseen(), Keys: keys(o.Buttons)}
	err = a.api.call(ctx, "editMessageText", p, nil)
	if unparsed(err) {
		p.ParseMode, p.Text = "", plain(o.Text)
		err = a.api.call(ctx, "editMessageText", p, nil)
	}
	if err != nil && !refused(err, "message is not modified") {
		return failureOf(err).verdict()
	}
	return nil
}

// edit is what editMessageText takes. The library's type sends a keyboard that is none.
type edit struct {
	Chat      int64                      `json:"chat_id"`
	ID        int                        `json:"message_id"`
	Text      string                     `json:"text"`
	ParseMode models.ParseMode           `json:"parse_mode,omitempty"`
	Previews  *models.LinkPreviewOptions `json:"link_preview_options"`
	Keys      *keyboard                  `json:"reply_markup,omitempty"`
}

// idOf is the id of a message that was made; err is nobody's if there is none.
func idOf(id int64, err error) (string, error) {
	if err == nil && id == 0 {
		err = &httpcall.Failure{Status: http.StatusOK, Written: true, Text: "Telegram does not say which message it made"}
	}
	if no, ok := err.(*channel.Refusal); ok { //nolint:errorlint // ours, of what was never asked
		return "", no
	}
	if err != nil {
		return "", failureOf(err).verdict()
	}
	return strconv.FormatInt(id, 10), nil
}
