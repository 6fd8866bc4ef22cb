package api

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// unfit is what huma says of a request whose fields do not fit.
const unfit = "validation failed"

// mostMisfits is how many fields the sentence of a refusal names.
const mostMisfits = 5

// misfits says in words of people which fields of a request do not fit: by their names alone, in the refusal's own
// sentence, too.
func misfits(m *huma.ErrorModel) {
	if m.Detail != unfit || len(m.Errors) == 0 {
		return
	}
	var all []string
	for _, e := range m.Errors {
		where, name := fieldOf(e.Location), ""
		if e.Message, name = misfit(e.Message); name != "" {
			where = strings.TrimPrefix(where+"."+name, ".")
			e.Value = nil // the object that lacks it
		}
		e.Location = where
		all = append(all, strings.TrimPrefix(where+": "+e.Message, ": "))
	}
	m.Detail = strings.Join(all[:min(len(all), mostMisfits)], " ")
	if more := len(all) - mostMisfits; more > 0 {
		m.Detail += fmt.Sprintf(" And %d more.", more)
	}
}

// fieldOf is the name of a field by its place, as "body.groups[0]" or "query.state"; the whole body has none.
func fieldOf(place string) string {
	head, rest, inside := strings.Cut(place, ".")
	switch {
	case inside:
		return rest
	case strings.HasPrefix(head, "body["):
		return strings.TrimPrefix(head, "body")
	case head == "body":
		return ""
	}
	return place
}

// misfit is a sentence for what huma says, and the name of the field that is missing.
func misfit(said string) (text, missing string) {
	for _, r := range misfitTexts() {
		rest, ok := strings.CutPrefix(said, r.before)
		if rest, ok = cutSuffix(rest, r.after, ok); !ok {
			continue
		}
		if r.missing {
			return r.text, rest
		}
		if strings.Contains(r.text, "%s") {
			if strings.HasPrefix(r.text, "It has at least %s") && rest == "1" {
				return "It is empty.", ""
			}
			return fmt.Sprintf(r.text, rest), ""
		}
		return r.text, ""
	}
	first, n := utf8.DecodeRuneInString(said)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(said[n:], ".") + ".", ""
}

func cutSuffix(s, suffix string, ok bool) (string, bool) {
	rest, has := strings.CutSuffix(s, suffix)
	return rest, ok && has
}

// A misfitText is a sentence for what huma says with these words around what differs.
type misfitText struct {
	before, after, text string
	missing             bool // what differs is the name of the field
}

func misfitTexts() []misfitText {
	return []misfitText{
		{"expected required property ", " to be present", "The field is required.", true},
		{"required ", " parameter is missing", "The field is required.", false},
		{"unexpected property", "", "The key is not known.", false},
		{`expected value to be one of "`, `"`, "That is not one of the choices. Allowed: %s.", false},
		{"expected boolean", "", "It takes true or false.", false},
		{"expected integer", "", "It takes a whole number.", false},
		{"expected number >= ", "", "It is at least %s.", false},
		{"expected number <= ", "", "It is at most %s.", false},
		{"expected number > ", "", "It is more than %s.", false},
		{"expected number < ", "", "It is less than %s.", false},
		{"expected number to be a multiple of ", "", "It is a multiple of %s.", false},
		{"expected number", "", "It takes a number.", false},
		{"expected string to be RFC 3339 date-time", "", "It takes a date and time such as 2026-03-01T10:00:00Z.", false},
		{"expected string to be RFC 3339 date", "", "It takes a date such as 2026-03-01.", false},
		{"expected string to be base64 encoded", "", "It takes bytes, written in base64.", false},
		{"expected string to match pattern ", "", "It does not fit the pattern %s.", false},
		{"expected string to be ", "", "It does not fit: it is to be %s.", false},
		{"expected string", "", "It takes a text.", false},
		{"expected array length >= ", "", "It has at least %s items.", false},
		{"expected array length <= ", "", "It has at most %s items.", false},
		{"expected array items to be unique", "", "Something is there twice.", false},
		{"expected array", "", "It takes a list.", false},
		{"expected object with at least ", " properties", "It has at least %s keys.", false},
		{"expected object with at most ", " properties", "It has at most %s keys.", false},
		{"expected object", "", "It takes an object.", false},
		{"expected length >= ", "", "It has at least %s characters.", false},
		{"expected length <= ", "", "It has at most %s characters.", false},
		{"invalid integer", "", "It takes a whole number.", false},
		{"invalid float", "", "It takes a number.", false},
		{"invalid boolean", "", "It takes true or false.", false},
		{"invalid date/time for format ", "", "It takes a date and time such as 2026-03-01T10:00:00Z.", false},
	}
}
