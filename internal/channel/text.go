package channel

import "strings"

// clean takes out what no database keeps: bytes that are no text, and NUL.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// OneLine makes a text of others short and harmless enough to stand in a line of ours.
func OneLine(s string, most int) string {
	r := []rune(strings.Join(strings.Fields(clean(s)), " "))
	if len(r) > most {
		r = append(r[:most-1], '…')
	}
	return string(r)
}
