package slack

import (
	"context"
	"strings"
)

// The three characters that stand for something else in a text of Slack's
// (docs.slack.dev/messaging/formatting-message-text, "Escaping text").
var (
	escaper   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	unescaper = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")
)

// A hearing is a text without Slack's marks.
type hearing struct {
	text   string // without our name
	whole  string // with it
	called bool   // whether it has our name
}

// heard reads a text: names for the ids of people and channels, addresses written out. Stars
// and the like, which people type themselves, stay.
func (r reader) heard(ctx context.Context, text string) hearing {
	var own, whole strings.Builder
	var h hearing
	write := func(s string) {
		own.WriteString(s)
		whole.WriteString(s)
	}
	for text != "" {
		before, rest, found := strings.Cut(text, "<")
		write(unescaper.Replace(before))
		if !found {
			break
		}
		mark, after, closed := strings.Cut(rest, ">")
		if !closed {
			write("<" + unescaper.Replace(rest))
			break
		}
		text = after
		if id, _, _ := strings.Cut(mark, "|"); id == "@"+r.me.User {
			h.called = true
			whole.WriteString("@" + r.me.Name)
			if rest := afterName(after, own.String()); rest != after {
				whole.WriteString(after[:len(after)-len(rest)])
				text = rest
			}
			continue
		}
		write(r.spelled(ctx, mark))
	}
	h.text, h.whole = strings.TrimSpace(own.String()), strings.TrimSpace(whole.String())
	return h
}

// afterName returns how a text goes on when our name is taken out of it: after a space, and at
// the beginning also after the comma or colon of an address.
func afterName(after, before string) string {
	if strings.TrimSpace(before) == "" {
		after = strings.TrimLeft(after, ",:")
	}
	return strings.TrimPrefix(after, " ")
}

// spelled returns what stands between < and > as people read it.
func (r reader) spelled(ctx context.Context, mark string) string {
	target, label, labelled := strings.Cut(mark, "|")
	label = unescaper.Replace(label)
	switch {
	case target == "":
		return ""
	case target[0] == '@' && labelled && label != "":
		return "@" + strings.TrimPrefix(label, "@")
	case target[0] == '@':
		if id := target[1:]; idForm.MatchString(id) {
			return "@" + r.name(ctx, id)
		}
		return target
	case target[0] == '#' && label != "":
		return "#" + label
	case target[0] == '#':
		return target
	case target[0] == '!':
		if label != "" {
			return label
		}
		word, _, _ := strings.Cut(target[1:], "^")
		return "@" + word
	}
	target = unescaper.Replace(target)
	_, bare, _ := strings.Cut(target, ":")
	bare = strings.TrimPrefix(bare, "//")
	switch strings.TrimSuffix(label, "/") {
	case "", target, strings.TrimSuffix(target, "/"):
		return target
	case strings.TrimSuffix(bare, "/"): // Slack made a link of what was typed
		return label
	}
	return label + " (" + target + ")"
}
