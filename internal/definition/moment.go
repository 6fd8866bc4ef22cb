package definition

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"

	"chela/internal/pattern"
)

// aDay is how texts begin that are meant as a day, and not as a sum of numbers.
var aDay = pattern.New(`^\d{4}-\d{1,2}-\d{1,2}(?:$|[T ])`)

// moments are how a time is written. A day is its beginning, and a time without a zone is one, in UTC.
var moments = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} //nolint:gochecknoglobals // a table

// ReadTime reads the time until which a step waits, a date or a time; the error is a sentence's middle.
func ReadTime(v any) (time.Time, error) {
	text := Text(v)
	for _, layout := range moments {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time to wait until; it takes 2026-03-01 or 2026-03-01T09:00:00Z", text)
}

// until compiles the time until which a step waits: a day or a time as it is written, or an expression that gives one. What gives the same
// always is read at once.
func (s *stepCheck) until(source string) *Expr {
	const field = "wait.until"
	if text := strings.TrimSpace(source); aDay.MatchString(text) {
		source = strconv.Quote(text)
	}
	e := s.expr(field, source, s.scope)
	if e == nil {
		return nil
	}
	if k := e.gives.Kind(); k != types.StringKind && k != types.TimestampKind && k != types.DynKind {
		s.bad(s.path+"."+field, "The step %s waits until %s, which gives %s and no time; write 2026-03-01 or 2026-03-01T09:00:00Z.", s.node.ID, e.source, typeName(e.gives))
		return e
	}
	if len(e.names) > 0 {
		return e
	}
	v, err := e.constant()
	if err == nil {
		_, err = ReadTime(v)
	}
	if err != nil {
		s.bad(s.path+"."+field, "The time of the step %s does not fit: %s.", s.node.ID, strings.TrimSuffix(err.Error(), "."))
	}
	return e
}
