package store

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"chela/internal/fault"
)

// sortName is what a cursor of a sorted list is made for.
func (l *listing) sortName() string {
	if l.q.Newest {
		return l.q.Sort.String() + ",newest"
	}
	return l.q.Sort.String()
}

func (l *listing) cursor() ([]any, error) {
	switch {
	case l.q.Cursor == "":
		return nil, nil
	case len(l.q.Sort) > 0:
		return after(l.q.Cursor, l.sortName(), l.keys)
	}
	seq, err := strconv.ParseInt(l.q.Cursor, 10, 64)
	if err != nil {
		return nil, fault.BadField("cursor", "The cursor is not one that a page of an unsorted list gave. Ask without it for the first page.")
	}
	return []any{seq}, nil
}

func (l *listing) next(last recordRow, mark []any) string {
	if len(l.q.Sort) > 0 {
		return cursorOf(l.sortName(), mark)
	}
	return strconv.FormatInt(last.seq, 10)
}

// mark is what a cursor of a sorted list holds: where the page ended.
type mark struct {
	Sort   string   `json:"s"`
	Values []string `json:"v"`
}

func cursorOf(sort string, values []any) string {
	m := mark{Sort: sort}
	for _, v := range values {
		switch v := v.(type) {
		case int64:
			m.Values = append(m.Values, strconv.FormatInt(v, 10))
		case float64:
			m.Values = append(m.Values, strconv.FormatFloat(v, 'g', -1, 64))
		case string:
			m.Values = append(m.Values, v)
		}
	}
	raw, _ := json.Marshal(m) // texts always encode
	return base64.RawURLEncoding.EncodeToString(raw)
}

// after reads a cursor that was made for the same sort.
func after(cursor, sort string, keys []key) ([]any, error) {
	var m mark
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(raw, &m) != nil {
		return nil, fault.BadField("cursor", "The cursor is not one that a page sorted like this gave. Ask without it for the first page.")
	}
	if m.Sort != sort || len(m.Values) != len(keys) {
		return nil, fault.BadField("cursor", "The cursor was made for a list that is sorted by "+strconv.Quote(m.Sort)+", not by "+strconv.Quote(sort)+". Ask without it for the first page.")
	}
	out := make([]any, len(keys))
	for i, k := range keys {
		switch k.kind {
		case wholeKey:
			out[i], err = strconv.ParseInt(m.Values[i], 10, 64)
		case numberKey:
			out[i], err = strconv.ParseFloat(m.Values[i], 64)
		case textKey:
			out[i] = m.Values[i]
		}
		if err != nil || strings.ContainsRune(m.Values[i], 0) {
			return nil, fault.BadField("cursor", "The cursor is not one that a page gave. Ask without it for the first page.")
		}
	}
	return out, nil
}
