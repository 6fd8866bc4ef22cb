package agent

import (
	"strings"
	"unicode/utf8"

	"chela/internal/model"
	"chela/internal/redact"
	"chela/internal/stream"
)

// A shower shows the words of one answer as they come and are recorded: without stored values and NUL characters.
type shower struct {
	l    *loop
	text *redact.Stream
	said int // characters that were shown
}

func (s *shower) take(d model.Delta) {
	if d.Anew {
		s.text, s.said = s.l.g.opts.Hidden.Stream(), 0
	}
	s.publish(s.text.Next(strings.ReplaceAll(d.Text, "\x00", "")))
}

func (s *shower) publish(text string) {
	if text == "" {
		return
	}
	s.l.g.hub.Publish(stream.Tick{Thread: s.l.s.Run.Thread, Run: string(s.l.s.Run.ID), Task: s.l.t.id, Agent: string(s.l.agentID()), Kind: "delta", Text: text, At: s.said})
	s.said += utf8.RuneCountInString(text)
}
