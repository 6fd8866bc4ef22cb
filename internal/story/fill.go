package story

import (
	"strconv"
	"time"

	"chela/internal/pattern"
)

// blank is a place that is filled in: {{-3}} is the day three days ago, {{PAY-1}} an id.
var blank = pattern.New(`\{\{([^{}]+)\}\}`)

// Dated fills in the days of a document.
func Dated(raw []byte, now time.Time) []byte {
	return []byte(blank.ReplaceAllStringFunc(string(raw), func(found string) string {
		if day, err := strconv.Atoi(found[2 : len(found)-2]); err == nil {
			return now.UTC().AddDate(0, 0, day).Format(time.DateOnly)
		}
		return found
	}))
}

// filled fills in days and the ids of what the story names.
func (t *teller) filled(raw []byte) ([]byte, error) {
	var missing string
	out := blank.ReplaceAllStringFunc(string(Dated(raw, t.now)), func(found string) string {
		name := found[2 : len(found)-2]
		if name == "project" {
			return t.project
		}
		if id, ok := t.ids[name]; ok {
			return id
		}
		missing = name
		return found
	})
	if missing != "" {
		return nil, unknown(missing)
	}
	return []byte(out), nil
}
