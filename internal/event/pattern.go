package event

import (
	"slices"
	"strings"

	"chela/internal/fault"
)

// CheckPattern refuses a pattern of types of events, which field names, that fits none of the kinds that there are. It is a kind, or the
// beginning of one and a *.
func CheckPattern(field, pattern string, kinds []string) error {
	stem, open := strings.CutSuffix(pattern, "*")
	if slices.ContainsFunc(kinds, func(k string) bool { return k == pattern || open && strings.HasPrefix(k, stem) }) {
		return nil
	}
	says := "No kind of event fits " + pattern + ". "
	if near := nearKinds(stem, kinds); len(near) > 0 {
		return fault.BadField(field, says+"Did you mean "+strings.Join(near, " or ")+"?")
	}
	return fault.BadField(field, says+"Name one such as run.finished, or the beginning of some and a *, such as desk.ticket.*; docs/protocol.md lists all.")
}

// mostNear is how many kinds are named of those that may have been meant.
const mostNear = 3

// nearKinds are the kinds that somebody may have meant: those that are spelt nearly so, else those that end so.
func nearKinds(word string, kinds []string) []string {
	near := fault.Near(word, kinds)
	if len(near) == 0 && word != "" {
		for _, k := range kinds {
			if strings.HasSuffix(k, "."+strings.TrimSuffix(word, ".")) || strings.Contains(k, "."+strings.TrimSuffix(word, ".")+".") {
				near = append(near, k)
			}
		}
	}
	return near[:min(len(near), mostNear)]
}
