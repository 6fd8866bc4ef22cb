package model

import (
	"fmt"
	"slices"
)

// unseen says of the pictures that people sent that the model does not see them.
func unseen(messages []Message) []Message {
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
		out[i].Parts = append(parts, Part{Text: fmt.Sprintf("[%d pictures came with this message. You do not see them: the model that you are sees no pictures. Say so when they matter.]", n)})
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
