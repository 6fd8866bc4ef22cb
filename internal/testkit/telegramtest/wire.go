package telegramtest

import "encoding/json"

// The types of the documentation (core.telegram.org/bots/api), with the fields that the
// server here knows.

// A User is a person or a bot.
type User struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name,omitempty"`
	Username  string `json:"username,omitempty"`
}

// A Chat is where messages are.
type Chat struct {
	ID       int64  `json:"id"`
	Type     string `json:"type"` // private, group, supergroup or channel
	Title    string `json:"title,omitempty"`
	Username string `json:"username,omitempty"`
	IsForum  bool   `json:"is_forum,omitempty"`
}

// An Entity is a special part of a text. Offset and Length count UTF-16 units.
type Entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	User   *User  `json:"user,omitempty"`
}

// A Message is one in a chat.
type Message struct {
	ID             int64       `json:"message_id"`
	Topic          int64       `json:"message_thread_id,omitempty"`
	InTopic        bool        `json:"is_topic_message,omitempty"`
	From           *User       `json:"from,omitempty"`
	SenderChat     *Chat       `json:"sender_chat,omitempty"`
	Date           int64       `json:"date"`
	EditDate       int64       `json:"edit_date,omitempty"`
	Chat           Chat        `json:"chat"`
	ForwardOrigin  *Origin     `json:"forward_origin,omitempty"`
	Automatic      bool        `json:"is_automatic_forward,omitempty"`
	ViaBot         *User       `json:"via_bot,omitempty"`
	ReplyTo        *Message    `json:"reply_to_message,omitempty"`
	Quote          *Quote      `json:"quote,omitempty"`
	Text           string      `json:"text,omitempty"`
	Entities       []Entity    `json:"entities,omitempty"`
	Caption        string      `json:"caption,omitempty"`
	CaptionMarks   []Entity    `json:"caption_entities,omitempty"`
	Photo          []PhotoSize `json:"photo,omitempty"`
	Voice          *File       `json:"voice,omitempty"`
	Audio          *File       `json:"audio,omitempty"`
	Video          *File       `json:"video,omitempty"`
	VideoNote      *File       `json:"video_note,omitempty"`
	Animation      *File       `json:"animation,omitempty"`
	Document       *File       `json:"document,omitempty"`
	Sticker        *File       `json:"sticker,omitempty"`
	Location       *Location   `json:"location,omitempty"`
	Venue          *Venue      `json:"venue,omitempty"`
	Contact        *Contact    `json:"contact,omitempty"`
	NewChatTitle   string      `json:"new_chat_title,omitempty"`
	NewChatMembers []User      `json:"new_chat_members,omitempty"`
	ReplyMarkup    *Keyboard   `json:"reply_markup,omitempty"`
}

// An Origin is who wrote a forwarded message first.
type Origin struct {
	Type           string `json:"type"` // user, hidden_user, chat or channel
	Date           int64  `json:"date"`
	SenderUser     *User  `json:"sender_user,omitempty"`
	SenderUserName string `json:"sender_user_name,omitempty"`
	SenderChat     *Chat  `json:"sender_chat,omitempty"`
	Chat           *Chat  `json:"chat,omitempty"`
}

// A Quote is the part of an answered message that the answer is about.
type Quote struct {
	Text     string `json:"text"`
	Position int    `json:"position"`
	IsManual bool   `json:"is_manual,omitempty"`
}

// A PhotoSize is a photo in one of its sizes.
type PhotoSize struct {
	FileID       string `json:"file_id"`
	FileUniqueID string `json:"file_unique_id"`
	Width        int    `json:"width"`
	Height       int    `json:"height"`
	FileSize     int64  `json:"file_size,omitempty"`
}

// A File is a voice message, audio, video, document, sticker or the like.
type File struct {
	FileID       string `json:"file_id"`
	FileUniqueID string `json:"file_unique_id"`
	FileName     string `json:"file_name,omitempty"`
	MimeType     string `json:"mime_type,omitempty"`
	FileSize     int64  `json:"file_size,omitempty"`
	FilePath     string `json:"file_path,omitempty"`
	Duration     int    `json:"duration,omitempty"`
	Performer    string `json:"performer,omitempty"`
	Title        string `json:"title,omitempty"`
	Emoji        string `json:"emoji,omitempty"`
	SetName      string `json:"set_name,omitempty"`
	IsAnimated   bool   `json:"is_animated,omitempty"`
	IsVideo      bool   `json:"is_video,omitempty"`
}

// A Location is a point on the earth.
type Location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// A Venue is a place with a name.
type Venue struct {
	Location Location `json:"location"`
	Title    string   `json:"title"`
	Address  string   `json:"address"`
}

// A Contact is a person's card.
type Contact struct {
	PhoneNumber string `json:"phone_number"`
	FirstName   string `json:"first_name"`
	LastName    string `json:"last_name,omitempty"`
	UserID      int64  `json:"user_id,omitempty"`
}

// A Keyboard is the buttons under a message.
type Keyboard struct {
	Rows [][]Button `json:"inline_keyboard"`
}

// A Button comes back as a callback query with its data when it is pressed.
type Button struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"`
}

type callbackQuery struct {
	ID           string   `json:"id"`
	From         User     `json:"from"`
	Message      *Message `json:"message,omitempty"`
	ChatInstance string   `json:"chat_instance"`
	Data         string   `json:"data,omitempty"`
}

type update struct {
	ID       int64          `json:"update_id"`
	Message  *Message       `json:"message,omitempty"`
	Edited   *Message       `json:"edited_message,omitempty"`
	Post     *Message       `json:"channel_post,omitempty"`
	Press    *callbackQuery `json:"callback_query,omitempty"`
	Reaction *reacted       `json:"message_reaction,omitempty"`
}

// A reacted is a MessageReactionUpdated.
type reacted struct {
	Chat  Chat   `json:"chat"`
	ID    int64  `json:"message_id"`
	User  *User  `json:"user,omitempty"`
	Actor *Chat  `json:"actor_chat,omitempty"` // in whose name somebody reacts
	Date  int64  `json:"date"`
	Old   []Sign `json:"old_reaction"`
	New   []Sign `json:"new_reaction"`
}

// A Sign is one sign of a reaction.
type Sign struct {
	Type   string `json:"type"` // emoji, custom_emoji or paid
	Emoji  string `json:"emoji,omitempty"`
	Custom string `json:"custom_emoji_id,omitempty"`
}

// Emoji returns the sign that is an emoji.
func Emoji(emoji string) Sign { return Sign{Type: "emoji", Emoji: emoji} }

// kind is what allowed_updates calls it.
func (u *update) kind() string {
	switch {
	case u.Reaction != nil:
		return reactionUpdate
	case u.Edited != nil:
		return "edited_message"
	case u.Post != nil:
		return "channel_post"
	case u.Press != nil:
		return "callback_query"
	}
	return "message"
}

type parameters struct {
	RetryAfter int64 `json:"retry_after,omitempty"`
	MovedTo    int64 `json:"migrate_to_chat_id,omitempty"`
}

// An answer is that of every method. The status of HTTP is Code.
type answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result,omitempty"`
	Code        int             `json:"error_code,omitempty"`
	Description string          `json:"description,omitempty"`
	Parameters  *parameters     `json:"parameters,omitempty"`
}

func result(v any) answer {
	raw, err := json.Marshal(v)
	if err != nil {
		return answer{Code: 500, Description: "Internal Server Error: " + err.Error()}
	}
	return answer{OK: true, Result: raw}
}

func refusal(code int, text string) answer {
	return answer{Code: code, Description: text}
}
