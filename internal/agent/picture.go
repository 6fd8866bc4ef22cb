package agent

import (
	"slices"
	"strings"

	"chela/internal/artifact"
	"chela/internal/model"
)

// Of the pictures that tools returned a model is shown the newest: with more than
// mostPictures, keptPictures, so that what a provider has cached of a history seldom changes.
const (
	mostPictures = 8
	keptPictures = 2
)

// pictured adds pictures to a result. One that is gone is left out; the text names it.
func (l *loop) pictured(r result, refs []string) result {
	for _, ref := range refs {
		raw, err := l.g.arts.Get(artifact.Ref(ref))
		if err != nil {
			l.g.opts.Log.Warn("a picture of a result cannot be read", "run", l.s.Run.ID, "artifact", ref, "error", err)
			continue
		}
		r.Images = append(r.Images, model.Image{MIMEType: imageType(raw), Data: raw})
	}
	return r
}

// fewerPictures returns a history with only the newest pictures of results, when it has more
// than most.
func fewerPictures(history []model.Message, most int) []model.Message {
	n := 0
	for _, m := range history {
		for _, p := range m.Parts {
			if p.Result != nil {
				n += len(p.Result.Images)
			}
		}
	}
	if n <= most {
		return history
	}
	out := slices.Clone(history)
	for i, left := len(out)-1, min(keptPictures, most); i >= 0; i-- {
		out[i].Parts = slices.Clone(out[i].Parts)
		for j, p := range slices.Backward(out[i].Parts) {
			if p.Result == nil || len(p.Result.Images) == 0 {
				continue
			}
			r := *p.Result
			r.Images = r.Images[len(r.Images)-min(left, len(r.Images)):]
			left -= len(r.Images)
			out[i].Parts[j].Result = &r
		}
	}
	return out
}

func imageType(raw []byte) string {
	switch {
	case strings.HasPrefix(string(raw), "\x89PNG"):
		return "image/png"
	case strings.HasPrefix(string(raw), "GIF8"):
		return "image/gif"
	case len(raw) > 12 && string(raw[8:12]) == "WEBP":
		return "image/webp"
	}
	return "image/jpeg"
}
