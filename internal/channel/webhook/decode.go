package webhook

import (
	"bytes"
	"context"
	"io"
	"slices"

	"chela/internal/channel"
	"chela/internal/event"
	"chela/internal/fault"
)

// decode reads a message or a receipt, strictly: a field that we do not know is a mistake of
// the sender's.
func decode(raw []byte) (channel.Message, *channel.Receipt, error) {
	var s said
	if err := event.DecodeStrict(raw, &s); err != nil {
		return channel.Message{}, nil, fault.Wrap(err, fault.Invalid, "The body is no message: %s", fault.TextOf(err))
	}
	if s.Fate != "" {
		r, err := s.receipt()
		return channel.Message{}, r, err
	}
	m, err := s.message()
	return m, nil, err
}

func (s said) receipt() (*channel.Receipt, error) {
	if !slices.Contains([]channel.Fate{channel.Arrived, channel.Seen, channel.Lost}, s.Fate) {
		return nil, fault.BadField("fate", "It is arrived, seen or lost.", string(channel.Arrived), string(channel.Seen), string(channel.Lost))
	}
	if s.Chat == "" || s.ReplyTo == "" {
		return nil, fault.BadField("reply_to", "What became of a message is said with its chat, and its id as reply_to.")
	}
	return &channel.Receipt{Chat: s.Chat, ID: s.ReplyTo, Fate: s.Fate, Why: s.Why, At: s.At}, nil
}

func (s said) message() (channel.Message, error) {
	if s.ID == "" || s.Chat == "" || s.Sender.ID == "" {
		return channel.Message{}, fault.BadField("id", "A message has an id, a chat and a sender with an id.")
	}
	m := channel.Message{
		Address: channel.Address{Chat: s.Chat, Branch: s.Branch}, ID: s.ID, What: s.What, Sender: channel.Sender{ID: s.Sender.ID, Name: s.Sender.Name},
		Group: s.Group, Called: s.Called, Text: s.Text, ReplyTo: s.ReplyTo, Press: s.Press, At: s.At,
	}
	switch {
	case s.Press != "":
		m.What = channel.Pressed
	case s.What == "":
		m.What = channel.Said
	case !slices.Contains([]channel.What{channel.Said, channel.Edited, channel.Deleted, channel.Reacted}, s.What):
		return channel.Message{}, fault.BadField("what", "It is said, edited, deleted or reacted.", string(channel.Said), string(channel.Edited), string(channel.Deleted), string(channel.Reacted))
	}
	for _, f := range s.Files {
		m.Media = append(m.Media, channel.Media{Name: f.Name, Type: f.Type, Size: int64(len(f.Data)), Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(f.Data)), nil
		}})
	}
	return m, nil
}
