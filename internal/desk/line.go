package desk

import (
	"strconv"
	"strings"
)

// num has at most one decimal.
func num(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func opt(label, value string) string {
	if value == "" || value == ": " {
		return ""
	}
	return label + value
}
