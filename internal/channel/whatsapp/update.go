package whatsapp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
)

// The parts of a webhook that we take anything of
// (developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages).
// What has another shape than we know is left empty and takes nothing else with it.

// loose is a value that is left out when it cannot be read.
type loose[T any] struct {
	V   T
	Has bool
}

// UnmarshalJSON never fails.
func (l *loose[T]) UnmarshalJSON(raw []byte) error {
	var v T
	if json.Unmarshal(raw, &v) == nil && !bytes.Equal(raw, []byte("null")) {
		l.V, l.Has = v, true
	}
	return nil
}

// digits is a number that may come as text; 0 when it is none.
type digits int64

// UnmarshalJSON never fails.
func (d *digits) UnmarshalJSON(raw []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	if err != nil || n < 0 || n > 1<<40 {
		n = 0
	}
	*d = digits(n)
	return nil
}

func (d digits) time() time.Time {
	if d == 0 {
		return time.Time{}
	}
	return time.Unix(int64(d), 0).UTC()
}

type delivery struct {
	Object string                 `json:"object"`
	Entry  loose[[]loose[folder]] `json:"entry"`
}

type folder struct {
	Changes loose[[]loose[change]] `json:"changes"`
}

type change struct {
	Field string       `json:"field"`
	Value loose[value] `json:"value"`
}

type value struct {
	Metadata loose[struct {
		Display string `json:"display_phone_number"`
		Number  string `json:"phone_number_id"`
	}] `json:"metadata"`
	Contacts loose[[]loose[contact]] `json:"contacts"`
	Messages loose[[]loose[message]] `json:"messages"`
	Statuses loose[[]loose[status]]  `json:"statuses"`
	Errors   loose[[]loose[trouble]] `json:"errors"`
}

type contact struct {
	WA      string `json:"wa_id"`
	User    string `json:"user_id"`
	Profile loose[struct {
		Name     string `json:"name"`
		Username string `json:"username"`
	}] `json:"profile"`
}

type message struct {
	ID          string                 `json:"id"`
	From        string                 `json:"from"`
	FromUser    string                 `json:"from_user_id"`
	Group       string                 `json:"group_id"`
	At          digits                 `json:"timestamp"`
	Type        string                 `json:"type"`
	Context     loose[reference]       `json:"context"`
	Referral    loose[referral]        `json:"referral"`
	Text        loose[textBody]        `json:"text"`
	Image       loose[medium]          `json:"image"`
	Audio       loose[medium]          `json:"audio"`
	Video       loose[medium]          `json:"video"`
	Document    loose[medium]          `json:"document"`
	Sticker     loose[medium]          `json:"sticker"`
	Location    loose[location]        `json:"location"`
	Contacts    loose[[]loose[person]] `json:"contacts"`
	Interactive loose[choice]          `json:"interactive"`
	Button      loose[pressed]         `json:"button"`
	Reaction    loose[reaction]        `json:"reaction"`
	Order       loose[order]           `json:"order"`
	System      loose[struct {
		Body string `json:"body"`
	}] `json:"system"`
	Edit loose[struct {
		Original string          `json:"original_message_id"`
		Message  json.RawMessage `json:"message"`
	}] `json:"edit"`
	Revoke loose[struct {
		Original string `json:"original_message_id"`
	}] `json:"revoke"`
	Errors loose[[]loose[trouble]] `json:"errors"`
}

type reference struct {
	ID        string `json:"id"`
	From      string `json:"from"`
	Forwarded bool   `json:"forwarded"`
	Often     bool   `json:"frequently_forwarded"`
}

type referral struct {
	Source   string `json:"source_url"`
	Headline string `json:"headline"`
}

type textBody struct {
	Body string `json:"body"`
}

// A medium is a file in a message.
type medium struct {
	ID       string `json:"id"`
	Mime     string `json:"mime_type"`
	Caption  string `json:"caption"`
	Name     string `json:"filename"`
	Voice    bool   `json:"voice"`
	Animated bool   `json:"animated"`
}

type location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	Name      string  `json:"name"`
	Address   string  `json:"address"`
}

type person struct {
	Name loose[struct {
		Formatted string `json:"formatted_name"`
	}] `json:"name"`
	Phones loose[[]loose[struct {
		Phone string `json:"phone"`
	}]] `json:"phones"`
	Emails loose[[]loose[struct {
		Email string `json:"email"`
	}]] `json:"emails"`
}

type choice struct {
	Type   string          `json:"type"`
	Button loose[selected] `json:"button_reply"`
	List   loose[selected] `json:"list_reply"`
	Form   loose[struct {
		Name string `json:"name"`
		Body string `json:"body"`
	}] `json:"nfm_reply"`
}

type selected struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

type pressed struct {
	Payload string `json:"payload"`
	Text    string `json:"text"`
}

type reaction struct {
	Message string `json:"message_id"`
	Emoji   string `json:"emoji"`
}

type order struct {
	Text  string `json:"text"`
	Items loose[[]loose[struct {
		ID       string `json:"product_retailer_id"`
		Quantity digits `json:"quantity"`
		Price    amount `json:"item_price"`
		Currency string `json:"currency"`
	}]] `json:"product_items"`
}

// An amount is a number as it was written; empty when it is none.
type amount string

// UnmarshalJSON never fails.
func (a *amount) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(raw), `"`)
	if f, err := strconv.ParseFloat(text, 64); err == nil && f >= 0 && len(text) <= 20 {
		*a = amount(text)
	}
	return nil
}

// A status is what became of a message of ours
// (developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status).
type status struct {
	ID          string                  `json:"id"`
	Status      string                  `json:"status"`
	At          digits                  `json:"timestamp"`
	Recipient   string                  `json:"recipient_id"`
	User        string                  `json:"recipient_user_id"`
	Participant string                  `json:"recipient_participant_id"`
	Key         string                  `json:"biz_opaque_callback_data"`
	Errors      loose[[]loose[trouble]] `json:"errors"`
}

// failure is why a message was not delivered.
func (s *status) failure() *failure {
	for _, e := range s.Errors.V {
		if e.Has {
			return &failure{Failure: httpcall.Failure{Written: true, Text: e.V.text()}, Spoken: true, Code: int(e.V.Code), Transient: e.V.Transient}
		}
	}
	return &failure{Failure: httpcall.Failure{Written: true, Text: "WhatsApp could not deliver it and does not say why"}, Spoken: true, Code: codeParameter}
}

// pressMark is before what a button of ours carries, so that it is known from those of others.
const pressMark = "chela:"

// A reader makes messages of what came in one change.
type reader struct {
	me       string // our number, digits only
	contacts []loose[contact]
	open     func(f medium) channel.Media
}

func readerOf(v *value, open func(medium) channel.Media) reader {
	return reader{me: onlyDigits(v.Metadata.V.Display), contacts: v.Contacts.V, open: open}
}

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// sender is who wrote a message. A number is who they are; who hides it has an id that the
// business knows them by
// (developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids).
func (r reader) sender(m *message) channel.Sender {
	s := channel.Sender{ID: m.From}
	if s.ID == "" {
		s.ID = m.FromUser
	}
	for _, c := range r.contacts {
		if c.V.WA != "" && c.V.WA == m.From || c.V.User != "" && c.V.User == m.FromUser {
			s.Name = c.V.Profile.V.Name
			if s.Name == "" {
				s.Name = c.V.Profile.V.Username
			}
			break
		}
	}
	if s.Name == "" {
		s.Name = s.ID
	}
	return s
}

// message returns what a message says. It returns false for what is nothing that a person
// tells us.
func (r reader) message(m *message) (channel.Message, bool) {
	out := channel.Message{ID: m.ID, What: channel.Said, Sender: r.sender(m), At: m.At.time(), ReplyTo: m.Context.V.ID}
	if out.ID == "" || out.Sender.ID == "" || out.Sender.ID == r.me {
		return out, false
	}
	out.Chat, out.Group = out.Sender.ID, m.Group != ""
	if out.Group {
		out.Chat = m.Group
	}
	said := m
	switch m.Type {
	case "request_welcome": // the chat was opened and nothing said
		return out, false
	case "reaction":
		out.What, out.ReplyTo, out.Text = channel.Reacted, m.Reaction.V.Message, m.Reaction.V.Emoji
		out.Called = !out.Group
		return out, out.ReplyTo != ""
	case "revoke":
		out.What, out.ID = channel.Deleted, m.Revoke.V.Original
		out.Called = !out.Group
		return out, out.ID != ""
	case "edit":
		out.What, out.ID = channel.Edited, m.Edit.V.Original
		said = new(message)
		if out.ID == "" || json.Unmarshal(m.Edit.V.Message, said) != nil {
			return out, false
		}
	case "interactive", "button":
		if press, ok := strings.CutPrefix(m.press(), pressMark); ok {
			out.What, out.Press, out.Called = channel.Pressed, press, true
			return out, true
		}
	}
	text, named := r.called(said.words())
	out.Called = !out.Group || named || r.me != "" && onlyDigits(m.Context.V.From) == r.me
	out.Text = said.text(text)
	for _, f := range said.files() {
		out.Media = append(out.Media, r.open(f))
	}
	return out, out.Text != "" || len(out.Media) > 0
}

// press is what a button or row that was chosen carries.
func (m *message) press() string {
	for _, id := range []string{m.Interactive.V.Button.V.ID, m.Interactive.V.List.V.ID, m.Button.V.Payload} {
		if id != "" {
			return id
		}
	}
	return ""
}

// called returns a text without our number after an @, which is how people in a group call
// somebody, and whether it was in it.
func (r reader) called(text string) (string, bool) {
	if r.me == "" {
		return text, false
	}
	named := false
	for from := 0; ; {
		i := strings.Index(text[from:], "@"+r.me)
		if i < 0 {
			return text, named
		}
		i += from
		end := i + 1 + len(r.me)
		if end < len(text) && text[end] >= '0' && text[end] <= '9' {
			from = end
			continue
		}
		named = true
		if end < len(text) && text[end] == ' ' {
			end++
		}
		text, from = text[:i]+text[end:], i
	}
}
