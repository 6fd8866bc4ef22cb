package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/channel"
)

// maxQuote is how much of a forwarded message is repeated.
const maxQuote = 4000

// attached is what hangs under a message: a message that was shared, or what another program
// made (docs.slack.dev/reference/messaging/attachments).
type attached struct {
	Share    bool   `json:"is_share"`
	Unfurl   bool   `json:"is_msg_unfurl"`
	Author   string `json:"author_name"`
	Title    string `json:"title"`
	Link     string `json:"title_link"`
	Text     string `json:"text"`
	Fallback string `json:"fallback"`
	Page     string `json:"original_url"` // of a link whose page Slack shows
}

// A block is a part of a laid out message, or an element of one
// (docs.slack.dev/reference/block-kit/blocks).
type block struct {
	Type     string          `json:"type"`
	Text     json.RawMessage `json:"text"` // a text, or an object with one
	Elements json.RawMessage `json:"elements"`
	Fields   json.RawMessage `json:"fields"`
	Title    json.RawMessage `json:"title"`
	Alt      string          `json:"alt_text"`
	URL      string          `json:"url"`
	User     string          `json:"user_id"`
	Channel  string          `json:"channel_id"`
	Name     string          `json:"name"`  // of an emoji
	Range    string          `json:"range"` // of a broadcast
}

// speech puts into words all that a message has. What the sender did not write themself stands
// in brackets or is quoted, so that it is never taken for a command of theirs.
func (r reader) speech(ctx context.Context, e *event) hearing {
	said := r.heard(ctx, e.Text)
	if e.Subtype == "me_message" && said.text != "" {
		said.text = "* " + said.text
	}
	var lines []string
	if said.text == "" && !said.called {
		said = r.heard(ctx, words(e.Blocks, true))
	}
	if t := words(e.Blocks, false); t != "" {
		lines = append(lines, "[Laid out: "+r.plainLine(ctx, t)+"]")
	}
	for _, f := range e.Files {
		lines = append(lines, f.line())
	}
	for _, t := range e.Attached {
		if l := r.hanging(ctx, t); l != "" {
			lines = append(lines, l)
		}
	}
	said.text = join("\n", said.text, strings.Join(lines, "\n"))
	return said
}

// hanging says what hangs under a message. What Slack shows of a link's page is nobody's word.
func (r reader) hanging(ctx context.Context, t attached) string {
	if t.Page != "" && !t.Share && !t.Unfurl {
		return ""
	}
	text := cmp.Or(t.Text, t.Fallback)
	if t.Share || t.Unfurl {
		text = strings.TrimSpace(r.heard(ctx, text).whole)
		if runes := []rune(text); len(runes) > maxQuote {
			text = string(runes[:maxQuote]) + "…"
		}
		return strings.TrimSpace("[Forwarded from " + cmp.Or(oneLine(t.Author), "somebody") + ":]\n> " + strings.ReplaceAll(text, "\n", "\n> "))
	}
	return "[Attached: " + join(", ", oneLine(t.Title), oneLine(t.Link), r.plainLine(ctx, text)) + "]"
}

// words are what blocks say: those of rich text, which is what people write, or of all others.
func words(blocks list[block], rich bool) string {
	var out []string
	for _, b := range blocks {
		if (b.Type == "rich_text") == rich {
			out = append(out, b.words(0))
		}
	}
	return strings.TrimSpace(join("\n", out...))
}

func (b block) words(depth int) string {
	var text struct {
		Text string `json:"text"`
	}
	var own string
	if json.Unmarshal(b.Text, &own) != nil && json.Unmarshal(b.Text, &text) == nil {
		own = text.Text
	}
	switch b.Type {
	case "user":
		return "<@" + b.User + ">"
	case "channel":
		return "<#" + b.Channel + ">"
	case "broadcast":
		return "<!" + b.Range + ">"
	case "emoji":
		return ":" + b.Name + ":"
	case "link":
		return "<" + b.URL + "|" + cmp.Or(own, b.URL) + ">"
	case "text": // of rich text, where nothing is escaped
		return escaper.Replace(own)
	case "image":
		var title struct {
			Text string `json:"text"`
		}
		_ = json.Unmarshal(b.Title, &title) // it may have none
		return join(" ", "Picture:", cmp.Or(title.Text, b.Alt))
	}
	separator := "\n"
	if strings.HasPrefix(b.Type, "rich_text_") && b.Type != "rich_text_list" {
		separator = ""
	}
	const deepest = 8
	out := []string{own}
	for _, raw := range []json.RawMessage{b.Fields, b.Elements} {
		var inner list[block]
		if depth == deepest || raw == nil || json.Unmarshal(raw, &inner) != nil {
			continue
		}
		for _, e := range inner {
			out = append(out, e.words(depth+1))
		}
	}
	return join(separator, out...)
}

// join puts a separator between what is not empty.
func join(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

func (r reader) plainLine(ctx context.Context, text string) string {
	return oneLine(r.heard(ctx, text).whole)
}

// line says that there was a file.
func (f file) line() string {
	switch {
	case f.Mode == "tombstone":
		return "[A file that was deleted]"
	case f.Mode == "hidden_by_limit":
		return "[A file that Slack hides: the workspace has more than its plan shows]"
	case f.External || f.Mode == "external":
		return "[File elsewhere: " + join(", ", f.called(), oneLine(f.URL)) + "]"
	}
	kind := "File"
	switch {
	case f.Subtype == "slack_audio":
		kind = "Voice message"
	case strings.HasPrefix(f.Mime, "image/"):
		kind = "Picture"
	case strings.HasPrefix(f.Mime, "audio/"):
		kind = "Audio"
	case f.Subtype == "slack_video", strings.HasPrefix(f.Mime, "video/"):
		kind = "Video"
	}
	return fmt.Sprintf("[%s: %s]", kind, f.called())
}

// oneLine is another's word as part of a line of ours.
func oneLine(s string) string { return channel.OneLine(s, 300) }
