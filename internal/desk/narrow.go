package desk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chela/internal/event"
	"chela/internal/query"
)

// How many texts and numbers of a record its narrow row has.
const (
	NarrowTexts   = 12 // t0 is the title, the last is who has the record
	NarrowNumbers = 5  // n0 is the status
)

// maxNarrow bounds a text of a narrow row, in bytes. Of a longer one the beginning is there.
const maxNarrow = 200

// CutFrom is how long, in bytes, a text of a narrow row may be that is only the beginning of the record's.
const CutFrom = maxNarrow - utf8.UTFMax

// InValues reports whether a term asks for values of a list of texts that are kept whole beside the narrow row.
func InValues(t query.Term) bool {
	if !t.Field.Many || t.Field.Place != query.InBody || t.Field.Sub != "" || t.Op != query.Is {
		return false
	}
	return !slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.None || v.Text == "" || len(v.Text) >= CutFrom })
}

// OwnerColumn is where a narrow row has the first of the people who have the record.
var OwnerColumn = "t" + strconv.Itoa(NarrowTexts-1) //nolint:gochecknoglobals // a name

// narrow says of the fields of a kind in which column of a narrow row they are: the title, the status, when the record
// was created and changed, who has it, and, as far as there are columns, every short text, day, number, flag and value
// of a closed set.
func narrow(k Kind, all []query.Field) {
	if specs[k].association {
		return // it has no narrow rows
	}
	texts, numbers := 1, 1
	for i := range all {
		f := &all[i]
		switch {
		case f.Place == query.InShares:
			f.Column = OwnerColumn
		case f.Place == query.InColumn && f.Path == "title":
			f.Column = "t0"
		case f.Place == query.InColumn && f.Path == "status":
			f.Column = "n0"
		case f.Place == query.InColumn && f.Type == query.Instant:
			f.Column = f.Path
		case f.Place != query.InBody || f.Many || f.Type == query.Presence || isLong(k, f.Name):
		case f.Type == query.Number || f.Type == query.Set || f.Type == query.Flag:
			if numbers < NarrowNumbers {
				f.Column = "n" + strconv.Itoa(numbers)
				numbers++
			}
		case texts < NarrowTexts-1:
			f.Column = "t" + strconv.Itoa(texts)
			texts++
		}
	}
}

// isLong reports whether people write several lines into a field.
func isLong(k Kind, name string) bool {
	return slices.ContainsFunc(specs[k].form, func(in Input) bool { return in.Name == name && in.Long })
}

// A NarrowRow is what lists are filtered and sorted by of a record. What is not set is nil.
type NarrowRow struct {
	Texts   [NarrowTexts]any   // string, in small letters
	Numbers [NarrowNumbers]any // float64; of a closed set the place of the value in it
	Many    []Listed           // the values of lists of texts
}

// A Listed is one value of a list of texts.
type Listed struct{ Field, Value string }

// Narrow returns the narrow row of a record, without who has it.
func Narrow(r Record, s Summary) (NarrowRow, error) {
	var out NarrowRow
	body, ok := event.Members(r.Body)
	if !ok {
		return out, fmt.Errorf("read the body of %s: it is not in canonical form", r.ID)
	}
	for _, f := range forms[r.Kind]().fields.List {
		raw := body[f.Path]
		switch {
		case f.Column == "" && f.Many && f.Place == query.InBody && f.Sub == "" && f.Name == f.Path && raw != nil:
			var values []string
			if err := json.Unmarshal(raw, &values); err != nil {
				return out, fmt.Errorf("read the %s of %s: %w", f.Name, r.ID, err)
			}
			for _, v := range values {
				if one := (Listed{f.Path, cut(v)}); one.Value != "" && !slices.Contains(out.Many, one) {
					out.Many = append(out.Many, one)
				}
			}
		case f.Column == "t0":
			out.Texts[0] = textOf(s.Title)
		case f.Column == "n0":
			out.Numbers[0] = place(s.Status, f.Allowed)
		case f.Column == "" || f.Place != query.InBody || f.Name != f.Path:
		default:
			if err := out.set(f, raw); err != nil {
				return out, fmt.Errorf("read the %s of %s: %w", f.Name, r.ID, err)
			}
		}
	}
	return out, nil
}

// set keeps the value of one field.
func (n *NarrowRow) set(f query.Field, raw json.RawMessage) error {
	at, err := strconv.Atoi(f.Column[1:])
	if err != nil {
		return err
	}
	switch f.Type {
	case query.Number:
		var v *float64
		if err = unmarshal(raw, &v); v != nil {
			n.Numbers[at] = *v
		}
	case query.Flag:
		var v bool
		err = unmarshal(raw, &v)
		n.Numbers[at] = 0.0
		if v {
			n.Numbers[at] = 1.0
		}
	default:
		s, plain := plainString(raw)
		if !plain {
			err = unmarshal(raw, &s)
		}
		if f.Type == query.Set {
			n.Numbers[at] = place(s, f.Allowed)
		} else {
			n.Texts[at] = textOf(s)
		}
	}
	return err
}

func unmarshal(raw json.RawMessage, into any) error {
	if raw == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}

// place is where a value stands in a closed set, -1 when it does not, nil for none.
func place(value string, allowed []string) any {
	if value == "" {
		return nil
	}
	return float64(slices.Index(allowed, value))
}

func textOf(text string) any {
	if text = cut(text); text == "" {
		return nil
	}
	return text
}

// cut is a text in small letters, or the beginning of it, without the characters that a database cannot hold.
func cut(text string) string {
	text = strings.ToLower(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", ""))
	if len(text) <= maxNarrow {
		return text
	}
	end := maxNarrow
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// NarrowForm differs when narrow rows are made otherwise: it is the digest of [form.narrow] of all kinds, which a start does not work out.
const NarrowForm = "99e8d7307afcf000"

// narrow is a text that differs when the narrow rows of a kind are made otherwise.
func (f form) narrow(k Kind) string {
	var out strings.Builder
	for _, f := range f.fields.List {
		fmt.Fprintf(&out, "%s.%s %s %s %v %s\n", k, f.Name, f.Column, f.Path, f.Many, strings.Join(f.Allowed, ","))
	}
	return out.String()
}
