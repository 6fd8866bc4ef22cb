package model

import (
	"fmt"
	"slices"
)

// Why a model does not see pictures that people sent.
const (
	seesNone = "You do not see them: the model that you are sees no pictures."
	refused  = "You do not see them: the model that you are did not take this call as long as they were in it."
)

// pictured reports whether messages have pictures.
func pictured(messages []Message) bool {
	return slices.ContainsFunc(messages, func(m Message) bool {
		return slices.ContainsFunc(m.Parts, func(p Part) bool { return p.Image != nil || p.Result != nil && len(p.Result.Images) > 0 })
	})
}

// unseen says of the pictures that people sent that the model does not see them, and why.
func unseen(messages []Message, why string) []Message {
	out := slices.Clone(messages)
	for i, m := range out {
		n := 0
		parts := slices.DeleteFunc(slices.Clone(m.Parts), func(part Part) bool {
			if part.Image == nil {
				return false
			}
			n++
			return true
		})
		if n == 0 {
			continue
		}
		out[i].Parts = append(parts, Part{Text: fmt.Sprintf("[%d pictures came with this message. %s Say so when they matter.]", n, why)})
	}
	return out
}

// withoutPictures leaves out the pictures that tools returned.
func withoutPictures(messages []Message) []Message {
	out := messages
	for i, m := range messages {
		for j, part := range m.Parts {
			if part.Result == nil || len(part.Result.Images) == 0 {
				continue
			}
			if &out[0] == &messages[0] {
				out = slices.Clone(messages)
			}
			if &out[i].Parts[0] == &m.Parts[0] {
				out[i].Parts = slices.Clone(m.Parts)
			}
			plain := *part.Result
			plain.Images = nil
			out[i].Parts[j].Result = &plain
		}
	}
	return out
}
