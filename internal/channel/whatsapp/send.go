package whatsapp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
)

// Bounds of messages with something to press
// (…/whatsapp/messages/interactive-reply-buttons-messages and …/interactive-list-messages).
const (
	maxButtons     = 3
	maxButtonTitle = 20   // characters
	maxButtonBody  = 1024 // characters
	maxRows        = 10
	maxRowTitle    = 24   // characters
	maxListBody    = 4096 // characters
	maxKey         = 512  // characters of biz_opaque_callback_data
	maxCaption     = 1024 // characters
	listLabel      = "Answers"
)

// outgoing is a message as it is sent (…/whatsapp/reference/whatsapp-business-phone-number/message-api).
type outgoing struct {
	Product     string       `json:"messaging_product"`
	Whom        string       `json:"recipient_type"`
	To          string       `json:"to,omitempty"`
	Recipient   string       `json:"recipient,omitempty"` // of one who hides their number
	Context     *answered    `json:"context,omitempty"`
	Type        string       `json:"type"`
	Text        *text        `json:"text,omitempty"`
	Interactive *interactive `json:"interactive,omitempty"`
	Image       *attached    `json:"image,omitempty"`
	Video       *attached    `json:"video,omitempty"`
	Audio       *attached    `json:"audio,omitempty"`
	Document    *attached    `json:"document,omitempty"`
	Key         string       `json:"biz_opaque_callback_data,omitempty"`
}

type answered struct {
	ID string `json:"message_id"`
}

type text struct {
	Preview bool   `json:"preview_url"`
	Body    string `json:"body"`
}

type attached struct {
	ID      string `json:"id"`
	Caption string `json:"caption,omitempty"`
	Name    string `json:"filename,omitempty"`
}

type interactive struct {
	Type   string  `json:"type"`
	Header *header `json:"header,omitempty"`
	Body   struct {
		Text string `json:"text"`
	} `json:"body"`
	Action action `json:"action"`
}

type header struct {
	Type     string    `json:"type"`
	Image    *attached `json:"image,omitempty"`
	Video    *attached `json:"video,omitempty"`
	Document *attached `json:"document,omitempty"`
}

type action struct {
	Buttons  []button  `json:"buttons,omitempty"`
	Label    string    `json:"button,omitempty"`
	Sections []section `json:"sections,omitempty"`
}

type button struct {
	Type  string `json:"type"`
	Reply row    `json:"reply"`
}

type section struct {
	Title string `json:"title,omitempty"`
	Rows  []row  `json:"rows"`
}

type row struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Send sends a part. One whose answer was lost is sent again only when WhatsApp does not say
// within a while that it has it.
func (a *Adapter) Send(ctx context.Context, o channel.Out) (string, error) {
	if o.Text == "" && o.File == nil {
		return "", &channel.Refusal{Text: "There is nothing to send", Final: true}
	}
	base, err := a.begin(o)
	if err != nil {
		return "", err
	}
	if o.File != nil {
		return a.sendFile(ctx, base, o)
	}
	words(base, o)
	return a.step(ctx, o, keyOf(o.Key, ""), base)
}

// begin is what all messages to a chat have.
func (a *Adapter) begin(o channel.Out) (*outgoing, error) {
	m := &outgoing{Product: "whatsapp", Whom: "individual"}
	switch kindOf(o.Chat) {
	case aNumber:
		m.To = o.Chat
	case aUser:
		m.Recipient = o.Chat
	case aGroup:
		m.Whom, m.To = "group", o.Chat
	case nowhere:
		return nil, &channel.Refusal{Text: oneLine(o.Chat) + " is no number, person or group on WhatsApp", Final: true}
	}
	if o.ReplyTo != "" {
		m.Context = &answered{o.ReplyTo}
	}
	return m, nil
}

// whom is what an id of a chat names.
type whom int

const (
	nowhere whom = iota
	aNumber
	aUser // a business-scoped user id, such as US.13491208655302741918
	aGroup
)

func kindOf(chat string) whom {
	switch {
	case chat == "" || len(chat) > 300 || strings.ContainsAny(chat, " \t\r\n/?#"):
		return nowhere
	case onlyDigits(chat) == chat:
		return aNumber
	case strings.Contains(chat, "."):
		return aUser
	}
	return aGroup
}

// keyOf is the mark that a step of a part has at WhatsApp.
func keyOf(key, step string) string {
	if key == "" {
		return ""
	}
	if key += step; len(key) > maxKey {
		sum := sha256.Sum256([]byte(key))
		key = hex.EncodeToString(sum[:])
	}
	return key
}

// step sends a message of a part once.
func (a *Adapter) step(ctx context.Context, o channel.Out, key string, m *outgoing) (string, error) {
	chat := o.Chat
	m.Key = key
	if key != "" {
		if o.Doubt {
			a.ledger.before(key, a.settle)
		}
		id, lost := a.ledger.look(ctx, key, a.settle)
		if id != "" {
			a.chats.Put(id, chat)
			return id, nil
		}
		if lost != nil {
			return "", nothingSeen(lost)
		}
		if ctx.Err() != nil {
			return "", &channel.Refusal{Text: "there was no time left to send it"}
		}
	}
	a.shown.Drop(chat) // a message ends it
	var out struct {
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	err := a.api.post(ctx, a.number+"/messages", m, &out)
	if err == nil && (len(out.Messages) == 0 || out.Messages[0].ID == "") {
		err = &httpcall.Failure{Status: http.StatusOK, Written: true, Text: "WhatsApp does not say which message it made"}
	}
	if err == nil {
		a.chats.Put(out.Messages[0].ID, chat)
		return out.Messages[0].ID, nil
	}
	err = failureOf(err).verdict()
	if _, open := err.(*failure); open && key != "" { //nolint:errorlint // verdict returns nothing wrapped
		a.ledger.doubtful(key)
	}
	return "", err
}

// words puts a text into a message, and what can be pressed under it. In groups nothing can be
// pressed; there, and where there is too much to press, the text says itself what to write.
func words(m *outgoing, o channel.Out) {
	n, size := len(o.Buttons), utf8.RuneCountInString(o.Text)
	switch {
	case m.Whom == "group" || n == 0 || n > maxRows || size > maxListBody:
		m.Type, m.Text = "text", &text{Body: o.Text}
	case n <= maxButtons && size <= maxButtonBody:
		m.Type, m.Interactive = "interactive", buttons(o)
	default:
		m.Type, m.Interactive = "interactive", list(o)
	}
}

func buttons(o channel.Out) *interactive {
	i := &interactive{Type: "button"}
	i.Body.Text = o.Text
	for _, r := range rows(o.Buttons, maxButtonTitle) {
		i.Action.Buttons = append(i.Action.Buttons, button{"reply", r})
	}
	return i
}

func list(o channel.Out) *interactive {
	i := &interactive{Type: "list", Action: action{Label: listLabel, Sections: []section{{Title: listLabel, Rows: rows(o.Buttons, maxRowTitle)}}}}
	i.Body.Text = o.Text
	return i
}

// rows are buttons whose titles are short enough and differ.
func rows(list []channel.Button, most int) []row {
	var out []row
	had := make(map[string]bool)
	for i, b := range list {
		title := short(b.Text, most)
		if title == "" || had[title] {
			number := string(rune('1'+i%9)) + " "
			title = short(number+b.Text, most)
		}
		had[title] = true
		out = append(out, row{ID: pressMark + b.Press, Title: title})
	}
	return out
}

// short is a text in one line of at most so many characters.
func short(s string, most int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > most {
		r = append(r[:most-1], '…')
	}
	return string(r)
}

// seen is what says that a message was read, and shows that we write.
type seen struct {
	Product string  `json:"messaging_product"`
	Status  string  `json:"status"`
	ID      string  `json:"message_id"`
	Typing  *typing `json:"typing_indicator,omitempty"`
}

type typing struct {
	Type string `json:"type"`
}

// signal is when, and under which message, we were shown to write.
type signal struct {
	under string
	at    time.Time
}

// typingLasts is less than the 25 seconds after which WhatsApp ends it
// (developers.facebook.com/documentation/business-messaging/whatsapp/typing-indicators).
const typingLasts = 20 * time.Second

// Typing shows under the newest message of a chat that we write, and that it was read. In a
// group, or where nobody wrote since we live, nothing can be shown.
func (a *Adapter) Typing(ctx context.Context, to channel.Address) error {
	last, ok := a.newest.Get(to.Chat)
	if !ok || kindOf(to.Chat) == aGroup {
		return nil
	}
	now := time.Now()
	if had, ok := a.shown.Get(to.Chat); ok && had.under == last.id && now.Sub(had.at) < typingLasts {
		return nil
	}
	if err := a.see(ctx, last.id, &typing{"text"}); err != nil {
		return err
	}
	a.shown.Put(to.Chat, signal{last.id, now})
	return nil
}

// Read shows that a message, and all before it, was read.
func (a *Adapter) Read(ctx context.Context, _ channel.Address, id string) error {
	return a.see(ctx, id, nil)
}

func (a *Adapter) see(ctx context.Context, id string, t *typing) error {
	if err := a.api.post(ctx, a.number+"/messages", seen{"whatsapp", "read", id, t}, nil); err != nil {
		return failureOf(err).verdict()
	}
	return nil
}
