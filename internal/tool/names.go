package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// separator stands between the prefix of a source and the name of its tool. No tool of ours has it
// in its name.
const separator = "__"

// What a name may have at most. APIs of models take 64 characters.
const (
	maxName   = 64
	maxPrefix = 16
	hashChars = 10
)

// IsPrefix reports whether a source may be called so: up to 16 of a to z and 0 to 9, a letter first.
func IsPrefix(s string) bool {
	return s != "" && len(s) <= maxPrefix && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// LocalNames maps the names that a source gives its tools, all different, to names of ours: the
// prefix, the separator, and the name in small letters, digits and underscores. A name that is cut, or
// that would be the same as another's, ends in a hash of what the source calls it. So none of them
// takes the name over that a list of tools may have for another.
func LocalNames(prefix string, theirs []string) []string {
	out := make([]string, len(theirs))
	hashed := make([]bool, len(theirs))
	for {
		holders := make(map[string][]int)
		for i, name := range theirs {
			out[i] = localName(prefix, name, &hashed[i])
			holders[out[i]] = append(holders[out[i]], i)
		}
		again := false
		for _, same := range holders {
			for _, i := range same {
				if len(same) > 1 && !hashed[i] {
					hashed[i], again = true, true
				}
			}
		}
		if !again {
			return out
		}
	}
}

func localName(prefix, name string, hashed *bool) string {
	body, room := snake(name), maxName-len(prefix)-len(separator)
	if body == "" || len(body) > room {
		*hashed = true
	}
	if !*hashed {
		return prefix + separator + body
	}
	sum := sha256.Sum256([]byte(name))
	body = strings.Trim(body[:min(len(body), room-hashChars-1)], "_")
	return prefix + separator + strings.TrimPrefix(body+"_"+hex.EncodeToString(sum[:])[:hashChars], "_")
}

// snake writes a name in small letters with underscores: listOpenPRs, list-open-prs and
// list.open.prs are list_open_prs.
func snake(name string) string {
	var b strings.Builder
	last := '_'
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case r >= 'A' && r <= 'Z':
			if unicode.IsLower(last) || unicode.IsDigit(last) {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		default:
			if s := b.String(); s != "" && s[len(s)-1] != '_' {
				b.WriteByte('_')
			}
		}
		last = r
	}
	return strings.Trim(b.String(), "_")
}
