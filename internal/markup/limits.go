package markup

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Unit is what a platform counts.
type Unit int

// The units. Where a platform says "characters" and no more, UTF16 is the safe reading: it
// is never less than the number of code points.
const (
	UTF16 Unit = iota
	Runes
	Bytes
)

// Limits is how much one message holds.
type Limits struct {
	Max  int
	Unit Unit
}

// Minimum is the smallest limit that is kept: room for the deepest indentation, the longest
// list number and all marks around one character. A smaller Max counts as this one.
const Minimum = 128

// TelegramText is the text of sendMessage: "1-4096 characters after entities parsing"
// (core.telegram.org/bots/api#sendmessage); offsets and lengths there are UTF-16 units.
func TelegramText() Limits { return Limits{4096, UTF16} }

// TelegramCaption is a caption: "0-1024 characters after entities parsing"
// (core.telegram.org/bots/api#sendphoto).
func TelegramCaption() Limits { return Limits{1024, UTF16} }

// SlackText is what chat.postMessage recommends for text, so that a message is not cut by
// Slack (docs.slack.dev/reference/methods/chat.postMessage, "Truncating content").
func SlackText() Limits { return Limits{4000, UTF16} }

// SlackLongest is the text from which on Slack truncates a message (ibid.).
func SlackLongest() Limits { return Limits{40000, UTF16} }

// SlackSection is the text of a section block (docs.slack.dev/reference/block-kit/blocks/section-block).
func SlackSection() Limits { return Limits{3000, UTF16} }

// DiscordText is the content of a message: "up to 2000 characters"
// (discord.com/developers/docs/resources/message#create-message).
func DiscordText() Limits { return Limits{2000, UTF16} }

// WhatsAppText is the body of a text message of the Cloud API: 4096 characters
// (developers.facebook.com/docs/whatsapp/cloud-api/messages/text-messages).
func WhatsAppText() Limits { return Limits{4096, UTF16} }

// DingTalkText leaves room in msgParam, a JSON string that "must not exceed 15,000 bytes"
// (help.dingtalk.io/open/development/the-robot-sends-a-group-message), for the title and
// for the escapes of JSON in JSON.
func DingTalkText() Limits { return Limits{10000, Bytes} }

// count returns the size of s, which is valid UTF-8.
func (u Unit) count(s string) int {
	switch u {
	case Bytes:
		return len(s)
	case Runes:
		return utf8.RuneCountInString(s)
	case UTF16:
	}
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
