package answer

import (
	"strconv"
	"strings"

	"chela/internal/question"
)

// Word is a value of a closed set as people read it: "IN_PROGRESS" is "In progress".
func Word(value string) string { return question.Word(value) }

// num has at most one decimal.
func num(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// figure is a number with commas, when it is a whole one.
func figure(v float64) string {
	if v == float64(int(v)) {
		return thousands(int(v))
	}
	return num(v)
}

// counted is a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// thousands writes a number with a comma before each group of three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
