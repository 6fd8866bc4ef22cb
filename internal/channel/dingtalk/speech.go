package dingtalk

import (
	"cmp"
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxQuote is how much of an answered message is repeated before the answer.
const maxQuote = 1000

// The kinds of messages (open.dingtalk.com/document/development/robot-message-type).
const (
	kindText    = "text"
	kindRich    = "richText"
	kindPicture = "picture"
	kindAudio   = "audio"
	kindVideo   = "video"
	kindFile    = "file"
)

// speech puts a message into words. What is not text is a line in brackets, so that a name
// somebody chose is never the beginning of a text.
func (a *Adapter) speech(in said, q quoted) string {
	own := a.own(in)
	if own == "" || strings.HasPrefix(own, "/") || q.Sender != "" && q.Sender == in.Robot { // ours the conversation has
		return own
	}
	return join("\n\n", quote(q), own)
}

func (a *Adapter) own(in said) string {
	c := in.Content.is
	switch in.Kind {
	case kindText:
		return a.unnamed(string(in.Text.is.Content), in.mentions())
	case kindRich:
		return a.unnamed(rich(c.Rich.is), in.mentions())
	case kindPicture:
		return "[Picture]"
	case kindAudio:
		line := fmt.Sprintf("[Voice message, %s]", seconds(c.Duration))
		if heard := in.heard(); heard != "" {
			return line[:len(line)-1] + ", as DingTalk heard it:]\n" + heard
		}
		return line
	case kindVideo:
		return fmt.Sprintf("[Video, %s]", seconds(c.Duration))
	case kindFile:
		return fmt.Sprintf("[File: %s]", cmp.Or(oneLine(string(c.FileName)), "without a name"))
	}
	return fmt.Sprintf("[A message of the kind %s, which does not come through this channel]", cmp.Or(oneLine(string(in.Kind)), "without a name"))
}

func rich(runs []run) string {
	var b strings.Builder
	for _, r := range runs {
		if r.Type == kindPicture || r.DownloadCode != "" {
			b.WriteString("\n[Picture]\n")
		}
		b.WriteString(string(r.Text))
	}
	return strings.TrimSpace(b.String())
}

// quote is what a message answers.
func quote(q quoted) string {
	c := q.Content.is
	t := strings.TrimSpace(cmp.Or(string(c.Text), rich(c.Rich.is)))
	if t == "" {
		return ""
	}
	if runes := []rune(t); len(runes) > maxQuote {
		t = string(runes[:maxQuote]) + "…"
	}
	return "> " + strings.ReplaceAll(t, "\n", "\n> ")
}

// join puts a separator between what is not empty.
func join(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

// unnamed takes our name out of a text that mentions us. DingTalk does so itself in a text,
// and leaves it in a rich text.
func (a *Adapter) unnamed(t string, mentioned bool) string {
	if a.called == "" || !mentioned {
		return strings.TrimSpace(t)
	}
	name := "@" + a.called
	var b strings.Builder
	for {
		i := strings.Index(t, name)
		if i < 0 {
			break
		}
		rest := t[i+len(name):]
		b.WriteString(t[:i])
		if next, _ := utf8.DecodeRuneInString(rest); rest != "" && !unicode.IsSpace(next) && !unicode.IsPunct(next) {
			b.WriteString(name) // of somebody whose name begins with ours
		} else {
			if strings.TrimSpace(b.String()) == "" {
				rest = strings.TrimLeft(rest, ",:，：")
			}
			rest = strings.TrimPrefix(strings.TrimPrefix(rest, " "), "\u2005")
		}
		t = rest
	}
	b.WriteString(t)
	return strings.TrimSpace(b.String())
}

func seconds(ms stamp) string {
	const day = 24 * 3600 * 1000
	return time.Duration(min(max(ms, 0), day) * stamp(time.Millisecond)).Round(time.Second).String()
}

// heard is what DingTalk heard in a voice message.
func (in said) heard() string {
	if in.Kind != kindAudio {
		return ""
	}
	return strings.TrimSpace(string(in.Content.is.Recognition))
}

// An attached is a file in a message.
type attached struct {
	code string // by which DingTalk gives it
	name string
	kind string // media type
}

// files returns what a message has attached.
func (in said) files() []attached {
	c := in.Content.is
	var out []attached
	add := func(code word, name, kind string) {
		if code != "" {
			out = append(out, attached{string(code), name, kind})
		}
	}
	switch in.Kind {
	case kindPicture:
		add(c.DownloadCode, "picture.jpg", "image/jpeg")
	case kindRich:
		for _, r := range c.Rich.is {
			add(r.DownloadCode, fmt.Sprintf("picture-%d.jpg", len(out)+1), "image/jpeg")
		}
	case kindAudio:
		add(c.DownloadCode, "voice.amr", "audio/amr")
	case kindVideo:
		add(c.DownloadCode, "video.mp4", "video/mp4")
	case kindFile:
		name := path.Base(path.Clean("/" + strings.ReplaceAll(string(c.FileName), `\`, "/")))
		if name == "/" {
			name = "file"
		}
		kind, _, _ := strings.Cut(mime.TypeByExtension(path.Ext(name)), ";")
		add(c.DownloadCode, name, kind)
	}
	return out
}
